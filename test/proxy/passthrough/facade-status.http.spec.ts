import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFirmwareImage } from '../../../src/simulator/device/firmware.js';
import { type Fleet, type SimulatedDevice } from '../../../src/simulator/fleet.js';
import { startOwnFleet } from '../../support/devices/own-fleet.js';
import { NEWEST_VENDOR_FIRMWARE } from '../../../src/simulator/device/families.js';
import { startTestGateway, type TestGateway } from '../../support/gateway.js';
import { until } from '../../support/until.js';

/* Clients that wait for a device through the façade: they must not be told that it is there while it is away. */

/** Device time: a flash of four minutes takes four seconds, a restart of 45 takes 0.75, which no poll may miss. */
const TIME_SCALE = 60;
const STATUS = '/api/unauthorized/status';

/** Another caller than the one with the key. */
const STRANGER = '127.0.0.2';

interface Answer {
  readonly status: number;
  readonly bytes: Buffer;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of many shapes, that fail a comparison when they are wrong
  readonly json: any;
}

interface RequestParts {
  readonly json?: unknown;
  readonly file?: Buffer;
  readonly token?: string;
  readonly localAddress?: string;
  /** X-Forwarded-For, as a load balancer writes it. */
  readonly from?: string;
}

/** A client of a device, which knows an address and a password. */
class Client {
  private token = '';

  constructor(
    private readonly base: string,
    private readonly password: string,
    private readonly host?: string,
  ) {}

  async login(): Promise<number> {
    const { status, json } = await this.send('POST', '/api/login', {
      json: { username: 'admin', password: this.password },
    });
    this.token = status === 200 ? json.data.token : '';
    return status;
  }

  async send(
    method: string,
    path: string,
    { json, file, localAddress, from, token = this.token }: RequestParts = {},
  ): Promise<Answer> {
    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n';
    const body = file ? Buffer.concat([Buffer.from(head), file, Buffer.from('\r\n--b--\r\n')]) : undefined;
    const content = body ?? (json === undefined ? undefined : JSON.stringify(json));
    const type = file ? 'multipart/form-data; boundary=b' : 'application/json';
    return new Promise((resolve, reject) => {
      const request = http.request(this.base + path, {
        method,
        ...(localAddress === undefined ? {} : { localAddress }),
        headers: {
          ...(this.host === undefined ? {} : { host: this.host }),
          ...(from === undefined ? {} : { 'x-forwarded-for': from }),
          ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
          ...(content === undefined
            ? {}
            : { 'content-type': type, 'content-length': String(Buffer.byteLength(content)) }),
        },
      });
      request.on('error', reject);
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const isJson = response.headers['content-type']?.includes('json');
          resolve({ status: response.statusCode ?? 0, bytes, json: isJson ? JSON.parse(bytes.toString()) : null });
        });
      });
      request.end(content);
    });
  }

  async isAlive(): Promise<boolean> {
    const { status, json } = await this.send('GET', STATUS, { token: '' });
    return status === 200 && json.success === true;
  }

  /** As the clients do it: first it goes, then it comes back. */
  async outage(): Promise<void> {
    await until(async () => !(await this.isAlive()));
    await until(() => this.isAlive());
  }

  async done(path: string, sending: RequestParts): Promise<Answer> {
    const answer = await this.send('POST', path, sending);
    expect([path, answer.status, answer.json?.success]).toEqual([path, 200, true]);
    return answer;
  }
}

async function backUp(client: Client): Promise<Buffer> {
  await client.done('/api/backup/actions/generate', { json: { data: {} } });
  return (await client.send('POST', '/api/backup/actions/download')).bytes;
}

/** Upgrade, wait, restore, wait, read. @returns the firmware at the end */
async function provision(client: Client, device: SimulatedDevice): Promise<string> {
  expect(await client.login()).toBe(200);
  const backup = await backUp(client);
  await client.done('/api/firmware/actions/upload_device_firmware', {
    file: makeFirmwareImage(device.family, NEWEST_VENDOR_FIRMWARE),
  });
  await client.done('/api/firmware/actions/upgrade', { json: { data: { keep_settings: '1' } } });
  await client.outage();
  expect(await client.login()).toBe(200);
  await client.done('/api/backup/actions/upload', { file: backup });
  await client.done('/api/backup/actions/apply', { json: { data: {} } });
  await client.outage();
  expect(await client.login()).toBe(200);
  // A device that starts resets connections for some seconds.
  const { json } = await until(async () => {
    const answer = await client.send('GET', '/api/firmware/device/status');
    return answer.status === 200 ? answer : null;
  });
  return json.data.version;
}

let world: TestGateway;
let fleet: Fleet;
let keyed: (name: string) => Client;

