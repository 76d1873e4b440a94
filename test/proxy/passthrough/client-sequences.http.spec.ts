import { createHash } from 'node:crypto';
import http, { type IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFirmwareImage } from '../../../src/simulator/device/firmware.js';
import { type Fleet, type SimulatedDevice } from '../../../src/simulator/fleet.js';
import { startOwnFleet } from '../../support/devices/own-fleet.js';
import { NEWEST_VENDOR_FIRMWARE } from '../../../src/simulator/device/families.js';
import { startTestGateway, type TestGateway } from '../../support/gateway.js';
import { register } from '../proxy-world.js';
import { until } from '../../support/until.js';

/*
 * What the public clients of such devices send (observed-devices.md 1 to 3 and 7), to a device itself and to its
 * twins behind the gateway. Nothing but the address and the credentials is another; the answers must be the same.
 */

/** Device time passes so fast that a flash of four minutes takes a second. */
const TIME_SCALE = 200;

/** Values that no two devices have in common, nor one device twice: measurements move from second to second. */
const FLEETING =
  /^(?:token|date|\w*timestamp|localtime|uptime\w*|load\w*|min\d+|ram_\w+|flash_\w+|sha256|md5|ubus_rpc_session|[rt]xbytes|rss[ir]|rsr[pq]|signal|sinr|temperature)$/;

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of many shapes, that fail a comparison when they are wrong
  readonly json: any;
}

/** One step as it is compared. */
interface StepResult {
  readonly step: string;
  readonly status: number;
  readonly type: string | undefined;
  /** The name of a file, without its date. */
  readonly file: string | undefined;
  readonly body: unknown;
}

interface RequestParts {
  readonly json?: unknown;
  readonly raw?: string | Buffer;
  readonly headers?: Record<string, string>;
  readonly token?: string | null;
}

/** A client of a device: it knows a base URL, perhaps a host name, a user and a password. */
class Client {
  readonly seen: StepResult[] = [];
  private token: string | null = null;

  constructor(
    private readonly base: string,
    private readonly password: string,
    private readonly host?: string,
  ) {}

  /** Sends, and notes the answer for the comparison. */
  async step(step: string, method: string, path: string, sending: RequestParts = {}): Promise<Answer> {
    const answer = await this.send(method, path, sending);
    const body = answer.json === undefined ? 'bytes' : steady(answer.json);
    const { 'content-type': type, 'content-disposition': disposition } = answer.headers;
    const file = disposition?.replaceAll(/\d{4,}/g, 'date');
    this.seen.push({ step, status: answer.status, type, file, body });
    return answer;
  }

  async login(step: string, form: 'top' | 'data'): Promise<void> {
    const account = { username: 'admin', password: this.password };
    const json = form === 'top' ? account : { data: account };
    const { json: said } = await this.step(step, 'POST', '/api/login', { json, token: null });
    expect(said.data.token).toEqual(expect.any(String));
    this.token = said.data.token;
  }

  upload(step: string, path: string, name: string, file: Buffer): Promise<Answer> {
    const boundary = '------------------------d74496d66958873e';
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
    const raw = Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]);
    return this.step(step, 'POST', path, {
      raw,
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    });
  }

  /** Whether the device answers at all. */
  isThere(): Promise<boolean> {
    return this.send('GET', '/api/unauthorized/status', {}).then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  private send(
    method: string,
    path: string,
    { json, raw, headers, token = this.token }: RequestParts,
  ): Promise<Answer> {
    const body = json === undefined ? raw : JSON.stringify(json);
    const client = this.base.startsWith('https:') ? https : http;
    return new Promise((resolve, reject) => {
      const options = {
        method,
        rejectUnauthorized: false,
        headers: {
          ...(this.host === undefined ? {} : { host: this.host }),
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
          ...headers,
        },
      };
      const request = client.request(this.base + path, options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, json: parsed(bytes) });
        });
      });
      request.on('error', reject);
      request.end(body);
    });
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

