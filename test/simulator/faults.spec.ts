/* Every fault, seen from the other end of the wire. */
import { createHash } from 'node:crypto';
import https from 'node:https';
import net from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FaultInput } from '../../src/simulator/device/faults.js';
import { makeFirmwareImage } from '../../src/simulator/device/firmware.js';
import {
  DEFAULT_FIRMWARE,
  FAMILIES,
  NEWEST_VENDOR_FIRMWARE,
  firmwareName,
} from '../../src/simulator/device/families.js';
import { Caller, Fleets, until } from './caller.js';

const fleets = new Fleets();
let admin: Caller;
beforeEach(async () => {
  admin = await fleets.caller({ profile: 'rutos' });
});
afterEach(() => fleets.close());

/** What Node calls a connection that broke. */
const BROKEN = /ECONNRESET|hang up|aborted/;
const STATUS = '/api/system/device/status';
const add = (rule: FaultInput): number => admin.device.faults.add(rule);
const effects = (): Record<string, number> => admin.device.ledger.summary(0).effects;
const failing = (sending = {}): Promise<string> =>
  admin.get(STATUS, sending).then(
    ({ status }) => `answered ${status}`,
    (error: NodeJS.ErrnoException) => error.code ?? error.name,
  );

describe('an answer fault', () => {
  it("'lost-answer' lets the effect happen and breaks the connection", async () => {
    add({ kind: 'lost-answer', path: '/api/backup/actions/generate', count: 1 });
    await expect(admin.post('/api/backup/actions/generate')).rejects.toThrow(BROKEN);
    expect(effects()['backup']).toBe(1);
    expect((await admin.get('/api/backup/status')).body.data.backup_exists).toBe('1');
    expect((await admin.post('/api/backup/actions/generate')).status).toBe(200);
    expect(admin.device.ledger.entries({ effect: 'backup' })[0]!.faults).toEqual(['lost-answer']);
  });

  it("'reset-before' breaks the connection without the effect", async () => {
    add({ kind: 'reset-before', path: '/api/wireguard/config', count: 1 });
    await expect(admin.post('/api/wireguard/config', { id: 'wg0' })).rejects.toThrow(BROKEN);
    expect(effects()['create']).toBeUndefined();
  });

  it.each<[FaultInput['kind'], RegExp]>([
    ['reset-mid-answer', /aborted|ECONNRESET|hang up/],
    ['hang', /abort/i],
    ['endless-answer', /abort/i],
    ['slow-drip', /abort/i],
  ])("'%s' never ends well", async (kind, message) => {
    const fault = add({ kind, path: STATUS });
    await expect(admin.get(STATUS, { timeoutMs: 300 })).rejects.toThrow(message);
    admin.device.faults.remove(fault); // by its number: on a busy machine the request may never have come
    expect((await admin.get(STATUS)).status).toBe(200);
  });

  it("'slow-drip' drips a file as it drips JSON", async () => {
    await admin.post('/api/backup/actions/generate');
    const fault = add({ kind: 'slow-drip', path: '/api/backup/actions/download' });
    const download = (sending = {}) => admin.post('/api/backup/actions/download', undefined, sending);
    await expect(download({ timeoutMs: 300 })).rejects.toThrow(/abort/i);
    admin.device.faults.remove(fault);
    expect((await download()).status).toBe(200);
  });

  it.each<[FaultInput, number, number]>([
    [{ kind: 'error', status: 500, code: 104 }, 500, 104],
    [{ kind: 'dead-token' }, 401, 123],
    [{ kind: 'password-expired' }, 403, 124],
    [{ kind: 'first-login' }, 403, 125],
    [{ kind: 'out-of-space' }, 422, 150],
    [{ kind: 'file-too-large' }, 422, 151],
    [{ kind: 'events-log-busy' }, 422, 104],
    [{ kind: 'no-internet' }, 422, 15],
  ])('%j answers with its code and has no effect', async (rule, status, code) => {
    add({ ...rule, path: '/api/wireguard/config', count: 1 });
    const reply = await admin.post('/api/wireguard/config', { id: 'wg0' });
    expect([reply.status, reply.body.errors[0].code]).toEqual([status, code]);
    expect(effects()['create']).toBeUndefined();
  });

  it("'blocked-address' answers a correct password as if it were wrong", async () => {
    add({ kind: 'blocked-address', path: '/api/login', count: 1 });
    await expect(admin.login()).rejects.toThrow('120');
    await expect(admin.login()).rejects.toThrow('120');
  });

  it("'html', 'truncated-json', 'missing-fields' and 'huge-answer' spoil the body", async () => {
    add({ kind: 'html', path: STATUS, count: 1 });
    const page = await admin.get(STATUS);
    expect([page.status, page.headers['content-type']]).toEqual([500, 'text/html']);
    add({ kind: 'truncated-json', path: STATUS, count: 1 });
    expect(typeof (await admin.get(STATUS)).body).toBe('string');
    add({ kind: 'missing-fields', fields: ['static', 'board'], path: STATUS, count: 1 });
    expect(Object.keys((await admin.get(STATUS)).body.data)).toEqual(['mnfinfo', 'features', 'ports']);
    add({ kind: 'huge-answer', bytes: 1_000_000, path: STATUS, count: 1 });
    expect((await admin.get(STATUS)).bytes.length).toBeGreaterThan(1_000_000);
    expect((await admin.get(STATUS)).body.data.board).toBeDefined();
  });

  it("'latency' comes before the answer and moves with the clock", async () => {
    add({ kind: 'latency', ms: 60_000, path: STATUS, count: 1 });
    const reply = admin.get(STATUS);
    await until(() => admin.device.ledger.entries({ path: STATUS }).length, 'the request has arrived');
    admin.device.clock.advance(60_000);
    expect((await reply).status).toBe(200);
  });

  it("'password-changed', 'serial-changed' and 'certificate-changed' take place behind an answer", async () => {
    const { fingerprint, password, serial } = admin.device;
    add({ kind: 'certificate-changed', path: STATUS, count: 1 });
    add({ kind: 'serial-changed', path: STATUS, count: 1 });
    add({ kind: 'password-changed', path: STATUS, count: 1 });
    expect((await admin.get(STATUS)).body.data.mnfinfo.serial).toBe(serial);
    await until(() => admin.device.fingerprint !== fingerprint, 'another certificate');
    await expect(admin.login('admin', password)).rejects.toThrow('120');
    await admin.login();
    expect((await admin.get(STATUS)).body.data.mnfinfo.serial).not.toBe(serial);
  });
});

