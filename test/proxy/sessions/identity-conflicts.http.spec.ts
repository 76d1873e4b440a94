import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { StatusSweeper } from '../../../src/monitoring/status.sweeper.js';
import { Processes } from '../../../src/system/processes.sweeper.js';
import { DEFAULT_FIRMWARE, FAMILIES, firmwareName } from '../../../src/simulator/device/families.js';
import { AnsweringDevice } from '../../support/devices/answering-device.js';
import { untilKnown } from '../../support/devices/known-device.js';
import { sweepAllDue } from '../../support/monitoring/status-sweep.js';
import { startProxyWorld, type ProxyWorld } from '../proxy-world.js';

/* Devices that report the same fact as another one, or facts that are none: nothing else of what they say is lost. */

interface View {
  serial: string | null;
  mac: string | null;
  model: string | null;
  firmware: string | null;
  state: string;
  stateReason: string | null;
  identityReason: string | null;
}

const DAY_MS = 86_400_000;

/** Longer than the hour after which an identity that could not be read, as on a busy machine, is read again. */
const AGAIN_MS = 3_700_000;

const odd = new AnsweringDevice();

let proxy: ProxyWorld;
let oddId: string;
let db: pg.Client;

beforeAll(async () => {
  proxy = await startProxyWorld({ devices: 3, profile: 'rutos' });
  Object.assign(proxy.world.gateway.app.get(StatusSweeper), { config: { STATUS_EVERY_SECONDS: 300 } });
  oddId = await odd.register(proxy.world.api, 'odd'); // before the clock moves: its trust ends by itself
  db = new pg.Client({ connectionString: proxy.world.databaseUrl });
  await db.connect();
});
afterAll(async () => {
  odd.close();
  await db.end();
  await proxy.close();
});

const read = (id: string) => proxy.world.api.get<View>(`/v1/devices/${id}`);
const list = async (id: string) =>
  (await proxy.world.api.get<{ items: (View & { id: string })[] }>('/v1/devices')).items.find((one) => one.id === id)!;
const warnings = async () => {
  await proxy.world.gateway.app.get(Processes).sweep();
  const { warnings: found } = await proxy.world.api.get<{ warnings: { code: string }[] }>('/v1/system');
  return found.map(({ code }) => code);
};
const conflictEvents = async () => {
  const { rows } = await db.query<{ device_id: string; data: object }>(
    `select device_id, data from event where type = 'device.identity_conflict' order by id`,
  );
  return rows;
};

async function sweepTomorrow(): Promise<void> {
  proxy.clock.pass(2 * DAY_MS);
  await sweepAllDue(proxy.world, proxy.clock);
}

/** A pass stores what differs from the device in memory, which hears of a changed row a moment later. */
async function forgetOdd(columns: readonly ('serial' | 'mac' | 'model' | 'firmware')[]): Promise<void> {
  const sets = columns.map((column) => `${column} = null, `).join('');
  await db.query(`update device set ${sets} identify_at = '-infinity' where id = $1`, [oddId]);
  await untilKnown(proxy.world, oddId, Object.fromEntries(columns.map((column) => [column, null])));
}

const FIXED = { model: 'RUTX50', fw_version: firmwareName(FAMILIES.RUTX50, DEFAULT_FIRMWARE) };
const status = (made: object, fixed: unknown = FIXED) =>
  JSON.stringify({ success: true, data: { mnfinfo: made, static: fixed } });