/** An answer without what passes with time: of that only the type is left. */
function steady(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(steady);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [key, FLEETING.test(key) ? `a ${typeof held}` : steady(held)]),
  );
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** The account that integrations read with, from login to logout. */
async function watch(client: Client): Promise<void> {
  await client.login('login at the top level', 'top');
  await client.step('is the session alive', 'GET', '/api/session/status');
  await client.step('status', 'GET', '/api/system/device/status');
  await client.step('status with version and slash', 'GET', '/api/v1/system/device/status/');
  await client.step('usage', 'GET', '/api/system/device/usage/status?exclude=loadavg');
  await client.step('modems', 'GET', '/api/modems/status');
  await client.step('a service that is not there', 'GET', '/api/no_such/config');
  await client.step('several at once', 'POST', '/api/bulk', {
    json: {
      data: [
        { endpoint: '/api/system/device/status', method: 'GET' },
        { endpoint: '/api/no_such/config', method: 'GET' },
        { endpoint: '/firmware/device/status', method: 'GET' },
      ],
    },
  });
  await client.step('logout', 'POST', '/api/logout');
}

/** A provisioning script: creates, changes and removes, and is refused now and then. */
async function provision(client: Client): Promise<void> {
  await client.login('login inside data', 'data');
  await client.step('users', 'GET', '/api/users/config');
  const user = { username: 'eve', password: 'Abcdefg1!', group: 'user' };
  const created = await client.step('create', 'POST', '/api/users/config', { json: { data: user } });
  const one = `/api/users/config/${String(created.json.data.id)}`;
  await client.step('create again', 'POST', '/api/users/config', { json: { data: user } });
  await client.step('read one', 'GET', one);
  await client.step('change one', 'PUT', one, { json: { data: { group: 'admin' } } });
  await client.step('change it wrongly', 'PUT', one, { json: { data: { group: 7 } } });
  await client.step('read with a body', 'GET', one, { json: { data: {} } });
  await client.step('write what is not JSON', 'PUT', one, {
    raw: '{"data":',
    headers: { 'content-type': 'application/json' },
  });
  await client.step('remove', 'DELETE', one);
  await client.step('remove again', 'DELETE', one);
  await client.step('remove by list', 'DELETE', '/api/users/config', { json: { data: ['no-such-user'] } });
  await client.step('a verb that is none here', 'PATCH', '/api/users/config', { json: { data: {} } });
  await client.step('an action without body and type', 'POST', '/api/wireguard/actions/no_such_action');
  await client.step('write several', 'POST', '/api/bulk', {
    json: {
      data: [
        { endpoint: '/api/users/config', method: 'POST', data: { ...user, username: 'mallory' } },
        { endpoint: '/api/users/config/no-such-user', method: 'DELETE' },
      ],
    },
  });
}

/** Backup and restore by hand: the digest that was announced is that of the bytes. */
async function backUp(client: Client): Promise<void> {
  const none = await client.step('no backup yet', 'POST', '/api/backup/actions/download');
  expect(none.status).toBe(404);
  const { json } = await client.step('make a backup', 'POST', '/api/backup/actions/generate', { json: { data: {} } });
  await client.step('is it there', 'GET', '/api/backup/status');
  const { bytes } = await client.step('download', 'POST', '/api/backup/actions/download');
  expect(sha256(bytes)).toBe(json.data.sha256);
  await client.upload('give it back', '/api/backup/actions/upload', 'backup.tar.gz', bytes);
}

/** A firmware update from a file, up to the moment when the device goes away. */
async function upgrade(client: Client, image: Buffer): Promise<void> {
  await client.step('firmware', 'GET', '/api/firmware/device/status');
  await client.step('verify nothing', 'POST', '/api/firmware/actions/verify');
  const bad = Buffer.from('no image at all');
  await client.upload('upload a bad image', '/api/firmware/actions/upload_device_firmware', 'bad.bin', bad);
  const name = `RUTX_R_00.${NEWEST_VENDOR_FIRMWARE}.bin`;
  const { json } = await client.upload('upload', '/api/firmware/actions/upload_device_firmware', name, image);
  expect(json.data).toMatchObject({ valid: '1', sha256: sha256(image) });
  await client.step('verify', 'POST', '/api/firmware/actions/verify');
  await client.step('flash', 'POST', '/api/firmware/actions/upgrade', { json: { data: { keep_settings: '1' } } });
}

