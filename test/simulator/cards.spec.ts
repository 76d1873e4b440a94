/* What a caller locks, switches on and removes stays so: the PIN of a card, tunnels, files; also after a restart. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { StateDirectory } from '../../src/simulator/state-directory.js';
import { type Caller, Fleets } from './caller.js';

const fleets = new Fleets();
afterEach(() => fleets.close());

const PIN = '1234';
const caller = () => fleets.caller({ profile: 'rutos', timeScale: 1 });
const modemOf = async (one: Caller) => (await one.get('/api/modems/status')).body.data[0];

/** Locks the card, and starts the modem again. */
async function lock(one: Caller): Promise<void> {
  expect((await one.post('/api/modems/2-1/actions/pin_lock', { pin: PIN, enabled: '1' })).status).toBe(200);
  await one.post('/api/modems/2-1/actions/reboot');
  one.device.clock.advance(45_000);
}

describe('a card that is locked', () => {
  it('waits for its PIN when the modem has started', async () => {
    const one = await caller();
    await lock(one);
    expect(await modemOf(one)).toMatchObject({
      pinstate: 'Required PIN, 3 attempts left',
      mobile_stage: 5,
      state: 'Disconnected',
    });
    expect((await one.post('/api/modems/2-1/actions/sim_unlock', { pin: '9999' })).status).toBe(422);
    expect((await modemOf(one)).pinstate).toBe('Required PIN, 2 attempts left');
    expect((await one.post('/api/modems/2-1/actions/sim_unlock', { pin: PIN })).status).toBe(200);
    expect(await modemOf(one)).toMatchObject({
      pinstate: 'Inserted',
      pinleft: 3,
      mobile_stage: 19,
      state: 'Connected',
    });
  });

  it('gets its PIN from the settings', async () => {
    const one = await caller();
    await one.put('/api/sim_cards/config/1', { pincode: PIN });
    await lock(one);
    expect(await modemOf(one)).toMatchObject({ pinstate: 'Inserted', state: 'Connected' });
  });

  it('asks no more once it is unlocked for good', async () => {
    const one = await caller();
    await one.post('/api/modems/2-1/actions/pin_lock', { pin: PIN, enabled: '1' });
    await one.post('/api/modems/2-1/actions/pin_lock', { pin: PIN, enabled: '0' });
    await one.device.stop();
    await one.device.start();
    await one.login();
    expect(await modemOf(one)).toMatchObject({ pinstate: 'Inserted', state: 'Connected' });
  });
});

it('a state directory keeps the lock, the attempts, the files and what was removed', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'state-'));
  const state = () => new StateDirectory(directory, (error) => expect.fail(String(error)));
  const options = (stored: StateDirectory) => ({
    profile: 'rutos' as const,
    timeScale: 1,
    prepare: (device: Caller['device']) => stored.restore(device),
  });
  const before = await fleets.caller(options(state()));
  await lock(before);
  await before.post('/api/modems/2-1/actions/sim_unlock', { pin: '9999' });
  await before.post('/api/openvpn/config', { id: 'office' });
  await before.upload('/api/openvpn/config/office', 'ca.pem', Buffer.alloc(3 * 1024 * 1024));
  const texts: { id: string }[] = (await before.get('/api/messages/status')).body.data;
  await before.post('/api/messages/actions/remove_messages', { modem_id: '2-1', sms_id: [texts[0]!.id] });
  const usageOf = async (one: Caller) =>
    (await one.get('/api/system/device/usage/status?data=memory')).body.data.memory;
  const { flash_free: free } = await usageOf(before);
  await state().stop([before.device]);

  const after = await fleets.caller(options(state()));
  expect(await modemOf(after)).toMatchObject({ pinstate: 'Required PIN, 2 attempts left', mobile_stage: 5 });
  expect((await usageOf(after)).flash_free).toBe(free);
  expect((await after.get('/api/messages/status')).body.data).toEqual(texts.slice(1));
});

describe('an OpenVPN instance', () => {
  const vpn = async (one: Caller) => (await one.get('/api/openvpn/status')).body.data[0];

  it('runs since it was switched on, and has the clients of its settings', async () => {
    const one = await caller();
    const service = '/api/openvpn/config';
    await one.post(service, { id: 'hub', type: 'server' });
    await one.post('/api/openvpn/hub/clients/config', { common_name: 'pump' });
    expect(await vpn(one)).toMatchObject({ status: 'Disconnected', rx: '0', uptime: '0', clients: [] });
    await one.put(`${service}/hub`, { enable: '1' });
    expect(Number((await vpn(one)).uptime)).toBeLessThan(60);
    one.device.clock.advance(120_000);
    const running = await vpn(one);
    expect(Number(running.uptime)).toBeGreaterThanOrEqual(119);
    expect(Number(running.uptime)).toBeLessThan(180);
    expect(running).toMatchObject({ clients_connected: '1', clients: [{ name: 'pump' }] });
    // A change of something else begins nothing again.
    await one.put(`${service}/hub`, { port: '1195' });
    expect(Number((await vpn(one)).uptime)).toBeGreaterThanOrEqual(119);
  });
});

it('a file of a ZeroTier network has its size as a number', async () => {
  const one = await caller();
  const { id } = (await one.post('/api/zerotier/config', { name: 'fleet' })).body.data;
  await one.post('/api/openvpn/config', { id: 'office' });
  const { path: file } = (await one.upload('/api/openvpn/config/office', 'planet', Buffer.alloc(570))).body.data;
  const networks = `/api/zerotier/${id}/networks/config`;
  const { body } = await one.post(networks, { network_id: '8056c2e2', custom_planet_file: file });
  expect(body.data).toMatchObject({ 'custom_planet_file:file_size': 570 });
  const again = await one.put(`${networks}/${body.data.id}`, body.data);
  expect(again.body.data).toEqual(body.data);
});
