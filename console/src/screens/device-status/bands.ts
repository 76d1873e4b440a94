/* How good a value is: the same limits and colours on each screen. Pure. */

export interface Bands {
  readonly from: number;
  readonly to: number;
  /** From the least value on: where each band ends, and how good a value in it is. */
  readonly bands: readonly (readonly [end: number, tone: 'good' | 'fair' | 'warn' | 'bad'])[];
}

export const RSRP: Bands = {
  from: -125,
  to: -65,
  bands: [
    [-110, 'bad'],
    [-100, 'warn'],
    [-90, 'fair'],
    [-65, 'good'],
  ],
};

export const RSSI: Bands = {
  from: -105,
  to: -45,
  bands: [
    [-95, 'bad'],
    [-85, 'warn'],
    [-75, 'fair'],
    [-45, 'good'],
  ],
};

export const TEMPERATURE: Bands = {
  from: 0,
  to: 100,
  bands: [
    [65, 'good'],
    [80, 'warn'],
    [100, 'bad'],
  ],
};

/** Of a share in use of memory, flash and processors. */
const USED: Bands = {
  from: 0,
  to: 100,
  bands: [
    [80, 'good'],
    [95, 'warn'],
    [100, 'bad'],
  ],
};

const BY_KEY: Readonly<Record<string, Bands>> = {
  rsrp: RSRP,
  rssi: RSSI,
  temperature: TEMPERATURE,
  ram_percentage: USED,
  flash_percentage: USED,
};

/** Of a value that a device calls so. Null: nothing is wrong with it, or its limits are not known. */
export function toneOfValue(key: string, value: number): 'warn' | 'bad' | null {
  const known = Object.hasOwn(BY_KEY, key) ? BY_KEY[key]! : null;
  if (known === null || !Number.isFinite(value)) return null;
  const tone = (known.bands.find(([end]) => value < end) ?? known.bands.at(-1)!)[1];
  return tone === 'warn' || tone === 'bad' ? tone : null;
}
