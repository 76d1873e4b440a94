/* Families that are not in every fleet: two modems, none, other platforms. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAMILY_NAMES, RECORDED_FAMILIES, type FamilyName } from '../../../src/simulator/device/families.js';
import { networkOperatorOf } from '../../../src/device-api/identity-facts.js';
import { Caller, Fleets } from '../caller.js';

const OTHERS = FAMILY_NAMES.filter((name) => !(RECORDED_FAMILIES as readonly string[]).includes(name));

const fleets = new Fleets();
const callers = {} as Record<FamilyName, Caller>;
beforeAll(async () => {
  const groups = OTHERS.map((family) => ({ devices: 1, family, profile: 'rutos' as const, keepAlive: true }));
  const fleet = await fleets.start({ groups });
  for (const [index, family] of OTHERS.entries()) callers[family] = await new Caller(fleet.devices[index + 1]!).login();
});
afterAll(() => fleets.close());

const read = async (family: FamilyName, path: string) => (await callers[family].get(path)).body.data;

describe('families that were not recorded whole', () => {
  it.each<[FamilyName, string, string, string, string[]]>([
    ['RUTX12', 'RUTX12', 'RUTX_R', 'RUTX', ['3-1', '1-1.2']],
    ['RUTX08', 'RUTX08', 'RUTX_R', 'RUTX', []],
    ['RUTX11', 'RUTX11', 'RUTX_R', 'RUTX', ['3-1']],
    ['RUT956', 'Teltonika RUT9M', 'RUT9M_R', 'RUT9M', ['1-1']],
    ['RUTM50', 'RUTM50', 'RUTM_R', 'RUTM', ['2-1']],
    ['OTD500', 'OTD500', 'OTD5_R', 'OTD5', ['2-1']],
  ])('%s says what it is', async (family, model, firmware, platform, modems) => {
    const { board, static: fixed } = await read(family, '/api/system/device/status');
    expect([fixed.model, fixed.fw_version.split('_00.')[0], board.model.platform]).toEqual([model, firmware, platform]);
    expect((board.modems ?? []).map(({ id }: { id: string }) => id)).toEqual(modems);
    expect('modems' in board).toBe(modems.length > 0);
    expect(board.hwinfo).toMatchObject({ mobile: modems.length > 0, dual_modem: modems.length > 1 });
    for (const path of ['interfaces', 'failover', 'internet_connection', 'ip_routes/ipv4', 'dhcp/leases/ipv4']) {
      expect([path, (await callers[family].get(`/api/${path}/status`)).status]).toEqual([path, 200]);
    }
  });
});

describe('a device with two modems', () => {
  const of = (path: string) => read('RUTX12', path);

  it('answers both of them, each with a card and a signal of its own', async () => {
    const [first, second, ...more] = await of('/api/modems/status');
    expect(more).toEqual([]);
    expect(first).toMatchObject({ id: '3-1', primary: true, active_sim: 1, sim_count: 1 });
    expect(second).toMatchObject({ id: '1-1.2', primary: false, active_sim: 1, sim_count: 1 });
    for (const name of ['imei', 'iccid', 'imsi', 'cellid']) expect(second[name]).not.toBe(first[name]);
    expect(await of('/api/modems/status/1-1.2')).toMatchObject({ id: '1-1.2', imei: second.imei });
    expect(networkOperatorOf([second, first])).toBe(first.operator);
  });

  it('has a board whose second modem lacks fields', async () => {
    const [first, second] = (await of('/api/system/device/status')).board.modems;
    expect([first.num, first.primary, first.gps_out]).toEqual(['1', true, true]);
    expect(second).toMatchObject({ num: '2', id: '1-1.2', product: '0306' });
    for (const name of ['primary', 'gps_out']) expect(second).not.toHaveProperty(name);
  });

  it.each(['signal', 'apns', 'scan'])('lists the %s of both', async (what) => {
    expect((await of(`/api/modems/${what}/status`)).map(({ modem }: { modem: string }) => modem)).toEqual([
      '3-1',
      '1-1.2',
    ]);
    expect((await callers.RUTX12.get(`/api/modems/${what}/status/1-1.2`)).status).toBe(200);
  });

  it('has the cards of each modem, all of them primary', async () => {
    expect(await of('/api/sim_cards/config')).toMatchObject([
      { modem: '3-1', position: '1', primary: '1' },
      { modem: '1-1.2', position: '1', primary: '1' },
    ]);
    await callers.RUTX12.put('/api/sim_cards/config/1', { primary: '1' });
    expect(await of('/api/modems/1-1.2/sim_cards/config')).toMatchObject([{ id: '2', primary: '1' }]);
  });

  it.each([
    'unauthorized/status',
    'system/device/status',
    'system/device/usage/status',
    'firmware/modem/status',
    'modems/status',
    'interfaces/status',
    'network/devices/status',
    'ip_routes/ipv4/status',
    'internet_connection/status',
    'failover/status',
    'sim_cards/status',
  ])('answers %s to a bench that asks each second', async (path) => {
    expect((await callers.RUTX12.get(`/api/${path}`)).status).toBe(200);
  });

  it('acts on the modem that is named, and uplinks follow', async () => {
    const up = async () => [
      (await of('/api/interfaces/status/mob1s1a1')).up,
      (await of('/api/interfaces/status/mob2s1a1')).up,
    ];
    expect(await up()).toEqual([true, true]);
    expect(await of('/api/interfaces/status/mob2s1a1')).toMatchObject({ modem_id: '1-1.2', ifname: 'wwan1' });
    expect((await callers.RUTX12.put('/api/modems/1-1.2/global', { flight_mode: '1' })).status).toBe(200);
    expect(await up()).toEqual([true, false]);
    expect((await callers.RUTX12.put('/api/modems/1-1.2/global', { flight_mode: '0' })).status).toBe(200);
    expect((await callers.RUTX12.post('/api/modems/1-1.2/actions/reboot')).status).toBe(200);
    expect((await callers.RUTX12.post('/api/modems/9-9/actions/reboot')).status).toBe(404);
  });
});

describe('a device without a modem', () => {
  it.each(['modems/status', 'sim_cards/config', 'messages/status', 'data_limit/status', 'gps/position/status'])(
    'has no %s',
    async (path) => {
      expect((await callers.RUTX08.get(`/api/${path}`)).status).toBe(501);
    },
  );

  it('reaches the internet by its cable alone', async () => {
    const interfaces: { id: string }[] = await read('RUTX08', '/api/interfaces/status');
    expect(interfaces.map(({ id }) => id)).toEqual(['lan', 'wan', 'wan6']);
    expect(await read('RUTX08', '/api/internet_connection/status')).toMatchObject({ ipv4_status: 'Online' });
    const [lan, wan] = await read('RUTX08', '/api/interfaces/status');
    expect([lan.tx_bytes, lan.rx_bytes]).toEqual([wan.rx_bytes, wan.tx_bytes]);
  });
});

describe('what is said without a login', () => {
  it('OTD500 has a banner from the factory, which can be switched off', async () => {
    const anonymous = () => callers.OTD500.get('/api/unauthorized/status', { token: null });
    expect((await anonymous()).body.data.security_banner).toBeDefined();
    await callers.OTD500.put('/api/system/banner/config/security', { enabled: '0' });
    expect((await anonymous()).body.data.security_banner).toBeUndefined();
  });
});
