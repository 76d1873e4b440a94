import { randomUUID } from 'node:crypto';
import os from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../clock.js';
import { CONFIG, type GatewayConfig } from '../config.js';
import { errorChain } from '../errors/error-chain.js';

/*
 * Quarantine for rows that crash their process. A sweeper marks the rows that it works on and commits the mark before
 * the work begins. The process removes its marks when it is done; a process that died leaves them.
 *
 *   the mark of a dead process   its process was lost with this row; other rows of the same pass are marked, too
 *   a row that lost one          is a suspect: it is worked on alone, so that the next lost process identifies the row
 *   a suspect that lost a second is quarantined: its sweeper stops it and says why; an operator must release it
 *
 * A second loss quarantines a row only when the process worked on nothing else, jobs included (`work_in_hand`, in SQL
 * because jobs use it, too). Otherwise all other work waits for up to five minutes, so that the suspect runs isolated: the
 * SQL function `quiet_trial` names it.
 *
 * A mark lasts as long as a job's lease and is renewed while the event loop turns, so a process that hangs counts as
 * lost, too. A clean stop removes all marks.
 */

export type MarkedKind =
  'rollout' | 'health_check' | 'schedule' | 'backup_policy' | 'backup_content' | 'webhook' | 'discovery';

/** Lost processes in a row that quarantine a row; the last one worked on nothing else. */
const MAX_LOST_PROCESSES = 2;

/** A failure does not stop the others. @throws Error at the end that names the failed rows */
export async function eachRow(ids: readonly string[], work: (id: string) => Promise<void>): Promise<void> {
  const failed: string[] = [];
  let cause: unknown;
  for (const id of ids) {
    await work(id).catch((error: unknown) => {
      cause ??= error;
      failed.push(`${id}: ${errorChain(error)}`);
    });
  }
  if (failed.length > 0) throw new Error(`Failed were ${failed.slice(0, MAX_NAMED).join('; ')}`, { cause });
}

/** Rows that an error names. */
const MAX_NAMED = 5;

type Work = (ids: readonly string[]) => Promise<void>;

/** The losses of one process are noticed within the time of a lease. */
const LEASE_AGO = `clock_timestamp() - $2 * interval '1 millisecond'`;

/** The end of an isolated run: the same time as in `quiet_trial`. */
const QUIET_UNTIL = `clock_timestamp() + interval '5 minutes'`;

const UNTIL = `clock_timestamp() + $4 * interval '1 millisecond'`;

