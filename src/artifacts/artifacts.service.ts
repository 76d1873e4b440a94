import { randomUUID } from 'node:crypto';
import { pipeline, type Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { type z } from 'zod';
import { Audit } from '../audit/entries/audit.js';
import { type Principal } from '../auth/access/access.js';
import { type Rights, type ScopedDevice } from '../auth/rights/rights.js';
import { StepUp } from '../auth/people/step-up.js';
import { DevicesService } from '../devices/registry/devices.service.js';
import { parseRef } from '../selectors/device-ref.js';
import { Clock } from '../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { type Actor } from '../platform/actor.js';
import { AppError } from '../platform/errors.js';
import { newestFirst } from '../http/newest-first.js';
import { type Page } from '../http/page.js';
import { Artifact } from './artifact.entity.js';
import { ArtifactKeepers } from './artifact-keepers.js';
import { ArtifactQuota, type Usage } from './artifact-quota.js';
import { readSigningKeys, signerOf, type SigningKeys } from './artifact-signatures.js';
import { type IncomingFile } from './artifact-upload.js';
import { type artifactWithUsesView, type ListArtifactsQuery, type UploadInput } from './artifacts.contract.js';
import { sameSettingsOf } from './backup-changes.js';
import { ArtifactStore, type Draft } from './artifacts.js';
import { FileEdges } from './firmware-form.js';
import { withinScope } from '../devices/registry/within-scope.js';

export type ArtifactFilter = Omit<ListArtifactsQuery, 'device' | 'job'> & {
  readonly deviceId?: string | undefined;
  readonly jobId?: string | undefined;
};

/** An artifact, and how many jobs that have not ended use it. */
export type ArtifactWithUse = Artifact & { readonly openUses: number; readonly sameSettings: boolean | null };

export type ArtifactJob = z.input<typeof artifactWithUsesView>['uses'][number];

const USES_SHOWN = 100;

@Injectable()
export class ArtifactsService {
  private readonly keys: SigningKeys;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(ArtifactStore) private readonly store: ArtifactStore,
    @Inject(ArtifactQuota) private readonly quota: ArtifactQuota,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(StepUp) private readonly stepUp: StepUp,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(ArtifactKeepers) private readonly keepers: ArtifactKeepers,
  ) {
    this.keys = readSigningKeys(config.ARTIFACT_PUBLIC_KEYS);
  }

  /**
   * Takes a file that an operator gives. The bytes are durable before the row is; what is refused leaves nothing behind.
   * @throws AppError `artifact_digest_mismatch`, `artifact_signature_refused`, `artifact_quota_exceeded`,
   *   `body_too_large`, `request_aborted`, `invalid_input` (no bytes)
   */
  async add(given: UploadInput, file: IncomingFile, actor: Actor): Promise<ArtifactWithUse> {
    const edges = new FileEdges();
    const draft = await this.store
      .write(
        pipeline(file.content, edges, () => undefined) as Readable,
        this.config.DEVICE_BODY_LIMIT_BYTES,
        'body_too_large',
      )
      .catch(asAborted);
    let signedBy: string | null;
    try {
      signedBy = this.judge(given, draft);
    } catch (error) {
      await draft.discard();
      throw error;
    }
    await draft.keep();
    const { kind, hardware, minimumVersion = null, signature = null } = given;
    const form = kind === 'firmware' ? edges.form() : null;
    const version = given.version ?? form?.version ?? null;
    const models = given.models.length > 0 ? given.models : [...(form?.models ?? [])];
    const isImage = form && form.isImage;
    const { sha256, bytes } = draft;
    const name = given.name ?? file.fileName ?? 'artifact';
    const firmware = { version, models, hardware, minimumVersion, isImage };
    const facts = { sha256, bytes, kind, name, deviceId: null, jobId: null, ...firmware, signedBy };
    const artifact: Artifact = {
      id: randomUUID(),
      ...facts,
      signature,
      createdBy: actor.actorId,
      createdByName: actor.name,
      confirmedAt: null,
      createdAt: this.clock.now(),
    };
    await this.db.transaction(async (tx) => {
      await tx.insert(Artifact, artifact);
      await this.audit.record(tx, { actor, action: 'artifact.add', subject: `artifact:${artifact.id}`, facts });
    });
    return { ...artifact, openUses: 0, sameSettings: null };
  }

  /** @returns the name of the key that signed it, or null where there is no signature */
  private judge({ sha256: claimed, signature }: UploadInput, { sha256, bytes }: Draft): string | null {
    if (bytes === 0) {
      throw new AppError('invalid_input', { errors: [{ pointer: '/body', detail: 'has no bytes' }] });
    }
    if (claimed !== undefined && claimed !== sha256) {
      throw new AppError('artifact_digest_mismatch', { claimed, received: sha256, bytes });
    }
    if (signature === undefined) return null;
    const signedBy = signerOf(sha256, signature, this.keys);
    if (signedBy === null) throw new AppError('artifact_signature_refused', { sha256, keys: [...this.keys.keys()] });
    return signedBy;
  }

  /** Its bytes go a day after no artifact has them. @throws AppError `artifact_not_found`, `artifact_in_use` */
  async delete(artifactId: string, actor: Principal): Promise<void> {
    await this.get(artifactId, actor.rights);
    await this.db.transaction(async (tx) => {
      // The start of a job locks it too (`recordUses`), so none can begin to use it now.
      const artifact = await tx.findOne(Artifact, { where: { id: artifactId }, lock: { mode: 'pessimistic_write' } });
      if (!artifact) throw new AppError('artifact_not_found');
      const jobs = await tx.query<{ id: string }[]>(
        `select job.id from artifact_use join job on job.id = job_id
          where artifact_id = $1 and phase <> 'ended' order by job.created_at limit 10`,
        [artifactId],
      );
      const needs = await this.keepers.needsOf(tx, artifactId);
      if (jobs.length > 0 || Object.keys(needs).length > 0) {
        throw new AppError('artifact_in_use', { jobs: jobs.map(({ id }) => id), ...needs });
      }
      await tx.delete(Artifact, { id: artifactId });
      const { kind, name, sha256, bytes, deviceId } = artifact;
      await this.audit.record(tx, {
        actor,
        action: 'artifact.delete',
        subject: `artifact:${artifactId}`,
        ...(deviceId ? { deviceId } : {}),
        facts: { kind, name, sha256, bytes },
      });
    });
  }

  /** The jobs that use it, newest first, as far as they are in sight. */
  async usesOf(artifactId: string, rights: Rights): Promise<ArtifactJob[]> {
    const scope = rights.scope('job.read');
    const values: unknown[] = [artifactId];
    const inSight = scope ? `device_id in (select id from device where ${scope(values, this.clock.now())})` : 'true';
    return this.db.query(
      `select job.id as "jobId", device_id as "deviceId", kind, phase, outcome, created_at as "createdAt"
         from artifact_use join job on job.id = job_id
        where artifact_id = $1 and ${inSight} order by created_at desc limit ${USES_SHOWN}`,
      values,
    );
  }

  /** Adds to artifacts how many jobs that have not ended use them, and to backups whether their settings have changed. */
  async withUse(artifacts: readonly Artifact[]): Promise<ArtifactWithUse[]> {
    const rows = await this.db.query<{ id: string; count: number }[]>(
      `select artifact_id as id, count(*)::integer as count from artifact_use join job on job.id = job_id
        where artifact_id = any ($1) and phase <> 'ended' group by artifact_id`,
      [artifacts.map(({ id }) => id)],
    );
    const counts = new Map(rows.map(({ id, count }) => [id, count]));
    const ids = artifacts.filter(({ kind }) => kind === 'backup').map(({ id }) => id);
    const same = ids.length > 0 ? await sameSettingsOf(this.db, ids) : null;
    return artifacts.map((artifact) => ({
      ...artifact,
      openUses: counts.get(artifact.id) ?? 0,
      sameSettings: same?.get(artifact.id) ?? null,
    }));
  }

  usage(): Promise<Usage> {
    return this.quota.usage();
  }

  /** @throws AppError `artifact_not_found`, also for one of a device out of sight */
  async get(artifactId: string, rights: Rights): Promise<Artifact> {
    const artifact = await this.db.manager.findOneBy(Artifact, { id: artifactId });
    if (!artifact) throw new AppError('artifact_not_found');
    if (artifact.deviceId === null) return artifact; // it is of no device, such as firmware
    const device = await this.deviceOf(artifact);
    if (device) rights.requireOnDevice({ action: 'artifact.read', device }, 'artifact_not_found');
    // An artifact outlives its device. No selector says then who may see it, so the right must be held for every device.
    else if (!rights.everywhere('artifact.read')) throw new AppError('artifact_not_found');
    return artifact;
  }

  /** Whether any of these is a backup. */
  hasBackup(artifactIds: readonly string[]): Promise<boolean> {
    if (artifactIds.length === 0) return Promise.resolve(false);
    return this.db.manager.existsBy(Artifact, { id: In([...artifactIds]), kind: 'backup' });
  }

  /**
   * The id of a device whose artifacts are asked for. A removed one is known by its id as long as artifacts of it are kept.
   * @throws AppError `device_not_found`, `forbidden`
   */
  async deviceIdOf(ref: string, rights: Rights): Promise<string> {
    const { column, value } = parseRef(ref);
    if (column === 'id' && rights.everywhere('artifact.read')) {
      const isRemoved = !(await this.devices.getMany([value])).has(value);
      if (isRemoved && (await this.db.manager.existsBy(Artifact, { deviceId: value }))) return value;
    }
    const device = await this.devices.resolve(ref);
    rights.requireOnDevice({ action: 'artifact.read', device });
    return device.id;
  }

  /** Newest first; those of devices in sight, and those of none. */
  async list(filter: ArtifactFilter, rights: Rights): Promise<Page<Artifact>> {
    const { deviceId, jobId, kind, sha256 } = filter;
    const rows = this.db.manager.createQueryBuilder(Artifact, 'artifact');
    const scope = rights.scope('artifact.read');
    if (scope) {
      const { sql, parameters } = withinScope(scope, 'artifact.device_id', this.clock.now());
      rows.andWhere(`(artifact.device_id is null or ${sql})`, parameters);
    }
    return newestFirst(rows, 'artifacts', filter, { device_id: deviceId, job_id: jobId, kind, sha256 });
  }

  /**
   * Opens the bytes. A backup holds the secrets of its device, so each opening is in the audit before a byte goes out.
   * @throws AppError `artifact_not_found`, `artifact_damaged`; for a backup `forbidden` and `step_up_required`
   */
  async open(artifactId: string, actor: Principal): Promise<{ artifact: Artifact; content: Readable }> {
    const artifact = await this.get(artifactId, actor.rights);
    if (artifact.kind === 'backup') {
      await this.requireSecretsRight(artifact, actor.rights);
      await this.stepUp.require(actor);
    }
    const content = await this.store.read(artifact.sha256);
    try {
      await this.db.transaction((tx) =>
        this.audit.record(tx, {
          actor,
          action: 'artifact.read',
          subject: `artifact:${artifactId}`,
          ...(artifact.deviceId ? { deviceId: artifact.deviceId } : {}),
          ...(artifact.jobId ? { jobId: artifact.jobId } : {}),
          facts: { kind: artifact.kind, name: artifact.name, sha256: artifact.sha256, bytes: artifact.bytes },
        }),
      );
    } catch (error) {
      content.destroy();
      throw error;
    }
    return { artifact, content };
  }

  /** @throws AppError `forbidden` for those who may not read the secrets that are in a backup */
  async requireSecretsRight(artifact: Artifact, rights: Rights): Promise<void> {
    rights.require({ action: 'device.read_secrets', device: await this.deviceOf(artifact) });
  }

  /** The device that an artifact came from, unless it was removed. */
  private async deviceOf({ deviceId }: Artifact): Promise<ScopedDevice | undefined> {
    return deviceId === null ? undefined : (await this.devices.getMany([deviceId])).get(deviceId)?.device;
  }
}

/** A body that breaks off is the sender's doing. */
function asAborted(error: unknown): never {
  if (error instanceof AppError) throw error;
  const { code } = error as NodeJS.ErrnoException;
  const isBroken = code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE';
  throw isBroken ? new AppError('request_aborted', {}, { cause: error }) : error;
}