/** Back again: its sessions ended with the reboot. */
async function comeBack(client: Client): Promise<void> {
  await client.login('login again', 'top');
  await client.step('new firmware', 'GET', '/api/firmware/device/status');
  await client.step('the same settings', 'GET', '/api/users/config');
}

const PHASES: [string, (client: Client, device: SimulatedDevice) => Promise<void>][] = [
  ['an integration that watches', watch],
  ['a script that provisions', provision],
  ['a backup by hand', backUp],
  [
    'a firmware update from a file',
    (client, device) => upgrade(client, makeFirmwareImage(device.family, NEWEST_VENDOR_FIRMWARE)),
  ],
  ['the time after the update', comeBack],
];

/** Goes through all phases. @returns what was seen in each */
async function live(client: Client, device: SimulatedDevice): Promise<Map<string, readonly StepResult[]>> {
  const seen = new Map<string, readonly StepResult[]>();
  for (const [name, phase] of PHASES) {
    await phase(client, device);
    seen.set(name, client.seen.splice(0));
    if (phase === comeBack || !name.startsWith('a firmware')) continue;
    const itself = new Client(device.baseUrl, device.password);
    await until(() => device.firmware.version.endsWith(NEWEST_VENDOR_FIRMWARE));
    await until(() => itself.isThere());
  }
  return seen;
}

let world: TestGateway;
let fleets: Fleet[];
/** What the client of the device itself saw, and those of its twins behind the gateway. */
let itself: Map<string, readonly StepResult[]>;
let behind: Record<string, Map<string, readonly StepResult[]>>;

beforeAll(async () => {
  // Fleets of one seed are twins: the same serial number, the same settings.
  const twins = () => startOwnFleet({ devices: 1, profile: 'rutos', seed: 7, timeScale: TIME_SCALE, family: 'RUTX50' });
  [world, ...fleets] = await Promise.all([
    startTestGateway({ ROLE: 'api', DEVICE_HOST_SUFFIX: 'devices.example' }),
    twins(),
    twins(),
    twins(),
  ]);
  const [alone, one, two] = fleets.map(({ devices }) => devices[0]!) as [
    SimulatedDevice,
    SimulatedDevice,
    SimulatedDevice,
  ];
  await register(world, 'one', one.baseUrl, one.username, one.password);
  await register(world, 'two', two.baseUrl, two.username, two.password);
  const key = world.keys.administrator;
  const [direct, byPath, byHost] = await Promise.all([
    live(new Client(alone.baseUrl, alone.password), alone),
    live(new Client(`${world.url}/d/name:one`, key), one),
    live(new Client(world.url, key, 'two.devices.example'), two),
  ]);
  itself = direct;
  behind = { '/d/{ref}': byPath, 'host name': byHost };
});
afterAll(async () => {
  await world.close();
  await Promise.all(fleets.map((fleet) => fleet.close()));
});

describe.each(['/d/{ref}', 'host name'])('by %s the device answers as without the gateway', (entryPoint) => {
  it.each(PHASES.map(([name]) => name))('%s', (name) => {
    const expected = itself.get(name) ?? [];
    expect(expected.length).toBeGreaterThan(2);
    expect(behind[entryPoint]?.get(name)).toEqual(expected);
  });
});

describe('what was done to get there', () => {
  it('is what the client of the device itself did: no effect is missing and none is there twice', () => {
    const [alone, ...others] = fleets.map(({ ledger }) =>
      ledger
        .entries({ device: 0 })
        .flatMap(({ method, path, effects }) => (effects ?? []).map(({ effect }) => ({ method, path, effect })))
        .filter(({ effect }) => effect !== 'login' && effect !== 'logout'),
    );
    expect(alone!.length).toBeGreaterThan(5);
    for (const other of others) expect(other).toEqual(alone);
  });
});
