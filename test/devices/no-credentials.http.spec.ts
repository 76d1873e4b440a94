import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

/* Every way by which a device has no login that can be used, and what each of its places says. */

const CREDENTIALS = { username: 'admin', password: 'Planted-Secret-2' };

let world: TestGateway;
let db: pg.Pool;
let count = 0;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'all' });
  db = new pg.Pool({ connectionString: world.databaseUrl, max: 1 });
});
afterAll(async () => {
  await db.end();
  await world.close();
});

interface CreatedDevice {
  readonly id: string;
  readonly name: string;
}

const address = () => `https://10.8.${++count >> 8}.${count & 255}`;

const register = (more: object = {}) =>
  world.api.post<CreatedDevice>('/v1/devices', { name: `gate-${count + 1}`, baseUrl: address(), ...more });

const withLogin = () => register({ credentials: CREDENTIALS });

async function importCsv(lines: readonly string[], query = ''): Promise<unknown> {
  const answer = await world.api.client.request('POST', `/v1/devices/import${query}`, {
    content: `name,base_url,username,password\n${lines.join('\n')}\n`,
    headers: { 'content-type': 'text/csv' },
  });
  return answer.json();
}

const send = async (method: string, path: string, json: object) =>
  (await world.api.send<CreatedDevice>(method, path, json)).body;

async function importLine(line: string): Promise<CreatedDevice> {
  const name = line.split(',')[0]!;
  expect(await importCsv([line])).toMatchObject({ failed: 0 });
  return world.api.get<CreatedDevice>(`/v1/devices/name:${name}`);
}

/** What makes a device, and whether a login is stored for it then. */
const WAYS: Readonly<Record<string, readonly [make: () => Promise<CreatedDevice>, isStored: boolean]>> = {
  'registered without': [() => register(), false],
  'registered with': [withLogin, true],
  'imported without': [() => importLine(`gate-${count + 1},${address()},,`), false],
  'imported with a user name alone, as an export has it': [
    () => importLine(`gate-${count + 1},${address()},admin,`),
    false,
  ],
  'imported with': [() => importLine(`gate-${count + 1},${address()},admin,Planted-Secret-2`), true],
  'imported again at another address, without': [
    async () => importLine(`${(await withLogin()).name},${address()},,`),
    false,
  ],
  'imported again at the same address, without': [
    async () => {
      const { name, baseUrl } = (await withLogin()) as CreatedDevice & { baseUrl: string };
      return importLine(`${name},${baseUrl},,`);
    },
    true,
  ],
  'moved without': [async () => send('PATCH', `/v1/devices/${(await withLogin()).id}`, { baseUrl: address() }), false],
  'moved with': [
    async () =>
      send('PATCH', `/v1/devices/${(await withLogin()).id}`, { baseUrl: address(), credentials: CREDENTIALS }),
    true,
  ],
  'replaced without': [
    async () =>
      world.api.post<CreatedDevice>(`/v1/devices/${(await withLogin()).id}/replace`, { serial: `S-${count}` }),
    false,
  ],
  'replaced with': [
    async () =>
      world.api.post<CreatedDevice>(`/v1/devices/${(await withLogin()).id}/replace`, {
        serial: `S-${count}`,
        credentials: CREDENTIALS,
      }),
    true,
  ],
  'given later': [async () => send('PUT', `/v1/devices/${(await register()).id}/credentials`, CREDENTIALS), true],
};

const names = async (selector: string) => {
  const { items } = await world.api.get<{ items: CreatedDevice[] }>(
    `/v1/devices?limit=1000&fields=name&selector=${encodeURIComponent(selector)}`,
  );
  return items.map(({ name }) => name);
};

describe('a device without credentials', () => {
  it.each(Object.entries(WAYS))('%s', async (_way, [make, isStored]) => {
    const made = await make();
    const shown = { credentials: isStored ? expect.objectContaining({ username: 'admin' }) : null };
    expect(made).toMatchObject(shown);
    expect(await world.api.get(`/v1/devices/${made.id}`)).toMatchObject(shown);
    expect((await names('credentials:none')).includes(made.name)).toBe(!isStored);
    expect((await names(`id=${made.id} & !credentials:none`)).length).toBe(isStored ? 1 : 0);
    const preview = await world.api.post('/v1/devices/preview', { selector: `id=${made.id}`, permission: 'job.start' });
    expect(preview).toMatchObject({
      count: isStored ? 1 : 0,
      excluded: isStored ? [] : [{ reason: 'device_has_no_credentials', count: 1 }],
    });
    if (isStored) return;
    const refused = {
      status: 409,
      code: 'device_has_no_credentials',
      problem: { detail: expect.stringMatching(/PUT/) },
    };
    const read = `/v1/devices/${made.id}/api/system/device/status`;
    await expect(world.api.get(read)).rejects.toMatchObject(refused);
    await expect(world.api.post(`/v1/devices/${made.id}/jobs`, { kind: 'backup' })).rejects.toMatchObject(refused);
  });

  it('counts them in an import, also in a dry run', async () => {
    const { name, baseUrl } = (await withLogin()) as CreatedDevice & { baseUrl: string };
    const lines = [`${name},${baseUrl},,`, `gate-a,${address()},,`, `gate-b,${address()},admin,Planted-Secret-2`];
    for (const dryRun of [true, false]) {
      const counts = { created: 2, unchanged: 1, withoutCredentials: 1 };
      expect(await importCsv(lines, `?dryRun=${dryRun}`)).toMatchObject(counts);
    }
  });

  it('cannot be named by a right', async () => {
    const rule = { effect: 'allow', permissions: ['device.read'], selector: 'credentials:none' };
    await expect(send('PUT', '/v1/roles/loginless', { rules: [rule] })).rejects.toMatchObject({
      code: 'invalid_selector',
    });
  });

  it('is told from one whose stored password cannot be opened', async () => {
    const { id } = await withLogin();
    const other = await withLogin();
    // The sealed value of another row, as after a repair by hand.
    await db.query(
      `update device_account set sealed_password =
         (select sealed_password from device_account where device_id = $2) where device_id = $1`,
      [id, other.id],
    );
    const read = () => world.api.get(`/v1/devices/${id}/api/system/device/status`);
    await expect(read()).rejects.toMatchObject({ code: 'secret_unreadable' });
    await expect(read()).rejects.toMatchObject({ code: 'secret_unreadable' });
    const given = await send('PUT', `/v1/devices/${id}/credentials`, CREDENTIALS);
    expect(given).toMatchObject({ id });
  });
});
