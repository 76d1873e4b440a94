/*
 * What public clients read, endpoint by endpoint and field by field, with the types that they need. The rows are those of
 * coverage.json; all ask one fleet with a device of each family.
 */
import https from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RECORDED_FAMILIES } from '../../src/simulator/device/families.js';
import { BARE_LISTS } from '../../src/simulator/services/bare-lists.js';
import { Caller, Fleets } from './caller.js';
import {
  ABSENT,
  all,
  BOOLEAN,
  DECIMAL,
  DIGITS,
  FLAG,
  LIST,
  listOf,
  MAC,
  NUMBER,
  NUMBER_OR_ABSENT,
  TEXT,
  WHOLE,
} from './forms.js';

const fleets = new Fleets();
const agent = new https.Agent({ keepAlive: true });
type RecordedFamily = (typeof RECORDED_FAMILIES)[number];
const callers = {} as Record<RecordedFamily, Caller>;

beforeAll(async () => {
  const fleet = await fleets.start({ devices: 5, profile: 'rutos', keepAlive: true });
  await Promise.all(
    RECORDED_FAMILIES.map(
      async (name, index) => (callers[name] = await new Caller(fleet.devices[index]!, agent).login()),
    ),
  );
});
afterAll(async () => {
  agent.destroy();
  await fleets.close();
});

/** `data` of an answer with 200. */
async function read(path: string, family: RecordedFamily = 'RUTX50') {
  const { status, body } = await callers[family].get(path);
  expect([path, status, body.errors]).toEqual([path, 200, undefined]);
  return body.data;
}

const MODEM = {
  id: '2-1',
  ...all(WHOLE, 'rsrp rsrq sinr rssi signal temperature txbytes rxbytes simstate_id pinstate_id pinleft pukleft'),
  ...all(WHOLE, 'state_id data_conn_state_id netstate_id operator_state_id active_sim sim_count mobile_stage'),
  ...all(WHOLE, 'modem_state_id busy_state_id is_busy mode baudrate'),
  ...all(TEXT, 'operator oper provider conntype ntype band imei iccid imsi cellid lac tac serial manufacturer model'),
  ...all(TEXT, 'version cfg_version simstate pinstate state data_conn_state netstate operator_state busy_state'),
  ...all(TEXT, 'sc_band_av'),
  name: 'Internal modem',
  ...all(BOOLEAN, 'builtin primary ipv6 multi_apn dynamic_mtu operators_scan volte volte_supported data_off csd'),
  ...all(BOOLEAN, 'wwan_gnss_conflict auto_3g_bands auto_5g_mode framed_routing low_signal_reconnect mobile_dfota'),
  ...all(BOOLEAN, 'no_ussd nr5g_sa_disabled sim_switch_enabled auto_2g_bands'),
  service_modes: { '3G': LIST, '4G': LIST, '5G_NSA': LIST, '5G_SA': LIST },
  cell_info: listOf({
    ...all(TEXT, 'mcc mnc cellid lac tac bandwidth arfcn uarfcn'),
    ...all(WHOLE, 'ue_state pcid'),
    ...all(NUMBER_OR_ABSENT, 'earfcn nr-arfcn rsrp rsrq sinr'),
  }),
  ca_signal: listOf({ band: TEXT, bandwidth: TEXT, frequency: WHOLE, primary: BOOLEAN }),
};

const INTERFACE = {
  ...all(TEXT, 'id name interface ifname device l3_device proto type typename desc macaddr network_type area_type'),
  ...all(WHOLE, 'metric uptime rx_bytes tx_bytes rx_packets tx_packets'),
  ...all(BOOLEAN, 'up is_up autostart available pending dynamic is_dynamic delegation'),
  ...all(LIST, 'ipaddrs ip6addrs dns-server dns-search dnsaddrs ipv4-address ipv6-address route'),
  subdevices: listOf({ ...all(TEXT, 'name ifname type typename macaddr'), is_up: BOOLEAN, rx_bytes: WHOLE }),
};

