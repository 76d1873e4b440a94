import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { EVERY_SECONDS, HISTORIES, OneDevice, type Rule } from './alert-histories.js';

/*
 * One device under one rule: what is open after each pass. Rules that are disabled, and authors and devices that go, are in
 * `alerts.http.spec.ts`.
 */

let database: TestDatabase;
let db: Client;
let device: OneDevice;

beforeAll(async () => {
  database = await freshDatabase();
  db = new Client({ connectionString: database.url });
  await db.connect();
  device = await OneDevice.make(db);
});
afterAll(async () => {
  await db.end();
  await database.drop();
});
afterEach(() => device.forget());

const sampled = (value: number | null, column?: string) => device.sampled(value, column);
const after = (seconds: number, rule: Rule, ...clients: readonly Client[]) => device.after(seconds, rule, ...clients);
const events = () => device.events();

/** The states after passes, each with a sample before it. */
async function states(seconds: number, rule: Rule, values: readonly (number | null)[]): Promise<string[]> {
  const found: string[] = [];
  for (const rsrp of values) {
    await sampled(rsrp);
    found.push(await after(seconds, rule));
  }
  return found;
}

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

describe('a history', () => {
  it.each(HISTORIES)('%s', async (_name, rule, steps, wanted, opened) => {
    expect(await device.play(rule, steps)).toBe(wanted);
    const types = await events();
    expect(types.filter((type) => type === 'alert.opened')).toHaveLength(opened);
    const isOpen = wanted.endsWith('o') ? 1 : 0;
    expect(types.filter((type) => type === 'alert.closed')).toHaveLength(opened - isOpen);
  });
});

const WEAK = { matches: 'rsrp < -110', forSeconds: 480, clearAfterSeconds: 480 };
const WEAK_AT_ONCE = { matches: 'rsrp < -110' };

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
