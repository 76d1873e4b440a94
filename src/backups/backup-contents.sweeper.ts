import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { Secrets } from '../secrets/secrets.js';
import { type Sweeper } from '../platform/sweeper.js';
import { WorkMarks } from '../database/work-marks.js';
import { BackupUnreadable, contentDigest } from './backup-archive.js';
import { BackupReader } from './backup-reader.js';

/** Backups that one sweep opens; each is unpacked into memory, one at a time. */
const BATCH = 200;

interface UnreadBackup {
  readonly id: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly jobId: string | null;
  readonly deviceId: string | null;
  readonly createdAt: Date;
  /** Whether its policy stores only real changes. */
  readonly onlyChanges: boolean;
}

interface FoundContents {
  readonly sha256: string | null;
  readonly files: readonly object[];
  readonly failure: string | null;
}

/** Not opened yet; those of a device in their order, also with several processes. */
const IS_NEXT = `
  artifact.kind = 'backup' and not exists (select from backup_content where artifact_id = artifact.id)
  and not exists (
    select from artifact older
     where older.device_id = artifact.device_id and older.kind = 'backup' and older.created_at < artifact.created_at
       and not exists (select from backup_content where artifact_id = older.id))`;

/**
 * Opens each new backup once, so that you know that it can be unpacked before you need it. A backup with the same content
 * as the previous one confirms the previous one and is removed, if its policy stores only real changes.
 */
@Injectable()
export class BackupContentsSweeper implements Sweeper {
  readonly name = 'backup-contents';
  readonly isLeftToWorker = true;
  readonly everyMs = 10_000;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(BackupReader) private readonly reader: BackupReader,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Secrets) private readonly secrets: Pick<Secrets, 'fingerprint'>,
    @Inject(WorkMarks) private readonly marks: WorkMarks,
  ) {}

  /** @throws the first error, at the end: a backup that cannot be read now delays no other one */
  async sweep(): Promise<Record<string, number>> {
    const did = { opened: 0, unreadable: 0, unchanged: 0 };
    const tried: string[] = [];
    const errors: unknown[] = [];
    for (let id = await this.next(tried); id !== null && tried.length < BATCH; id = await this.next(tried)) {
      tried.push(id);
      const work = async ([only]: readonly string[]) => {
        const became = await this.db.transaction((tx) => this.examine(tx, only!));
        if (became !== null) did[became]++;
      };
      await this.marks
        .during('backup_content', [id], work, (guilty) => this.quarantine(guilty))
        .catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw errors[0];
    return did;
  }

  /** The oldest waiting one, except those that this sweep has tried. */
  private async next(tried: readonly string[]): Promise<string | null> {
    const [waiting] = await this.db.query<{ id: string }[]>(
      `select artifact.id from artifact where ${IS_NEXT} and artifact.id <> all ($1)
        order by artifact.created_at, artifact.id limit 1`,
      [tried],
    );
    return waiting?.id ?? null;
  }

  /** An archive that crashes processes is not opened again. */
  private async quarantine(id: string): Promise<void> {
    await this.saveContents(this.db.manager, id, {
      sha256: null,
      files: [],
      failure: 'three processes were lost while they opened it',
    });
  }

  /** Writes nothing when another process has just quarantined it. */
  private async saveContents(tx: EntityManager, id: string, { sha256, files, failure }: FoundContents): Promise<void> {
    await tx.query(
      `insert into backup_content (artifact_id, looked_at, sha256, files, failure) values ($1, $2, $3, $4, $5)
       on conflict (artifact_id) do nothing`,
      [id, this.clock.now(), sha256, JSON.stringify(files), failure],
    );
  }

  /** Opens the next backup; null when another process has it now. */
  private async examine(tx: EntityManager, id: string): Promise<'opened' | 'unreadable' | 'unchanged' | null> {
    const [backup] = await tx.query<UnreadBackup[]>(
      `select artifact.id, artifact.sha256, artifact.bytes::float8 as bytes, artifact.job_id as "jobId",
              artifact.device_id as "deviceId", artifact.created_at as "createdAt",
              coalesce((select only_changes from backup_policy
                         where artifact.created_by = 'system:backup-policy:' || backup_policy.id), false) as "onlyChanges"
         from artifact
        where artifact.id = $1 and ${IS_NEXT} for update of artifact skip locked`,
      [id],
    );
    if (!backup) return null;
    const found = await this.open(backup);
    await this.saveContents(tx, backup.id, found);
    if (found.sha256 === null) return 'unreadable';
    return backup.onlyChanges && (await this.confirm(tx, backup, found.sha256)) ? 'unchanged' : 'opened';
  }

  private async open(backup: UnreadBackup): Promise<FoundContents> {
    try {
      const files = await this.reader.open(backup);
      const listed: { name: string; bytes: number; digest: string }[] = [];
      for (const { name, content } of files) {
        await setImmediate(); // to hash 32 MiB at once would block the event loop for half a second
        // Keyed: a short file could be guessed from a plain digest.
        listed.push({ name, bytes: content.length, digest: this.secrets.fingerprint(hash('sha256', content, 'hex')) });
      }
      return { sha256: contentDigest(files), files: listed, failure: null };
    } catch (error) {
      if (error instanceof BackupUnreadable) return { sha256: null, files: [], failure: error.message };
      if (error instanceof AppError && error.code === 'artifact_damaged') {
        return { sha256: null, files: [], failure: 'its stored bytes were changed' };
      }
      throw error;
    }
  }

  /** @returns whether the previous backup has the same content: then that one is confirmed, and this one is removed */
  private async confirm(tx: EntityManager, backup: UnreadBackup, sha256: string): Promise<boolean> {
    const [before] = await tx.query<{ id: string; sha256: string | null; isSealedAlike: boolean }[]>(
      `select artifact.id, content.sha256,
              (select spec->>'sealedValue' from job where id = artifact.job_id)
                is not distinct from (select spec->>'sealedValue' from job where id = $4) as "isSealedAlike"
         from artifact join backup_content content on content.artifact_id = artifact.id
        where artifact.device_id = $1 and artifact.kind = 'backup' and artifact.id <> $2 and artifact.created_at <= $3
        order by artifact.created_at desc, artifact.id desc limit 1 for update of artifact`,
      [backup.deviceId, backup.id, backup.createdAt, backup.jobId],
    );
    // A backup in clear does not replace an encrypted one, nor one with another passphrase.
    if (before?.sha256 !== sha256 || !before.isSealedAlike) return false;
    const [gone] = await tx.query<[unknown[], number]>(
      `delete from artifact where id = $1
          and not exists (select from artifact_use join job on job.id = job_id
                           where artifact_id = $1 and phase <> 'ended') returning id`,
      [backup.id],
    );
    if (gone.length === 0) return false;
    await tx.query('update artifact set confirmed_at = $2 where id = $1', [before.id, backup.createdAt]);
    // The job that made it names the one that stays.
    await tx.query(
      `update job set result = result || jsonb_build_object('artifactId', $2::text, 'unchanged', true)
        where result->>'artifactId' = $1 and kind = 'backup' and device_id = $3`,
      [backup.id, before.id, backup.deviceId],
    );
    return true;
  }
}