const MEASURES = all(NUMBER, 'channel freq txpower txpoweroff quality noise signal bitrate num_assoc op_class');
const WIRELESS = {
  ...all(TEXT, 'id wifi_id ssid bssid name mode encryption link phy country ifname band frequency'),
  status: FLAG,
  up: BOOLEAN,
  disabled: BOOLEAN,
  device: { device: TEXT, name: TEXT, up: BOOLEAN, pending: BOOLEAN },
  ...MEASURES,
  beacon_interval: NUMBER,
  bss_color: NUMBER,
  airtime: all(NUMBER, 'time time_busy utilization'),
  dfs: { cac_active: BOOLEAN, cac_time: NUMBER, cac_time_left: NUMBER },
  devices: listOf({ ...all(TEXT, 'ifname name bssid'), up: BOOLEAN, bitrate: NUMBER }),
  clients: LIST,
};

const NEIGHBOUR = all(
  TEXT,
  'dev dest family router proxy stale noarp incomplete delay reachable probe failed permanent',
);
const ROUTE = all(TEXT, 'dev type family table proto scope dest');
const USAGE_ROW = expect.arrayContaining([[WHOLE, WHOLE, WHOLE]]);
const STATE = { status: 'online', up: true, running: true };
const SIGNAL = { ...all(TEXT, 'timestamp band'), ...all(WHOLE, 'network_type rssi rsrp rsrq sinr') };
const ACCESS_POINT = { id: WHOLE, ...all(TEXT, 'apn user password carrier auth pdptype') };

