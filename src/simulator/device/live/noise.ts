/*
 * Chance as a function: the same seed, stream and step always give the same number. Live values are computed from it when
 * they are read, so that a device needs no timer and no memory, and a test with a moved clock gets the same values.
 */

/** What draws numbers: each has a stream of its own, so that they do not move together. */
export const STREAMS = {
  signal: 1,
  quality: 2,
  noise: 3,
  temperature: 4,
  traffic: 5,
  mobileOutage: 6,
  wiredOutage: 7,
  vehicle: 8,
  satellites: 9,
  load: 10,
  boot: 11,
  wiring: 12,
  cell: 13,
  memory: 14,
  messages: 15,
  neighbours: 16,
  band: 17,
  voice: 18,
  physicalCell: 19,
  satelliteCount: 20,
  operator: 21,
} as const;
export type Stream = (typeof STREAMS)[keyof typeof STREAMS];

/** @returns a number from 0 (included) to 1 for a whole `step` (murmur3's mixing) */
export function chanceAt(seed: number, stream: Stream, step: number): number {
  let mixed = Math.imul(seed ^ Math.imul(stream, 0x9e3779b1), 0x85ebca6b) ^ Math.imul(step | 0, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 0x1_0000_0000;
}

/** @returns a whole number from `min` to `max`, both included */
export function wholeAt(seed: number, stream: Stream, step: number, min: number, max: number): number {
  return min + Math.floor(chanceAt(seed, stream, step) * (max - min + 1));
}

/** A curve without jumps from -1 to 1, which takes a new value every `periodS` seconds. */
export function curveAt(seed: number, stream: Stream, seconds: number, periodS: number): number {
  const step = Math.floor(seconds / periodS);
  const part = seconds / periodS - step;
  const [from, to] = [chanceAt(seed, stream, step), chanceAt(seed, stream, step + 1)];
  return 2 * (from + (to - from) * part * part * (3 - 2 * part)) - 1;
}
