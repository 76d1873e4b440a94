import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { type Rights } from '../auth/rights/rights.js';
import { DevicesService } from '../devices/registry/devices.service.js';
import { AppError } from '../platform/errors.js';
import { Redactor } from '../secrets/redactor.js';
import { Artifact } from '../artifacts/artifact.entity.js';
import { ArtifactsService } from '../artifacts/artifacts.service.js';
import { type BackupFile, BackupUnreadable } from './backup-archive.js';
import { type BackupContents, backupContents, type BackupDifference, backupDifference } from './backup-diff.js';
import { BackupReader } from './backup-reader.js';

/** Compares backups for callers that may see artifacts, not secrets. */
@Injectable()
export class BackupComparison {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ArtifactsService) private readonly artifacts: Pick<ArtifactsService, 'get'>,
    @Inject(BackupReader) private readonly reader: BackupReader,
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'resolve'>,
    @Inject(Redactor) private readonly redactor: Pick<Redactor, 'redacted'>,
  ) {}

  /**
   * @param a a backup by its id, or a device by any of its names: its newest backup
   * @throws AppError `artifact_not_found`, `device_not_found`, `artifact_damaged`, `backup_unreadable`
   */
  async between(a: string, b: string, rights: Rights): Promise<BackupDifference & { a: Artifact; b: Artifact }> {
    const [one, other] = [await this.find(a, rights), await this.find(b, rights)];
    const files = [await this.open(one), await this.open(other)] as const;
    const difference = backupDifference(...files, (value, path) => this.redactor.redacted(value, path));
    return { a: one, b: other, ...difference };
  }

  /**
   * The files of one backup.
   * @param ref as for `between`
   * @throws AppError `artifact_not_found`, `device_not_found`, `artifact_damaged`, `backup_unreadable`
   */
  async contents(ref: string, rights: Rights): Promise<BackupContents & Artifact> {
    const artifact = await this.find(ref, rights);
    const files = await this.open(artifact);
    return { ...artifact, ...backupContents(files, (value, path) => this.redactor.redacted(value, path)) };
  }

  private async find(ref: string, rights: Rights): Promise<Artifact> {
    const isId = z.uuid().safeParse(ref).success;
    const isArtifact = isId && (await this.db.manager.existsBy(Artifact, { id: ref }));
    const artifact = isArtifact
      ? await this.artifacts.get(ref, rights)
      : await this.newestOf(ref, rights).catch((error: unknown) => {
          // The same answer as for a backup that is hidden from the caller.
          if (isId && error instanceof AppError && error.code === 'device_not_found') return null;
          throw error;
        });
    if (artifact?.kind !== 'backup') throw new AppError('artifact_not_found', { of: ref });
    return artifact;
  }

  private async newestOf(ref: string, rights: Rights): Promise<Artifact | null> {
    const device = await this.devices.resolve(ref);
    rights.requireOnDevice({ action: 'artifact.read', device });
    const where = { deviceId: device.id, kind: 'backup' as const };
    return this.db.manager.findOne(Artifact, { where, order: { createdAt: 'desc' } });
  }

  private async open(artifact: Artifact): Promise<BackupFile[]> {
    await this.refuseUnreadable(artifact.id);
    try {
      return await this.reader.open(artifact);
    } catch (error) {
      if (error instanceof BackupUnreadable) {
        throw new AppError('backup_unreadable', { artifactId: artifact.id, why: error.message }, { cause: error });
      }
      throw error;
    }
  }

  /** A backup that could not be opened once, or crashed processes, is not opened again. */
  private async refuseUnreadable(artifactId: string): Promise<void> {
    const [known] = await this.db.query<{ failure: string | null }[]>(
      'select failure from backup_content where artifact_id = $1',
      [artifactId],
    );
    if (known?.failure) throw new AppError('backup_unreadable', { artifactId, why: known.failure });
  }
}
