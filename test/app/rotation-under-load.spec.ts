import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { startFleet, type Fleet } from '../../src/simulator/fleet.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

/*
 * Keys are replaced while people work: calls that log in with sealed passwords, new credentials, an import. No request may
 * fail. ROTATION_DEVICES sets how many devices there are (10,000 in the figures of docs/performance.md).
 */

const DEVICES = Number(process.env['ROTATION_DEVICES'] ?? 400);
const REACHABLE = 8;
const CALLERS = 6;
const PASSWORD = 'Password-under-load-1!';

let world: TestGateway;
let fleet: Fleet;
let db: pg.Client;

async function ask(method: string, path: string, json?: unknown, type = 'application/json') {
  const answer = await fetch(world.url + path, {
    method,
    headers: {
      authorization: `Bearer ${world.keys.administrator}`,
      ...(json === undefined ? {} : { 'content-type': type }),
    },
    ...(json === undefined ? {} : { body: typeof json === 'string' ? json : JSON.stringify(json) }),
  });
  return { status: answer.status, text: await answer.text() };
}

interface Keys {
  readonly keys: readonly { readonly purpose: string; readonly active: boolean; readonly values: number }[];
  readonly rotation: { readonly phase: string; readonly done: number; readonly unreadable: unknown[] };
}
const status = async () => JSON.parse((await ask('GET', '/v1/secrets/rotation')).text) as Keys;

beforeAll(async () => {
  fleet = await startFleet({ devices: REACHABLE, profile: 'rutos', seed: 9, adminPassword: PASSWORD });
  world = await startTestGateway({ LOG_LEVEL: 'warn' });
  db = new pg.Client({ connectionString: world.databaseUrl });
  await db.connect();
  const lines = Array.from({ length: DEVICES }, (_, n) =>
    JSON.stringify({
      name: `d${n}`,
      baseUrl: fleet.devices[n]?.baseUrl ?? `https://d${n}.example`,
      credentials: { username: 'admin', password: n < REACHABLE ? PASSWORD : `Password-${n}` },
    }),
  );
  for (let start = 0; start < lines.length; start += 2_000) {
    const file = lines.slice(start, start + 2_000).join('\n');
    expect((await ask('POST', '/v1/devices/import', file, 'application/x-ndjson')).status).toBe(200);
  }
}, 120_000);

afterAll(async () => {
  await db.end();
  await world.close();
  await fleet.close();
});

describe('a rotation of the data key under load', () => {
  it('fails no request, and leaves no value with the old key', async () => {
    const over = new AbortController();
    let requests = 0;
    const failed: string[] = [];
    const caller = async (index: number) => {
      const mine = `/v1/devices/name:d${index % REACHABLE}`;
      for (let round = 0; !over.signal.aborted; round++) {
        const other = `/v1/devices/name:d${REACHABLE + ((index + round * CALLERS) % (DEVICES - REACHABLE))}`;
        const answers = [
          await ask('POST', `${mine}/session/reset`), // the next call opens the password
          await ask('GET', `${mine}/api/system/device/status`),
          await ask('PUT', `${other}/credentials`, { username: 'admin', password: `New-${index}-${round}` }),
        ];
        requests += answers.length;
        failed.push(...answers.filter((one) => one.status >= 400).map((one) => `${one.status} ${one.text}`));
      }
    };
    const callers = Array.from({ length: CALLERS }, (_, index) => caller(index));
    const startedAt = performance.now();
    expect((await ask('POST', '/v1/secrets/rotation', { what: 'data_key' })).status).toBe(202);
    let now = await status();
    for (; now.rotation.phase !== 'retiring'; now = await status()) expect(now.rotation.unreadable).toEqual([]);
    const tookMs = performance.now() - startedAt;
    // Ten minutes later, as the row says it.
    await db.query(`update key_rotation set switched_at = switched_at - interval '11 minutes'`);
    for (; now.rotation.phase !== 'finished'; now = await status()) expect(now.rotation.unreadable).toEqual([]);
    over.abort();
    await Promise.all(callers);
    expect(failed.slice(0, 5)).toEqual([]);
    expect(requests).toBeGreaterThan(10);
    const sealing = now.keys.filter(({ purpose }) => purpose === 'seal');
    expect(sealing).toMatchObject([{ active: true }]);
    expect(sealing[0]!.values).toBeGreaterThanOrEqual(DEVICES);
    process.stdout.write(
      `rotation: ${DEVICES} devices, ${now.rotation.done} values sealed anew in ${(tookMs / 1000).toFixed(1)} s, ` +
        `${requests} requests beside it, ${failed.length} failed\n`,
    );
  }, 600_000);
});
