import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { Secret, TOTP } from 'otpauth';
import pg from 'pg';
import { startFleet, type Fleet } from '../../src/simulator/fleet.js';
import { Browser } from '../support/browser.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { digestsOf, dumpOf, findPlanted, formsOf } from '../support/planted.js';

/*
 * Secrets appear nowhere but sealed. They are planted, everything that uses them is done, with success and with every
 * failure that holds them, and then logs, tables, queue, answers and what went to the devices are searched.
 *
 * Whoever builds something new that holds a secret adds a row to `PLANTS`.
 */

const random = (name: string) => `${name}-${randomBytes(9).toString('base64url')}-Aa1!`;

const PASSWORD = random('Device');
const WRONG_PASSWORD = random('Misplanted');
const OPERATOR_PASSWORD = random('operator lighthouse');
const OIDC_SECRET = random('Oidc');
const BACKUP_PASSPHRASE = random('Backup');
const MULTIPART = random('Multipart');
const BULK_PASSWORD = random('Bulk');
const QUERY_TOKEN = random('Query').replace('!', '');
const ROOT_KEY = randomBytes(32);

/** What is planted. Values that only exist later are added under way. */
const planted: Record<string, string> = {
  'device password': PASSWORD,
  'refused device password': WRONG_PASSWORD,
  'operator password': OPERATOR_PASSWORD,
  'OIDC client secret': OIDC_SECRET,
  'backup passphrase': BACKUP_PASSPHRASE,
  'multipart body': MULTIPART,
  'password in a failing bulk item': BULK_PASSWORD,
  'token in a query': QUERY_TOKEN,
  'root key': ROOT_KEY.toString('base64'),
  'root key, raw': ROOT_KEY.toString('latin1'),
};

let world: TestGateway;
let fleet: Fleet;
let db: pg.Client;
/** Every answer of the gateway, headers and body, but those that show a secret to whom it belongs. */
const answers: string[] = [];

interface Ask {
  readonly json?: unknown;
  readonly body?: FormData;
  readonly as?: keyof TestGateway['keys'];
  /** The answer shows a secret on purpose. */
  readonly shows?: true;
}

