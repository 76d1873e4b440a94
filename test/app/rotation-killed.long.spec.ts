import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { startFleet, type Fleet } from '../../src/simulator/fleet.js';
import { type Gateway } from '../../src/gateway.js';
import { casesOf, sizeOf } from '../support/forms.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { startBeside, startTestGateway, type TestGateway } from '../support/gateway.js';
import { PASSWORD, REACHABLE, RotationLoad } from '../support/jobs/rotation-load.js';
import { until } from '../support/until.js';

/*
 * Processes are killed (SIGKILL) in each step of a rotation, in the middle of its transaction: a trigger holds a step up there
 * until the process is dead. Another one goes on, while a third answers requests all along, of which none may fail.
 * ROTATION_DEVICES sets how many devices there are.
 */

const DEVICES = Number(process.env['ROTATION_DEVICES'] ?? sizeOf({ short: 15, long: 15, nightly: 100 }));

/** The processes that are killed, as the database knows them. */
const DOOMED = 'fleetgate-doomed';

/** The steps of a rotation; `resealing 1` is the second batch. */
const STEPS = ['announced', 'switched', 'resealing 0', 'resealing 1', 'retiring'] as const;

/** In which of them a process dies. */
const DEATHS = casesOf(STEPS, 1, 2);

/** Locks that hold steps up, by the place in this list; that of the root key is behind them. */
const LOCK_CLASS = 5_005;
const ROOT_KEY = STEPS.length;

let world: TestGateway;
let fleet: Fleet;
let db: pg.Client;
/** For questions that are no load. */
let asked: RotationLoad;
let load: RotationLoad | null = null;
/** The process of this test, which was there before the others. */
let survivors: string[];
const started: GatewayProcess[] = [];
/** The process that ends the rotation: nothing kills it. */
let last: Gateway | null = null;
const rootKeys = [randomBytes(32), randomBytes(32)].map((key) => key.toString('base64')) as [string, string];

// For each test, since one that fails leaves a rotation on its way.
beforeEach(async () => {
  fleet = await startFleet({ devices: REACHABLE, profile: 'rutos', seed: 9, adminPassword: PASSWORD });
  world = await startTestGateway({
    ROLE: 'api',
    LOG_LEVEL: 'warn',
    FLEETGATE_KEY: rootKeys[0],
    FLEETGATE_KEY_NEXT: rootKeys[1],
  });
  db = new pg.Client({ connectionString: world.databaseUrl });
  await db.connect();
  asked = new RotationLoad(world, DEVICES);
  await asked.register(fleet);
  await db.query(`
    create function hold_up() returns trigger language plpgsql as $$
    declare
      step text;
    begin
      if current_setting('application_name') <> '${DOOMED}' then
        raise exception 'only those who are to die go on';
      end if;
      step := coalesce(to_jsonb(old) ->> 'phase', 'root_key');
      if step = 'resealing' then
        step := 'resealing ' || ((to_jsonb(old) ->> 'done')::int > 0)::int;
      end if;
      perform pg_advisory_xact_lock_shared(${LOCK_CLASS}, coalesce(array_position(array[${STEPS.map((step) => `'${step}'`).join()}], step) - 1, ${ROOT_KEY}));
      return new;
    end $$;
    create trigger hold_up before update on key_rotation for each row execute function hold_up();
    create trigger hold_up before update of wrapped on data_key for each row execute function hold_up()`);
  const { rows } = await db.query<{ id: string }>('select id from secret_holder');
  survivors = rows.map(({ id }) => id);
}, 300_000);

// Here and not in the tests: one whose time is over gets to no `finally`.
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.kill()));
  await last?.close();
  last = null;
  await load?.end().catch(() => undefined); // which the test has told
  await db.end(); // and its locks with it
  await world.close();
  await fleet.close();
});

/**
 * The settings of another gateway on the same database, which moves rotations. Data keys are wrapped by the next root key from the first
 * start on, so a rotation to the other one is what these are told to make.
 */
function doomedEnv(): Record<string, string> {
  const url = new URL(world.databaseUrl);
  url.searchParams.set('application_name', DOOMED);
  const keys = { FLEETGATE_KEY: rootKeys[1], FLEETGATE_KEY_NEXT: rootKeys[0] };
  return { ...world.env, ...keys, DATABASE_URL: url.href, LOG_LEVEL: 'warn' };
}

async function doomed(): Promise<GatewayProcess> {
  const one = await GatewayProcess.start(doomedEnv());
  started.push(one);
  return one;
}

