import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { EVENT_TYPES, isEventType, noSuchType } from '../../src/events/event-types.js';
import { NOTIFIED } from '../../src/monitoring/notifications/notification.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';

/* The triggers of the database make the events; their types are a table in the code. */

const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true })).map((name) => join(folder, name));

describe('a name of a type', () => {
  it.each([...Object.keys(EVENT_TYPES), 'job.*', 'device.*', 'system.*'])('%s stands for what there is', (name) => {
    expect(isEventType(name)).toBe(true);
  });

  it.each([
    ['foo.bar', 'job.*'],
    ['foo.*', 'device.*'],
    ['device.state', 'device.offline'],
    ['job.failed', 'job.ended'],
    ['job', 'job.ended'],
    ['job.', 'job.*'],
    ['*', 'rollout.*'],
    ['*.ended', 'job.*'],
    ['JOB.ended', 'job.*'],
    [' job.ended', 'job.*'],
    ['job.ended ', 'job.ended'],
    ['job.*.*', 'job.*'],
    ['job.en*', 'job.ended'],
    ['', 'job.*'],
    ['constructor', 'job.*'],
    ['__proto__.*', 'job.*'],
  ])('%j is refused, with the names that can be meant', (name, meant) => {
    expect(isEventType(name)).toBe(false);
    expect(noSuchType(name)).toContain(meant);
  });

  it('is one that exists, wherever the command line and the documents show it', async () => {
    const files = (await Promise.all(['src/cli/nouns', 'docs'].map(filesIn)))
      .flat()
      .filter((file) => /\.(ts|md)$/.test(file));
    const texts = await Promise.all([...files, 'README.md'].map((file) => readFile(file, 'utf8')));
    const shown = texts.flatMap((text) =>
      [...text.matchAll(/(?:--types |types=)'?([a-z._*,]+)/g)].flatMap(([, names]) => names!.split(',')),
    );
    expect(shown.length).toBeGreaterThan(3);
    expect(shown.filter((name) => name !== NOTIFIED && !isEventType(name))).toEqual([]);
  });
});

describe('the types of events', () => {
  let database: TestDatabase;
  let db: Client;
  beforeAll(async () => {
    database = await freshDatabase();
    db = new Client({ connectionString: database.url });
    await db.connect();
  });
  afterAll(async () => {
    await db.end();
    await database.drop();
  });

  /** The functions that triggers call to make an event, as text. */
  const makers = async () =>
    (await db.query<{ text: string }>(`select prosrc as text from pg_proc where prosrc like '%insert into event %'`))
      .rows;

  /** What stands between quotes in a rule, as the states in `job_phase_is_known`. */
  const wordsOf = async (rule: string) => {
    const { rows } = await db.query<{ text: string }>(
      'select pg_get_constraintdef(oid) as text from pg_constraint where conname = $1',
      [rule],
    );
    return [...rows[0]!.text.matchAll(/'(\w+)'/g)].map(([, word]) => word!);
  };

  /** The first argument of each trigger that says that something was quarantined. */
  const quarantined = async () =>
    (
      await db.query<{ noun: string }>(
        `select split_part(encode(tgargs, 'escape'), '\\000', 1) as noun from pg_trigger
          where tgfoid = 'event_of_quarantine'::regproc`,
      )
    ).rows.map(({ noun }) => noun);

  it('are those that the triggers write', async () => {
    const texts = (await makers()).map(({ text }) => text);
    expect(texts).toHaveLength(18);
    const written = texts.flatMap((text) => [...text.matchAll(/'([a-z]+\.[a-z_]*[a-z])'/g)].map(([, type]) => type!));
    const states = {
      'rollout.': await wordsOf('rollout_state_is_known'),
      'rollout.wave_': await wordsOf('rollout_wave_state_is_known'),
      'device.': await wordsOf('device_state_is_known'),
      'approval.': await wordsOf('approval_state_is_known'),
      'fanout.': await wordsOf('fan_out_state_is_known'),
    };
    const joined = Object.entries(states).flatMap(([before, words]) => words.map((word) => before + word));
    const stopped = (await quarantined()).map((noun) => `${noun}.quarantined`);
    expect(new Set(Object.keys(EVENT_TYPES))).toEqual(new Set([...written, ...joined, ...stopped]));
  });

  it('name the fields of their data', async () => {
    const fields = new Set(Object.values(EVENT_TYPES).flatMap(({ data }) => data));
    const inDatabase = (await makers()).flatMap(({ text }) =>
      [...text.matchAll(/jsonb_build_object\(([^;]*)\)\)?;/g)].flatMap(([, args]) =>
        [...args!.matchAll(/'(\w+)', /g)].map(([, field]) => field!),
      ),
    );
    expect(fields).toEqual(new Set(inDatabase));
  });
});
