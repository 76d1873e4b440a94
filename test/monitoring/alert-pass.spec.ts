import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { alertPassSql } from '../../src/monitoring/alerts/alert-pass.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';

/*
 * Histories of one device under one rule: what is open after each pass. Each pass has its own time. Rules that are disabled, and authors
 * and devices that go, are in `alerts.http.spec.ts`.
 */

let database: TestDatabase;
let db: Client;
let now = Date.parse('2026-03-02T08:00:00Z');

const EVERY_SECONDS = 240;
const DEVICE = '00000000-0000-4000-8000-000000000001';
const RULE = '00000000-0000-4000-8000-000000000002';

interface Rule {
  /** Of `device_sample`, `rsrp` by default. */
  readonly column?: string;
  /** Of two values, where a rule names two. */
  readonly columns?: readonly string[];
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
async function sampled(value: number | null, column = 'rsrp'): Promise<void> {
  await db.query(
    `insert into monitored_device (device_id, policies, every_seconds, interval_seconds, due_at)
     values ('${DEVICE}', '{}', ${EVERY_SECONDS}, ${EVERY_SECONDS}, 'infinity') on conflict do nothing`,
  );
  await db.query(
    `insert into device_sample (device_id, sampled_at, paths, bytes, month, month_bytes, ${column}, rest)
     values ('${DEVICE}', $1, '{}', 1, '2026-03-01', 1, $2, '{}')
     on conflict (device_id) do update set sampled_at = excluded.sampled_at, ${column} = excluded.${column}`,
    [new Date(now), value],
  );
}

/** The state of the alert that is not closed, after a pass at a later time. */
async function after(seconds: number, rule: Rule, ...clients: readonly Client[]): Promise<string> {
  now += seconds * 1_000;
  await Promise.all([db, ...clients].map((client) => pass(rule, client)));
  const { rows } = await db.query<{ state: string }>(`select state from alert where state <> 'closed'`);
  return rows.map(({ state }) => state).join() || 'none';
}

async function pass(rule: Rule, client: Client): Promise<void> {
  const { column = 'rsrp', columns = [column], matches, clears, forSeconds = 0, clearAfterSeconds = 0 } = rule;
  await client.query(
    alertPassSql({
      scope: 'true',
      matches: where(matches),
      clears: clears === undefined ? null : where(clears),
      columns,
      clearColumns: clears === undefined ? [] : [column],
      rule: '$1::uuid',
      now: '$2::timestamptz',
      forSeconds,
      clearAfterSeconds,
    }),
    [RULE, new Date(now)],
  );
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

  it('of two values closes after one of them is gone that its end needs', async () => {
    const matches = 'rsrp < -110 or temperature > 70';
    const rule = { columns: ['rsrp', 'temperature'], matches, clears: 'rsrp > -105' };
    await sampled(40, 'temperature');
    expect(await states(EVERY_SECONDS, rule, [-115, null, null, null])).toEqual(['open', 'open', 'open', 'open']);
    expect(await states(EVERY_SECONDS, rule, [null, null])).toEqual(['none', 'none']);
  });

  it('does not flap between two limits', async () => {
    const rule = { matches: 'rsrp < -110', clears: 'rsrp > -100' };
    expect(await states(60, rule, [-115, -105, -111, null, -95])).toEqual(['open', 'open', 'open', 'open', 'none']);
    expect(await events()).toEqual(['alert.opened', 'alert.closed']);
  });
});

/** What happens in an interval: a sample with a value or `null`; no sample; the policy goes. */
type Step = number | null | 'late' | 'no policy';

const WEAK = { matches: 'rsrp < -110', forSeconds: 480, clearAfterSeconds: 480 };
const WEAK_AT_ONCE = { matches: 'rsrp < -110' };
const PATIENT = { matches: 'rsrp < -110', forSeconds: 900 };
const TWO_LIMITS = { matches: 'rsrp < -110', clears: 'rsrp > -100' };
const DATA = { column: 'data_month', matches: 'data_month > 500e6' };
const YOUNG = { column: 'uptime_seconds', matches: 'uptime_seconds < 3600' };
const OLD = { column: 'uptime_seconds', matches: 'uptime_seconds > 2592000' };