@Injectable()
export class WorkMarks {
  /** This process in marks and jobs; another name after each start. */
  readonly owner = `${os.hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  private readonly leaseMs: number;
  private hasSuspect = false;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CONFIG) config: Pick<GatewayConfig, 'JOB_LEASE_SECONDS'>,
  ) {
    this.leaseMs = config.JOB_LEASE_SECONDS * 1_000;
  }

  /**
   * Works on rows, each under a mark. Rows marked by another process are skipped; all rows are skipped while a suspect
   * must be alone. A failure of `work` delays neither suspects nor a quarantine.
   * @param work gets the rows without a lost process together, then each suspect alone
   * @param quarantine stops a row permanently; it is called again when it fails
   * @throws the first error of `work`, at the end
   */
  async during(
    kind: MarkedKind,
    ids: readonly string[],
    work: Work,
    quarantine: (id: string) => Promise<void>,
  ): Promise<void> {
    if (ids.length === 0) return;
    const isolated = await this.isolatedSuspect();
    if (isolated && !(isolated.kind === kind && ids.includes(isolated.id))) {
      // A rollout's health checks start within the work on the rollout.
      const hasTurn = isolated.kind === 'health_check' && kind === 'rollout' && ids.includes(isolated.id);
      return hasTurn ? work([isolated.id]) : undefined;
    }
    const taken = isolated ? [] : await this.take(kind, ids);
    const errors: unknown[] = [];
    const collect = (error: unknown) => void errors.push(error);
    if (taken.length > 0) await this.under(kind, taken, work).catch(collect);
    const left = isolated ? [isolated.id] : ids.filter((id) => !taken.includes(id));
    for (const { id, mustQuarantine, isUnproven } of left.length > 0 ? await this.lost(kind, left) : []) {
      if (mustQuarantine) {
        await quarantine(id)
          .then(() => this.clear(kind, [id]))
          .catch(collect);
      } else if (!this.hasSuspect) {
        this.hasSuspect = true; // before the first await: passes of other sweepers run at the same time
        await this.mayTry(kind, id, isUnproven)
          .then((may) => (may ? this.asOnlyRow(kind, id, work) : undefined))
          .catch(collect)
          .finally(() => (this.hasSuspect = false));
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  /** At a clean stop: removes this process's marks, so that no row becomes a suspect by its end. */
  async leave(): Promise<void> {
    await this.db.query('delete from work_mark where owner = $1 and lost = 0', [this.owner]);
    await this.db.query('update work_mark set owner = null, held_until = null where owner = $1', [this.owner]);
  }

  /** The suspect that all other work waits for. `isBusy`: work begun earlier has not ended. */
  private async isolatedSuspect(): Promise<{ kind: string; id: string; isBusy: boolean } | undefined> {
    const [suspect] = await this.db.query<{ kind: string; id: string; isBusy: boolean }[]>(
      `select kind, id, is_work_in_hand() as "isBusy" from quiet_trial($1)`,
      [this.clock.now()],
    );
    return suspect;
  }

  /**
   * Whether a suspect may be worked on now.
   * @param isUnproven whether it lost two processes that had other work in hand. All other work then waits for it, and
   *   it waits for the work that was begun, both for five minutes at most.
   */
  private async mayTry(kind: MarkedKind, id: string, isUnproven: boolean): Promise<boolean> {
    if (isUnproven) {
      await this.db.query(
        `update work_mark set quiet_until = ${QUIET_UNTIL}
          where kind = $1 and row_id = $2 and held_until is null and quiet_until is null`,
        [kind, id],
      );
    }
    const isolated = await this.isolatedSuspect();
    return !isolated || (isolated.kind === kind && isolated.id === id && !isolated.isBusy);
  }

  /**
   * Takes over the marks of lost processes. It must run each second, also while rows wait: the losses of one process must
   * be noticed together, to count its work.
   */
  async noticeLosses(): Promise<void> {
    await this.db.query(
      `update work_mark
          set lost = lost + (owner <> $1)::integer, owner = null, held_until = null,
              lost_by = case when owner <> $1 then owner else lost_by end,
              lost_at = case when owner <> $1 then clock_timestamp() else lost_at end,
              alone = case when owner <> $1 then work_in_hand(owner, ${LEASE_AGO}) <= 1 else alone end,
              quiet_until = null
        where (kind, row_id) in (select kind, row_id from work_mark where held_until < clock_timestamp()
                                  order by kind, row_id for update skip locked)`,
      [this.owner, this.leaseMs],
    );
  }

  private async take(kind: MarkedKind, ids: readonly string[]): Promise<string[]> {
    // The same order in all processes prevents deadlocks.
    const rows = await this.db.query<{ id: string }[]>(
      `insert into work_mark (kind, row_id, owner, held_until)
       select $1, row.id, $3, ${UNTIL} from unnest($2::uuid[]) as row (id)
        where not exists (select from quiet_trial($5)) order by row.id
       on conflict do nothing returning row_id as id`,
      [kind, ids, this.owner, this.leaseMs, this.clock.now()],
    );
    return rows.map(({ id }) => id);
  }

  /** The marked rows that no process works on. A mark of this process is among them when it could not be removed. */
  private async lost(
    kind: MarkedKind,
    ids: readonly string[],
  ): Promise<{ id: string; mustQuarantine: boolean; isUnproven: boolean }[]> {
    await this.noticeLosses();
    return this.db.query(
      `select row_id as id, alone and lost >= ${MAX_LOST_PROCESSES} as "mustQuarantine",
              not alone and lost >= ${MAX_LOST_PROCESSES} as "isUnproven" from work_mark
        where kind = $1 and row_id = any ($2) and held_until is null order by row_id`,
      [kind, ids],
    );
  }

  private async asOnlyRow(kind: MarkedKind, id: string, work: Work): Promise<void> {
    const [rows] = await this.db.query<[unknown[], number]>(
      `update work_mark set owner = $3, held_until = ${UNTIL}
        where kind = $1 and row_id = $2 and held_until is null returning 1`,
      [kind, id, this.owner, this.leaseMs],
    );
    if (rows.length > 0) await this.under(kind, [id], work);
  }

  /** An error removes the mark, too: it has not crashed the process. */
  private async under(kind: MarkedKind, ids: readonly string[], work: Work): Promise<void> {
    const heartbeat = setInterval(() => void this.prolong(kind, ids).catch(() => undefined), this.leaseMs / 3);
    heartbeat.unref();
    try {
      await work(ids);
    } finally {
      clearInterval(heartbeat);
      await this.clear(kind, ids);
    }
  }

  private async prolong(kind: MarkedKind, ids: readonly string[]): Promise<void> {
    await this.db.query(
      `update work_mark set held_until = ${UNTIL} where kind = $1 and row_id = any ($2) and owner = $3`,
      [kind, ids, this.owner, this.leaseMs],
    );
  }

  /** Does not wait for the disk: at worst a crash of the database at this moment makes a row a suspect. */
  private async clear(kind: MarkedKind, ids: readonly string[]): Promise<void> {
    await this.db.query(
      `with quick as materialized (select set_config('synchronous_commit', 'off', true))
       delete from work_mark using quick where kind = $1 and row_id = any ($2) and (owner = $3 or owner is null)`,
      [kind, ids, this.owner],
    );
  }
}