describe('two devices that report one MAC address', () => {
  it('keep their serial numbers, and the conflict shows at both, in events and as a warning', async () => {
    const first = proxy.fleet.devices[0]!;
    const one = proxy.ids[0]!;
    const mac = first.mac.toLowerCase();
    expect((await read(one)).identityReason).toBe('its serial number is not known: only its certificate recognises it');
    expect((await read(oddId)).identityReason).toBe('its serial number is not known: nothing else recognises it');
    odd.answer = status({ serial: '6001', mac: '00:1E:42:AA:BB:01' });
    await sweepTomorrow();
    expect(await warnings()).not.toContain('identity_conflict');
    odd.answer = status({ serial: '6001', mac: first.mac });
    await sweepTomorrow();

    expect(await read(one)).toMatchObject({ serial: first.serial, mac, state: 'online' });
    expect(await read(oddId)).toMatchObject({ serial: '6001', model: 'RUTX50', state: 'online' });
    const theirs = `another device reports its MAC address ${mac}, too`;
    const own = `it reports the MAC address ${mac}, which another device has, too`;
    expect(await read(one)).toMatchObject({ stateReason: theirs, identityReason: theirs });
    expect(await read(oddId)).toMatchObject({ stateReason: own, identityReason: own });
    expect(await list(one)).toMatchObject({ identityReason: theirs });
    expect(await list(oddId)).toMatchObject({ identityReason: own });
    const events = await conflictEvents();
    expect(events.map(({ device_id }) => device_id).sort()).toEqual([one, oddId].sort());
    expect(events[0]!.data).toMatchObject({ field: 'mac', value: mac });
    expect(await warnings()).toContain('identity_conflict');
    const { items } = await proxy.world.api.get<{ items: { field: string; after: string }[] }>(
      `/v1/devices/${oddId}/history`,
    );
    expect(items).toContainEqual(expect.objectContaining({ field: 'claimed_mac', after: mac }));
  });

  it('learn their serial numbers in that state, too, and a stranger with another one gets no write', async () => {
    await forgetOdd(['serial']);
    await sweepTomorrow();
    expect((await read(oddId)).serial).toBe('6001');
    odd.answer = status({ serial: '6002', mac: proxy.fleet.devices[0]!.mac });
    await proxy.calls.endSessions(oddId);
    const answer = await fetch(`${proxy.world.url}/v1/devices/${oddId}/api/users/config/1`, {
      method: 'PUT',
      body: '{"data":{"group":"user"}}',
      headers: { authorization: `Bearer ${proxy.world.keys.operator}`, 'content-type': 'application/json' },
    });
    expect(await answer.json()).toMatchObject({ code: 'identity_mismatch', expectedSerial: '6001', serial: '6002' });
  });

  it('are two ordinary devices again when the clone got an address of its own', async () => {
    odd.answer = status({ serial: '6001', mac: '00:1E:42:AA:BB:CC' });
    await proxy.calls.endSessions(oddId);
    await sweepTomorrow();
    expect(await read(oddId)).toMatchObject({ mac: '00:1e:42:aa:bb:cc', identityReason: null });
    expect(await read(proxy.ids[0]!)).toMatchObject({ stateReason: null, identityReason: null });
    expect(await warnings()).not.toContain('identity_conflict');
  });
});

describe('two devices that report one serial number', () => {
  it('are both shown, and a stranger in the place of the second one is noticed', async () => {
    const [first, third] = [proxy.fleet.devices[0]!, proxy.fleet.devices[2]!];
    const id = proxy.ids[2]!;
    await proxy.world.api.send('PATCH', `/v1/devices/${id}`, { serial: null });
    third.replaceSerial(first.serial);
    await sweepTomorrow();
    expect(await read(id)).toMatchObject({
      serial: null,
      mac: third.mac.toLowerCase(),
      identityReason: `it reports the serial number ${first.serial}, which another device has, too`,
    });
    expect((await read(proxy.ids[0]!)).identityReason).toBe(
      `another device reports its serial number ${first.serial}, too`,
    );
    third.replaceSerial('4711');
    await proxy.calls.endSessions(id);
    expect((await proxy.ask(2, 'GET', '/api/users/config')).json).toMatchObject({
      code: 'identity_mismatch',
      expectedSerial: first.serial,
    });
    await proxy.world.api.send('PATCH', `/v1/devices/${id}`, { serial: '4711' });
    expect((await proxy.ask(2, 'GET', '/api/users/config')).status).toBe(200);
    expect((await read(id)).identityReason).toBeNull();
  });

  it('are in no conflict any more when the other one is removed', async () => {
    const { serial } = proxy.fleet.devices[0]!;
    const id = proxy.ids[2]!;
    await proxy.world.api.send('PATCH', `/v1/devices/${id}`, { serial: null });
    proxy.fleet.devices[2]!.replaceSerial(serial);
    await sweepTomorrow();
    expect((await read(id)).identityReason).toContain(`it reports the serial number ${serial}`);
    expect(await warnings()).toContain('identity_conflict');
    await proxy.world.api.send('DELETE', `/v1/devices/${proxy.ids[0]!}`);
    await sweepTomorrow();
    expect(await read(id)).toMatchObject({ serial, identityReason: null });
    expect(await warnings()).not.toContain('identity_conflict');
  });
});