/** Title, and what the answer of a RUTX50 holds. */
const READS: [title: string, form: unknown][] = [
  ['GET /api/modems/status', [MODEM]],
  ['GET /api/modems/status/2-1', MODEM],
  ['GET /api/modems/signal/status', [{ modem: '2-1', signal: listOf(SIGNAL) }]],
  ['GET /api/modems/signal/status/2-1', listOf(SIGNAL)],
  ['GET /api/modems/apns/status', [{ modem: '2-1', apns: listOf(ACCESS_POINT) }]],
  ['GET /api/modems/apns/status/2-1', listOf(ACCESS_POINT)],
  ['GET /api/modems/scan/status', [{ modem: '2-1', last_scan: ABSENT, operators: [] }]],
  ['GET /api/modems/scan/status/2-1', { modem: '2-1', last_scan: ABSENT, operators: [] }],
  ['GET /api/modems/countries/status', listOf({ mcc: DIGITS, country: TEXT })],
  ['GET /api/modems/2-1/global', { modem: '2-1', flight_mode: FLAG }],
  [
    'GET /api/modems/2-1/sim_cards/config',
    listOf({
      id: TEXT,
      modem: '2-1',
      position: DIGITS,
      primary: FLAG,
      ...all(TEXT, 'signal_reset_threshold signal_reset_timeout opermode operlist_name sms_limit_num sms_limit period'),
    }),
  ],
  [
    'GET /api/sim_cards/config',
    [
      { position: '1', primary: '1', volte: 'auto', band: 'auto', operator: 'auto', nr5g_mode: 'auto' },
      {
        position: '2',
        primary: '0',
        deny_roaming: '0',
        operlist: '0',
        enable_sms_limit: '0',
        signal_reset_enabled: '0',
      },
    ],
  ],
  ['GET /api/esim/config?modem=2-1', []],
  ['GET /api/data_usage/day/status', expect.any(Array)],
  ['GET /api/data_usage/custom/status?from=0&to=1', [[0, WHOLE, WHOLE]]],
  ['GET /api/data_usage/week/status', USAGE_ROW],
  ['GET /api/data_usage/month/status', USAGE_ROW],
  ['GET /api/data_usage/total/status', USAGE_ROW],
  ['GET /api/messages/status', listOf(all(TEXT, 'id modem_id sender message status date'))],
  [
    'GET /api/gps/position/status',
    {
      ...all(DECIMAL, 'latitude longitude altitude speed angle accuracy'),
      ...all(DIGITS, 'satellites fix_status utc_timestamp'),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    },
  ],
  ['GET /api/gps/status', { dpo_support: BOOLEAN, uptime: WHOLE }],
  ['GET /api/gps/nmea/status', { serials: [] }],
  ['GET /api/sim_cards/status', listOf({ id: DIGITS, modem: '2-1', position: DIGITS, primary: FLAG })],
  ['GET /api/messages/storage/status', [{ modem_id: '2-1', sim_inserted: '1', modem_type: 'RG501Q-EU' }]],
  ['GET /api/network/devices/status', listOf({ name: TEXT, type: TEXT, macaddr: MAC, up: BOOLEAN })],
  ['GET /api/firmware/modem/status', { modems: listOf({ id: '2-1', version: TEXT }) }],
  ['GET /api/gps/global', { enabled: FLAG, galileo_sup: FLAG, glonass_sup: FLAG, beidou_sup: FLAG }],
  ['GET /api/gps/nmea/config/nmea_forwarding', { enabled: FLAG }],
  ['GET /api/gps/nmea/rules/config', listOf({ id: TEXT, forwarding_enabled: FLAG, forwarding_interval: DIGITS })],
  ['GET /api/interfaces/status', listOf(INTERFACE)],
  ['GET /api/interfaces/status/lan', { ...INTERFACE, ipaddrs: ['192.168.1.1/24'] }],
  ['GET /api/failover/status', { mob1s1a1: STATE, mob1s2a1: { status: 'offline', up: false, running: false } }],
  ['GET /api/failover/members/config', listOf({ id: TEXT, interface: TEXT, metric: DIGITS })],
  ['GET /api/data_limit/status', listOf({ id: TEXT, interface: TEXT, data_limit: 0, enabled: '0' })],
  ['GET /api/wireless/devices/status/radio0', { id: 'radio0' }],
  ['GET /api/wireless/interfaces/status/default_radio0', { id: 'default_radio0' }],
  ['GET /api/internet_connection/status', all(TEXT, 'ipv4_status ipv6_status dns_status')],
  ['GET /api/ip_routes/ipv4/status', listOf(ROUTE)],
  ['GET /api/ip_routes/ipv6/status', listOf({ ...ROUTE, metric: TEXT })],
  ['GET /api/ip_neighbors/ipv4/status', listOf({ ...NEIGHBOUR, mac: MAC })],
  ['GET /api/ip_neighbors/ipv6/status', listOf(NEIGHBOUR)],
  ['GET /api/dhcp/leases/ipv4/status', listOf({ expires: WHOLE, macaddr: MAC, ipaddr: TEXT, interface: 'lan' })],
  ['GET /api/dhcp/leases/ipv6/status', listOf({ duid: TEXT, expires: WHOLE, interface: TEXT, ipv6addr: LIST })],
  ['GET /api/dhcp/servers/ipv4/status', [{ id: 'lan', running: true, interface: ['lan'] }]],
  ['GET /api/dhcp/servers/ipv4/config', [{ start_ip: '192.168.1.100', end_ip: '192.168.1.249', mode: 'server' }]],
  ['GET /api/firewall/connections/status', LIST],
  ['GET /api/wireless/interfaces/status', listOf(WIRELESS)],
  [
    'GET /api/wireless/devices/status',
    [
      { id: 'radio0', band: '2.4GHz' },
      {
        ...all(TEXT, 'id name hardware_name phyname mode type country standard macaddr'),
        ...all(NUMBER, 'quality_max noise txpower_offset'),
        ...all(BOOLEAN, 'up disabled pending autostart'),
        band: '5GHz',
        hardware_id: all(NUMBER, 'device_id vendor_id subsystem_device_id subsystem_vendor_id'),
      },
    ],
  ],
  ['GET /api/wireless/devices/global', { country: 'LT' }],
  ['GET /api/wireless/multi_ap/config', []],
  [
    'GET /api/system/device/usage/status',
    {
      memory: {
        ...all(NUMBER, 'ram_total ram_used ram_free ram_buffered ram_shared flash_total flash_used flash_free'),
        ...all(WHOLE, 'ram_percentage flash_percentage'),
      },
      load: all(NUMBER, 'min1 min5 min15'),
      loadavg: expect.toSatisfy((value) => typeof value === 'number' && value > 0 && value < 1, 'a share'),
      uptime: expect.stringMatching(/^\d+d \d+h \d+m \d+s$/),
      ...all(WHOLE, 'uptime_seconds localtime'),
    },
  ],
  ['GET /api/system/device/load/status', expect.arrayContaining([[WHOLE, NUMBER, NUMBER, NUMBER]])],
  ['GET /api/system/device/packages/status', expect.arrayContaining([TEXT])],
  ['GET /api/system/device/parameters/status', listOf(all(TEXT, 'id type description'))],
  ['GET /api/system/languages/options', listOf(all(TEXT, 'name code filename'))],
  ['GET /api/system/config', [{ lang_code: 'en', devicename: TEXT, api_session_timeout: DIGITS, firstlogin: '0' }]],
  ['GET /api/system/led/config', [{ enabled: '1' }]],
  ['GET /api/system/buttons/config', listOf({ min: DIGITS, max: DIGITS, handler: TEXT, action: TEXT })],
  ['GET /api/system/banner/config', [{ enabled: '0' }]],
  ['GET /api/date_time/ntp/client/config/ntpclient', { enabled: '1', zoneName: 'UTC', interval: '3600' }],
  ['GET /api/users/config', listOf({ id: TEXT, username: TEXT, group: TEXT, ssh_enable: FLAG })],
  ['GET /api/backup/status', { backup_exists: '0', default_exists: '0', sha256: '-', md5: '-' }],
  ['GET /api/profiles/config', [{ id: 'default', active: '1' }]],
  ['GET /api/firewall/port_forwards/config', []],
  ['GET /api/snmp/global', { enabled: FLAG, port: '161' }],
  ['GET /api/access_control/global', { https_port: '443', ssh_enabled: FLAG }],
  ['GET /api/system/device/global', all(TEXT, 'device_name hostname')],
  ['GET /api/openvpn/status', []],
  ['GET /api/tailscale/config', [{ id: 'tailscale', auth_type: 'url' }]],
  ['GET /api/tailscale/status', [{ status: 'Stopped', url: '', ip: [], message: [] }]],
  ['GET /api/zerotier/config', []],
  ['GET /api/auto_reboot/scheduler/config', []],
  ['GET /api/auto_reboot/ping_wget/config', []],
  ['GET /api/auto_reboot/ping_wget/options', { available_ports: LIST }],
  ['GET /api/sms_utilities/rules/config', listOf({ action: TEXT, smstext: TEXT, authorization: TEXT })],
  ['GET /api/sms_utilities/rules/options', { actions: LIST, params: listOf(all(TEXT, 'id type description')) }],
  ['GET /api/recipients/phone_groups/config', []],
  ['GET /api/recipients/email_users/config', []],
  ['GET /api/ip_routes/ipv4/config', []],
  ['GET /api/ip_routes/ipv6/config', []],
  ['GET /api/dhcp/static_leases/ipv6/config', []],
];

