import { hash, randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock.js';
import { type Sweeper } from '../../platform/sweeper.js';
import { Secrets } from '../../secrets/secrets.js';

/*
 * The different bodies of devices, each once for its digest. They are without secrets, and sealed all the same (ADR 34). Callers
 * have judged that the reader may see the body.
 */

/** The largest body of a device and a path. */
export const BODY_BYTES_MAX = 64 * 1024;

/** How long changes are stored: a year and a month, so that a yearly look finds the year before. */
const CHANGES_KEPT_DAYS = 400;

/** The changes of a path of a device that are kept: one that changes at each pass fills no disk. */
const CHANGES_MAX = 1_000;

/** A body that no row names is kept for so long: another process may be about to name it. */
const UNNAMED_KEPT = `interval '1 day'`;

const TABLE = { table: 'observed_body', column: 'sealed_body' } as const;

@Injectable()
export class ObservedBodies implements Sweeper {
  readonly name = 'observed-bodies';
  readonly everyMs = 3_600_000;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Secrets) private readonly secrets: Pick<Secrets, 'seal' | 'open'>,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  static digestOf(json: string): string {
    return hash('sha256', json, 'hex');
  }

  /** Stores those that are not there yet. @param bodies JSON by digest */
  async store(tx: EntityManager, bodies: ReadonlyMap<string, string>): Promise<void> {
    if (bodies.size === 0) return;
    const known = await tx.query<{ digest: string }[]>(
      'select digest from observed_body where digest = any ($1::text[])',
      [[...bodies.keys()]],
    );
    const stored = new Set(known.map(({ digest }) => digest));
    const rows = [...bodies]
      .filter(([digest]) => !stored.has(digest))
      .sort(([one], [other]) => (one < other ? -1 : 1)) // one order for all processes: no deadlocks
      .map(([digest, json]) => {
        const id = randomUUID();
        const sealed = this.secrets.seal(json, { ...TABLE, rowId: id }).toString('hex');
        return { id, digest, bytes: Buffer.byteLength(json), sealed };
      });
    if (rows.length === 0) return;
    await tx.query(
      `insert into observed_body (digest, id, bytes, sealed_body, created_at)
       select digest, id, bytes, decode(sealed, 'hex'), $2
         from jsonb_to_recordset($1::jsonb) as row (id uuid, digest text, bytes integer, sealed text)
       on conflict do nothing`,
      [JSON.stringify(rows), this.clock.now()],
    );
  }

  /** Those of the digests that there are, parsed. */
  async read(digests: readonly string[], tx: EntityManager = this.db.manager): Promise<ReadonlyMap<string, unknown>> {
    const rows = await tx.query<{ digest: string; id: string; sealed: Buffer }[]>(
      'select digest, id, sealed_body as sealed from observed_body where digest = any ($1::text[])',
      [[...new Set(digests)]],
    );
    return new Map(
      rows.map(({ digest, id, sealed }): [string, unknown] => [
        digest,
        JSON.parse(this.secrets.open(sealed, { ...TABLE, rowId: id })),
      ]),
    );
  }

  /** Removes old changes, those that are too many, and bodies that no row names any more. */
  async sweep(): Promise<Record<string, number>> {
    const now = this.clock.now();
    const [, changes] = await this.db.query<[unknown[], number]>(
      `delete from observed_change where at < $1::timestamptz - ${CHANGES_KEPT_DAYS} * interval '1 day'`,
      [now],
    );
    const [, surplus] = await this.db.query<[unknown[], number]>(
      `delete from observed_change where id in (
         select id from (
           select id, row_number() over (partition by device_id, path order by at desc, id desc) as place from observed_change
            where (device_id, path) in (select device_id, path from observed_change group by 1, 2 having count(*) > ${CHANGES_MAX})) one
          where place > ${CHANGES_MAX})`,
    );
    const [, bodies] = await this.db.query<[unknown[], number]>(
      `delete from observed_body body where created_at < $1::timestamptz - ${UNNAMED_KEPT}
          and not exists (select from observed where observed.digest = body.digest)
          and not exists (select from observed_change change where change.from_digest = body.digest)
          and not exists (select from observed_change change where change.to_digest = body.digest)`,
      [now],
    );
    return { changes: changes + surplus, bodies };
  }
}