beforeAll(async () => {
  [world, fleet] = await Promise.all([
    startTestGateway({ ROLE: 'api', DEVICE_HOST_SUFFIX: 'devices.example', TRUSTED_PROXIES: '127.0.0.1/32' }),
    startOwnFleet({ devices: 3, profile: 'rutos', seed: 7, timeScale: TIME_SCALE, family: 'RUTX50' }),
  ]);
  for (const [index, { baseUrl, username, password }] of fleet.devices.entries())
    await world.api.post('/v1/devices', {
      name: `r-${index}`,
      baseUrl,
      model: `RUTX5${index}`,
      credentials: { username, password },
    });
  keyed = (name) => new Client(`${world.url}/d/name:${name}`, world.keys.administrator);
});
afterAll(async () => {
  await world.close();
  await fleet.close();
});

describe('upgrade, wait, restore, wait, read', () => {
  it.each([
    ['/d/{device}', 0, () => keyed('r-0')],
    ['the host name of a device', 1, () => new Client(world.url, world.keys.administrator, 'r-1.devices.example')],
  ])('by %s does all of it, and not before the device is back', async (_entry, index, client) => {
    const device = fleet.devices[index]!;
    const version = await provision(client(), device);
    expect(version).toContain(NEWEST_VENDOR_FIRMWARE);
    const applied = fleet.ledger
      .entries({ device: index })
      .filter(({ path }) => path.endsWith('/backup/actions/apply'));
    expect(applied.map(({ status }) => status)).toEqual([200]);
  });
});

describe('a device that is away', () => {
  const client = () => keyed('r-2');
  const own = async (name: string, localAddress?: string) => {
    const answer = await keyed(name).send('GET', STATUS, { token: '', ...(localAddress ? { localAddress } : {}) });
    const { device_name: _name, device_identifier: _identifier, ...rest } = answer.json.data ?? {};
    return { status: answer.status, ...rest };
  };

  it('is told to the address that used a key for it, with its own model and version while it is there', async () => {
    const before = await client().send('GET', STATUS, { token: '' });
    expect(before.json.data).toMatchObject({ device_model: 'Fleetgate' });
    const used = client();
    await used.login();
    expect((await used.send('GET', '/api/users/config')).status).toBe(200);
    expect(await own('r-2')).toMatchObject({ status: 200, device_model: 'RUTX52', api_version: expect.any(String) });
    const { json } = await client().send('GET', STATUS, { token: '' });
    expect(json.data.device_identifier).toBe(before.json.data.device_identifier);

    await fleet.devices[2]!.stop();
    expect((await used.send('GET', '/api/users/config')).status).toBe(502);
    expect(await own('r-2')).toMatchObject({ status: 502 });
    expect((await used.send('GET', '/api/session/status')).status).toBe(502);
    expect(await client().login()).toBe(502);
  });

  it('is no secret that a stranger can read: names of devices and others have one answer', async () => {
    const known = await own('r-2', STRANGER);
    expect(known).toMatchObject({ status: 200, device_model: 'Fleetgate' });
    expect(await own('no-such-device', STRANGER)).toEqual(known);
    expect(await own('no-such-device')).toEqual(known);
  });

  it.each([
    ['a port for each connection', '203.0.113.7:40001', '203.0.113.7:40002', 502],
    ['a port of IPv6', '[2001:db8::7]:40001', '[2001:db8::7]:40002', 502],
    ['another address', '203.0.113.7:40001', '203.0.113.8:40001', 200],
    ['no address', 'unknown', 'unknown', 200],
  ])('is told behind a load balancer to the caller that used a key alone: %s', async (_what, used, asks, status) => {
    await keyed('r-2').send('GET', '/api/session/status', { token: world.keys.administrator, from: used });
    expect((await keyed('r-2').send('GET', STATUS, { token: '', from: asks })).status).toBe(status);
  });

  it('is there as soon as it answers', async () => {
    await fleet.devices[2]!.start();
    await until(async () => (await own('r-2')).status === 200);
    expect(await client().login()).toBe(200);
  });
});

describe('FACADE_STATUS=device', () => {
  it('asks the device itself for all callers, and names that are none are unknown', async () => {
    const open = await startTestGateway({ ROLE: 'api', FACADE_STATUS: 'device' });
    try {
      const { baseUrl, username, password } = fleet.devices[2]!;
      await open.api.post('/v1/devices', { name: 'open', baseUrl, credentials: { username, password } });
      const ask = (name: string) => new Client(`${open.url}/d/name:${name}`, '').send('GET', STATUS, { token: '' });
      const since = fleet.ledger.entries().at(-1)!.seq;
      expect(await ask('open')).toMatchObject({ status: 200, json: { data: { device_name: 'open' } } });
      expect(fleet.ledger.entries({ device: 2, since }).map(({ path }) => path)).toEqual([STATUS]);
      expect(await ask('none')).toMatchObject({ status: 404, json: { errors: [{ code: 122 }] } });
    } finally {
      await open.close();
    }
  });
});
