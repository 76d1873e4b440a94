import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Batching } from '../../database/batching.js';
import { columnsOf } from '../../database/columns-of.js';
import { spentBefore } from '../../monitoring/samples/sample-store.js';
import { Clock } from '../../platform/clock.js';
import { ObservedBodies } from './observed-bodies.js';
import { ourWriteSql } from './our-writes.js';
import { differencesOf, namesOfDifferences } from './sections.js';

/*
 * Writes what a pass has read. A pass that finds the same as the pass before it changes nothing but the row of its device, in
 * batches with others: the time of the pass is when all paths of the watch were read. One that finds something new is a
 * transaction, which looks again under a lock, since another watch may read the same path.
 */

/** The pause after a statement with several passes, so that the next one has more. */
const REST_MS = 200;

/** What a pass has of one path: a body with its digest, or why there is none. */
export interface PathReading {
  readonly path: string;
  readonly body: { readonly digest: string; readonly json: string } | null;
  readonly error: string | null;
}

/** The end of a pass, for its row. */
export interface PassEnd {
  readonly watchId: string;
  readonly deviceId: string;
  /** The version of the watch that was read. */
  readonly watchVersion: number;
  /** When it began: what it read is at least so new. */
  readonly readAt: Date;
  readonly dueAt: Date;
  readonly intervalSeconds: number;
  readonly bytes: number;
  /** Paths that the author may not read. */
  readonly refusedPaths: readonly string[];
  /** The first day of the month. */
  readonly month: string;
  /** With logins. */
  readonly spentBytes: number;
  /** Why there was no answer; null: there was one. */
  readonly error: string | null;
}

interface Known {
  readonly path: string;
  readonly digest: string | null;
  readonly error: string | null;
  readonly readAt: Date;
}

interface Change {
  readonly path: string;
  readonly from: string;
  readonly to: string;
  readonly options: readonly string[];
}

/** Before `END`, which then finds what a change of the watch has committed. Rows are locked in the order of their ids. */
const LOCK_PLANS = `
  select from watched_device where (watch_id, device_id) in (select * from unnest($1::uuid[], $2::uuid[]))
   order by device_id, watch_id for no key update`;

/** A pass that a person asked for since then is still to be made, and so is one of a watch that was changed since then. */
const END = `
  with given as (
    select * from jsonb_to_recordset($1::jsonb) as given
      ("watchId" uuid, "deviceId" uuid, "watchVersion" int, "readAt" timestamptz, "dueAt" timestamptz, "intervalSeconds" int, bytes int, month date,
       "spentBytes" int, "refusedPaths" text[], error text)
  ), samples as materialized (
    select device_id from device_sample where device_id in (select "deviceId" from given) order by device_id for no key update
  ), costs as (select "deviceId", month, sum("spentBytes")::int as spent from given group by 1, 2
  ), spent as (
    update device_sample before set month = costs.month, month_bytes = ${spentBefore('costs.month')} + costs.spent
      from costs join samples on samples.device_id = costs."deviceId"
     where before.device_id = costs."deviceId" and costs.spent > 0 and before.month <= costs.month
  )
  update watched_device plan
     set read_at = case when given.error is null then greatest(plan.read_at, given."readAt") else plan.read_at end, last_error = given.error,
         bytes = case when given.error is null then given.bytes else plan.bytes end, interval_seconds = given."intervalSeconds",
         refused_paths = case when given.error is null then given."refusedPaths" else plan.refused_paths end,
         due_at = case when plan.asked_at > given."readAt" then plan.due_at else given."dueAt" end,
         asked_at = case when plan.asked_at > given."readAt" then plan.asked_at end
    from given join watch on watch.id = given."watchId" and watch.version = given."watchVersion"
   where plan.watch_id = given."watchId" and plan.device_id = given."deviceId"`;

/** When a body was last read: a pass without news says it as well. */
export const LAST_READ = `
  case when observed.error is not null then observed.read_at
       else greatest(observed.read_at, (select max(pass.read_at) from watched_device pass join watch on watch.id = pass.watch_id
                                         where pass.device_id = observed.device_id and observed.path = any (watch.paths)
                                           and observed.path <> all (pass.refused_paths))) end`;

/** While there is an error, the time stays that of the last body. */
const STORE = `
  insert into observed (device_id, path, digest, read_at, error)
  select $1, row.path, row.digest, $3, row.error
    from jsonb_to_recordset($2::jsonb) as row (path text, digest text, error text) order by row.path
  on conflict (device_id, path) do update
     set digest = coalesce(excluded.digest, observed.digest), error = excluded.error,
         read_at = case when excluded.error is null then excluded.read_at else ${LAST_READ} end,
         changed_at = case when excluded.digest <> observed.digest then excluded.read_at else observed.changed_at end
   where observed.read_at <= excluded.read_at`;