/** Each with a step in 240 s; the states after them: `p` pending, `o` open, `-` none; and how many alerts opened. */
const HISTORIES: readonly (readonly [string, Rule, readonly Step[], string, number])[] = [
  ['all good', WEAK, [-90, -91, -92], '---', 0],
  ['all bad', WEAK, [-120, -121, -122, -123], 'ppoo', 1],
  ['one bad sample', WEAK, [-90, -120, -90], '-p-', 0],
  ['bad and good in turns', WEAK, [-120, -90, -120, -90], 'p-p-', 0],
  ['good for good', WEAK, [-120, -120, -120, -90, -90, -90, -90], 'ppooo--', 1],
  ['good once', WEAK, [-120, -120, -120, -90, -120, -90, -90, -90], 'ppooooo-', 1],
  ['about the limit', { ...WEAK, forSeconds: 0 }, [-111, -109, -111, -109], 'oooo', 1],
  ['between two limits', TWO_LIMITS, [-115, -105, -111, -95], 'ooo-', 1],
  ['between two limits that overlap', { ...TWO_LIMITS, clears: 'rsrp > -115' }, [-112, -113, -109], 'oo-', 1],
  ['exactly at the limit', WEAK_AT_ONCE, [-110, -110], '--', 0],
  ['every second sample is late', WEAK, [-120, 'late', -120, 'late', -120], 'ppooo', 1],
  ['a gap before its time, then good', PATIENT, [-120, 'late', 'late', 'late', 'late', -90], 'ppppp-', 0],
  ['a gap before its time, still bad', PATIENT, [-120, 'late', 'late', 'late', 'late', -120], 'pppppo', 1],
  ['a gap from the beginning', WEAK, ['late', 'late', 'late'], '---', 0],
  ['a gap, then good', WEAK_AT_ONCE, [-120, 'late', 'late', 'late', 'late', -90], 'ooooo-', 1],
  ['a gap, still bad', WEAK_AT_ONCE, [-120, 'late', 'late', 'late', 'late', -120], 'oooooo', 1],
  ['a gap after a good sample', WEAK_AT_ONCE, [-90, 'late', 'late', 'late', 'late'], '-----', 0],
  ['a gap while it is nearly over', WEAK, [-120, -120, -120, -90, 'late', 'late', 'late', 'late'], 'ppooo---', 1],
  ['no value at all', WEAK, [null, null, null], '---', 0],
  ['no value before its time', WEAK, [-120, null, -120, -120, -120], 'p-ppo', 1],
  ['no value once', WEAK_AT_ONCE, [-120, null, -120], 'ooo', 1],
  ['no value every second time', WEAK_AT_ONCE, [-120, null, -120, null, -120, null], 'oooooo', 1],
  ['no value for good', WEAK_AT_ONCE, [-120, null, null, null, null], 'oooo-', 1],
  ['no value, then good', WEAK_AT_ONCE, [-120, null, -90], 'oo-', 1],
  ['no value, then a gap, then bad', WEAK_AT_ONCE, [-120, null, 'late', 'late', 'late', -120], 'oooooo', 1],
  ['no value between two limits', TWO_LIMITS, [-115, null, -105, null, -111], 'ooooo', 1],
  ['no value for good between two limits', TWO_LIMITS, [-115, null, null, null, null], 'oooo-', 1],
  ['the policy goes', WEAK_AT_ONCE, [-120, 'no policy', 'no policy'], 'o--', 1],
  ['the policy goes before its time', WEAK, [-120, 'no policy', -120, -120], 'p-pp', 0],
  ['the policy goes and comes back', WEAK_AT_ONCE, [-120, 'no policy', -120], 'o-o', 2],
  ['the policy goes with a good device', WEAK_AT_ONCE, [-90, 'no policy', -90], '---', 0],
  ['the policy goes during a gap', WEAK_AT_ONCE, [-120, 'late', 'late', 'late', 'no policy'], 'oooo-', 1],
  ['a new month', DATA, [499e6, 501e6, 2e6, 3e6], '-o--', 1],
  ['a counter that falls before its time', { ...DATA, forSeconds: 480 }, [501e6, 1e6, 501e6, 502e6], 'p-pp', 0],
  ['a counter that falls and grows', DATA, [501e6, 1e6, 501e6], 'o-o', 2],
  ['a reboot', YOUNG, [90_000, 60, 300, 540, 3_600], '-ooo-', 1],
  ['a reboot ends a long time', OLD, [2_592_001, 60, 300], 'o--', 1],
  ['a reboot, with a sample without uptime', YOUNG, [90_000, null, 60, 3_700], '--o-', 1],
  ['reboots again and again', { ...YOUNG, clearAfterSeconds: 480 }, [60, 3_700, 60, 3_700, 60], 'ooooo', 1],
  ['another SIM', WEAK, [-95, null, -112, -94], '--p-', 0],
  ['another SIM while it is open', WEAK, [-115, -115, -115, null, -90, -90], 'ppooo-', 1],
  ['another SIM that is weak, too', WEAK, [-115, -115, -115, null, null, -118], 'ppoooo', 1],
];

describe('a history', () => {
  it.each(HISTORIES)('%s', async (_name, rule, steps, wanted, opened) => {
    let found = '';
    for (const step of steps) {
      if (step === 'no policy') await db.query('delete from monitored_device');
      else if (step !== 'late') await sampled(step, rule.column);
      found += { none: '-', pending: 'p', open: 'o' }[await after(0, rule)] ?? '?';
      now += EVERY_SECONDS * 1_000;
    }
    expect(found).toBe(wanted);
    const types = await events();
    expect(types.filter((type) => type === 'alert.opened')).toHaveLength(opened);
    const isOpen = wanted.endsWith('o') ? 1 : 0;
    expect(types.filter((type) => type === 'alert.closed')).toHaveLength(opened - isOpen);
  });
});

describe('a pass', () => {
  it('that was lost changed nothing, and the next one opens once', async () => {
    await sampled(-120);
    await db.query('begin');
    expect(await after(0, WEAK_AT_ONCE)).toBe('open');
    await db.query('rollback');
    expect(await events()).toEqual([]);
    expect([await after(0, WEAK_AT_ONCE), await after(0, WEAK_AT_ONCE)]).toEqual(['open', 'open']);
    expect(await events()).toEqual(['alert.opened']);
  });

  it('beside others at the same time opens and closes once', async () => {
    const others = await Promise.all(
      [1, 2, 3].map(async () => {
        const client = new Client({ connectionString: database.url });
        await client.connect();
        return client;
      }),
    );
    try {
      const rule = { ...WEAK, forSeconds: 60, clearAfterSeconds: 0 };
      await sampled(-120);
      expect(await after(0, rule, ...others)).toBe('pending');
      expect(await after(60, rule, ...others)).toBe('open');
      await sampled(-90);
      expect(await after(60, rule, ...others)).toBe('none');
      await sampled(-120);
      expect(await after(60, WEAK_AT_ONCE, ...others)).toBe('open');
      expect(await events()).toEqual(['alert.opened', 'alert.closed', 'alert.opened']);
    } finally {
      await Promise.all(others.map((client) => client.end()));
    }
  });
});
