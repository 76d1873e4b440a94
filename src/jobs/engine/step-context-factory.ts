import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type z } from 'zod';
import { deviceJson } from '../../device-api/device-json.js';
import { isJsonType, mediaType } from '../../device-api/media-type.js';
import { DeviceCertificate } from '../../devices/registry/device-certificate.entity.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError, type Facts } from '../../platform/errors.js';
import { Redactor } from '../../secrets/redactor.js';
import { refusalFacts } from '../../proxy/connections/device-errors.js';
import {
  DeviceCalls,
  type CallContext,
  type DeviceRequest,
  type DeviceStream,
} from '../../proxy/calls/device-calls.js';
import { Artifact } from '../../artifacts/artifact.entity.js';
import { ArtifactUse } from '../../artifacts/artifact-use.entity.js';
import { ArtifactStore } from '../../artifacts/artifacts.js';
import { type JobRow } from '../rows/job.entity.js';
import { authorOf } from './job-rows.js';
import {
  type NewArtifact,
  type SavedFile,
  type SeenCertificate,
  type StepContext,
  type StoredArtifact,
  type UploadRequest,
} from '../kind-api/step-context.js';
import { multipart } from '../../artifacts/multipart.js';
import { StepCredentials } from './step-credentials.js';
import { TemplateSource } from './template-source.js';

/** The largest part of an error answer that is read. */
const MAX_ERROR_BYTES = 64 * 1024;

/** The most mismatches in an answer that are listed. */
const MAX_POINTERS = 20;

/** What stops the calls of a step. */
interface StepGuards {
  /** Throws when the worker may have lost the job: called before each write. */
  readonly beforeWrite: () => void;
  /** Rejects when the author may not continue: called before each call, after its wait for admission. */
  readonly requireContinue: () => Promise<void>;
}

