/* What real devices do beyond the specification (observed-devices.md 1 to 5). */
import { createHash, createDecipheriv, pbkdf2Sync } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  FAMILIES,
  NEWEST_VENDOR_FIRMWARE,
  RECORDED_FAMILIES,
  firmwareName,
} from '../../src/simulator/device/families.js';
import { makeFirmwareImage } from '../../src/simulator/device/firmware.js';
import type { SimulatedDevice } from '../../src/simulator/fleet.js';
import { Caller, Fleets, until, type Reply } from './caller.js';

const NEWEST = firmwareName(FAMILIES.RUTX50, NEWEST_VENDOR_FIRMWARE);

const fleets = new Fleets();
let admin: Caller;
beforeEach(async () => {
  admin = await fleets.caller({ profile: 'rutos' });
});
afterEach(() => fleets.close());

const told = ({ status, body }: Reply): [number, number] => [status, body.errors?.[0].code];

const isBack = (device: SimulatedDevice) => device.life === 'running' && device.clock.now() > device.resetsUntil;
const effects = (device: SimulatedDevice) => device.ledger.summary(device.index).effects;

/** Logged in again after an absence that began with `cause`. */
async function back(caller: Caller, effect: string): Promise<void> {
  await until(() => effects(caller.device)[effect] && isBack(caller.device), `the device is back after ${effect}`);
  await until(() => caller.login().catch(() => null), 'a login');
}

