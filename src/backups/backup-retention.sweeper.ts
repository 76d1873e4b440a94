import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Audit } from '../audit/entries/audit.js';
import { systemActor } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { type Sweeper } from '../platform/sweeper.js';
import { BackupPolicy } from './backup-policy.entity.js';
import { policySubject } from '../jobs/sealed-values/sealed-value.entity.js';

const DAY_MS = 24 * 60 * 60_000;

/** Backups that one statement removes. */
const BATCH = 1_000;

interface RemovedBackup {
  readonly id: string;
  readonly deviceId: string | null;
  readonly name: string;
  readonly sha256: string;
}

/**
 * Removes backups that their policy no longer stores. The newest of a device stays, however old, and so does one that an
 * open job uses. Backups that an operator started belong to no policy and stay too.
 */
@Injectable()
export class BackupRetentionSweeper implements Sweeper {
  readonly name = 'backup-retention';
  readonly isLeftToWorker = true;
  readonly everyMs = 60 * 60_000;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Audit) private readonly audit: Audit,
  ) {}

  async sweep(): Promise<Record<string, number>> {
    let removed = 0;
    for (const policy of await this.db.manager.find(BackupPolicy)) {
      for (let count = BATCH; count === BATCH;) removed += count = await this.removeOf(policy);
    }
    return { removed };
  }

  private removeOf({ id, name, keepCount, keepDays }: BackupPolicy): Promise<number> {
    const now = this.clock.now().getTime();
    const before = keepDays === null ? null : new Date(now - keepDays * DAY_MS);
    return this.db.transaction(async (tx) => {
      const [gone] = await tx.query<[RemovedBackup[], number]>(
        `delete from artifact where id in (
           select ranked.id from (
             select id, coalesce(confirmed_at, created_at) as at,
                    row_number() over (partition by device_id order by created_at desc, id desc) as place
               from artifact where kind = 'backup' and created_by = $1) as ranked
            where place > 1 and (place > $2 or at < $3)
              and not exists (select from artifact_use join job on job.id = job_id
                               where artifact_use.artifact_id = ranked.id and job.phase <> 'ended')
            limit ${BATCH})
         returning id, device_id as "deviceId", name, sha256`,
        [policySubject(id), keepCount, before],
      );
      const actor = { ...systemActor('backup-retention'), reason: `backup policy ${name}` };
      await this.audit.recordAll(
        tx,
        gone.map((artifact) => ({
          actor,
          action: 'artifact.delete' as const,
          subject: `artifact:${artifact.id}`,
          ...(artifact.deviceId ? { deviceId: artifact.deviceId } : {}),
          facts: { kind: 'backup', name: artifact.name, sha256: artifact.sha256, keepCount, keepDays },
        })),
      );
      return gone.length;
    });
  }
}