/** Makes the context of a step: all input and output of its kind, for the job's own device only. */
@Injectable()
export class StepContextFactory {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(DeviceCalls) private readonly calls: DeviceCalls,
    @Inject(ArtifactStore) private readonly artifacts: ArtifactStore,
    @Inject(Redactor) private readonly redactor: Redactor,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'storeObservations' | 'get'>,
    @Inject(StepCredentials) private readonly credentials: StepCredentials,
    @Inject(TemplateSource) private readonly templates: Pick<TemplateSource, 'for'>,
  ) {}

  /**
   * @param signal aborts the step's device calls
   * @param hasConnection whether the worker has called the device for it before
   */
  async contextFor(
    job: JobRow,
    signal: AbortSignal,
    { beforeWrite, requireContinue }: StepGuards,
    hasConnection: boolean,
  ): Promise<StepContext> {
    const { device } = await this.devices.get(job.deviceId);
    const { id, name, serial, model, firmware } = device;
    const { isBulk } = job;
    const callContext: CallContext = {
      actor: authorOf(job),
      job: { id: job.id, isBulk, hasConnection, requireContinue },
      signal,
      beforeWrite,
    };
    return {
      device: { id, name, serial, model, firmware },
      now: this.clock.now(),
      call: (request, data) => this.call(id, request, data, callContext),
      callForEnvelope: (request) => this.calls.call(id, request, callContext),
      redacted: (value, path) => this.redactor.redacted(value, path),
      save: (request, announcedSha256) => this.save(id, request, announcedSha256, callContext),
      lastBackup: () => this.lastBackup(id),
      storeObservations: (facts) => this.devices.storeObservations(id, facts),
      artifact: (artifactId) => this.artifact(job, artifactId),
      upload: (request, data) => this.upload(job, request, data, callContext),
      endSessions: () => this.calls.endSessions(id),
      readFile: (request, maxBytes) => this.readFile(id, request, maxBytes, callContext),
      store: (bytes) => this.store(bytes),
      content: (artifactId, maxBytes) => this.content(job, artifactId, maxBytes),
      secrets: this.credentials.secretsOf(job),
      templates: () => this.templates.for(job),
      ownAccounts: () => this.credentials.ownAccounts(job),
      provePassword: (username, valueId) => this.credentials.provePassword(job, username, valueId),
      rotation: this.credentials.rotationOf(job, callContext),
      address: () => this.credentials.addressOf(job),
      relocate: (to, serial, keepOld = false) => this.credentials.relocate(job, { to, serial, keepOld }, callContext),
      noteCertificates: (seen) => this.noteCertificates(job, seen),
      forgetCertificates: (fullnames) => this.forgetCertificates(job, fullnames),
    };
  }

  /** Records the certificates on the device; the newest record of a name counts. */
  private async noteCertificates(job: JobRow, seen: readonly SeenCertificate[]): Promise<void> {
    if (seen.length === 0) return;
    const of = { deviceId: job.deviceId, jobId: job.id, seenAt: this.clock.now(), madeAt: null };
    const rows = seen.map((one) => ({ ...one, ...of }));
    await this.db.manager.upsert(DeviceCertificate, rows, ['deviceId', 'fullname']);
  }

  private async forgetCertificates(job: JobRow, fullnames: readonly string[]): Promise<void> {
    for (const fullname of fullnames) {
      await this.db.manager.delete(DeviceCertificate, { deviceId: job.deviceId, fullname });
    }
  }

  private lastBackup(deviceId: string): Promise<StoredArtifact | null> {
    return this.db.manager.findOne(Artifact, { where: { deviceId, kind: 'backup' }, order: { createdAt: 'desc' } });
  }

  /**
   * @returns null when there is none
   * @throws AppError `artifact_changed` when it has changed since the start of the job
   */
  private async artifact(job: JobRow, artifactId: string): Promise<StoredArtifact | null> {
    const artifact = await this.db.manager.findOneBy(Artifact, { id: artifactId });
    const use = await this.db.manager.findOneBy(ArtifactUse, { artifactId, jobId: job.id });
    if (artifact && use && use.sha256 !== artifact.sha256) {
      throw new AppError('artifact_changed', {
        artifactId,
        expectedSha256: use.sha256,
        foundSha256: artifact.sha256,
      });
    }
    return artifact;
  }

  private async upload<Data>(
    job: JobRow,
    { artifactId, fileName, fields = {}, ...request }: UploadRequest,
    data: z.ZodType<Data>,
    caller: CallContext,
  ): Promise<Data> {
    const artifact = await this.artifact(job, artifactId);
    if (!artifact) throw new AppError('artifact_not_found', { artifactId });
    const content = await this.artifacts.read(artifact.sha256);
    const form = multipart(fields, { name: fileName, bytes: artifact.bytes, content });
    try {
      return await this.call(job.deviceId, { ...request, ...form }, data, caller);
    } finally {
      form.body.destroy(); // also when the call was refused before the body was read
    }
  }

  private async readFile(
    deviceId: string,
    request: DeviceRequest,
    maxBytes: number,
    caller: CallContext,
  ): Promise<Buffer> {
    const answer = await this.file(deviceId, { ...request, maxBytes }, caller);
    return buffer(answer.body).catch(asCut);
  }

  /** @throws AppError `device_refused` for an answer that is an error */
  private async file(deviceId: string, request: DeviceRequest, caller: CallContext): Promise<DeviceStream> {
    const answer = await this.calls.stream(deviceId, request, caller);
    if (answer.status >= 400 || isJsonType(mediaType(answer.headers['content-type']))) {
      throw new AppError('device_refused', this.redactor.redacted(await refusal(answer.status, answer.body)));
    }
    return answer;
  }

  private async store(content: Buffer): Promise<Pick<NewArtifact, 'sha256' | 'bytes'>> {
    const draft = await this.artifacts.write(Readable.from([content]), content.length);
    await draft.keep();
    return { sha256: draft.sha256, bytes: draft.bytes };
  }

  private async content(job: JobRow, artifactId: string, maxBytes: number): Promise<Buffer> {
    const artifact = await this.artifact(job, artifactId);
    if (!artifact) throw new AppError('artifact_not_found', { artifactId });
    if (artifact.bytes > maxBytes) throw new Error(`The artifact ${artifactId} is too large to be read into memory`);
    return buffer(await this.artifacts.read(artifact.sha256));
  }

  private async call<Data>(
    deviceId: string,
    request: DeviceRequest,
    data: z.ZodType<Data>,
    caller: CallContext,
  ): Promise<Data> {
    const { body } = await this.calls.call(deviceId, request, caller);
    const parsed = data.safeParse((body as { data?: unknown } | null)?.data);
    if (parsed.success) return parsed.data;
    const pointers = parsed.error.issues.slice(0, MAX_POINTERS).map(({ path }) => `/data/${path.join('/')}`);
    throw new AppError('device_answer_invalid', { path: request.path, pointers }, { cause: parsed.error });
  }

  private async save(
    deviceId: string,
    request: DeviceRequest,
    announcedSha256: string,
    caller: CallContext,
  ): Promise<SavedFile> {
    const answer = await this.file(deviceId, request, caller);
    const draft = await this.artifacts.write(answer.body, this.config.DEVICE_BODY_LIMIT_BYTES).catch(asCut);
    const isAsAnnounced = draft.sha256 === announcedSha256;
    await (isAsAnnounced ? draft.keep() : draft.discard());
    return { sha256: draft.sha256, bytes: draft.bytes, isAsAnnounced };
  }
}

/** The refusal of a device in place of bytes. */
async function refusal(status: number, body: Readable): Promise<Facts> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ERROR_BYTES) break; // leaving the loop destroys the stream
    chunks.push(chunk);
  }
  return refusalFacts(status, deviceJson(Buffer.concat(chunks)));
}

/** The error of a broken stream, as one of the error table. */
function asCut(cause: unknown): never {
  if (cause instanceof AppError) throw cause;
  throw new AppError('device_answer_cut', {}, { cause });
}