describe('sessions', () => {
  it('both login forms are read', async () => {
    const { password } = admin.device;
    const bodies = [{ username: 'admin', password }, { data: { username: 'admin', password } }];
    const replies = await Promise.all(bodies.map((body) => admin.send('POST', '/api/login', { body, token: null })));
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('group in the login answer', async () => {
    const { body } = await admin.send('POST', '/api/login', {
      body: { username: 'admin', password: admin.device.password },
    });
    expect(body.data).toEqual({ username: 'admin', token: expect.any(String), expires: 299, group: 'root' });
  });

  it('older firmware puts ubus_rpc_session beside data', async () => {
    const { device } = await fleets.caller({ profile: 'rutos', firmware: '07.04.2' });
    const { body } = await new Caller(device).send('POST', '/api/login', {
      body: { username: 'admin', password: device.password },
    });
    expect(body).toEqual({
      success: true,
      ubus_rpc_session: expect.any(String),
      data: { username: 'admin', expires: 299 },
    });
  });

  it('sliding tokens', async () => {
    for (let minute = 0; minute < 10; minute++) {
      admin.device.clock.advance(60_000);
      expect((await admin.get('/api/session/status')).body.data).toEqual({ active: true });
    }
    admin.device.clock.advance(300_000);
    expect((await admin.get('/api/session/status')).body.errors[0].code).toBe(123);
  });

  it('logout and session status', async () => {
    expect((await admin.post('/api/logout')).body.data).toEqual({ response: expect.any(String) });
    expect((await admin.get('/api/session/status')).status).toBe(401);
    expect(admin.device.ledger.summary(0).openSessions).toBe(0);
  });

  it('unauthorized status by firmware', async () => {
    const anonymous = async (firmware: string): Promise<unknown> => {
      const { device } = await fleets.caller({ profile: 'rutos', firmware });
      return (await new Caller(device).get('/api/unauthorized/status')).body.data;
    };
    expect(await anonymous('07.17.3')).toEqual({
      lang: 'en',
      device_name: 'rutx50-00001',
      device_model: 'RUTX50',
      api_version: '1.9.2',
      device_identifier: '909090909090901100000000',
    });
    expect(await anonymous('07.08.0')).not.toHaveProperty('device_model');
    expect(await anonymous('07.04.2')).toEqual({ lang: 'en', device_name: 'rutx50-00001', api_version: '1.0' });
    const spec = await fleets.caller({ profile: 'spec' });
    expect((await new Caller(spec.device).get('/api/unauthorized/status')).status).toBe(401);
  });

  it('lock-out of the address', async () => {
    const attempt = (password: string): Promise<Reply> =>
      admin.send('POST', '/api/login', { body: { username: 'admin', password }, token: null });
    for (let failed = 0; failed < 10; failed++) expect((await attempt('wrong')).status).toBe(401);
    const { device } = admin;
    expect((await attempt(device.password)).body.errors[0].code).toBe(120);
    expect(device.ledger.summary(0).failedLogins).toBe(11);
    device.clock.advance(15 * 60_000);
    expect((await attempt(device.password)).status).toBe(200);
  });

  it('a password change ends all sessions', async () => {
    const second = await new Caller(admin.device).login();
    const own = { current_password: admin.device.password, password: 'Another-1', password_confirm: 'Another-1' };
    expect((await admin.put('/api/users/config/admin', { ...own, current_password: 'wrong' })).status).toBe(422);
    expect((await admin.put('/api/users/config/admin', own)).status).toBe(200);
    for (const caller of [admin, second]) expect((await caller.get('/api/session/status')).status).toBe(401);
    await second.login('admin', 'Another-1');
  });

  it('first login', async () => {
    const fresh = await fleets.caller({ profile: 'rutos', mustChangePassword: true });
    expect((await fresh.get('/api/system/device/status')).body.errors[0].code).toBe(125);
    const change = (password: string) =>
      fresh.post('/api/system/actions/change_password_firstlogin', { password, password_confirm: password });
    expect((await change('weak')).status).toBe(422);
    expect((await change('Strong-12')).status).toBe(200);
    await fresh.login('admin', 'Strong-12');
    expect((await fresh.get('/api/system/device/status')).status).toBe(200);
  });

  it('password rules', async () => {
    for (const password of ['Ab1!', 'abcdefg1!', 'ABCDEFG1!', 'Abcdefgh!', 'Abcdefg12']) {
      const { body } = await admin.post('/api/users/config', { username: 'eve', password, group: 'user' });
      expect(body.errors[0]).toMatchObject({ code: 103, source: 'password' });
    }
  });
});

describe('the wire', () => {
  it('bulk answers 207 and takes 100 items', async () => {
    const items = (count: number) =>
      Array.from({ length: count }, () => ({ endpoint: '/api/session/status', method: 'GET' }));
    const whole = await admin.post('/api/bulk', items(100));
    expect([whole.status, whole.body.data.length]).toEqual([207, 100]);
    expect((await admin.post('/api/bulk', items(101))).status).toBe(400);
  });

  it('created answers 201', async () => {
    expect((await admin.post('/api/wireguard/config', { id: 'wg0' })).status).toBe(201);
    expect((await admin.post('/api/users/config', { username: 'eve', password: 'Secret-12' })).status).toBe(201);
  });

  it('any version prefix', async () => {
    for (const version of ['v1', 'v7', 'v1.9.2'])
      expect((await admin.get(`/api/${version}/session/status`)).status).toBe(200);
  });

  it('PUT and DELETE of many', async () => {
    await admin.post('/api/wireguard/config', { id: 'wg0' });
    await admin.post('/api/wireguard/config', { id: 'wg1', listen_port: '51821' });
    const enabled = await admin.put('/api/wireguard/config', [
      { id: 'wg0', enabled: '1' },
      { id: 'wg1', enabled: '1' },
    ]);
    expect(enabled.body.data.map((section: { enabled: string }) => section.enabled)).toEqual(['1', '1']);
    // One that is not there keeps all as they are.
    expect((await admin.delete('/api/wireguard/config', ['wg0', 'nowhere'])).status).toBe(404);
    expect((await admin.delete('/api/wireguard/config', ['wg0', 'wg1'])).body.data).toEqual([
      { id: 'wg0' },
      { id: 'wg1' },
    ]);
    expect((await admin.get('/api/wireguard/config')).body.data).toEqual([]);
  });

  it('single records', async () => {
    expect((await admin.get('/api/firewall/global')).body.data).toMatchObject({ '.type': 'defaults', input: 'ACCEPT' });
    expect((await admin.put('/api/firewall/global', { input: 'DROP' })).body.data.input).toBe('DROP');
    expect((await admin.send('DELETE', '/api/firewall/global')).status).toBe(501);
  });

  it('keep-alive off', async () => {
    expect((await admin.get('/api/session/status')).headers.connection).toBe('close');
    const kept = new Caller(
      (await fleets.start({ profile: 'rutos', keepAlive: true })).devices[0]!,
      new https.Agent({ keepAlive: true }),
    );
    expect((await (await kept.login()).get('/api/session/status')).headers.connection).toBe('keep-alive');
  });

  it('10 requests in parallel and the rest queued', async () => {
    const { device } = admin;
    const path = '/api/session/status';
    device.faults.add({ kind: 'latency', path, ms: 100_000 });
    const replies = Promise.all(Array.from({ length: 25 }, () => admin.get(path)));
    const begun = () => device.ledger.entries({ path });
    const turns: number[] = [];
    for (const expected of [10, 20, 25]) {
      await until(() => begun().length >= expected, `${expected} requests have begun`);
      turns.push(begun().filter(({ status }) => status === undefined).length);
      device.clock.advance(100_000);
      await until(
        () => begun().filter(({ status }) => status !== undefined).length >= expected,
        `${expected} are answered`,
      );
    }
    expect(turns).toEqual([10, 10, 5]);
    expect((await replies).map(({ status }) => status)).toEqual(Array.from({ length: 25 }, () => 200));
  });

  it('HTTP answers 307', async () => {
    const reply = await new Promise<http.IncomingMessage>((resolve, reject) => {
      http.get(`http://127.0.0.1:${admin.device.port}/api/login?x=1`, { agent: false }, resolve).on('error', reject);
    });
    reply.resume();
    expect([reply.statusCode, reply.headers.location]).toEqual([307, `${admin.device.baseUrl}/api/login?x=1`]);
  });
});

describe('status', () => {
  it('usage status with data and exclude', async () => {
    const keys = async (query: string) =>
      Object.keys((await admin.get(`/api/system/device/usage/status${query}`)).body.data);
    expect(await keys('')).toContain('loadavg');
    expect(await keys('?data=memory,uptime_seconds')).toEqual(['memory', 'uptime_seconds']);
    expect(await keys('?exclude=loadavg,memory')).not.toContain('loadavg');
    expect((await admin.get('/api/system/device/usage/status?data=colour')).body.errors[0].code).toBe(116);
  });

  it('weak accounts get partial objects', async () => {
    await admin.post('/api/users/config', { username: 'eve', password: 'Secret-12', group: 'user' });
    const eve = await new Caller(admin.device).login('eve', 'Secret-12');
    const { status, body } = await eve.get('/api/system/device/status');
    expect(status).toBe(200);
    expect(body.data).not.toHaveProperty('board');
    expect(body.data.mnfinfo.serial).toBe(admin.device.serial);
    expect(told(await eve.get('/api/network/devices/status'))).toEqual([403, 120]);
  });

  it.each([
    ['POST', '/api/firewall/port_forwards/changes', [501, 122]],
    ['POST', '/api/interfaces/changes', [501, 122]],
    ['POST', '/api/wireguard/wg0/peers/changes', [501, 122]],
    ['POST', '/api/firewall/changes', [403, 120]],
    ['POST', '/api/dhcp/changes', [403, 120]],
    ['POST', '/api/no_such/changes', [404, 122]],
    ['GET', '/api/firewall/port_forwards/changes', [404, 122]],
    ['GET', '/api/firewall/changes', [404, 122]],
    ['PUT', '/api/firewall/port_forwards/changes', [404, 122]],
    ['POST', '/api/firewall/port_forwards/actions/changes', [400, 102]],
  ])('%s to an unknown end of a service: %s', async (method, path, expected) => {
    expect(told(await admin.send(method, path))).toEqual(expected);
  });

  it('five families differ', async () => {
    const fleet = await fleets.start({ devices: 5, profile: 'rutos' });
    const seen = await Promise.all(
      fleet.devices.map(async (device) => {
        const caller = await new Caller(device).login();
        const { data } = (await caller.get('/api/system/device/status')).body;
        const wifi = (await caller.get('/api/wireless/devices/config')).status;
        const [modem] = (await caller.get('/api/modems/status')).body.data;
        return {
          model: data.static.model,
          firmware: data.static.fw_version.split('_R_')[0],
          wifi,
          ports: data.ports?.length,
          modem: modem.id,
        };
      }),
    );
    expect(seen).toEqual([
      { model: 'RUTX50', firmware: 'RUTX', wifi: 200, ports: 5, modem: '2-1' },
      { model: 'Teltonika RUT9XX', firmware: 'RUT9', wifi: 200, ports: undefined, modem: '1-1' },
      { model: 'Teltonika RUT2M', firmware: 'RUT2M', wifi: 200, ports: 2, modem: '1-1' },
      { model: 'Teltonika TRB14X', firmware: 'TRB1', wifi: 501, ports: 1, modem: '3-1' },
      { model: 'Teltonika TRB5XX', firmware: 'TRB500', wifi: 501, ports: 1, modem: '3-1' },
    ]);
  });

  it.each(RECORDED_FAMILIES)('%s answers as much as the recorded device', async (family) => {
    const fleet = await fleets.start({ groups: [{ devices: 1, family, profile: 'rutos' }] });
    const caller = await new Caller(fleet.devices[0]!).login();
    const read = async (path: string) => (await caller.get(path)).body.data;
    const [modem] = await read('/api/modems/status');
    const recorded = { RUTX50: 109, RUT950: 78, RUT241: 98, TRB140: 99, TRB500: 73 }[family];
    expect(pathsOf(modem).size).toBeGreaterThanOrEqual(recorded * 0.9);
    expect(Number.isInteger(modem.temperature)).toBe(true);
    expect((await read('/api/events_log/config')).length).toBeGreaterThan(40);
    const [board] = (await read('/api/system/device/status')).board.modems;
    expect(board).toMatchObject({ id: modem.id, band_list: expect.arrayContaining(['LTE_B7']) });
    for (const found of await read('/api/interfaces/status')) {
      expect(found).toMatchObject({ uptime: expect.any(Number), rx_bytes: expect.any(Number) });
      expect(Object.keys(found).length).toBeGreaterThanOrEqual(36);
    }
  });

  it.each([
    '/api/dhcp/leases/ipv4/status',
    '/api/interfaces/status',
    '/api/wireless/interfaces/status',
    '/api/gps/position/status',
    '/api/data_usage/week/status',
    '/api/events_log/config',
  ])('GET %s answers', async (path) => {
    expect((await admin.get(path)).body).toMatchObject({ success: true, data: expect.anything() });
  });
});

describe('long operations', () => {
  const upload = '/api/firmware/actions/upload_device_firmware';

  it('firmware from a file', async () => {
    const { device } = admin;
    const image = makeFirmwareImage(device.family, NEWEST_VENDOR_FIRMWARE);
    const { body } = await admin.upload(upload, 'firmware.bin', image, { note: 'before' });
    expect(body.data).toMatchObject({
      valid: '1',
      hw_support: '1',
      newer: '1',
      fw_version: NEWEST,
      sha256: createHash('sha256').update(image).digest('hex'),
    });
    expect((await admin.post('/api/firmware/actions/verify')).body.data).toEqual(body.data);
    expect((await admin.post('/api/firmware/actions/upgrade', { keep_settings: '1' })).status).toBe(200);
    expect(effects(device)['flash']).toBeUndefined();
    await back(admin, 'flash');
    expect((await admin.get('/api/firmware/device/status')).body.data.version).toBe(NEWEST);
    expect(effects(device)).toMatchObject({ upload: 1, reboot: 1, flash: 1 });
    expect((await admin.post('/api/firmware/actions/upgrade')).body.errors[0].code).toBe(3);
  });

  it('firmware from the vendor', async () => {
    const { device } = admin;
    expect((await admin.get('/api/firmware/device/updates/status')).body.data.device.version).toBe(NEWEST);
    expect((await admin.post('/api/firmware/actions/fota_download')).status).toBe(200);
    const done = await until(async () => {
      const { data } = (await admin.get('/api/firmware/device/progress/status')).body;
      return data.process !== 'started' && data;
    }, 'the download ends');
    expect(done).toEqual({ percents: '100', process: 'succeeded' });
    await admin.post('/api/firmware/actions/upgrade', { keep_settings: '1' });
    await back(admin, 'flash');
    expect((await admin.get('/api/firmware/device/updates/status')).body.data.device.version).toBe('newest');
    expect((await admin.post('/api/firmware/actions/fota_download')).body.errors[0].code).toBe(7);
    expect(device.firmware.version).toBe(NEWEST);
  });

  it('a bad image is no HTTP error', async () => {
    const damaged = makeFirmwareImage(admin.device.family, NEWEST_VENDOR_FIRMWARE);
    damaged[damaged.length - 1]! ^= 1;
    const foreign = makeFirmwareImage(FAMILIES.TRB140, NEWEST_VENDOR_FIRMWARE);
    const replies = [await admin.upload(upload, 'a.bin', damaged), await admin.upload(upload, 'b.bin', foreign)];
    expect(replies.map(({ status, body }) => [status, body.data.valid, body.data.hw_support])).toEqual([
      [200, '0', '0'],
      [200, '1', '0'],
    ]);
    expect((await admin.post('/api/firmware/actions/upgrade')).body.errors[0].code).toBe(3);
    expect((await admin.post('/api/firmware/actions/delete_device_firmware')).status).toBe(200);
  });

  it('backup is synchronous and its digest holds', async () => {
    expect((await admin.post('/api/backup/actions/download')).status).toBe(404);
    const { body } = await admin.post('/api/backup/actions/generate');
    const download = await admin.post('/api/backup/actions/download');
    expect(createHash('sha256').update(download.bytes).digest('hex')).toBe(body.data.sha256);
    expect(createHash('md5').update(download.bytes).digest('hex')).toBe(body.data.md5);
    expect(download.headers['content-disposition']).toMatch(/filename="backup-rutx50-00001-\d{4}-\d\d-\d\d\.tar\.gz"/);
    expect((await admin.get('/api/backup/status')).body.data).toEqual({
      backup_exists: '1',
      default_exists: '0',
      ...body.data,
    });
    expect(gunzipSync(download.bytes).toString('latin1')).toContain('etc/config/interfaces');
  });

  it('an encrypted backup opens with its password alone, in the way of openssl', async () => {
    await admin.post('/api/backup/actions/generate', { encrypt: '1', password: 'open sesame' });
    const { bytes } = await admin.post('/api/backup/actions/download');
    const derived = pbkdf2Sync('open sesame', bytes.subarray(8, 16), 10_000, 48, 'sha256');
    const decipher = createDecipheriv('aes-256-cbc', derived.subarray(0, 32), derived.subarray(32));
    expect(gunzipSync(Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()])).length).toBeGreaterThan(
      1024,
    );
  });

  it('restore', async () => {
    const { device } = admin;
    const oldPassword = device.password;
    await admin.post('/api/wireguard/config', { id: 'kept' });
    await admin.post('/api/backup/actions/generate');
    const { bytes } = await admin.post('/api/backup/actions/download');
    await admin.delete('/api/wireguard/config/kept');
    device.setPassword('Later-123');
    await admin.login();
    await admin.upload('/api/backup/actions/upload', 'backup.tar.gz', bytes);
    const { body } = await admin.post('/api/backup/actions/apply');
    expect(body.data).toMatchObject({ lan_ipv4: '127.0.0.1', https_port: String(device.port) });
    await until(() => effects(device)['restore'] && isBack(device), 'the restore');
    await until(() => admin.login('admin', oldPassword).catch(() => null), 'a login with the restored password');
    expect((await admin.get('/api/wireguard/config')).body.data.map(({ id }: { id: string }) => id)).toEqual(['kept']);
    await admin.upload('/api/backup/actions/upload', 'x', Buffer.from('no archive'));
    expect((await admin.post('/api/backup/actions/apply')).status).toBe(422);
  });

  it('reboot closes the listener', async () => {
    const steady = await fleets.caller({ profile: 'rutos', timeScale: 1 });
    const { clock } = steady.device;
    const before = (await steady.get('/api/system/device/usage/status?data=uptime_seconds')).body.data.uptime_seconds;
    expect((await steady.post('/api/system/actions/reboot')).status).toBe(200);
    expect(effects(steady.device)['reboot']).toBeUndefined();
    clock.advance(3_000);
    const refused = await until(
      () =>
        steady.get('/api/session/status').then(
          () => null,
          (error: NodeJS.ErrnoException) => error.code === 'ECONNREFUSED' && error.code,
        ),
      'refused',
    );
    expect(refused).toBe('ECONNREFUSED');
    expect(effects(steady.device)['reboot']).toBe(1);
    clock.advance(90_000);
    const reset = await until(
      () =>
        steady.get('/api/session/status').then(
          () => null,
          (error: NodeJS.ErrnoException) => error.code === 'ECONNRESET' && error.code,
        ),
      'reset',
    );
    expect(reset).toBe('ECONNRESET');
    clock.advance(15_000);
    expect((await steady.get('/api/session/status')).body.errors[0].code).toBe(123);
    await steady.login();
    const after = (await steady.get('/api/system/device/usage/status?data=uptime_seconds')).body.data.uptime_seconds;
    expect(after).toBeLessThan(before);
  });

  it('certificates download', async () => {
    await admin.post('/api/certificates/actions/generate', { type: 'client', name: 'pump7', key_size: '1024' });
    await until(() => admin.device.certificates.has('pump7.cert.pem'), 'generated');
    const { bytes } = await admin.post('/api/certificates/pump7.cert.pem/actions/download');
    expect(bytes.toString()).toContain('BEGIN CERTIFICATE');
    expect((await admin.get('/api/certificates/config/pump7.key.pem')).body.data.type).toBe('key');
    expect(
      (await admin.post('/api/certificates/actions/generate', { type: 'client', name: 'pump7' })).body.errors[0].code,
    ).toBe(109);
    expect((await admin.delete('/api/certificates/config/pump7.key.pem')).body.data).toEqual({ id: 'pump7.key.pem' });
  });
});

/** The paths of an answer, containers among them; items of lists share theirs. */
function pathsOf(value: unknown, path = '', found = new Set<string>()): Set<string> {
  if (value === null || typeof value !== 'object') return found;
  for (const [key, part] of Object.entries(value)) {
    const own = `${path}/${Array.isArray(value) ? '' : key}`;
    pathsOf(part, own, found.add(own));
  }
  return found;
}
