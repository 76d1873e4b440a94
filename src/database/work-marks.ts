import { randomUUID } from 'node:crypto';
import os from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { ADVISORY_LOCK } from './advisory-locks.js';
import { NONE_IS_RUNNING, ONE_AT_A_TIME_FROM, QUARANTINE_FROM } from './lost-workers.js';

/*
 * Rows that crash their process (`lost-workers.ts`). A sweeper commits a mark for each row before it works on the rows, and
 * removes the marks afterwards. A lost process leaves them, and the next one counts that. A mark lasts as long as a job's
 * lease and is renewed while the event loop turns, so a process that hangs counts as lost, too.
 */

export type MarkedKind =
  'rollout' | 'health_check' | 'schedule' | 'backup_policy' | 'backup_content' | 'webhook' | 'discovery' | 'watch';

const UNTIL = `clock_timestamp() + $4 * interval '1 millisecond'`;

/** Marks rows, and counts the loss of each mark that another process left. New marks have one order: no deadlocks. */
const TAKE = `
  with left_behind as materialized (
         select kind, row_id, lost_workers + coalesce(owner <> $3, false)::integer as lost from work_mark
          where kind = $1 and row_id = any ($2) and (held_until is null or held_until < clock_timestamp())
            for update skip locked),
       counted as (
         update work_mark set lost_workers = lost, owner = case when lost < ${ONE_AT_A_TIME_FROM} then $3 end,
                held_until = case when lost < ${ONE_AT_A_TIME_FROM} then ${UNTIL} end
           from left_behind where (work_mark.kind, work_mark.row_id) = (left_behind.kind, left_behind.row_id)),
       added as (
         insert into work_mark (kind, row_id, owner, held_until)
         select $1, id, $3, ${UNTIL} from unnest($2::uuid[]) as row (id) order by id
         on conflict do nothing returning row_id)
  select row_id as id, 0 as "lostWorkers" from added union all select row_id, lost from left_behind`;

@Injectable()
export class WorkMarks {
  /** This process in marks and jobs; another name after each start. */
  readonly owner = `${os.hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  private readonly leaseMs: number;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CONFIG) config: Pick<GatewayConfig, 'JOB_LEASE_SECONDS'>,
  ) {
    this.leaseMs = config.JOB_LEASE_SECONDS * 1_000;
  }

  /**
   * Works on rows, each under a mark, except those that another process works on.
   * @param work gets the rows together; after them, one by one, rows that lost two processes
   * @param quarantine stops a row until a person starts it again; it is called again when it fails
   * @throws the first error, at the end
   */
  async during(
    kind: MarkedKind,
    ids: readonly string[],
    work: (ids: readonly string[]) => Promise<void>,
    quarantine: (id: string) => Promise<void>,
  ): Promise<void> {
    if (ids.length === 0) return;
    const rows = await this.db.query<{ id: string; lostWorkers: number }[]>(TAKE, this.values(kind, ids));
    const together = rows.filter(({ lostWorkers }) => lostWorkers < ONE_AT_A_TIME_FROM).map(({ id }) => id);
    const others = rows.filter(({ lostWorkers }) => lostWorkers >= ONE_AT_A_TIME_FROM);
    const errors: unknown[] = [];
    const attempt = (act: () => Promise<void>) => act().catch((error: unknown) => void errors.push(error));
    if (together.length > 0) await attempt(() => this.under(kind, together, work));
    for (const { id, lostWorkers } of others) {
      await attempt(async () => {
        if (lostWorkers >= QUARANTINE_FROM) await quarantine(id).then(() => this.clear(kind, [id]));
        else if (await this.takeAlone(kind, id)) await this.under(kind, [id], work);
      });
    }
    if (errors.length > 0) throw errors[0];
  }

  /** At a clean stop: removes this process's marks, so that its end counts as no loss. */
  async leave(): Promise<void> {
    await this.db.query('delete from work_mark where owner = $1 and lost_workers = 0', [this.owner]);
    await this.db.query('update work_mark set owner = null, held_until = null where owner = $1', [this.owner]);
  }

  private async takeAlone(kind: MarkedKind, id: string): Promise<boolean> {
    const [rows] = await this.db.query<[unknown[], number]>(
      `with dispatch_lock as materialized (select pg_try_advisory_xact_lock(${ADVISORY_LOCK.jobDispatch}) as is_held)
       update work_mark set owner = $3, held_until = ${UNTIL} from dispatch_lock
        where kind = $1 and row_id = any ($2) and held_until is null and is_held and ${NONE_IS_RUNNING} returning 1`,
      this.values(kind, [id]),
    );
    return rows.length > 0;
  }

  /** An error removes the marks, too: it has not crashed the process. */
  private async under(kind: MarkedKind, ids: readonly string[], work: (ids: readonly string[]) => Promise<void>) {
    const prolong = `update work_mark set held_until = ${UNTIL} where kind = $1 and row_id = any ($2) and owner = $3`;
    const heartbeat = setInterval(() => {
      this.db.query(prolong, this.values(kind, ids)).catch(() => undefined);
    }, this.leaseMs / 3).unref();
    try {
      await work(ids);
    } finally {
      clearInterval(heartbeat);
      await this.clear(kind, ids);
    }
  }

  /** Does not wait for the disk: at worst a crash of the database at this moment counts as a loss. */
  private async clear(kind: MarkedKind, ids: readonly string[]): Promise<void> {
    await this.db.query(
      `with quick as materialized (select set_config('synchronous_commit', 'off', true))
       delete from work_mark using quick where kind = $1 and row_id = any ($2) and (owner = $3 or owner is null)`,
      [kind, ids, this.owner],
    );
  }

  private values(kind: MarkedKind, ids: readonly string[]): unknown[] {
    return [kind, ids, this.owner, this.leaseMs];
  }
}
