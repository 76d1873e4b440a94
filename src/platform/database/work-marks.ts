import { randomUUID } from 'node:crypto';
import os from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../clock.js';
import { CONFIG, type GatewayConfig } from '../config.js';
import { errorChain } from '../errors.js';

/*
 * A row that takes its process down must not do so again after each start. A sweeper marks the rows that it works on, and
 * the mark is committed before the work begins. The process takes its marks back when it is done; one that died left them.
 *
 *   the mark of a dead process   a process was lost with this row; others of the same pass left their marks, too
 *   a row that lost one          is a suspect: it is worked on alone, so that the next process lost says which row it was
 *   a suspect that lost a second is quarantined: its sweeper stops it, says why, and a person lets it go on
 *
 * A second loss convicts only a row that was all that the process had in hand, jobs included (`work_in_hand`, in SQL because
 * jobs ask it, too). After another one everything else waits for up to five minutes, so that the suspect can be tried with
 * nothing beside it (`quiet_trial`).
 *
 * A mark lasts as long as a lease of a job and is prolonged while the event loop turns: a process that stands still is lost
 * as well. A clean stop takes all marks back.
 */

export type MarkedKind = 'rollout' | 'health_check' | 'schedule' | 'backup_policy' | 'backup_content' | 'webhook';

/** Processes lost in a row with a row in hand, the last one with nothing else. */
const MAX_LOST_PROCESSES = 2;

/**
 * Works on each row in turn. One that fails holds up no other.
 * @throws Error at the end that names those that failed
 */
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

/** Works on rows. */
type Work = (ids: readonly string[]) => Promise<void>;

/** What one lost process had in hand is noticed within the time of a lease. */
const LEASE_AGO = `clock_timestamp() - $2 * interval '1 millisecond'`;

/** As in `quiet_trial`. */
const QUIET_UNTIL = `clock_timestamp() + interval '5 minutes'`;

const UNTIL = `clock_timestamp() + $4 * interval '1 millisecond'`;

