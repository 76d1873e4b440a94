import { type Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { Audit } from '../audit/audit.js';
import { type Principal } from '../auth/access.js';
import { type Rights } from '../auth/rights.js';
import { DevicesService } from '../devices/devices.service.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { cutPage, decodeCursor, type Page, type PageQuery } from '../platform/page.js';
import { Artifact, type ArtifactKind } from './artifact.entity.js';
import { ArtifactStore } from './artifacts.js';
import { withinScope } from './job-rights.js';

export interface ArtifactFilter extends PageQuery {
  readonly deviceId?: string | undefined;
  readonly jobId?: string | undefined;
  readonly kind?: ArtifactKind | undefined;
}

@Injectable()
export class ArtifactsService {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(ArtifactStore) private readonly store: ArtifactStore,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** @throws AppError `artifact_not_found`, also for one of a device out of sight */
  async get(artifactId: string, rights: Rights): Promise<Artifact> {
    const artifact = await this.db.manager.findOneBy(Artifact, { id: artifactId });
    if (!artifact) throw new AppError('artifact_not_found');
    if (artifact.deviceId === null) return artifact; // it is nobody's in particular, such as firmware
    const { device } = await this.devices.target(artifact.deviceId);
    rights.admit({ action: 'artifact.read', device }, 'artifact_not_found');
    return artifact;
  }

  /** Newest first; those of devices in sight, and those of none. */
  async list(filter: ArtifactFilter, rights: Rights): Promise<Page<Artifact>> {
    const rows = this.db.manager
      .createQueryBuilder(Artifact, 'artifact')
      .orderBy('artifact.created_at', 'DESC')
      .addOrderBy('artifact.id', 'DESC');
    const scope = rights.scope('artifact.read');
    if (scope) {
      const { sql, parameters } = withinScope(scope, 'artifact.device_id', this.clock.now());
      rows.andWhere(`(artifact.device_id is null or ${sql})`, parameters);
    }
    if (filter.deviceId) rows.andWhere('artifact.device_id = :deviceId', { deviceId: filter.deviceId });
    if (filter.jobId) rows.andWhere('artifact.job_id = :jobId', { jobId: filter.jobId });
    if (filter.kind) rows.andWhere('artifact.kind = :kind', { kind: filter.kind });
    if (filter.cursor) {
      const [at, id] = decodeCursor(filter.cursor, z.tuple([z.iso.datetime(), z.uuid()]));
      rows.andWhere('(artifact.created_at, artifact.id) < (:at, :id)', { at, id });
    }
    const found = await rows.limit(filter.limit + 1).getMany();
    return cutPage(found, filter.limit, (artifact) => [artifact.createdAt.toISOString(), artifact.id]);
  }

  /**
   * Opens the bytes. A backup holds the secrets of its device, so each opening is in the audit before a byte goes out.
   * @throws AppError `artifact_not_found`, `artifact_damaged`
   */
  async open(artifactId: string, actor: Principal): Promise<{ artifact: Artifact; content: Readable }> {
    const artifact = await this.get(artifactId, actor.rights);
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
}
