/* The fleet as a whole: replay, ledger, addresses, files, state that survives, and the control API. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startControl } from '../../src/simulator/control.js';
import { CSV_COLUMNS, startFleet, type Fleet, type LedgerEntry } from '../../src/simulator/fleet.js';
import { readFleetFile } from '../../src/simulator/fleet-file.js';
import { StateDirectory } from '../../src/simulator/state-directory.js';
import { Caller, FAST, Fleets, until } from './caller.js';

const fleets = new Fleets();
const directory = mkdtempSync(path.join(tmpdir(), 'simulator-'));
afterEach(() => fleets.close());
afterAll(() => rmSync(directory, { recursive: true }));

describe('a fleet', () => {
  it('with the same seed and requests writes the same ledger, times aside', async () => {
    const run = async (): Promise<object[]> => {
      const fleet = await fleets.start({ devices: 2, seed: 11, profile: 'rutos' });
      for (const device of fleet.devices) {
        device.faults.add({ kind: 'lost-answer', path: '/api/wireguard/config', probability: 0.4 });
        device.faults.add({ kind: 'error', path: '/api/interfaces/*', probability: 0.5 });
        const caller = await new Caller(device).login();
        for (let turn = 0; turn < 6; turn++) {
          await caller.post('/api/wireguard/config', { id: `wg${turn}` }).catch(() => null);
          await caller.get('/api/interfaces/config', { headers: { 'x-request-id': `turn-${turn}` } });
        }
        await caller.post('/api/users/config', { username: 'eve', password: 'Secret-12' });
        await caller.post('/api/system/actions/reboot');
        await until(
          () => fleet.ledger.summary(device.index).effects['reboot'] && device.life === 'running',
          'rebooted',
        );
      }
      return fleet.ledger.entries().map(({ at: _at, ...entry }: LedgerEntry) => entry);
    };
    const [first, second] = [await run(), await run()];
    expect(second).toEqual(first);
    expect(new Set(first.flatMap((entry) => (entry as LedgerEntry).faults ?? []))).toEqual(
      new Set(['lost-answer', 'error']),
    );
  });

  it('keeps a ledger of what happened, with the request that caused it', async () => {
    const fleet = await fleets.start({ profile: 'rutos' });
    const caller = await new Caller(fleet.devices[0]!).login();
    await caller.post('/api/certificates/actions/generate', { type: 'dh' }, { headers: { 'x-request-id': 'r-1' } });
    await until(() => fleet.ledger.summary(0).effects['generated'], 'generated');
    const lines = fleet.ledger.entries({ since: 1 });
    expect(lines).toMatchObject([
      {
        method: 'POST',
        status: 200,
        requestId: 'r-1',
        session: 's1',
        effects: [{ effect: 'generate', detail: 'dh.pem' }],
      },
      { method: '-', requestId: 'r-1', cause: 2, effects: [{ effect: 'generated', detail: 'dh.pem' }] },
    ]);
    expect(lines[0]!.bodySha256).toMatch(/^[0-9a-f]{64}$/);
    expect(fleet.ledger.summary(0)).toEqual({
      logins: 1,
      failedLogins: 0,
      openSessions: 1,
      requests: 2,
      connections: expect.any(Number),
      bytes: expect.any(Number),
      effects: { login: 1, generate: 1, generated: 1 },
    });
  });

  it('counts the bytes of connections that have ended, with their handshakes', async () => {
    const fleet = await fleets.start({ profile: 'rutos' });
    const [device] = fleet.devices;
    const caller = await new Caller(device!).login();
    await until(() => fleet.ledger.summary(0).connections === 1, 'the login is over');
    const login = fleet.ledger.summary(0).bytes;
    // A handshake has at least the certificate, which the device sends as it is.
    expect(login).toBeGreaterThan(new X509Certificate(device!.certificatePem).raw.length);
    expect(login).toBeLessThan(10_000);
    const { bytes } = await caller.get('/api/interfaces/config');
    await until(() => fleet.ledger.summary(0).connections === 2, 'the call is over');
    expect(fleet.ledger.summary(0).bytes).toBeGreaterThan(login + bytes.length);
  });

  it('forgets the oldest lines of a long ledger and keeps the counts', async () => {
    const fleet = await fleets.start({ ledgerLimit: 100 });
    const caller = await new Caller(fleet.devices[0]!).login();
    for (let turn = 0; turn < 120; turn++) await caller.get('/api/interfaces/config');
    expect(fleet.ledger.entries().length).toBeLessThanOrEqual(110);
    expect(fleet.ledger.dropped).toBeGreaterThan(0);
    expect(fleet.ledger.summary(0).requests).toBe(121);
  });

  it('gives each device an address and a certificate of its own', async () => {
    const fleet = await fleets.start({ devices: 3, addressing: 'address', port: 18_443 });
    const shown = await Promise.all(
      fleet.devices.map(
        ({ host, port }) =>
          new Promise<string>((resolve, reject) => {
            const socket = connect({ host, port, rejectUnauthorized: false }, () => {
              resolve(new X509Certificate(socket.getPeerX509Certificate()!.raw).toString().trim());
              socket.destroy();
            }).on('error', reject);
          }),
      ),
    );
    expect(shown).toEqual(fleet.devices.map(({ certificatePem }) => certificatePem.trim()));
    expect(new Set(shown).size).toBe(3);
    expect(fleet.devices.map(({ baseUrl }) => baseUrl)).toEqual([
      'https://127.16.0.1:18443',
      'https://127.16.0.2:18443',
      'https://127.16.0.3:18443',
    ]);
  });

  it('writes a list that a gateway imports', async () => {
    const fleet = await fleets.start({
      devices: 2,
      site: 'vilnius/pumps',
      tags: ['pump', 'old'],
      adminPassword: (index) => `Pass,word-${index}`,
    });
    const [head, first, second, rest] = fleet.csv().split('\n');
    const [device] = fleet.devices;
    expect(head).toBe(CSV_COLUMNS.join(','));
    expect(first).toBe(
      [
        'rutx50-00001',
        device!.baseUrl,
        'admin',
        '"Pass,word-0"',
        '1100000000',
        '02:1E:00:00:00:00',
        'RUTX50',
        'vilnius/pumps',
        'pump old',
        device!.fingerprint,
      ].join(','),
    );
    expect(second).toContain('"Pass,word-1"');
    expect(rest).toBe('');
  });

  it('goes on where another fleet beside it ends', async () => {
    const whole = await fleets.start({ devices: 4, addressing: 'address', port: 18_444 });
    const told = ({ name, serial, mac, baseUrl, model }: (typeof whole.devices)[number]) => ({
      name,
      serial,
      mac,
      baseUrl,
      model,
    });
    const wanted = whole.devices.slice(2).map(told);
    await whole.close();
    const rest = await fleets.start({ devices: 2, firstNumber: 3, addressing: 'address', port: 18_444 });
    expect(rest.devices.map(told)).toEqual(wanted);
  });

  it('is read from a file, with services and faults of its own', async () => {
    const file = path.join(directory, 'fleet.json');
    const services = [{ path: 'mqtt/broker', type: 'broker', options: { port: { type: 'port', default: '1883' } } }];
    const groups = [
      { devices: 2, family: 'RUT241', profile: 'rutos' },
      { devices: 1, family: 'TRB500', faults: [{ kind: 'html', path: '/api/mqtt/broker/config', count: 1 }] },
    ];
    writeFileSync(file, JSON.stringify({ timeScale: FAST, services, groups }));
    const fleet = await fleets.start(readFleetFile(file));
    expect(fleet.devices.map(({ model, behaviour }) => [model, behaviour.profile])).toEqual([
      ['RUT241', 'rutos'],
      ['RUT241', 'rutos'],
      ['TRB500', 'spec'],
    ]);
    const caller = await new Caller(fleet.devices[2]!).login();
    expect((await caller.get('/api/mqtt/broker/config')).status).toBe(500);
    expect((await caller.post('/api/mqtt/broker/config', { id: 'b1' })).body.data).toEqual({
      id: 'b1',
      '.type': 'broker',
      port: '1883',
    });
    writeFileSync(file, JSON.stringify({ groups: [{ devices: 0, colour: 'red' }] }));
    expect(() => readFleetFile(file)).toThrow(/is not right[\s\S]*devices[\s\S]*/);
  });

  it('survives a restart with a state directory, sessions aside', async () => {
    const options = (state: StateDirectory) => ({
      devices: 2,
      timeScale: FAST,
      rsaBits: 1024,
      prepare: (device: Fleet['devices'][number]) => state.restore(device),
    });
    const fail = (error: unknown): void => {
      throw error;
    };
    const state = new StateDirectory(path.join(directory, 'state'), fail);
    const before = await startFleet(options(state));
    const [device] = before.devices;
    const caller = await new Caller(device!).login();
    await caller.post('/api/wireguard/config', { id: 'wg0' });
    await caller.post('/api/certificates/actions/generate', { type: 'client', key_size: '512' });
    await until(() => device!.certificates.has('client.cert.pem'), 'generated');
    const { body } = await caller.post('/api/backup/actions/generate');
    const [pin, pem] = [device!.fingerprint, await device!.certificates.read('client.cert.pem')];
    device!.setPassword('Changed-12');
    await state.stop(before.devices);
    await before.close();

    const after = await fleets.start(options(new StateDirectory(path.join(directory, 'state'), fail)));
    const again = after.devices[0]!;
    expect(again.fingerprint).toBe(pin);
    expect((await caller.get('/api/wireguard/config').catch(() => null))?.status ?? 401).toBe(401);
    const back = await new Caller(again).login('admin', 'Changed-12');
    expect((await back.get('/api/wireguard/config')).body.data[0].id).toBe('wg0');
    expect((await back.get('/api/backup/status')).body.data.sha256).toBe(body.data.sha256);
    expect(await again.certificates.read('client.cert.pem')).toBe(pem);
  });
});

