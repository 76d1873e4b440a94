import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { startFleet, type Fleet } from '../../src/simulator/fleet.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { PASSWORD, REACHABLE, RotationLoad } from '../support/jobs/rotation-load.js';
import { until } from '../support/until.js';

/*
 * Keys are replaced while people work. No request may fail. The short form has this with a process that dies
 * (rotation-killed.long.spec.ts). ROTATION_DEVICES sets how many devices there are (10,000 in the
 * figures of docs/explanation/performance.md).
 */

const DEVICES = Number(process.env['ROTATION_DEVICES'] ?? 400);

let world: TestGateway;
let fleet: Fleet;
let db: pg.Client;
let load: RotationLoad;

// For each try, since one that fails leaves failures in the load and a rotation on its way.
beforeEach(async () => {
  fleet = await startFleet({ devices: REACHABLE, profile: 'rutos', seed: 9, adminPassword: PASSWORD });
  world = await startTestGateway({ ROLE: 'api', LOG_LEVEL: 'warn' });
  db = new pg.Client({ connectionString: world.databaseUrl });
  await db.connect();
  load = new RotationLoad(world, DEVICES);
  await load.register(fleet);
});

afterEach(async () => {
  await load.end().catch(() => undefined); // which the test has told
  await db.end();
  await world.close();
  await fleet.close();
});

/** @returns the keys once the rotation is in this phase, with every value readable until then */
const reaches = (phase: string) =>
  until(async () => {
    const now = await load.status();
    expect(now.rotation?.unreadable).toEqual([]);
    return now.rotation?.phase === phase && now;
  });

describe('a rotation of the data key under load', () => {
  it('fails no request, and leaves no value with the old key', async () => {
    load.begin();
    const startedAt = performance.now();
    expect((await load.ask('POST', '/v1/secrets/rotation', { what: 'data_key' })).status).toBe(202);
    await reaches('retiring');
    const tookMs = performance.now() - startedAt;
    // Ten minutes later, as the row says it.
    await db.query(`update key_rotation set switched_at = switched_at - interval '11 minutes'`);
    const now = await reaches('finished');
    await load.end();
    expect(load.failed.slice(0, 5)).toEqual([]);
    expect(load.requests).toBeGreaterThan(10);
    const sealing = now.keys.filter(({ purpose }) => purpose === 'seal');
    expect(sealing).toMatchObject([{ active: true }]);
    expect(sealing[0]!.values).toBeGreaterThanOrEqual(DEVICES);
    process.stdout.write(
      `rotation: ${DEVICES} devices, ${now.rotation!.done} values sealed anew in ${(tookMs / 1000).toFixed(1)} s, ` +
        `${load.requests} requests beside it, ${load.failed.length} failed\n`,
    );
  }, 600_000);
});