describe('what clients read', () => {
  it.each(READS)('%s', async (title, form) => {
    expect({ data: await read(title.slice('GET '.length)) }).toMatchObject({ data: form });
  });

  it('lists of which a new device has none', async () => {
    const paths = BARE_LISTS.map((path) => ({ endpoint: `/api/${path.replace('{id}', '1')}/config`, method: 'GET' }));
    for (let from = 0; from < paths.length; from += 100) {
      const { body } = await callers.RUTX50.post('/api/bulk', paths.slice(from, from + 100));
      const failed = body.data.filter(
        ({ success, data }: { success: boolean; data: unknown }) => !success || !Array.isArray(data),
      );
      expect(failed).toEqual([]);
    }
  });

  it('the stations of a wireless network, in both of its lists', async () => {
    const networks = await read('/api/wireless/interfaces/status');
    const network = networks.find(({ num_assoc }: { num_assoc: number }) => num_assoc > 0);
    expect(network.clients).toEqual(
      listOf({
        ...all(TEXT, 'device band signal standard ipaddr hostname interface'),
        ...all(NUMBER, 'tx_rate rx_rate expires'),
        macaddr: MAC,
      }),
    );
    expect(Object.keys(network.assoclist)).toEqual(network.clients.map(({ macaddr }: { macaddr: string }) => macaddr));
    expect(Object.values(network.assoclist)).toEqual(
      listOf({
        ...all(NUMBER, 'signal noise tx_rate rx_rate inactive tx_mcs tx_nss tx_mhz rx_mhz rx_packets tx_packets'),
        authorized: BOOLEAN,
        device: TEXT,
      }),
    );
    const neighbours = await read('/api/ip_neighbors/ipv4/status');
    const macs = neighbours.map(({ mac }: { mac: string }) => mac);
    expect(macs).toEqual(expect.arrayContaining(Object.keys(network.assoclist)));
  });

  it('a wireless network on two radios has lists', async () => {
    const path = '/api/wireless/interfaces/config';
    const { body } = await callers.RUTX50.post(path, { ssid: 'both', device: ['radio0', 'radio1'] });
    const networks = await read('/api/wireless/interfaces/status');
    const both = networks.find(({ id }: { id: string }) => id === body.data.id);
    expect(both).toMatchObject({
      band: ['2.4GHz', '5GHz'],
      ifname: [TEXT, TEXT],
      device: [{ name: 'radio0' }, { name: 'radio1' }],
      devices: [{ name: 'radio0' }, { name: 'radio1' }],
    });
    const { body: third } = await callers.RUTX50.post(path, { ssid: 'third' });
    const leases: { ipaddr: string }[] = await read('/api/dhcp/leases/ipv4/status');
    expect(new Set(leases.map(({ ipaddr }) => ipaddr)).size).toBe(leases.length);
    await callers.RUTX50.delete(path, [body.data.id, third.data.id]);
  });

  it.each([
    '/api/modems/status/9-9',
    '/api/modems/9-9/global',
    '/api/interfaces/status/nowhere',
    '/api/modems/9-9/sim_cards/config',
  ])('GET %s is 113', async (path) => {
    const { status, body } = await callers.RUTX50.get(path);
    expect([status, body.errors[0].code, typeof body.errors[0].source]).toEqual([404, 113, 'string']);
  });

  it('all options, those that are not set too', async () => {
    const [first] = await read('/api/interfaces/config?all_options=1');
    expect(first).toMatchObject({ id: 'lan', apn: '', dns: [], ipaddr: '192.168.1.1' });
  });
});

