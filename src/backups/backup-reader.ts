import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppError } from '../platform/errors.js';
import { type Artifact } from '../artifacts/artifact.entity.js';
import { ArtifactStore } from '../artifacts/artifacts.js';
import { type BackupFile, BackupUnreadable, decryptBackup, MAX_ARCHIVE_BYTES, openBackup } from './backup-archive.js';
import { SealedValuesService } from '../jobs/sealed-values/sealed-values.service.js';

/** Opens stored backups, also those encrypted with a passphrase that the gateway has. */
@Injectable()
export class BackupReader {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ArtifactStore) private readonly store: ArtifactStore,
    @Inject(SealedValuesService) private readonly values: Pick<SealedValuesService, 'openInside'>,
  ) {}

  /** @throws BackupUnreadable; AppError `artifact_damaged` */
  async open({ sha256, bytes, jobId }: Pick<Artifact, 'sha256' | 'bytes' | 'jobId'>): Promise<BackupFile[]> {
    if (bytes > MAX_ARCHIVE_BYTES) throw new BackupUnreadable(`it is larger than ${MAX_ARCHIVE_BYTES} bytes`);
    const stored = await buffer(await this.store.read(sha256));
    return openBackup(Readable.from([await decryptBackup(stored, () => this.passphraseOf(jobId))]));
  }

  /** The passphrase of the job that made the backup; null when it has none, or that value was removed. */
  private async passphraseOf(jobId: string | null): Promise<string | null> {
    const [job] = await this.db.query<{ valueId: string | null }[]>(
      `select spec->>'sealedValue' as "valueId" from job where id = $1`,
      [jobId],
    );
    if (!job?.valueId) return null;
    try {
      return await this.values.openInside(job.valueId);
    } catch (error) {
      if (error instanceof AppError && error.code === 'sealed_value_not_found') return null;
      throw error;
    }
  }
}