describe('a rule', () => {
  it('strikes after its skips, as often as its count, for its method and path prefix', async () => {
    add({ kind: 'error', status: 418, path: '/api/wireguard/*', method: 'GET', skip: 1, count: 2 });
    const statuses = [];
    for (let turn = 0; turn < 5; turn++) statuses.push((await admin.get('/api/wireguard/config')).status);
    expect(statuses).toEqual([200, 418, 418, 200, 200]);
    expect((await admin.post('/api/wireguard/config', { id: 'wg0' })).status).toBe(201);
  });

  it('strikes by chance the same requests with the same seed', async () => {
    const pattern = async (seed: number): Promise<number[]> => {
      const caller = await fleets.caller({ seed });
      caller.device.faults.add({ kind: 'error', probability: 0.5, path: STATUS });
      const statuses = [];
      for (let turn = 0; turn < 24; turn++) statuses.push((await caller.get(STATUS)).status);
      return statuses;
    };
    const [one, again, other] = [await pattern(5), await pattern(5), await pattern(6)];
    expect(again).toEqual(one);
    expect(other).not.toEqual(one);
    expect(new Set(one)).toEqual(new Set([200, 422]));
  });

  it('that has not the right form is refused', () => {
    expect(() => add({ kind: 'nonsense' } as never)).toThrow('Invalid option');
    expect(() => add({ kind: 'html', colour: 'red' } as never)).toThrow('colour');
  });
});