/** Does something while others work. @returns what they met */
async function underLoad(work: () => Promise<void>): Promise<RotationLoad> {
  const own = new RotationLoad(world, DEVICES);
  load = own;
  own.begin();
  try {
    await work();
  } finally {
    await own.end();
  }
  expect(own.failed.slice(0, 5)).toEqual([]);
  expect(own.requests).toBeGreaterThan(10);
  return own;
}

const hold = (step: number) => db.query('select pg_advisory_lock($1, $2)', [LOCK_CLASS, step]);
const release = (step: number) => db.query('select pg_advisory_unlock($1, $2)', [LOCK_CLASS, step]);

/** Kills a process when it stands in this step, and lets the database find out. */
async function killIn(victim: GatewayProcess, step: number): Promise<void> {
  await until(async () => {
    const { rows } = await db.query(
      `select from pg_locks where locktype = 'advisory' and classid = $1 and objid = $2 and not granted`,
      [LOCK_CLASS, step],
    );
    return rows.length > 0;
  });
  await victim.kill();
  await release(step);
  await until(async () => {
    const { rows } = await db.query('select from pg_stat_activity where application_name = $1', [DOOMED]);
    return rows.length === 0;
  });
  // Half a minute later: nobody waits for it any more.
  await db.query(`update secret_holder set seen_at = seen_at - interval '31 seconds' where not (id = any ($1))`, [
    survivors,
  ]);
}

const phaseOf = async () => (await asked.status()).rotation?.phase;

const { stdout } = process;

describe('a rotation whose processes are killed, under load', () => {
  it('of the data key goes on from each step, and no request fails', async () => {
    const startedAt = performance.now();
    const { requests, failed } = await underLoad(async () => {
      expect((await asked.ask('POST', '/v1/secrets/rotation', { what: 'data_key' })).status).toBe(202);
      for (const death of DEATHS) {
        const step = STEPS.indexOf(death);
        await hold(step);
        const victim = await doomed();
        if (death === 'retiring') await passTenMinutes();
        await killIn(victim, step);
        expect([death, await phaseOf()]).toEqual([death, death.split(' ')[0]]);
      }
      last = await startBeside(doomedEnv());
      if (DEATHS.at(-1) !== 'retiring') await passTenMinutes();
      await until(async () => (await phaseOf()) === 'finished');
    });
    const { keys, rotation } = await asked.status();
    expect(rotation).toMatchObject({ phase: 'finished', unreadable: [] });
    const sealing = keys.filter(({ purpose }) => purpose === 'seal');
    expect(sealing).toMatchObject([{ active: true }]);
    expect(sealing[0]!.values).toBeGreaterThanOrEqual(DEVICES);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    stdout.write(
      `rotation of the data key: ${DEVICES} devices, ${DEATHS.length} processes killed, ${rotation!.done} values in ` +
        `${seconds} s, ${requests} requests beside it, ${failed.length} failed\n`,
    );
  }, 900_000);

  it('of the root key has changed nothing when its process died, and is made by the next', async () => {
    const rotate = (url: string) => asked.ask('POST', '/v1/secrets/rotation', { what: 'root_key' }, undefined, url);
    const before = await wrappedBy();
    const { requests, failed } = await underLoad(async () => {
      await hold(ROOT_KEY);
      const victim = await doomed();
      const lost = rotate(victim.url).then(
        ({ text }) => text,
        () => 'no answer',
      );
      await Promise.race([killIn(victim, ROOT_KEY), lost]);
      expect([await lost, await wrappedBy()]).toEqual(['no answer', before]);
      const next = await doomed();
      expect((await rotate(next.url)).status).toBe(202);
      await next.stop();
    });
    const after = await wrappedBy();
    expect([after.length, before.includes(after[0]!)]).toEqual([1, false]);
    const unopened = await db.query(`select from audit_entry where action = 'secret.unreadable'`);
    expect(unopened.rowCount).toBe(0);
    stdout.write(`rotation of the root key: ${requests} requests beside it, ${failed.length} failed\n`);
  }, 300_000);
});

/** The root keys that data keys are wrapped by. */
async function wrappedBy(): Promise<string[]> {
  const { rows } = await db.query<{ by: string }>('select distinct root_key_id as by from data_key');
  return rows.map(({ by }) => by);
}

/** What is under way with the old key has come to its end, as the row says it. */
async function passTenMinutes(): Promise<void> {
  await until(async () => (await phaseOf()) === 'retiring');
  // As one transaction: nobody gets past the trigger in between.
  await db.query(`
    alter table key_rotation disable trigger hold_up;
    update key_rotation set switched_at = switched_at - interval '11 minutes';
    alter table key_rotation enable trigger hold_up`);
}
