/* What a modem measures, within the ranges of the recordings, and what the box around it does: temperature and load. */
import { chanceAt, curveAt, STREAMS } from './noise.js';
import type { LiveMoment } from './scenarios.js';

/** dBm, dB and dB, as whole numbers. */
export interface RadioSignal {
  readonly rssi: number;
  readonly rsrp: number;
  readonly rsrq: number;
  readonly sinr: number;
}

const within = (value: number, least: number, most: number): number =>
  Math.round(Math.min(most, Math.max(least, value)));

/** Below this many dBm a modem of the fifth generation uses LTE alone (chosen). */
const NR_NEEDS_DBM = -100;

/**
 * The signal of a carrier. The parts move together: they are one distance to one mast.
 * @param weakerDb how much weaker than the best carrier
 */
export function signalAt({ seed, scenario, at }: LiveMoment, weakerDb = 0): RadioSignal {
  const place = (chanceAt(seed, STREAMS.signal, -1) - 0.5) * 14;
  const swing = curveAt(seed, STREAMS.signal, at, 420) * scenario.signalSwingDb;
  const level = scenario.signalDb + place + swing - weakerDb;
  return {
    rssi: within(-64 + level, -84, -48),
    rsrp: within(-90 + level, -107, -72),
    rsrq: within(-11 + level * 0.25 + curveAt(seed, STREAMS.quality, at, 180), -16, -7),
    sinr: within(10 + level * 0.7 + curveAt(seed, STREAMS.noise, at, 120) * 2, -2, 21),
  };
}

/** Whether the signal carries the fifth generation. */
export const reachesNr = (signal: RadioSignal): boolean => signal.rsrp > NR_NEEDS_DBM;

/** Whole degrees Celsius: warmer in the afternoon (UTC) and under load; 32 to 61, as recorded. */
export function temperatureAt(moment: LiveMoment): number {
  const { seed, scenario, at } = moment;
  const afternoon = Math.cos((((at / 3600) % 24) - 15) * (Math.PI / 12));
  const place = chanceAt(seed, STREAMS.temperature, -1) * 8;
  const swing = curveAt(seed, STREAMS.temperature, at, 1_200) * 2;
  return within(38 + place + scenario.warmth + 4 * afternoon + swing + loadAt(moment) * 6, 32, 61);
}

/** How busy the processors are, 0 to 1, averaged over about `minutes`. */
export function loadAt({ seed, scenario, at }: LiveMoment, minutes = 1): number {
  const swing = curveAt(seed, STREAMS.load, at, 60 * minutes) * (0.9 / Math.sqrt(minutes));
  return Math.min(0.99, Math.max(0.01, scenario.load * (1 + swing)));
}