/** Model, board, platform, firmware, kernel, target, bootloader; modem; LAN; ports. */
const IDENTITIES: [title: RecordedFamily, ...facts: unknown[]][] = [
  [
    'RUTX50',
    'RUTX50',
    'teltonika,rutx',
    'RUTX',
    'RUTX_R',
    '6.6.96',
    'ipq40xx/generic',
    '3.0',
    '2-1',
    '2c7c 0800',
    9000,
    5,
  ],
  [
    'RUT950',
    'Teltonika RUT9XX',
    'teltonika,rut9xx',
    'RUT9',
    'RUT9_R',
    '5.4.291',
    'ath79/generic',
    '4.0.8',
    '1-1',
    '2c7c 0125',
    1500,
    undefined,
  ],
  [
    'RUT241',
    'Teltonika RUT2M',
    'teltonika,rut2m',
    'RUT2M',
    'RUT2M_R',
    '5.15.196',
    'ramips/mt76x8',
    '4.2.0',
    '1-1',
    '05c6 f601',
    1500,
    2,
  ],
  [
    'TRB140',
    'Teltonika TRB14X',
    'teltonika,trb14x',
    'TRB1',
    'TRB1_R',
    '5.4.302',
    'mdm9x07/generic',
    'N/A',
    '3-1',
    '2c7c 0125',
    1500,
    1,
  ],
  [
    'TRB500',
    'Teltonika TRB5XX',
    'teltonika,trb5xx',
    'TRB500',
    'TRB500_R',
    '4.14.336',
    'sdxprairie/generic',
    'N/A',
    '3-1',
    '2c7c 0800',
    1500,
    1,
  ],
];

