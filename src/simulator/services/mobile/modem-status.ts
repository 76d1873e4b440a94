/* `modems/status`: the field set of each family's recording, with values that change together (the link, the signal). */
import type { SimulatedDevice } from '../../device/device.js';
import type { Family } from '../../device/families.js';
import { ok, type SimulatedAnswer, type SimulatedRequest } from '../../device/exchange.js';
import { MOBILE_STAGES, type MobileLink } from '../../device/live/mobile-link.js';
import { chanceAt, STREAMS } from '../../device/live/noise.js';
import { reachesNr, temperatureAt, type RadioSignal } from '../../device/live/radio.js';
import { serviceModes } from '../../device/modem-hardware.js';
import { onGet, type Route } from '../../http/route.js';
import { modemViewsOf, requireModem } from '../modem-views.js';
import { sectionsOf } from '../sections.js';
import { modemOfBoard } from '../system/board.js';
import { AREA, carriersOf, cellIdOf, cellsOf, hasOlderModem, lteBandOf, homeNetworkOf, signalOf } from './cells.js';

/** The place of the modem that a view is of. */
const placeOf = ({ modem, modems }: Family): number => modems.indexOf(modem);

/** What an absent value reads. */
const ABSENT = 'N/A';

/** How a modem is connected, in the three ways that the status says it. */
interface Network {
  readonly conntype: string;
  readonly ntype: string;
  readonly band: string;
}

/** The generation that the family and its signal reach; without a network there is none. */
export function networkOf(
  device: SimulatedDevice,
  link: Pick<MobileLink, 'isRegistered'>,
  signal: RadioSignal,
): Network {
  if (!link.isRegistered) return { conntype: ABSENT, ntype: ABSENT, band: ABSENT };
  const { seed } = device.moment;
  const voice = chanceAt(seed, STREAMS.voice, 0) < 0.5 ? '; VoLTE' : '';
  if (device.family.has.fiveG && reachesNr(signal)) {
    return { conntype: `5G (NSA)${voice}`, ntype: '5G-NSA', band: '5G N78' };
  }
  return { conntype: `4G (LTE)${voice}`, ntype: 'LTE', band: lteBandOf(device).band };
}

/** The numbers of the card in use: each SIM has its own, of the same operator. */
function cardOf({ serial }: SimulatedDevice, { sim }: MobileLink): object {
  const digits = serial.padStart(12, '0');
  return { iccid: `8937${digits}000${sim - 1}`.slice(0, 20), imsi: `24601${sim}${digits.slice(-9)}` };
}

const REGISTERED = { text: 'Registered, home', id: 1 };
const SEARCHING = { text: 'Searching', id: 2 };
const NOT_REGISTERED = { text: 'Not registered', id: 0 };

const registrationOf = ({ isRegistered, stage }: MobileLink): { text: string; id: number } =>
  isRegistered ? REGISTERED : stage === MOBILE_STAGES.searching ? SEARCHING : NOT_REGISTERED;

/** The number of "Disconnected" was not recorded (chosen). */
const connectionOf = ({ isUp }: MobileLink): { text: string; id: number } =>
  isUp ? { text: 'Connected', id: 1 } : { text: 'Disconnected', id: 0 };

/** The name of the profile in use. */
const esimProfileOf = (device: SimulatedDevice): string =>
  String(sectionsOf(device, 'esim').find((profile) => profile['profile_set'] === '1')?.['name'] ?? ABSENT);

/** What no recording lacks. */
function common(device: SimulatedDevice, link: MobileLink, signal: RadioSignal): object {
  const { modem, has } = device.family;
  const { rsrp, rsrq, sinr, rssi } = signal;
  const bytes = device.modem.bytesBetween(device.bootedAt, Math.floor(device.moment.at));
  const network = networkOf(device, link, signal);
  const [connection, registration] = [connectionOf(link), registrationOf(link)];
  return {
    id: modem.id,
    name: 'Internal modem',
    model: modem.model,
    version: modem.version,
    ...(modem.cfgVersion === null ? {} : { cfg_version: modem.cfgVersion }),
    imei: `86${device.serial.padStart(12, '0')}1`.slice(0, 15),
    ...cardOf(device, link),
    rsrp,
    rsrq,
    sinr,
    signal: rssi,
    temperature: temperatureAt(device.moment),
    txbytes: bytes.tx,
    rxbytes: bytes.rx,
    oper: link.isRegistered ? homeNetworkOf(device).op_name : ABSENT,
    provider: ABSENT,
    ...network,
    sc_band_av: network.ntype === '5G-NSA' ? 'Active' : 'Inactive',
    cellid: link.isRegistered ? cellIdOf(device) : ABSENT,
    lac: link.isRegistered ? AREA : ABSENT,
    ...FIXED,
    primary: placeOf(device.family) === 0,
    ...pinOf(device),
    state: connection.text,
    state_id: connection.id,
    netstate: registration.text,
    netstate_id: registration.id,
    active_sim: link.sim,
    mobile_stage: link.stage,
    sim_count: has.dualSim ? 2 : 1,
    ...(has.esim ? { esim_profile: esimProfileOf(device) } : {}),
    service_modes: serviceModes(modem),
  };
}