async function ask(
  method: string,
  path: string,
  { json, body, as = 'administrator', shows }: Ask = {},
): Promise<unknown> {
  const answer = await fetch(world.url + path, {
    method,
    headers: {
      authorization: `Bearer ${world.keys[as]}`,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(json === undefined ? (body ? { body } : {}) : { body: JSON.stringify(json) }),
  });
  const text = await answer.text();
  if (!shows) answers.push(`${JSON.stringify([...answer.headers])}\n${text}`);
  return /(?<!nd)json/.test(answer.headers.get('content-type') ?? '') && text !== '' ? JSON.parse(text) : text;
}

async function untilEnded(jobId: string): Promise<{ outcome: string | null }> {
  for (;;) {
    const job = (await ask('GET', `/v1/jobs/${jobId}`)) as { phase: string; outcome: string | null };
    if (job.phase === 'ended') return job;
    await new Promise(setImmediate);
  }
}

const GOOD = '/v1/devices/name:good';
const BAD = '/v1/devices/name:bad';
const credentials = { username: 'admin', password: PASSWORD };

/** How each secret comes in, with success and with the failures that hold it. */
const PLANTS: Readonly<Record<string, () => Promise<void>>> = {
  'device password': async () => {
    const [good, bad] = fleet.devices;
    const device = (await ask('POST', '/v1/devices', {
      json: { name: 'good', baseUrl: good!.baseUrl, credentials },
    })) as {
      id: string;
    };
    const wrong = { username: 'admin', password: WRONG_PASSWORD };
    await ask('POST', '/v1/devices', { json: { name: 'bad', baseUrl: bad!.baseUrl, credentials: wrong } });
    // Refused inputs that hold the password: the problem document must not repeat it.
    const listed = { ...credentials, password: [PASSWORD] };
    await ask('POST', '/v1/devices', { json: { name: 'x', baseUrl: good!.baseUrl, credentials: listed } });
    await ask('POST', '/v1/devices', {
      json: { name: 'x', baseUrl: good!.baseUrl, credentials, [PASSWORD.slice(0, 3)]: 1 },
    });
    await ask('PUT', `${GOOD}/credentials`, { json: credentials });
    await ask('PUT', `${GOOD}/credentials`, { json: { ...credentials, more: true } });
    await ask('GET', `${GOOD}/api/system/device/status`);
    await ask('GET', `${BAD}/api/system/device/status`);
    await ask('GET', `${BAD}/api/system/device/status`);
    const job = (await ask('POST', `/v1/devices/${device.id}/jobs`, { json: { kind: 'backup' } })) as { id: string };
    expect(await untilEnded(job.id)).toMatchObject({ outcome: 'succeeded' });
    const failing = (await ask('POST', `${BAD}/jobs`, { json: { kind: 'backup' } })) as { id: string };
    expect((await untilEnded(failing.id)).outcome).not.toBe('succeeded');
  },

  'device token': async () => {
    const tokens = Reflect.get(fleet.devices[0]!.sessions, 'byToken') as Map<string, unknown>;
    expect(tokens.size).toBeGreaterThan(0);
    for (const [index, token] of [...tokens.keys()].entries()) planted[`device token ${index}`] = token;
    await ask('GET', `${GOOD}/session`);
  },

  'API key': async () => {
    for (const [role, key] of Object.entries(world.keys)) planted[`API key of the ${role}`] = key;
    // A key where it does not belong.
    await ask('GET', `/v1/devices?cursor=${world.keys.viewer}`);
    await ask('GET', `/v1/devices/name:${world.keys.viewer}`);
    await ask('POST', '/v1/setup', { json: { token: 'x'.repeat(30), operatorName: 'Eve' } });
  },

  'session and TOTP seed': async () => {
    const { id } = (await ask('POST', '/v1/operators', { json: { name: 'Grace', role: 'viewer' } })) as { id: string };
    const { token } = (await ask('POST', `/v1/operators/${id}/invitation`, { shows: true })) as { token: string };
    planted['invitation'] = token;
    const at = new Browser(world.url);
    await at.post('/v1/invitations/accept', { token, password: OPERATOR_PASSWORD });
    expect((await at.login('Grace', OPERATOR_PASSWORD)).status).toBe(200);
    const { secret } = (await at.post('/v1/self/totp', { password: OPERATOR_PASSWORD })).body as { secret: string };
    planted['TOTP seed'] = secret;
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    const { recoveryCodes } = (await at.post('/v1/self/totp/confirm', { code })).body as { recoveryCodes: string[] };
    planted['recovery code'] = recoveryCodes[0]!;
    planted['session'] = at.token;
    for (const address of ['/v1/self', '/v1/self/sessions']) answers.push(JSON.stringify((await at.get(address)).body));
    answers.push(JSON.stringify((await new Browser(world.url).login('Grace', `${OPERATOR_PASSWORD}x`)).body));
  },

  '`private_key` in an answer': async () => {
    const made = (await ask('POST', `${GOOD}/api/wireguard/config`, {
      json: { data: { id: 'wg1' } },
      shows: true,
    })) as {
      data: { private_key: string };
    };
    planted['private key of a tunnel'] = made.data.private_key;
    await ask('GET', `${GOOD}/api/wireguard/config`, { as: 'viewer' });
    await ask('GET', `${GOOD}/api/wireguard/config`, { shows: true });
    await ask('GET', '/d/name:good/api/wireguard/config/wg1', { as: 'viewer' });
    const request = { method: 'GET', path: '/api/wireguard/config' };
    await ask('POST', '/v1/fan-out', { json: { selector: 'profile:rutos', request }, as: 'viewer' });
    const job = (await ask('POST', `${GOOD}/jobs`, {
      json: { kind: 'call', spec: { method: 'GET', path: '/api/wireguard/config' } },
    })) as { id: string };
    expect(await untilEnded(job.id)).toMatchObject({ outcome: 'succeeded' });
  },

  'password in a failing bulk item': async () => {
    const item = {
      endpoint: '/api/users/config',
      method: 'POST',
      data: { username: '', password: BULK_PASSWORD, group: 'none' },
    };
    await ask('POST', `${GOOD}/api/bulk`, { json: { data: [item, item] }, shows: true });
    await ask('POST', `${GOOD}/api/users/config`, { json: { data: item.data }, shows: true });
    const call = { kind: 'call', spec: { method: 'POST', path: '/api/users/config', data: item.data } };
    const job = (await ask('POST', `${GOOD}/jobs`, { json: call })) as { id?: string };
    if (job.id) await untilEnded(job.id);
  },

  'multipart body': async () => {
    const body = new FormData();
    body.set('file', new Blob([MULTIPART.repeat(3)]), 'ca.pem');
    await ask('POST', `${GOOD}/api/certificates/root_ca/config`, { body });
    const toNobody = new FormData();
    toNobody.set('file', new Blob([MULTIPART]), 'ca.pem');
    await ask('POST', `${BAD}/api/certificates/root_ca/config`, { body: toNobody });
  },

  'backup passphrase': async () => {
    const json = { data: { encrypt: '1', password: BACKUP_PASSPHRASE } };
    await ask('POST', `${GOOD}/api/backup/actions/generate`, { json });
    await ask('POST', `${BAD}/api/backup/actions/generate`, { json });
  },

  'token in a query': async () => {
    await ask('DELETE', `${GOOD}/api/wireguard/config/none?token=${QUERY_TOKEN}`, { shows: true });
  },

  'webhook secret': async () => {
    const json = { name: 'hook', url: 'http://127.0.0.1:9/hook', types: ['job.*'] };
    const { id, secret } = (await ask('POST', '/v1/webhooks', { json, shows: true })) as { id: string; secret: string };
    expect(secret).toMatch(/^whsec_/);
    planted['webhook secret'] = secret;
    await ask('GET', `/v1/webhooks/${id}`);
  },

  'OIDC client secret': async () => {
    await ask('GET', '/v1/oidc');
    await ask('GET', '/v1/oidc/corp/login?returnTo=/');
  },

  'root key': async () => {
    await ask('GET', '/v1/secrets/rotation');
    await ask('POST', '/v1/secrets/rotation', { json: { what: 'root_key' } });
    await ask('POST', '/v1/secrets/rotation', { json: { what: 'data_key' } });
  },
};

beforeAll(async () => {
  fleet = await startFleet({ devices: 3, profile: 'rutos', seed: 3, timeScale: 20, adminPassword: PASSWORD });
  world = await startTestGateway({
    LOG_LEVEL: 'trace',
    FLEETGATE_KEY: ROOT_KEY.toString('base64'),
    OIDC_PROVIDERS: JSON.stringify([
      {
        id: 'corp',
        name: 'Corp',
        issuer: 'http://127.0.0.1:9',
        clientId: 'fleetgate',
        clientSecret: OIDC_SECRET,
        groupsClaim: 'groups',
        roles: { admins: ['viewer'] },
      },
    ]),
  });
  db = new pg.Client({ connectionString: world.databaseUrl });
  await db.connect();
  for (const plant of Object.values(PLANTS)) await plant();
  const lists = [
    'devices',
    'jobs',
    'artifacts',
    'audit?limit=1000',
    'api-keys',
    'operators',
    'selectors',
    'secrets/rotation',
  ];
  for (const path of [...lists.map((list) => `/v1/${list}`), '/metrics', '/openapi.json', `${GOOD}/history`]) {
    await ask('GET', path);
  }
}, 60_000);

afterAll(async () => {
  await db.end();
  await world.close();
  await fleet.close();
});

describe('a planted secret', () => {
  it('is found by the search when it is there', () => {
    for (const secret of Object.values(planted)) {
      for (const form of formsOf(secret)) expect(findPlanted(`…${form}…`, planted).length).toBeGreaterThan(0);
      expect(findPlanted(Buffer.from(`x${secret}y`).toString('base64'), planted).length).toBeGreaterThan(0);
    }
  });

  it('is in no line of the log, though everything was logged', () => {
    expect(world.log()).toContain('"level":"debug"');
    expect(findPlanted(world.log(), planted)).toEqual([]);
  });

  it('is in no answer of the gateway, but those that show it to whom it belongs', () => {
    expect(answers.length).toBeGreaterThan(40);
    expect(answers.filter((answer) => findPlanted(answer, planted).length > 0)).toEqual([]);
  });

  it('is in no table, those of the queue included, sealed columns or not', async () => {
    const dump = await dumpOf(db);
    expect([...dump.keys()]).toEqual(expect.arrayContaining(['public.device_account', 'public.audit_entry']));
    expect([...dump.keys()].some((name) => name.startsWith('bullmq.'))).toBe(true);
    for (const [name, text] of dump) expect([name, findPlanted(text, planted)]).toEqual([name, []]);
  });

  it('cannot be guessed from a stolen dump, when it is one of a device: no digest of it without a key', async () => {
    const text = [...(await dumpOf(db)).values()].join('\n');
    const guesses = [PASSWORD, WRONG_PASSWORD, BACKUP_PASSPHRASE, BULK_PASSWORD, planted['private key of a tunnel']!];
    const requests = guesses.map((password) => JSON.stringify({ username: 'admin', password }));
    for (const guess of [...guesses, ...requests]) {
      expect(digestsOf(guess).filter((digest) => text.includes(digest))).toEqual([]);
    }
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
    expect(findPlanted(dumps.join('\n'), planted)).toEqual([]);
    await redis.quit();
  });

  it('of a device account is in nothing that the gateway sent to a device, but the login', () => {
    const sent = fleet.ledger.entries();
    expect(sent.some(({ path }) => path.includes('/login'))).toBe(true);
    const { 'device password': good, 'refused device password': bad } = planted;
    expect(findPlanted(JSON.stringify(sent), { good: good!, bad: bad! })).toEqual([]);
  });
});

describe('two sealed values that somebody swapped', () => {
  it('are refused and reported, and the device hears nothing', async () => {
    await ask('POST', '/v1/devices', { json: { name: 'third', baseUrl: fleet.devices[2]!.baseUrl, credentials } });
    await db.query(
      `update device_account a set sealed_password = b.sealed_password
         from device_account b, device good, device third
        where good.name = 'good' and third.name = 'third'
          and ((a.device_id = good.id and b.device_id = third.id) or (a.device_id = third.id and b.device_id = good.id))`,
    );
    await ask('POST', '/v1/devices/name:third/session/reset');
    const before = fleet.devices[2]!.baseUrl;
    const heard = () => fleet.ledger.entries().length;
    const count = heard();
    const refused = (await ask('GET', '/v1/devices/name:third/api/system/device/status')) as { code: string };
    expect([before !== '', refused.code, heard()]).toEqual([true, 'secret_unreadable', count]);
    expect(world.log()).toContain('A stored secret does not open');
    for (;;) {
      const { rows } = await db.query<{ subject: string; outcome: string }>(
        `select subject, outcome from audit_entry join audit_outcome on entry_id = id where action = 'secret.unreadable'`,
      );
      if (rows.length === 0) continue;
      expect(rows).toEqual([
        { subject: expect.stringMatching(/^device_account\.sealed_password:/), outcome: 'failed' },
      ]);
      break;
    }
  });
});
