/* What a modem hears: its signal, its band, and the cells and carriers of `cell_info` and `ca_signal`. */
import type { SimulatedDevice } from '../../device/device.js';
import type { MobileLink } from '../../device/live/mobile-link.js';
import { chanceAt, STREAMS } from '../../device/live/noise.js';
import { reachesNr, signalAt, type RadioSignal } from '../../device/live/radio.js';
import { driveAt } from '../../device/live/vehicle.js';

/** The networks of this country. Two thirds of the devices have a card of the first, the others of the second. */
export const NETWORKS = [
  { op_name: 'Testnet LT', short_name: 'Testnet', num_name: '24601' },
  { op_name: 'Example Mobile', short_name: 'Example', num_name: '24602' },
  { op_name: 'Other Mobile', short_name: 'Other', num_name: '24603' },
] as const;

const FIRST_NETWORK_PART = 2 / 3;

/** The network that issued a device's card. */
export const homeNetworkOf = ({ moment }: Pick<SimulatedDevice, 'moment'>): (typeof NETWORKS)[number] =>
  NETWORKS[chanceAt(moment.seed, STREAMS.operator, 0) < FIRST_NETWORK_PART ? 0 : 1];

/** The area of all cells, as the network numbers it. */
export const AREA = '1001';

/** How much weaker than usual a modem without a network hears, in dB: the weak end of the recorded ranges. */
const LOST_DB = 60;

/** What a modem hears; a field stays a number when there is no network, since clients drop a modem with a text there. */
export const signalOf = (
  { moment }: Pick<SimulatedDevice, 'moment'>,
  { isRegistered }: Pick<MobileLink, 'isRegistered'>,
): RadioSignal => signalAt(moment, isRegistered ? 0 : LOST_DB);

/** Channel numbers in the middle of the LTE bands that serve a device alone (band 32 only adds to another). */
const CHANNELS: Readonly<Record<number, number>> = {
  1: 300,
  2: 900,
  3: 1575,
  4: 2175,
  5: 2525,
  7: 3100,
  8: 3625,
  20: 6300,
  28: 9435,
  38: 38_000,
  40: 39_150,
  41: 40_620,
  42: 42_590,
  43: 44_590,
};

/** The LTE band of the mast that a device uses: always the same one. */
export function lteBandOf({ moment, family }: SimulatedDevice): { band: string; channel: number } {
  const usable = family.modem.bands.lte.filter((band) => CHANNELS[band] !== undefined);
  const band = usable[Math.floor(chanceAt(moment.seed, STREAMS.band, 0) * usable.length)]!;
  return { band: `LTE B${band}`, channel: CHANNELS[band]! };
}

/** How much weaker the second carrier is, in dB (chosen). */
const SECOND_CARRIER_DB = 6;

const radioOf = ({ rsrp, rsrq, sinr }: RadioSignal): object => ({ rsrp, rsrq, sinr });

/** RUT950 was recorded with the field set of older modems. */
export const hasOlderModem = ({ family }: SimulatedDevice): boolean => family.model === 'RUT950';

/** Which mast serves the device: another one after each half hour that a vehicle drives. */
const mastOf = ({ moment, family }: SimulatedDevice): number =>
  family.has.gps ? Math.floor(driveAt(moment).seconds / 1_800) : 0;

export function cellIdOf(device: SimulatedDevice): string {
  const { moment } = device;
  const step = mastOf(device);
  return String(1_000_000 + Math.floor(chanceAt(moment.seed, STREAMS.cell, step) * 8_999_999));
}

const physicalCell = (device: SimulatedDevice, carrier: number): number =>
  Math.floor(chanceAt(device.moment.seed, STREAMS.physicalCell, 2 * mastOf(device) + carrier) * 504);

/** What a row of an LTE cell says of its signal: no recording has a number there (the modem itself has them). */
const UNKNOWN_RADIO = { rsrp: 'N/A', rsrq: 'N/A', sinr: 'N/A' };

/** @param signal of the best carrier */
export function cellsOf(device: SimulatedDevice, signal: RadioSignal): object[] {
  const cell = {
    mcc: '246',
    mnc: '01',
    cellid: cellIdOf(device),
    lac: AREA,
    bandwidth: '20',
    arfcn: 'N/A',
    uarfcn: 'N/A',
    ue_state: 3,
    pcid: physicalCell(device, 0),
    earfcn: lteBandOf(device).channel,
    ...UNKNOWN_RADIO,
  };
  if (hasOlderModem(device)) return [cell];
  const lte = { ...cell, tac: AREA, 'nr-arfcn': 'N/A' };
  if (!device.family.has.fiveG || !reachesNr(signal)) return [lte];
  const weaker = radioOf(signalAt(device.moment, SECOND_CARRIER_DB));
  return [
    // Beside an NR cell it has the one number that was recorded.
    { ...lte, sinr: signal.sinr },
    { ...lte, ...weaker, pcid: physicalCell(device, 1), bandwidth: '100', earfcn: 'N/A', 'nr-arfcn': 636_768 },
  ];
}

/** Carriers of an aggregation; a modem without one has an empty list. */
export function carriersOf(device: SimulatedDevice, signal: RadioSignal): object[] {
  if (!device.family.has.fiveG || !reachesNr(signal)) return [];
  const pcid = physicalCell(device, 0);
  const { band, channel } = lteBandOf(device);
  return [
    { band, bandwidth: '20', frequency: channel, ...radioOf(signal), pcid, primary: true },
    { band: '5G N78', bandwidth: '100', frequency: 636_768, primary: false },
  ];
}
