/* The cells and carriers that a modem uses, as `cell_info` and `ca_signal` list them: with 5G beside LTE, one of each. */
import type { SimulatedDevice } from '../../device/device.js';
import { chanceAt, STREAMS } from '../../device/live/noise.js';
import { reachesNr, signalAt, type RadioSignal } from '../../device/live/radio.js';

/** How much weaker the second carrier is, in dB (chosen). */
const SECOND_CARRIER_DB = 6;

const physicalCell = ({ moment }: SimulatedDevice, step: number): number =>
  Math.floor(chanceAt(moment.seed, STREAMS.cell, -100 - step) * 504);

const radioOf = ({ rsrp, rsrq, sinr }: RadioSignal): object => ({ rsrp, rsrq, sinr });

/** RUT950 was recorded with the field set of older modems. */
export const hasOlderModem = ({ family }: SimulatedDevice): boolean => family.model === 'RUT950';

/** Of the mast that serves the device: another one every half hour for a vehicle. */
export function cellIdOf({ moment }: SimulatedDevice): string {
  const step = moment.scenario.moving > 0 ? Math.floor(moment.at / 1_800) : 0;
  return String(1_000_000 + Math.floor(chanceAt(moment.seed, STREAMS.cell, step) * 8_999_999));
}

/** @param signal of the best carrier */
export function cellsOf(device: SimulatedDevice, signal: RadioSignal): object[] {
  const cell = {
    mcc: '246',
    mnc: '01',
    cellid: cellIdOf(device),
    lac: '1001',
    bandwidth: '20',
    arfcn: 'N/A',
    uarfcn: 'N/A',
    ue_state: 3,
    pcid: physicalCell(device, 0),
    earfcn: 6300,
    ...radioOf(signal),
  };
  if (hasOlderModem(device)) return [cell];
  const lte = { ...cell, tac: '1001', 'nr-arfcn': 'N/A' };
  if (!device.family.has.fiveG || !reachesNr(signal)) return [lte];
  const weaker = radioOf(signalAt(device.moment, SECOND_CARRIER_DB));
  return [
    lte,
    { ...lte, ...weaker, pcid: physicalCell(device, 1), bandwidth: '100', earfcn: 'N/A', 'nr-arfcn': 636_768 },
  ];
}

/** Carriers of an aggregation; a modem without one has an empty list. */
export function carriersOf(device: SimulatedDevice, signal: RadioSignal): object[] {
  if (!device.family.has.fiveG || !reachesNr(signal)) return [];
  const pcid = physicalCell(device, 0);
  return [
    { band: 'LTE B20', bandwidth: '20', frequency: 6300, ...radioOf(signal), pcid, primary: true },
    { band: '5G N78', bandwidth: '100', frequency: 636_768, primary: false },
  ];
}