describe('a device whose facts are odd', () => {
  const MADE = { serial: '6001', mac: '001E42AABB01' };

  it.each([
    ['a serial number as a number', { ...MADE, serial: 6001 }, FIXED, { serial: '6001', model: 'RUTX50' }],
    ['a MAC address as a number', { serial: '6001', mac: 12 }, FIXED, { serial: '6001', model: 'RUTX50' }],
    ['a MAC address that is none', { serial: '6001', mac: 'zz:1' }, FIXED, { serial: '6001', model: 'RUTX50' }],
    ['a MAC address of Cisco', { serial: '6001', mac: '001e.42aa.bb01' }, FIXED, { mac: '00:1e:42:aa:bb:01' }],
    ['no serial number', { mac: MADE.mac }, FIXED, { serial: null, mac: '00:1e:42:aa:bb:01', model: 'RUTX50' }],
    ['N/A as the serial number', { ...MADE, serial: 'N/A' }, FIXED, { serial: null, model: 'RUTX50' }],
    ['an empty serial number', { ...MADE, serial: '' }, FIXED, { serial: null, model: 'RUTX50' }],
    [
      'a serial number of 3,000 letters',
      { ...MADE, serial: 'x'.repeat(3_000) },
      FIXED,
      { serial: null, model: 'RUTX50' },
    ],
    ['a serial number in a list', { ...MADE, serial: ['6001'] }, FIXED, { serial: null, model: 'RUTX50' }],
    ['a model in an object', MADE, { ...FIXED, model: {} }, { serial: '6001', firmware: FIXED.fw_version }],
    ['nothing but a list for the firmware', MADE, [], { serial: '6001', mac: '00:1e:42:aa:bb:01' }],
    ['a NUL in the firmware', MADE, { model: 'RUTX50', fw_version: 'a\0b' }, { serial: '6001', model: 'RUTX50' }],
  ])('loses no other fact: %s', async (_what, made, fixed, expected) => {
    const id = oddId;
    await forgetOdd(['serial', 'mac', 'model', 'firmware']);
    odd.answer = status(made, fixed);
    await vi.waitFor(async () => {
      proxy.clock.pass(AGAIN_MS);
      await sweepAllDue(proxy.world, proxy.clock);
      expect(await read(id)).toMatchObject(expected);
    }, 60_000);
  });

  it('says that an account that may not read the serial number leaves it unproven', async () => {
    const id = oddId;
    odd.answer = status(MADE, FIXED);
    await proxy.world.api.send('PATCH', `/v1/devices/${id}`, { serial: '6001' });
    const path = `/v1/devices/${id}/api/users/config`;
    const get = async () => {
      await proxy.calls.endSessions(id);
      const answer = await fetch(proxy.world.url + path, {
        headers: { authorization: `Bearer ${proxy.world.keys.operator}` },
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    expect(await get()).toBe(200);
    expect((await read(id)).identityReason).toBeNull();
    Object.assign(odd, { status: 403, answer: '{"success":false,"errors":[{"code":120,"error":"no"}]}' });
    expect(await get()).toBe(403);
    expect((await read(id)).identityReason).toBe(
      'its serial number cannot be read with its account: nothing else recognises it',
    );
    Object.assign(odd, { status: 200, answer: status(MADE, FIXED) });
    expect(await get()).toBe(200);
    expect((await read(id)).identityReason).toBeNull();
  });
});
