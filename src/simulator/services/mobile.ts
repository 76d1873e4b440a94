/* The modem: its status with the fields that each family was recorded with, data usage, text messages. */
import type { SimulatedDevice } from '../device/device.js';
import { ok, Refused, type SimulatedAnswer, type SimulatedRequest } from '../device/exchange.js';
import { serviceModes } from '../device/modem-hardware.js';
import type { Random } from '../device/random.js';
import { dataOf, onGet, onPost, type Route } from '../http/route.js';

/** Numbers that stay the same for ten seconds and differ between devices. */
const measure = (device: SimulatedDevice, of: string) =>
  device.random.fork(`${of}-${Math.floor(device.uptimeSeconds / 10)}`);

/** Signals within the recorded ranges, in dBm and dB. */
const signal = (chance: Random) => ({
  rsrp: -chance.integer(72, 107),
  rsrq: -chance.integer(7, 16),
  sinr: chance.integer(0, 21),
});

const OPERATOR = 'Testnet LT';

/** What no recording lacks. */
function status(device: SimulatedDevice, chance: Random): object {
  const { modem, has } = device.family;
  const digits = device.serial.padStart(12, '0');
  return {
    id: modem.id,
    name: 'Internal modem',
    model: modem.model,
    version: modem.version,
    ...(modem.cfgVersion === null ? {} : { cfg_version: modem.cfgVersion }),
    imei: `86${digits}1`.slice(0, 15),
    iccid: `8937${digits}0000`.slice(0, 20),
    imsi: `24601${digits}`.slice(0, 15),
    ...signal(chance),
    signal: -chance.integer(48, 84),
    temperature: chance.integer(32, 61),
    txbytes: device.uptimeSeconds * 311,
    rxbytes: device.uptimeSeconds * 1207,
    oper: OPERATOR,
    provider: 'N/A',
    conntype: has.fiveG ? '5G (NSA)' : '4G (LTE)',
    ntype: has.fiveG ? '5G-NSA' : 'LTE',
    band: has.fiveG ? '5G N78' : 'LTE B20',
    sc_band_av: has.fiveG ? 'Active' : 'Inactive',
    cellid: String(chance.integer(1_000_000, 9_999_999)),
    lac: '1001',
    ...STATES,
    sim_count: has.dualSim ? 2 : 1,
    service_modes: serviceModes(modem),
  };
}

/** A modem that is connected, in the words and numbers of the recordings. */
const STATES = {
  simstate: 'Inserted',
  simstate_id: 0,
  pinstate: 'Inserted',
  pinstate_id: 1,
  pinleft: 3,
  pukleft: 10,
  state: 'Connected',
  state_id: 1,
  netstate: 'Registered, home',
  netstate_id: 1,
  active_sim: 1,
  mobile_stage: 19,
  busy_state: 'Idle',
  busy_state_id: 1,
  is_busy: 0,
  mode: 0,
  baudrate: 115_200,
  builtin: true,
  primary: true,
  ipv6: false,
  multi_apn: true,
  dynamic_mtu: true,
  operators_scan: true,
  volte: true,
  volte_supported: true,
  data_off: false,
  csd: false,
  wwan_gnss_conflict: false,
};

/** What every family but RUT950 has. */
const newer = (device: SimulatedDevice, rssi: number) => ({
  rssi,
  signal: rssi,
  operator: OPERATOR,
  tac: '1001',
  serial: device.serial,
  manufacturer: device.family.modem.manufacturer,
  data_conn_state: 'Connected',
  data_conn_state_id: 1,
  operator_state: 'Registered, home',
  operator_state_id: 1,
  modem_state_id: 1,
  auto_2g_bands: false,
  auto_3g_bands: false,
  auto_5g_mode: device.family.has.fiveG,
  framed_routing: false,
  low_signal_reconnect: false,
  mobile_dfota: false,
  no_ussd: false,
  nr5g_sa_disabled: !device.family.has.fiveG,
  sim_switch_enabled: false,
});

/** The cells that the modem uses: with 5G beside LTE, one of each. */
function cells(device: SimulatedDevice, chance: Random): object[] {
  const cell = {
    mcc: '246',
    mnc: '01',
    cellid: String(chance.integer(1_000_000, 9_999_999)),
    lac: '1001',
    bandwidth: '20',
    arfcn: 'N/A',
    uarfcn: 'N/A',
    ue_state: 3,
    pcid: chance.integer(0, 503),
    earfcn: 6300,
    ...signal(chance),
  };
  if (isOld(device)) return [cell];
  const lte = { ...cell, tac: '1001', 'nr-arfcn': 'N/A' };
  if (!device.family.has.fiveG) return [lte];
  return [lte, { ...lte, ...signal(chance), bandwidth: '100', earfcn: 'N/A', 'nr-arfcn': 636_768 }];
}

/** Carriers of an aggregation; a modem without one has an empty list. */
function carriers(device: SimulatedDevice, chance: Random): object[] {
  if (!device.family.has.fiveG) return [];
  const pcid = chance.integer(0, 503);
  return [
    { band: 'LTE B20', bandwidth: '20', frequency: 6300, ...signal(chance), pcid, primary: true },
    { band: '5G N78', bandwidth: '100', frequency: 636_768, primary: false },
  ];
}

/** RUT950 was recorded with the field set of older modems. */
const isOld = (device: SimulatedDevice): boolean => device.family.model === 'RUT950';

function modems(device: SimulatedDevice): SimulatedAnswer {
  const chance = measure(device, 'modem');
  return ok([
    {
      ...status(device, chance),
      ...(isOld(device) ? { rscp: 'N/A', ecio: 'N/A' } : newer(device, -chance.integer(48, 84))),
      cell_info: cells(device, chance),
      ca_signal: carriers(device, chance),
    },
  ]);
}

function dataUsage(device: SimulatedDevice, { params }: SimulatedRequest): SimulatedAnswer {
  const days = { day: 1, week: 7, month: 30, total: 365 }[params['interval'] ?? ''];
  if (days === undefined) throw new Refused(113, { source: 'interval', section: params['interval'] ?? '' });
  const chance = device.random.fork('usage');
  const { id } = device.family.modem;
  return ok([{ modem: id, sim: '1', tx: days * chance.integer(1e6, 9e6), rx: days * chance.integer(1e7, 9e7) }]);
}

function sendMessage(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const { number, message, modem } = dataOf(request);
  if (typeof number !== 'string' || !/^\+?\d{3,20}$/.test(number))
    throw new Refused(103, { source: 'number', value: number });
  if (typeof message !== 'string' || message === '') throw new Refused(103, { source: 'message', value: message });
  if (modem !== undefined && modem !== device.family.modem.id)
    throw new Refused(103, { source: 'modem', value: modem });
  device.did(request.entry, 'send-message', number);
  return ok({ sms_used: Math.ceil(message.length / 160) });
}

export const MOBILE_ROUTES: readonly Route[] = [
  onGet('/api/modems/status', 'Signal and identity of the modems', modems, { needs: 'modem' }),
  onGet('/api/data_usage/{interval}/status', 'Mobile data by interval', dataUsage, { needs: 'modem', codes: [113] }),
  onPost('/api/messages/actions/send', 'Sends a text message', sendMessage, {
    needs: 'modem',
    codes: [103],
    effect: 'send-message',
  }),
];