/** Which numbers the states have of a card that is blocked or waits for its PIN was not recorded (chosen). */
function pinOf({ modem: { card } }: SimulatedDevice): object {
  const { pinLeft, pukLeft, needsPin } = card;
  const [pinstate, pinstate_id] =
    pinLeft === 0 ? ['PUK', 2] : needsPin ? [`Required PIN, ${pinLeft} attempts left`, 0] : ['Inserted', 1];
  return { pinstate, pinstate_id, pinleft: pinLeft, pukleft: pukLeft };
}

/** Words and numbers that every recording has, and that do not change here. */
const FIXED = {
  simstate: 'Inserted',
  simstate_id: 0,
  busy_state: 'Idle',
  busy_state_id: 1,
  is_busy: 0,
  mode: 0,
  baudrate: 115_200,
  builtin: true,
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
function newer(device: SimulatedDevice, link: MobileLink, { rssi }: RadioSignal): object {
  const [connection, registration] = [connectionOf(link), registrationOf(link)];
  const { has, modem, model } = device.family;
  return {
    rssi,
    operator: link.isRegistered ? homeNetworkOf(device).op_name : ABSENT,
    tac: link.isRegistered ? AREA : ABSENT,
    serial: device.serial,
    manufacturer: modem.manufacturer,
    data_conn_state: connection.text,
    data_conn_state_id: connection.id,
    operator_state: registration.text,
    operator_state_id: registration.id,
    modem_state_id: 1,
    auto_2g_bands: false,
    auto_3g_bands: false,
    auto_5g_mode: has.fiveG,
    framed_routing: false,
    low_signal_reconnect: false,
    mobile_dfota: false,
    no_ussd: false,
    nr5g_sa_disabled: !has.fiveG,
    sim_switch_enabled: has.dualSim,
    ...(model === 'RUT241' || model === 'TRB140' ? { esim_bootstrap: false } : {}),
  };
}

/** What a device answers of a modem that does not respond. */
const offlineOf = ({ family }: SimulatedDevice): object => ({
  id: family.modem.id,
  name: 'Internal modem',
  offline: '1',
  blocked: '0',
  disabled: '0',
  builtin: true,
  primary: placeOf(family) === 0,
  sim_count: family.has.dualSim ? 2 : 1,
  mode: 0,
  multi_apn: true,
  operators_scan: true,
  dynamic_mtu: true,
  ipv6: false,
  volte: true,
});

function statusOf(device: SimulatedDevice): object {
  const { link } = device.modem;
  const isAway = link.stage === MOBILE_STAGES.starting;
  if (isAway || device.faults.strikeOperation('modem-offline')) return offlineOf(device);
  if (device.faults.strikeOperation('modem-board-record')) return modemOfBoard(device.family, placeOf(device.family));
  const signal = signalOf(device, link);
  const older = { rscp: ABSENT, ecio: ABSENT };
  return {
    ...common(device, link, signal),
    ...(hasOlderModem(device) ? older : newer(device, link, signal)),
    cell_info: link.isRegistered ? cellsOf(device, signal) : [],
    ca_signal: link.isRegistered ? carriersOf(device, signal) : [],
  };
}

function one(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  return ok(statusOf(requireModem(device, request)));
}

export const MODEM_STATUS_ROUTES: readonly Route[] = [
  onGet('/api/modems/status', 'Signal and identity of the modems', (device) => ok(modemViewsOf(device).map(statusOf)), {
    needs: 'modem',
  }),
  onGet('/api/modems/status/{id}', 'Signal and identity of one modem', one, { needs: 'modem', codes: [113] }),
];
