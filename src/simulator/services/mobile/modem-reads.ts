/* What else can be read of a modem: the history of its signal, access points, the last search for operators, countries. */
import type { SimulatedDevice } from '../../device/device.js';
import { ok, type SimulatedAnswer, type SimulatedRequest } from '../../device/exchange.js';
import { onGet, type Route } from '../../http/route.js';
import { sectionsOf } from '../sections.js';
import { signalOf } from './cells.js';
import { scanOf } from './modem-actions.js';
import { modemViewsOf, requireModem } from '../modem-views.js';
import { networkOf } from './modem-status.js';

/** One value a minute for the last hour (chosen). */
const HISTORY = 60;

/** Numbers of network types: none, LTE, and LTE with 5G beside it. */
const NETWORK_TYPES: Readonly<Record<string, number>> = { 'N/A': 0, LTE: 7, '5G-NSA': 13 };

/** One row a minute, since the device started. */
function historyOf(device: SimulatedDevice): object[] {
  const { moment, modem, bootedAt } = device;
  const last = Math.floor(moment.at / 60) * 60;
  const minutes = Array.from({ length: HISTORY }, (_, index) => last - (HISTORY - 1 - index) * 60);
  return minutes
    .filter((at) => at >= bootedAt)
    .map((at) => {
      const link = { isRegistered: modem.wasRegistered(at) };
      const signal = signalOf({ moment: { ...moment, at } }, link);
      const { band, ntype } = networkOf(device, link, signal);
      return { timestamp: String(at), band, network_type: NETWORK_TYPES[ntype], ...signal };
    });
}

const ACCESS_POINTS = [
  { id: 1, apn: 'internet.test', user: '', password: '', carrier: 'Testnet LT', auth: 'none', pdptype: '0' },
  { id: 2, apn: 'fleet.test', user: '', password: '', carrier: 'Testnet LT', auth: 'none', pdptype: '2' },
];

const COUNTRIES = [
  { mcc: '246', country: 'Lithuania' },
  { mcc: '247', country: 'Latvia' },
  { mcc: '248', country: 'Estonia' },
  { mcc: '262', country: 'Germany' },
];

function lastScan(device: SimulatedDevice): object {
  const at = device.modem.lastScan;
  return {
    modem: device.family.modem.id,
    last_scan: at === null ? 'N/A' : String(at),
    operators: at === null ? [] : scanOf(device),
  };
}

/** Both forms of a read: of all modems, and of one by its id. */
function ofModem(
  name: string,
  summary: string,
  ofAll: (device: SimulatedDevice) => unknown,
  own: (device: SimulatedDevice) => unknown,
): readonly Route[] {
  const one = (device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer => {
    return ok(own(requireModem(device, request)));
  };
  const path = `/api/modems/${name}/status`;
  return [
    onGet(path, summary, (device) => ok(modemViewsOf(device).map(ofAll)), { needs: 'modem' }),
    onGet(`${path}/{id}`, `${summary}, of one modem`, one, { needs: 'modem', codes: [113] }),
  ];
}

/** No recording shows the fields of these two (chosen). */
const cards = (device: SimulatedDevice): SimulatedAnswer =>
  ok(sectionsOf(device, 'sim_cards').map(({ id, modem, position, primary }) => ({ id, modem, position, primary })));
const firmwares = ({ family: { modems } }: SimulatedDevice): SimulatedAnswer =>
  ok({ modems: modems.map(({ id, version }) => ({ id, version })) });

export const MODEM_READ_ROUTES: readonly Route[] = [
  onGet('/api/sim_cards/status', 'SIM cards', cards, { needs: 'modem' }),
  onGet('/api/firmware/modem/status', 'Firmware of the modems', firmwares, { needs: 'modem' }),
  ...ofModem(
    'signal',
    'Signal of the last hour',
    (device) => ({ modem: device.family.modem.id, signal: historyOf(device) }),
    historyOf,
  ),
  ...ofModem(
    'apns',
    'Access points',
    (device) => ({ modem: device.family.modem.id, apns: ACCESS_POINTS }),
    () => ACCESS_POINTS,
  ),
  ...ofModem('scan', 'The last search for operators', lastScan, lastScan),
  onGet('/api/modems/countries/status', 'Countries by their mobile code', () => ok(COUNTRIES), { needs: 'modem' }),
];