describe('the control API', () => {
  let fleet: Fleet;
  let url: string;
  let close: () => Promise<void>;
  beforeEach(async () => {
    fleet = await fleets.start({ devices: 2, profile: 'rutos' });
    const control = await startControl(fleet);
    ({ url } = control);
    close = () => control.close();
  });
  afterEach(() => close());
  const ask = async (method: string, at: string, body?: unknown, headers = {}) => {
    const response = await fetch(url + at, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };

  it('lists devices, summaries and the CSV', async () => {
    expect(JSON.parse((await ask('GET', '/devices')).text)).toHaveLength(2);
    expect(JSON.parse((await ask('GET', '/devices/all')).text)).toHaveLength(2);
    expect(JSON.parse((await ask('GET', '/devices/1')).text)).toMatchObject({ index: 1, life: 'running' });
    expect(JSON.parse((await ask('GET', '/summary')).text)[1]).toMatchObject({ device: 1, logins: 0 });
    expect((await ask('GET', '/devices.csv')).text).toBe(fleet.csv());
  });

  it('gives the ledger as NDJSON, filtered', async () => {
    await new Caller(fleet.devices[0]!).login();
    const { text } = await ask('GET', '/ledger?effect=login&device=0');
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(fleet.ledger.entries({ effect: 'login', device: 0 }));
  });

  it('adds, lists and removes faults', async () => {
    const added = await ask('POST', '/devices/all/faults', { kind: 'html', path: '/api/session/status' });
    expect(JSON.parse(added.text)).toHaveLength(2);
    expect(fleet.devices[1]!.faults.list()).toHaveLength(1);
    const { id } = JSON.parse(added.text)[0];
    expect((await ask('DELETE', `/devices/0/faults/${id}`)).status).toBe(200);
    expect((await ask('DELETE', '/devices/1/faults')).status).toBe(200);
    expect(fleet.devices.every((device) => device.faults.none)).toBe(true);
    expect((await ask('POST', '/devices/0/faults', { kind: 'nonsense' })).status).toBe(400);
  });

  it('does things to devices and moves the clock', async () => {
    const device = fleet.devices[0]!;
    expect((await ask('POST', '/devices/0/actions/set-password', { password: 'Other-123' })).status).toBe(200);
    expect(device.password).toBe('Other-123');
    await ask('POST', '/devices/0/actions/stop');
    expect(device.life).toBe('stopped');
    await ask('POST', '/devices/0/actions/start');
    await new Caller(device).login();
    const now = fleet.clock.now();
    await ask('POST', '/clock/advance', { ms: 300_000 });
    expect(fleet.clock.now() - now).toBeGreaterThanOrEqual(300_000);
    expect((await ask('POST', '/devices/0/actions/dance')).status).toBe(404);
    expect((await ask('GET', '/devices/9')).status).toBe(404);
  });

  it('refuses a caller that came by another name, or from a web page', async () => {
    expect((await ask('GET', '/devices', undefined, { origin: 'https://evil.example' })).status).toBe(403);
  });
});
