import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { alertPassSql } from '../../src/monitoring/alerts/alert-pass.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';

/* Histories of one device under one rule: what is open after each pass. Each pass has its own time. */

let database: TestDatabase;
let db: Client;
let now = Date.parse('2026-03-02T08:00:00Z');

const EVERY_SECONDS = 240;
const DEVICE = '00000000-0000-4000-8000-000000000001';
const RULE = '00000000-0000-4000-8000-000000000002';

interface Rule {
  readonly matches: string;
  readonly clears?: string;
  readonly forSeconds?: number;
  readonly clearAfterSeconds?: number;
}

const where = (condition: string) => `device.id in (select device_id from device_sample where ${condition})`;

beforeAll(async () => {
  database = await freshDatabase();
  db = new Client({ connectionString: database.url });
  await db.connect();
  await db.query(`insert into device (id, name, base_url, created_at, updated_at)
                  values ('${DEVICE}', 'a', 'https://192.0.2.1', now(), now())`);
  await db.query(
    `insert into alert_rule (id, name, selector, for_seconds, clear_after_seconds, severity, enabled, created_by,
                             created_by_name, created_at, version)
     values ('${RULE}', 'weak', 'rsrp<-110', 0, 0, 'warning', true, 'session:x', 'Nora', now(), 1)`,
  );
});
afterAll(async () => {
  await db.end();
  await database.drop();
});
afterEach(() =>
  db.query('delete from alert; delete from monitored_device; delete from device_sample; delete from event'),
);

/** What the device says now; null: it was sampled, and gave no value. */
async function sampled(rsrp: number | null): Promise<void> {
  await db.query(
    `insert into monitored_device (device_id, policies, every_seconds, interval_seconds, due_at)
     values ('${DEVICE}', '{}', ${EVERY_SECONDS}, ${EVERY_SECONDS}, 'infinity') on conflict do nothing`,
  );
  await db.query(
    `insert into device_sample (device_id, sampled_at, paths, bytes, month, month_bytes, rsrp, rest)
     values ('${DEVICE}', $1, '{}', 1, '2026-03-01', 1, $2, '{}')
     on conflict (device_id) do update set sampled_at = excluded.sampled_at, rsrp = excluded.rsrp`,
    [new Date(now), rsrp],
  );
}

/** The state of the alert that is not closed, after a pass at a later time. */
async function after(seconds: number, rule: Rule): Promise<string> {
  now += seconds * 1_000;
  const { matches, clears, forSeconds = 0, clearAfterSeconds = 0 } = rule;
  await db.query(
    alertPassSql({
      scope: 'true',
      matches: where(matches),
      clears: clears === undefined ? null : where(clears),
      columns: ['rsrp'],
      rule: '$1::uuid',
      now: '$2::timestamptz',
      forSeconds,
      clearAfterSeconds,
    }),
    [RULE, new Date(now)],
  );
  const { rows } = await db.query<{ state: string }>(`select state from alert where state <> 'closed'`);
  return rows.map(({ state }) => state).join() || 'none';
}

/** The states after passes, each with a sample before it. */
async function states(seconds: number, rule: Rule, values: readonly (number | null)[]): Promise<string[]> {
  const found: string[] = [];
  for (const rsrp of values) {
    await sampled(rsrp);
    found.push(await after(seconds, rule));
  }
  return found;
}

const events = async () =>
  (await db.query<{ type: string }>(`select type from event where type like 'alert.%' order by id`)).rows.map(
    ({ type }) => type,
  );

describe('an alert', () => {
  it('opens after its time, and closes after its time', async () => {
    const rule = { matches: 'rsrp < -110', forSeconds: 300, clearAfterSeconds: 120 };
    expect(await states(200, rule, [-120, -121, -122, -90, -91, -92])).toEqual([
      'pending',
      'pending',
      'open',
      'open',
      'none',
      'none',
    ]);
    expect(await events()).toEqual(['alert.opened', 'alert.closed']);
  });

  it('does not open for what was over before its time', async () => {
    const rule = { matches: 'rsrp < -110', forSeconds: 300 };
    expect(await states(200, rule, [-120, -90, -120, -90])).toEqual(['pending', 'none', 'pending', 'none']);
    expect(await events()).toEqual([]);
  });

  it('begins again when its condition was over for less than its time', async () => {
    const rule = { matches: 'rsrp < -110', clearAfterSeconds: 300 };
    expect(await states(200, rule, [-120, -90, -120, -90, -90, -90])).toEqual([
      'open',
      'open',
      'open',
      'open',
      'open',
      'none',
    ]);
    expect(await events()).toEqual(['alert.opened', 'alert.closed']);
  });

  it('stays as it is while no sample is fresh, and closes when no policy samples the device any more', async () => {
    const rule = { matches: 'rsrp < -110' };
    expect(await states(10, rule, [-120])).toEqual(['open']);
    await db.query('update device_sample set rsrp = -90');
    expect(await after(EVERY_SECONDS * 4, rule)).toBe('open');
    await db.query('delete from monitored_device');
    expect(await after(10, rule)).toBe('none');
  });

  it('is over when the device gives no value for three intervals, and not at one sample without', async () => {
    const rule = { matches: 'rsrp < -110' };
    expect(await states(240, rule, [-120, null, -120, null, null, null, null])).toEqual([
      'open',
      'open',
      'open',
      'open',
      'open',
      'open',
      'none',
    ]);
    expect(await events()).toEqual(['alert.opened', 'alert.closed']);
  });

  it('does not flap between two limits', async () => {
    const rule = { matches: 'rsrp < -110', clears: 'rsrp > -100' };
    expect(await states(60, rule, [-115, -105, -111, null, -95])).toEqual(['open', 'open', 'open', 'open', 'none']);
    expect(await events()).toEqual(['alert.opened', 'alert.closed']);
  });
});