describe('a wire fault', () => {
  it("'refuse' closes the listener while it stands", async () => {
    const id = add({ kind: 'refuse' });
    expect(await until(async () => (await failing()) === 'ECONNREFUSED', 'refused')).toBe(true);
    admin.device.faults.remove(id);
    expect(await until(async () => (await failing()) === 'answered 200', 'open again')).toBe(true);
  });

  it.each<FaultInput>([
    { kind: 'tls-close' },
    { kind: 'timeout', ms: 10 },
    { kind: 'reset' },
    { kind: 'data-limit', bytes: 100 },
    { kind: 'half-open' },
    { kind: 'corrupt' },
  ])('%j keeps an answer from coming', async (rule) => {
    const id = add(rule);
    expect(await failing({ timeoutMs: 500 })).not.toBe('answered 200');
    admin.device.faults.remove(id);
    expect(await failing()).toBe('answered 200');
  });

  it.each<FaultInput>([
    { kind: 'wire-latency', ms: 5 },
    { kind: 'bandwidth', bytesPerSecond: 200_000 },
    { kind: 'slicer', bytes: 50, ms: 0 },
    { kind: 'slow-close', ms: 5 },
  ])('%j slows an answer that still comes whole', async (rule) => {
    add(rule);
    expect(await failing()).toBe('answered 200');
  });

  it('with a path strikes that request alone, on a connection that was good before', async () => {
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
    const { device } = await fleets.caller({ keepAlive: true });
    device.faults.add({ kind: 'reset', path: '/api/wireguard/config' });
    const caller = await new Caller(device, agent).login();
    expect((await caller.get(STATUS)).status).toBe(200);
    await expect(caller.get('/api/wireguard/config')).rejects.toThrow(BROKEN);
    expect((await caller.get(STATUS)).status).toBe(200);
    agent.destroy();
  });

  it('leaves the plain TCP connection silent when half-open', async () => {
    add({ kind: 'half-open' });
    const socket = net.connect(admin.device.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write(Buffer.from([0x16, 3, 1, 0, 1, 0]));
    expect(socket.destroyed).toBe(false);
    socket.destroy();
  });
});

describe('an operation fault', () => {
  it.each([
    ['modem-offline', { id: '2-1', name: 'Internal modem', offline: '1', blocked: '0', disabled: '0', sim_count: 2 }],
    ['modem-board-record', { id: '2-1', simcount: 2, operator_scan: true, band_list: expect.any(Array) }],
  ] as const)('%s: the status of the modem is another record', async (kind, record) => {
    add({ kind, count: 1 });
    const read = async () => (await admin.get('/api/modems/status')).body.data[0];
    const [during, after] = [await read(), await read()];
    expect(during).toMatchObject(record);
    expect(during).not.toHaveProperty('rsrp');
    expect(after).toMatchObject({ id: '2-1', rsrp: expect.any(Number) });
  });

  const flash = async (...kinds: FaultInput['kind'][]): Promise<void> => {
    for (const kind of kinds) add({ kind, count: 1 });
    await admin.upload(
      '/api/firmware/actions/upload_device_firmware',
      'fw.bin',
      makeFirmwareImage(admin.device.family, NEWEST_VENDOR_FIRMWARE),
    );
    expect((await admin.post('/api/firmware/actions/upgrade', { keep_settings: '1' })).status).toBe(200);
  };
  const isBack = (): boolean => {
    const { device } = admin;
    return effects()['reboot'] === 1 && device.life === 'running' && device.clock.now() > device.resetsUntil;
  };

  it("'flash-nothing' answers 200 and stays", async () => {
    await flash('flash-nothing');
    admin.device.clock.advance(600_000);
    await admin.login();
    expect((await admin.get('/api/firmware/device/status')).body.data.version).toBe(
      firmwareName(FAMILIES.RUTX50, DEFAULT_FIRMWARE),
    );
    expect(effects()['reboot']).toBeUndefined();
  });

  it("'flash-old-version' goes away and comes back as it was", async () => {
    await flash('flash-old-version');
    await until(isBack, 'back');
    expect(admin.device.firmware.version).toBe(firmwareName(FAMILIES.RUTX50, DEFAULT_FIRMWARE));
    expect(effects()['flash']).toBeUndefined();
  });

  it("'flash-factory-settings' forgets the password", async () => {
    const { password } = admin.device;
    await flash('flash-factory-settings');
    await until(isBack, 'back');
    await expect(admin.login('admin', password)).rejects.toThrow('120');
    expect(effects()).toMatchObject({ flash: 1, 'factory-reset': 1 });
  });

  it("'never-returns' stays away", async () => {
    await flash('never-returns');
    await until(() => effects()['flash'], 'flashed');
    admin.device.clock.advance(3_600_000);
    expect(await failing()).toBe('ECONNREFUSED');
  });

  it("'image-invalid' and 'image-other-family' judge a good image as bad", async () => {
    const upload = () =>
      admin.upload(
        '/api/firmware/actions/upload_device_firmware',
        'fw.bin',
        makeFirmwareImage(admin.device.family, NEWEST_VENDOR_FIRMWARE),
      );
    add({ kind: 'image-invalid', count: 1 });
    expect((await upload()).body.data).toMatchObject({ valid: '0', hw_support: '0' });
    add({ kind: 'image-other-family', count: 1 });
    expect((await upload()).body.data).toMatchObject({ valid: '1', hw_support: '0' });
  });

  it("'download-fails' and 'progress-frozen' spoil a download", async () => {
    const progress = async () => (await admin.get('/api/firmware/device/progress/status')).body.data;
    add({ kind: 'download-fails', percent: 30, count: 1 });
    await admin.post('/api/firmware/actions/fota_download');
    expect(await until(async () => (await progress()).process === 'failed' && progress(), 'failed')).toEqual({
      percents: '30',
      process: 'failed',
    });
    add({ kind: 'progress-frozen', count: 1 });
    await admin.post('/api/firmware/actions/fota_download');
    await until(async () => (await progress()).percents === '50', 'half way');
    admin.device.clock.advance(250_000);
    expect(await progress()).toEqual({ percents: '50', process: 'started' });
  });

  it("'generation-stuck' leaves its file among those being made", async () => {
    add({ kind: 'generation-stuck', file: 'client.key.pem', count: 1 });
    await admin.post('/api/certificates/actions/generate', { type: 'simple' });
    await until(() => effects()['generated'] === 4, 'four files');
    admin.device.clock.advance(200_000);
    const { generated, generating } = (await admin.get('/api/certificates/config')).body.data;
    expect([generated.length, generating[0].fullname]).toEqual([4, 'client.key.pem']);
  });

  it("'backup-corrupt' stores other bytes than it announced", async () => {
    add({ kind: 'backup-corrupt', count: 1 });
    const { body } = await admin.post('/api/backup/actions/generate');
    const { bytes } = await admin.post('/api/backup/actions/download');
    expect(createHash('sha256').update(bytes).digest('hex')).not.toBe(body.data.sha256);
  });

  /** Restores a backup of the device itself. @returns where it says that it will be */
  const restore = async (): Promise<{ lan_ipv4: string; https_port: string }> => {
    await admin.post('/api/backup/actions/generate');
    const { bytes } = await admin.post('/api/backup/actions/download');
    await admin.upload('/api/backup/actions/upload', 'backup.tar.gz', bytes);
    return (await admin.post('/api/backup/actions/apply')).body.data;
  };

  it("'restore-nothing' answers 200 and stays as it is", async () => {
    add({ kind: 'restore-nothing', count: 1 });
    await restore();
    admin.device.clock.advance(600_000);
    expect(effects()['restore']).toBeUndefined();
    expect(effects()['reboot']).toBeUndefined();
  });

  it("'restore-moves' announces another port and comes back there", async () => {
    const port = admin.device.port + 2_000;
    add({ kind: 'restore-moves', port, count: 1 });
    expect(await restore()).toMatchObject({ https_port: String(port) });
    await until(isBack, 'back');
    expect(effects()['restore']).toBe(1);
    expect(admin.device.port).toBe(port);
    await expect(admin.login()).resolves.toBeDefined();
  });
});