/** What Home Assistant's engine needs of a modem of the board. */
const BOARD_MODEM = {
  ...all(TEXT, 'id num revision product vendor gps stop_bits boudrate type desc control'),
  ...all(BOOLEAN, 'builtin multi_apn operator_scan dhcp_filter dynamic_mtu ipv6 volte csd primary'),
  simcount: WHOLE,
  modem_func_id: WHOLE,
  band_list: LIST,
};

/** All hardware of which a board says that it has it, beside what all boards have. */
const HARDWARE: Record<RecordedFamily, string> = {
  RUTX50:
    'wifi gps dual_sim usb at_sim dual_band_ssid gigabit_port multi_tag nat_offloading port_link reset_button xfrm-offload',
  RUT950: 'wifi dual_sim nat_offloading',
  RUT241:
    'wifi 128mb_ram dot1x-client dot1x-server esim-p nat_offloading port_link reset_button small_flash xfrm-offload',
  TRB140:
    '128mb_ram dot1x-server gateway gigabit_port micro_usb modbus no-wired-wan port_link reset_button single_port',
  TRB500: 'gateway gigabit_port micro_usb modbus port_link reset_button',
};

describe('what a device is', () => {
  it.each(IDENTITIES)('%s is described as recorded', async (name, ...facts) => {
    const data = await read('/api/system/device/status', name);
    const { board, mnfinfo, static: fixed } = data;
    const [modem] = board.modems;
    expect([
      fixed.model,
      fixed.board_name,
      board.model.platform,
      fixed.fw_version.replace(/_00\..*$/, ''),
      fixed.kernel,
      fixed.release.target,
      mnfinfo.blver,
      modem.id,
      `${modem.vendor} ${modem.product}`,
      board.network_options.max_mtu,
      data.ports?.length,
    ]).toEqual(facts);
    expect(modem).toMatchObject(BOARD_MODEM);
    expect(fixed.release).toEqual(all(TEXT, 'distribution revision version target description'));
    expect(board.model).toMatchObject({ id: fixed.board_name, name: fixed.model });
    expect(mnfinfo).toMatchObject(all(TEXT, 'serial name hwver batch'));
    expect(mnfinfo.mac).toMatch(/^[0-9A-F]{12}$/);
    expect(Number.parseInt(mnfinfo.macEth, 16)).toBe(Number.parseInt(mnfinfo.mac, 16) + 1);
    for (const port of data.ports ?? []) expect(port).toEqual({ mac: MAC, name: TEXT, num: WHOLE, position: WHOLE });
    const on = Object.keys(board.hwinfo).filter((key) => board.hwinfo[key]);
    expect(on.toSorted()).toEqual(['ethernet', 'mobile', 'ios', ...HARDWARE[name].split(' ')].toSorted());
    expect(board.hwinfo.bluetooth).toBe(false);
    const [status] = await read('/api/modems/status', name);
    expect([status.id, status.imei, status.temperature]).toEqual([modem.id, DIGITS, WHOLE]);
  });

  it('each device has cards, addresses and a mast of its own', async () => {
    const modems = await Promise.all(
      RECORDED_FAMILIES.map(async (name) => (await read('/api/modems/status', name))[0]),
    );
    for (const name of ['imsi', 'iccid', 'imei']) {
      expect(new Set(modems.map((modem) => modem[name])).size).toBe(RECORDED_FAMILIES.length);
    }
    const numbers = RECORDED_FAMILIES.map((name) => Number.parseInt(callers[name].device.mac.replaceAll(':', ''), 16));
    expect(numbers.slice(1).map((number, index) => number - numbers[index]!)).toEqual([16, 16, 16, 16]);
    // The band of a cell is one that the modem has.
    for (const [index, modem] of modems.entries()) {
      const { lte } = callers[RECORDED_FAMILIES[index]!].device.family.modem.bands;
      if (modem.ntype === 'LTE') expect(lte.map((band) => `LTE B${band}`)).toContain(modem.band);
      for (const { band } of modem.ca_signal.filter(({ primary }: { primary: boolean }) => primary)) {
        expect(lte.map((number) => `LTE B${number}`)).toContain(band);
      }
    }
  });

  it('profiles of a built-in card, of which one is in use', async () => {
    const profiles = await read('/api/esim/config?modem=1-1', 'RUT241');
    expect(profiles.map(({ profile_set }: { profile_set: string }) => profile_set)).toEqual(['1', '0']);
    await callers.RUT241.put(`/api/esim/config/${profiles[1].id}`, { profile_set: '1' });
    expect((await read('/api/esim/config', 'RUT241'))[0].profile_set).toBe('0');
    expect((await read('/api/modems/status', 'RUT241'))[0].esim_profile).toBe(profiles[1].name);
  });

  it('RUT950 has the fields of older modems', async () => {
    const [modem] = await read('/api/modems/status', 'RUT950');
    expect(modem).toMatchObject({ rscp: ABSENT, ecio: ABSENT });
    for (const name of ['rssi', 'operator', 'tac', 'data_conn_state', 'modem_state_id', 'sim_switch_enabled']) {
      expect(modem).not.toHaveProperty(name);
    }
    expect(modem.cell_info[0]).not.toHaveProperty('nr-arfcn');
  });

  it('an LTE modem has one cell and no aggregation', async () => {
    const [modem] = await read('/api/modems/status', 'TRB140');
    expect(modem).toMatchObject({ ntype: 'LTE', sc_band_av: 'Inactive', ca_signal: [], esim_bootstrap: false });
    expect(modem.cell_info).toHaveLength(1);
  });

  it('the row of an LTE cell does not say its signal, and a modem of 5G says that of the NR cell', async () => {
    const [modem] = await read('/api/modems/status', 'RUTX50');
    expect(modem.cell_info).toMatchObject([
      { 'nr-arfcn': ABSENT, rsrp: ABSENT, rsrq: ABSENT, sinr: WHOLE },
      { earfcn: ABSENT, ...all(WHOLE, 'nr-arfcn rsrp rsrq sinr') },
    ]);
  });

  it('an identifier of 24 digits, and a banner when it is switched on', async () => {
    const caller = callers.TRB500;
    const anonymous = async () => (await caller.get('/api/unauthorized/status', { token: null })).body.data;
    expect(await anonymous()).toEqual({
      ...all(TEXT, 'lang device_name device_model api_version'),
      device_identifier: expect.stringMatching(/^\d{24}$/),
    });
    await caller.put('/api/system/banner/config/security', {
      enabled: '1',
      title: 'Stop',
      message: 'Authorised use only',
    });
    expect((await anonymous()).security_banner).toEqual({ title: 'Stop', message: 'Authorised use only' });
  });
});
