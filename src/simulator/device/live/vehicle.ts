/* Where a device is. A vehicle drives a closed route around its depot from 6 to 18 o'clock (UTC) and is parked otherwise. */
import { chanceAt, curveAt, STREAMS, wholeAt } from './noise.js';
import type { LiveMoment } from './scenarios.js';

export interface Position {
  readonly latitude: number;
  readonly longitude: number;
  readonly altitude: number;
  /** km/h. */
  readonly speed: number;
  /** Degrees clockwise from north. */
  readonly angle: number;
  readonly satellites: number;
  /** Horizontal dilution of precision. */
  readonly accuracy: number;
}

const DAY_S = 86_400;
const [FIRST_HOUR, LAST_HOUR] = [6, 18];
const HOURS_A_DAY = LAST_HOUR - FIRST_HOUR;

/** Metres of one degree of latitude. */
const DEGREE_M = 111_195;

/** Metres: half the extent of a route to the north and to the east. */
const REACH_M = 4_000;

/** Seconds of driving for one round to the north, and to the east: about 40 km/h at that reach. */
const ROUND_NORTH_S = 3_600;
const ROUND_EAST_S = 2_400;

/** Whether the device is in a vehicle. */
function isMobile({ seed, scenario }: LiveMoment): boolean {
  return chanceAt(seed, STREAMS.vehicle, 0) < scenario.moving;
}

/** Where the device is, and how it moves; null while it sees too few satellites. */
export function positionAt(moment: LiveMoment): Position | null {
  const { seed, scenario, at } = moment;
  if (chanceAt(seed, STREAMS.satellites, Math.floor(at / 60)) < scenario.withoutFix) return null;
  const drive = driveAt(moment);
  const north = wave(seed, 3, drive.seconds, ROUND_NORTH_S);
  const east = wave(seed, 4, drive.seconds, ROUND_EAST_S);
  const depot = [54 + chanceAt(seed, STREAMS.vehicle, 1) * 1.5, 23.5 + chanceAt(seed, STREAMS.vehicle, 2) * 2] as const;
  const latitude = depot[0] + (REACH_M * north.place) / DEGREE_M;
  const metresEast = DEGREE_M * Math.cos((depot[0] * Math.PI) / 180);
  const metres = Math.hypot(north.pace, east.pace) * REACH_M;
  const satellites = wholeAt(seed, STREAMS.satelliteCount, Math.floor(at / 60), 6, 14);
  return {
    latitude,
    longitude: depot[1] + (REACH_M * east.place) / metresEast,
    altitude: 112 + 40 * curveAt(seed, STREAMS.vehicle, drive.seconds, 1_800),
    speed: drive.isDriving ? metres * 3.6 : 0,
    angle: drive.isDriving ? ((Math.atan2(east.pace, north.pace) * 180) / Math.PI + 360) % 360 : 0,
    satellites,
    accuracy: 8 / satellites,
  };
}

/** Seconds that the device was driven since 1970, and whether it drives; one outside vehicles never does. */
export function driveAt(moment: LiveMoment): { seconds: number; isDriving: boolean } {
  if (!isMobile(moment)) return { seconds: 0, isDriving: false };
  const { at } = moment;
  const day = Math.floor(at / DAY_S);
  const hours = (at - day * DAY_S) / 3600;
  const today = Math.min(Math.max(hours - FIRST_HOUR, 0), HOURS_A_DAY);
  return { seconds: (day * HOURS_A_DAY + today) * 3600, isDriving: hours >= FIRST_HOUR && hours < LAST_HOUR };
}

/** One coordinate of the route: -1 to 1, and how much of that changes in a second. */
function wave(seed: number, step: number, seconds: number, roundS: number): { place: number; pace: number } {
  const turn = 2 * Math.PI * (seconds / roundS + chanceAt(seed, STREAMS.vehicle, step));
  return { place: Math.sin(turn), pace: (Math.cos(turn) * 2 * Math.PI) / roundS };
}