const STORE_CHANGES = `
  insert into observed_change (device_id, path, from_digest, to_digest, since, at, options, audit_entry_id)
  select $1, change.path, change."from", change."to", change.since, $3::timestamptz,
         change.names,
         ${ourWriteSql({ device: '$1', path: 'change.path', since: 'change.since', at: '$4::timestamptz', options: 'change.names' })}
    from (select row.*, ${LAST_READ} as since, array(select jsonb_array_elements_text(row.options)) as names
            from jsonb_to_recordset($2::jsonb) as row (path text, "from" text, "to" text, options jsonb)
            join observed on observed.device_id = $1 and observed.path = row.path) change`;

@Injectable()
export class ObservedStore {
  private readonly ends = new Batching<PassEnd>((ends) => this.db.transaction((tx) => this.end(tx, ends)), REST_MS);

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ObservedBodies) private readonly bodies: ObservedBodies,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** Stores a pass; resolves at the commit. @param readings of all paths of the watch; none after an error */
  async keep(end: PassEnd, readings: readonly PathReading[]): Promise<void> {
    const { deviceId } = end;
    const known = await this.known(this.db.manager, deviceId, readings);
    if (!readings.some((reading) => isNews(reading, known))) return this.ends.add(end);
    await this.db.transaction(async (tx) => {
      await this.storeNews(tx, deviceId, end.readAt, readings);
      await this.end(tx, [end]);
    });
  }

  /** Stores what a job has read, as far as it is news: it is no pass of a watch. */
  async keepRead(deviceId: string, readAt: Date, readings: readonly PathReading[]): Promise<void> {
    await this.db.transaction((tx) => this.storeNews(tx, deviceId, readAt, readings));
  }

  private async storeNews(
    tx: EntityManager,
    deviceId: string,
    readAt: Date,
    readings: readonly PathReading[],
  ): Promise<void> {
    const now = await this.known(tx, deviceId, readings, 'order by path for update');
    const news = readings.filter(
      (reading) => isNews(reading, now) && !((now.get(reading.path)?.readAt ?? readAt) > readAt),
    );
    await this.bodies.store(tx, new Map(news.flatMap(({ body }) => (body ? [[body.digest, body.json]] : []))));
    const changes = await this.changesOf(tx, news, now);
    if (changes.length > 0)
      await tx.query(STORE_CHANGES, [deviceId, JSON.stringify(changes), readAt, this.clock.now()]);
    const rows = news.map(({ path, body, error }) => ({ path, error, digest: body?.digest ?? null }));
    await tx.query(STORE, [deviceId, JSON.stringify(rows), readAt]);
  }

  private async known(tx: EntityManager, deviceId: string, readings: readonly PathReading[], lock = '') {
    const rows = await tx.query<Known[]>(
      `select path, digest, error, ${LAST_READ} as "readAt" from observed where device_id = $1 and path = any ($2::text[]) ${lock}`,
      [deviceId, readings.map(({ path }) => path)],
    );
    return new Map(rows.map((row) => [row.path, row]));
  }

  private async changesOf(
    tx: EntityManager,
    news: readonly PathReading[],
    known: ReadonlyMap<string, Known>,
  ): Promise<Change[]> {
    const moved = news.flatMap(({ path, body }) => {
      const from = known.get(path)?.digest;
      return body && from && from !== body.digest ? [{ path, from, body }] : [];
    });
    if (moved.length === 0) return [];
    const before = await this.bodies.read(
      moved.map(({ from }) => from),
      tx,
    );
    return moved.map(({ path, from, body }) => {
      const options = namesOfDifferences(differencesOf(before.get(from), JSON.parse(body.json)));
      return { path, from, to: body.digest, options };
    });
  }

  private async end(tx: EntityManager, ends: readonly PassEnd[]): Promise<void> {
    const latest = new Map(ends.map((end) => [`${end.watchId} ${end.deviceId}`, end])); // a statement takes a row only once
    const rows = [...latest.values()];
    await tx.query(LOCK_PLANS, columnsOf(rows, 'watchId', 'deviceId'));
    await tx.query(END, [JSON.stringify(rows)]);
  }
}

function isNews({ path, body, error }: PathReading, known: ReadonlyMap<string, Known>): boolean {
  const row = known.get(path);
  return !row || row.error !== error || (body !== null && body.digest !== row.digest);
}
