import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { type Fleet } from '../../../src/simulator/fleet.js';
import { startOwnFleet } from '../../support/devices/own-fleet.js';
import { startTestGateway, type TestGateway } from '../../support/gateway.js';
import { addPerson } from '../../support/people.js';
import { until } from '../../support/until.js';

/* What people see of the secrets in a device's answers: nothing, or everything and then the audit knows. */

const PASSWORD = 'Password-of-the-device-1!';

/** Shows all of one resource, as somebody may who trusts it: no other resource is meant. */
const REDACTION_RULES = 'show /system/device/status *';

let world: TestGateway;
let fleet: Fleet;
let db: pg.Client;
let privateKey: string;
/** Fan-outs that write, for their keys. */
let sent = 0;

type Role = keyof TestGateway['keys'];

async function ask(role: Role, method: string, path: string, json?: unknown, more: Record<string, string> = {}) {
  const answer = await fetch(world.url + path, {
    method,
    headers: {
      authorization: `Bearer ${world.keys[role]}`,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...more,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

const entries = async (action: string) =>
  (
    await db.query<{ subject: string; outcome: string | null }>(
      `select subject, outcome from audit_entry left join audit_outcome on entry_id = id where action = $1 order by id`,
      [action],
    )
  ).rows;

beforeAll(async () => {
  fleet = await startOwnFleet({ devices: 2, profile: 'rutos', seed: 5, timeScale: 20, adminPassword: PASSWORD });
  world = await startTestGateway({ ROLE: 'api', REDACTION_RULES });
  db = new pg.Client({ connectionString: world.databaseUrl });
  await db.connect();
  for (const [index, { baseUrl }] of fleet.devices.entries()) {
    await world.api.post('/v1/devices', {
      name: `d${index}`,
      baseUrl,
      tags: ['all'],
      credentials: { username: 'admin', password: PASSWORD },
    });
  }
  const made = await ask('administrator', 'POST', '/v1/devices/name:d0/api/wireguard/config', { data: { id: 'wg1' } });
  privateKey = (JSON.parse(made.text) as { data: { private_key: string } }).data.private_key;
  expect(privateKey.length).toBeGreaterThan(20);
});
afterAll(async () => {
  await db.end();
  await world.close();
  await fleet.close();
});

const STATUS = '/v1/devices/name:d0/api/system/device/status';
const CONFIG = '/v1/devices/name:d0/api/wireguard/config';

describe('who may not read secrets', () => {
  it('gets the answer with fingerprints in their place, and is told how many', async () => {
    const { status, text, headers } = await ask('viewer', 'GET', CONFIG);
    expect([status, headers.get('fleetgate-redacted'), headers.get('proxy-status')]).toEqual([
      200,
      '1',
      'fleetgate; received-status=200',
    ]);
    expect(text).not.toContain(privateKey);
    const [section] = (JSON.parse(text) as { data: Record<string, string>[] }).data;
    expect(section).toMatchObject({ id: 'wg1', private_key: expect.stringMatching(/^hmac:[0-9a-f]{16}$/) });
    expect(section!['public_key']).not.toMatch(/^hmac:/);
    expect(Number(headers.get('content-length'))).toBe(Buffer.byteLength(text));
  });

  it('gets it so through the façade, under the name of the device, and by HEAD nothing', async () => {
    expect((await ask('viewer', 'GET', '/d/name:d0/api/wireguard/config/wg1')).text).not.toContain(privateKey);
    expect((await ask('viewer', 'HEAD', CONFIG)).text).toBe('');
  });

  it('is given no answer that cannot be looked through', async () => {
    await ask('administrator', 'POST', '/v1/devices/name:d0/api/backup/actions/generate', { data: {} });
    const one = fleet.devices[0]!;
    one.faults.add({ kind: 'html', count: 1 } as never);
    const { status, text } = await ask('viewer', 'GET', CONFIG);
    expect(status === 200 || JSON.parse(text).code === 'answer_withheld').toBe(true);
  });

  it('gets it so in a bulk request of reads, item by item', async () => {
    const items = {
      data: [
        { endpoint: '/api/wireguard/config', method: 'GET' },
        { endpoint: '/api/system/device/status', method: 'GET' },
      ],
    };
    const { status, text } = await ask('viewer', 'POST', '/v1/devices/name:d0/api/bulk', items);
    expect(status).toBe(207);
    expect(text).toContain('hmac:');
    expect(text).not.toContain(privateKey);
  });

  it('gets it so in each line of a fan-out, and a digest that is not one of the secret', async () => {
    const body = { selector: 'tag:all', request: { method: 'GET', path: '/api/wireguard/config' } };
    const viewed = await ask('viewer', 'POST', '/v1/fan-out', body);
    const clear = await ask('administrator', 'POST', '/v1/fan-out', body);
    expect(clear.text).toContain(privateKey);
    expect(viewed.text).not.toContain(privateKey);
    const digest = (text: string) =>
      text
        .split('\n')
        .filter((line) => line.includes('"d0"'))
        .map((line) => (JSON.parse(line) as { digest: string }).digest)[0];
    expect(digest(viewed.text)).not.toBe(digest(clear.text));
  });

  it.each(['/api/bulk', '/api/bulk/', '/api/v1/bulk', '/api/v1.0/bulk'])(
    'gets it so in a fan-out to %s, each item by the rules of its own path',
    async (path) => {
      const permissions = ['device.read', 'device.call_read', 'device.call_write'];
      const { key } = await addPerson(world, 'Bulk', [{ role: 'operator' }], { permissions, stepUp: true });
      const paths = ['/api/system/device/status', '/api/wireguard/config'];
      const json = { data: paths.map((endpoint) => ({ endpoint, method: 'GET' })) };
      const body = { selector: 'name:d0', request: { method: 'POST', path, json } };
      const { text } = await ask('operator', 'POST', '/v1/fan-out', body, {
        authorization: `Bearer ${key}`,
        'idempotency-key': `in-bulk-${++sent}`,
      });
      expect(text).toMatch(/"private_key":"hmac:/);
      expect(text).not.toContain(privateKey);
    },
  );

  it('gets it so although a caller who may read secrets shares the same read', async () => {
    for (let round = 0; round < 5; round++) {
      const [one, two, three] = await Promise.all([
        ask('administrator', 'GET', CONFIG),
        ask('viewer', 'GET', CONFIG),
        ask('viewer', 'GET', CONFIG),
      ]);
      expect(one.text).toContain(privateKey);
      expect(two.text + three.text).not.toContain(privateKey);
    }
  });
});

describe('who may read secrets', () => {
  it('gets the bytes of the device, with an entry in the audit that was there before', async () => {
    const before = (await entries('device.read_secrets')).length;
    const { text, headers } = await ask('administrator', 'GET', CONFIG);
    expect(text).toContain(privateKey);
    expect(headers.get('fleetgate-redacted')).toBeNull();
    for (;;) {
      const now = await entries('device.read_secrets');
      if (now.at(-1)?.outcome === null) continue; // closed behind the answer
      expect(now.slice(before)).toEqual([{ subject: 'GET /api/wireguard/config', outcome: 'succeeded' }]);
      break;
    }
  });

  it('leaves an entry for each device of a fan-out, and in it what became of the call', async () => {
    const before = (await entries('device.read_secrets')).length;
    const cut = fleet.devices[1]!;
    await cut.stop();
    try {
      const body = { selector: 'tag:all', request: { method: 'GET', path: '/api/wireguard/config' } };
      expect((await ask('administrator', 'POST', '/v1/fan-out', body)).text).toContain(privateKey);
    } finally {
      await cut.start();
    }
    const made = await until(async () => {
      const now = (await entries('device.read_secrets')).slice(before);
      return now.every(({ outcome }) => outcome !== null) && now;
    });
    expect(new Set(made.map(({ outcome }) => outcome))).toEqual(new Set(['failed', 'succeeded']));
  });

  it('leaves an entry that says so for a device of a fan-out that was not called', async () => {
    const before = (await entries('device.read_secrets')).length;
    const policy = { concurrency: 1, stopAfter: { failures: 1 } };
    const body = { selector: 'tag:all', request: { method: 'GET', path: '/api/nothing/config' }, policy };
    await ask('administrator', 'POST', '/v1/fan-out', body);
    const made = await until(async () => {
      const now = (await entries('device.read_secrets')).slice(before);
      return now.every(({ outcome }) => outcome !== null) && now;
    });
    expect(new Set(made.map(({ outcome }) => outcome))).toEqual(new Set(['failed', 'succeeded']));
  });

  it('leaves none, and gets no secret, where they decline them with a header', async () => {
    const declining = { 'fleetgate-redact': 'yes' };
    const before = (await entries('device.read_secrets')).length;
    const { text, headers } = await ask('administrator', 'GET', CONFIG, undefined, declining);
    expect([text.includes(privateKey), headers.get('fleetgate-redacted')]).toEqual([false, '1']);
    const bulk = { data: [{ endpoint: '/api/wireguard/config', method: 'GET' }] };
    const items = await ask('administrator', 'POST', '/v1/devices/name:d0/api/bulk', bulk, declining);
    expect([items.text.includes(privateKey), items.text.includes('hmac:')]).toEqual([false, true]);
    const status = await ask('administrator', 'GET', STATUS, undefined, declining);
    expect(status.headers.get('fleetgate-redacted')).toBeNull();
    expect(await entries('device.read_secrets')).toHaveLength(before);
  });

  it('leaves none for what holds no secrets', async () => {
    const before = (await entries('device.read_secrets')).length;
    await ask('administrator', 'GET', '/v1/devices/name:d0/api/system/device/status');
    expect((await entries('device.read_secrets')).length).toBe(before);
  });
});

describe('the audit of device calls', () => {
  it('holds no secret of a query', async () => {
    await ask('administrator', 'DELETE', '/v1/devices/name:d0/api/wireguard/config/none?token=open-sesame-1&limit=5');
    const { rows } = await db.query<{ facts: string }>(`select facts::text from audit_entry where facts ? 'query'`);
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain('open-sesame-1');
    expect(JSON.stringify(rows)).toContain('limit=5');
  });
});
