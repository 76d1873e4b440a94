import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type GatewayConfig } from './config.js';
import { errorChain } from './errors.js';

/*
 * A row that takes its process down must not do so again after each start. A sweeper marks the rows that it works on, and
 * the mark is committed before the work begins. The process takes its marks back when it is done; one that died left them.
 *
 *   the mark of a dead process   a process was lost with this row; others of the same pass left their marks, too
 *   a row that lost one          is a suspect: it is worked on alone, so that the next process lost says which row it was
 *   a suspect that lost a second is quarantined: its sweeper stops it, says why, and a person lets it go on
 *
 * A mark lasts as long as a lease of a job and is prolonged while the event loop turns: a process that stands still is lost
 * as well. A clean stop takes all marks back.
 */

export type MarkedKind = 'rollout' | 'health_check' | 'schedule' | 'backup_policy' | 'backup_content' | 'webhook';

/** Processes lost in a row with a row in hand, the last time with that row alone. */
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

const UNTIL = `clock_timestamp() + $4 * interval '1 millisecond'`;

@Injectable()
export class WorkMarks {
  private readonly owner = randomUUID();
  private readonly leaseMs: number;
  private hasSuspect = false;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CONFIG) config: Pick<GatewayConfig, 'JOB_LEASE_SECONDS'>,
  ) {
    this.leaseMs = config.JOB_LEASE_SECONDS * 1_000;
  }

  /**
   * Works on rows, each under a mark. Rows that another process has marked are left to it. Work that fails holds up
   * neither suspects nor a quarantine.
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
    const taken = await this.take(kind, ids);
    const errors: unknown[] = [];
    const note = (error: unknown) => void errors.push(error);
    if (taken.length > 0) await this.under(kind, taken, work).catch(note);
    const left = ids.filter((id) => !taken.includes(id));
    for (const { id, isGuilty } of left.length > 0 ? await this.lost(kind, left) : []) {
      if (isGuilty) {
        await quarantine(id)
          .then(() => this.clear(kind, [id]))
          .catch(note);
      } else if (!this.hasSuspect) {
        this.hasSuspect = true;
        await this.alone(kind, id, work)
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

  private async take(kind: MarkedKind, ids: readonly string[]): Promise<string[]> {
    // In one order for all processes, which could otherwise wait for each other.
    const rows = await this.db.query<{ id: string }[]>(
      `insert into work_mark (kind, row_id, owner, held_until)
       select $1, row.id, $3, ${UNTIL} from unnest($2::uuid[]) as row (id) order by row.id
       on conflict do nothing returning row_id as id`,
      [kind, ids, this.owner, this.leaseMs],
    );
    return rows.map(({ id }) => id);
  }

  /** Rows whose process was lost, and whether they have to be quarantined. A mark of this process is one that it could not take back. */
  private async lost(kind: MarkedKind, ids: readonly string[]): Promise<{ id: string; isGuilty: boolean }[]> {
    await this.db.query(
      `update work_mark set lost = lost + (owner <> $3)::integer, owner = null, held_until = null
        where kind = $1 and row_id = any ($2) and held_until < clock_timestamp()`,
      [kind, ids, this.owner],
    );
    return this.db.query(
      `select row_id as id, alone and lost >= ${MAX_LOST_PROCESSES} as "isGuilty" from work_mark
        where kind = $1 and row_id = any ($2) and held_until is null order by row_id`,
      [kind, ids],
    );
  }

  private async alone(kind: MarkedKind, id: string, work: Work): Promise<void> {
    const [rows] = await this.db.query<[unknown[], number]>(
      `update work_mark set owner = $3, held_until = ${UNTIL}, alone = true
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
