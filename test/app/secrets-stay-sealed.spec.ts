import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import pg from 'pg';
import { startFleet, type Fleet } from '../../src/simulator/fleet.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

/*
 * The password of a device appears nowhere but sealed. It is planted, everything that uses it is done, with success
 * and with every failure that holds it, and then logs, tables, queue, answers and what went to the devices are searched
 * for it: in clear, and in the forms that software likes to turn a text into.
 */

const PASSWORD = `Planted-${randomBytes(9).toString('base64url')}-Aa1!`;
const WRONG_PASSWORD = `Misplanted-${randomBytes(9).toString('base64url')}-Aa1!`;

let world: TestGateway;
let fleet: Fleet;
let db: pg.Client;
/** Every answer of the gateway, headers and body. */
const answers: string[] = [];

async function ask(method: string, path: string, json?: unknown): Promise<unknown> {
  const answer = await fetch(world.url + path, {
    method,
    headers: {
      authorization: `Bearer ${world.keys.administrator}`,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const body = await answer.text();
  answers.push(`${JSON.stringify([...answer.headers])}\n${body}`);
  return /json/.test(answer.headers.get('content-type') ?? '') ? JSON.parse(body) : body;
}

async function untilEnded(jobId: string): Promise<{ outcome: string | null }> {
  for (;;) {
    const job = (await ask('GET', `/v1/jobs/${jobId}`)) as { phase: string; outcome: string | null };
    if (job.phase === 'ended') return job;
    await new Promise(setImmediate);
  }
}

beforeAll(async () => {
  fleet = await startFleet({ devices: 2, profile: 'rutos', seed: 3, timeScale: 20, adminPassword: PASSWORD });
  world = await startTestGateway({ LOG_LEVEL: 'trace' });
  db = new pg.Client({ connectionString: world.databaseUrl });
  await db.connect();

  const [good, bad] = fleet.devices;
  const credentials = { username: 'admin', password: PASSWORD };
  const device = (await ask('POST', '/v1/devices', { name: 'good', baseUrl: good!.baseUrl, credentials })) as {
    id: string;
  };
  const wrong = { username: 'admin', password: WRONG_PASSWORD };
  await ask('POST', '/v1/devices', { name: 'bad', baseUrl: bad!.baseUrl, credentials: wrong });
  // Refused inputs that hold the password: the problem document must not repeat it.
  await ask('POST', '/v1/devices', {
    name: 'x',
    baseUrl: good!.baseUrl,
    credentials: { ...credentials, password: [PASSWORD] },
  });
  await ask('POST', '/v1/devices', { name: 'x', baseUrl: good!.baseUrl, credentials, [PASSWORD.slice(0, 3)]: 1 });
  await ask('PUT', '/v1/devices/name:good/credentials', credentials);
  await ask('PUT', '/v1/devices/name:good/credentials', { ...credentials, more: true });
  await ask('GET', '/v1/devices/name:good/api/system/device/status');
  await ask('GET', '/v1/devices/name:bad/api/system/device/status');
  await ask('GET', '/v1/devices/name:bad/api/system/device/status');
  const job = (await ask('POST', `/v1/devices/${device.id}/jobs`, { kind: 'backup' })) as { id: string };
  expect(await untilEnded(job.id)).toMatchObject({ outcome: 'succeeded' });
  const failing = (await ask('POST', '/v1/devices/name:bad/jobs', { kind: 'backup' })) as { id: string };
  expect((await untilEnded(failing.id)).outcome).not.toBe('succeeded');
  for (const path of [
    '/v1/devices',
    '/v1/jobs',
    '/v1/artifacts',
    '/v1/audit?limit=1000',
    '/v1/api-keys',
    '/metrics',
    '/openapi.json',
  ]) {
    await ask('GET', path);
  }
});

afterAll(async () => {
  await db.end();
  await world.close();
  await fleet.close();
});

/** The forms in which a text leaks. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // Base64 of a text inside a longer one begins at one of three places, so its inner part is searched for.
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, -4),
  );
  return [secret, encodeURIComponent(secret), bytes.toString('hex'), secret.split('').toReversed().join(''), ...base64];
}

function findIn(text: string): string[] {
  return [PASSWORD, WRONG_PASSWORD].flatMap((secret) => formsOf(secret).filter((form) => text.includes(form)));
}

describe('the password of a device', () => {
  it('is found by the search when it is there', () => {
    for (const form of formsOf(PASSWORD)) expect(findIn(`…${form}…`)).toContain(form);
    expect(findIn(Buffer.from(`x${PASSWORD}y`).toString('base64')).length).toBeGreaterThan(0);
  });

  it('is in no line of the log, though everything was logged', () => {
    expect(world.log()).toContain('"level":"debug"');
    expect(findIn(world.log())).toEqual([]);
  });

  it('is in no answer of the gateway', () => {
    expect(answers.length).toBeGreaterThan(15);
    expect(findIn(answers.join('\n'))).toEqual([]);
  });

  it('is in no table, those of the queue included', async () => {
    const { rows: tables } = await db.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
        where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    );
    expect(tables.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['public.device_account', 'public.audit_entry']),
    );
    expect(tables.some(({ name }) => name.startsWith('bullmq.'))).toBe(true);
    for (const { name } of tables) {
      const { rows } = await db.query<{ line: string }>(`select row_to_json(t)::text as line from ${name} t`);
      expect([name, findIn(rows.map(({ line }) => line).join('\n'))]).toEqual([name, []]);
    }
    const { rows } = await db.query<{ sealed: Buffer }>('select sealed_password as sealed from device_account');
    expect(rows).toHaveLength(2);
    expect(findIn(rows.map(({ sealed }) => sealed.toString('latin1')).join('\n'))).toEqual([]);
  });

  it('is in no key of Redis', async () => {
    const url = process.env['TEST_REDIS_URL'];
    if (!url) {
      expect(world.log()).not.toContain('redis://'); // the queue is in Postgres, which was searched above
      return;
    }
    const redis = new Redis(url);
    const dumps: string[] = [];
    for (const key of await redis.keys('*')) dumps.push(key, (await redis.dump(key)) ?? '');
    expect(findIn(dumps.join('\n'))).toEqual([]);
    await redis.quit();
  });

  it('is in nothing that the gateway sent to a device, but the login', () => {
    const sent = fleet.ledger.entries();
    expect(sent.some(({ path }) => path.includes('/login'))).toBe(true);
    expect(findIn(JSON.stringify(sent))).toEqual([]);
  });
});