@Injectable()
export class WorkMarks {
  /** This process, as its marks and its jobs name it; another one after every start. */
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
   * Works on rows, each under a mark. Rows that another process has marked are left to it, and all while a suspect has to be
   * alone. Work that fails holds up neither suspects nor a quarantine.
   * @param work gets the rows that no process was lost with, then each suspect alone
   * @param quarantine stops a row for good; it is called again when it fails
   * @throws what the work failed with first, at the end
   */
  async during(
    kind: MarkedKind,
    ids: readonly string[],
    work: Work,
    quarantine: (id: string) => Promise<void>,
  ): Promise<void> {
    if (ids.length === 0) return;
    const quiet = await this.quietTrial();
    if (quiet && !(quiet.kind === kind && ids.includes(quiet.id))) {
      // The health checks of a rollout begin in the work on it.
      const hasTurn = quiet.kind === 'health_check' && kind === 'rollout' && ids.includes(quiet.id);
      return hasTurn ? work([quiet.id]) : undefined;
    }
    const taken = quiet ? [] : await this.take(kind, ids);
    const errors: unknown[] = [];
    const note = (error: unknown) => void errors.push(error);
    if (taken.length > 0) await this.under(kind, taken, work).catch(note);
    const left = quiet ? [quiet.id] : ids.filter((id) => !taken.includes(id));
    for (const { id, isGuilty, isUnproven } of left.length > 0 ? await this.lost(kind, left) : []) {
      if (isGuilty) {
        await quarantine(id)
          .then(() => this.clear(kind, [id]))
          .catch(note);
      } else if (!this.hasSuspect) {
        this.hasSuspect = true; // before anything is waited for: passes of other sweepers run at the same time
        await this.mayTry(kind, id, isUnproven)
          .then((may) => (may ? this.alone(kind, id, work) : undefined))
          .catch(note)
          .finally(() => (this.hasSuspect = false));
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  /** At a clean stop: no row that this process has in hand is to blame for its end. */
  async leave(): Promise<void> {
    await this.db.query('delete from work_mark where owner = $1 and lost = 0', [this.owner]);
    await this.db.query('update work_mark set owner = null, held_until = null where owner = $1', [this.owner]);
  }

  /** The suspect that everything else waits for. `isBusy`: what was begun before has not ended. */
  private async quietTrial(): Promise<{ kind: string; id: string; isBusy: boolean } | undefined> {
    const [trial] = await this.db.query<{ kind: string; id: string; isBusy: boolean }[]>(
      `select kind, id, is_work_in_hand() as "isBusy" from quiet_trial($1)`,
      [this.clock.now()],
    );
    return trial;
  }

  /**
   * Whether a suspect may be worked on now.
   * @param isUnproven it lost two processes that had other work in hand: everything else waits for it, and it waits until
   * what was begun has ended, both for five minutes at most
   */
  private async mayTry(kind: MarkedKind, id: string, isUnproven: boolean): Promise<boolean> {
    if (isUnproven) {
      await this.db.query(
        `update work_mark set quiet_until = ${QUIET_UNTIL}
          where kind = $1 and row_id = $2 and held_until is null and quiet_until is null`,
        [kind, id],
      );
    }
    const quiet = await this.quietTrial();
    return !quiet || (quiet.kind === kind && quiet.id === id && !quiet.isBusy);
  }

  /**
   * Notices processes that were lost with rows in hand. All losses are noticed within a second, also of rows that wait for
   * something: what one process had in hand counts together.
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
    // In one order for all processes, which could otherwise wait for each other.
    const rows = await this.db.query<{ id: string }[]>(
      `insert into work_mark (kind, row_id, owner, held_until)
       select $1, row.id, $3, ${UNTIL} from unnest($2::uuid[]) as row (id)
        where not exists (select from quiet_trial($5)) order by row.id
       on conflict do nothing returning row_id as id`,
      [kind, ids, this.owner, this.leaseMs, this.clock.now()],
    );
    return rows.map(({ id }) => id);
  }

  /** Rows whose process was lost, and whether they have to be quarantined. A mark of this process is one that it could not take back. */
  private async lost(
    kind: MarkedKind,
    ids: readonly string[],
  ): Promise<{ id: string; isGuilty: boolean; isUnproven: boolean }[]> {
    await this.noticeLosses();
    return this.db.query(
      `select row_id as id, alone and lost >= ${MAX_LOST_PROCESSES} as "isGuilty",
              not alone and lost >= ${MAX_LOST_PROCESSES} as "isUnproven" from work_mark
        where kind = $1 and row_id = any ($2) and held_until is null order by row_id`,
      [kind, ids],
    );
  }

  private async alone(kind: MarkedKind, id: string, work: Work): Promise<void> {
    const [rows] = await this.db.query<[unknown[], number]>(
      `update work_mark set owner = $3, held_until = ${UNTIL}
        where kind = $1 and row_id = $2 and held_until is null returning 1`,
      [kind, id, this.owner, this.leaseMs],
    );
    if (rows.length > 0) await this.under(kind, [id], work);
  }

  /** What ends in an error has not taken the process down. */
  private async under(kind: MarkedKind, ids: readonly string[], work: Work): Promise<void> {
    const beat = setInterval(() => void this.prolong(kind, ids).catch(() => undefined), this.leaseMs / 3);
    beat.unref();
    try {
      await work(ids);
    } finally {
      clearInterval(beat);
      await this.clear(kind, ids);
    }
  }

  private async prolong(kind: MarkedKind, ids: readonly string[]): Promise<void> {
    await this.db.query(
      `update work_mark set held_until = ${UNTIL} where kind = $1 and row_id = any ($2) and owner = $3`,
      [kind, ids, this.owner, this.leaseMs],
    );
  }

  /** Without waiting for the disk: a crash of the database at this moment leaves a suspect, and nothing worse. */
  private async clear(kind: MarkedKind, ids: readonly string[]): Promise<void> {
    await this.db.query(
      `with quick as materialized (select set_config('synchronous_commit', 'off', true))
       delete from work_mark using quick where kind = $1 and row_id = any ($2) and (owner = $3 or owner is null)`,
      [kind, ids, this.owner],
    );
  }
}
