import { bytesText, signedText } from '../../api/amount-text.js';
import { durationText } from '../../ui/time.js';
import { type Metric } from '../device/device-queries.js';

/* The values that a chart can show: their names, units, and where they are a warning. */

type Range = readonly [least: number, greatest: number];

export interface ShownMetric {
  readonly metric: Metric;
  readonly name: string;
  readonly textOf: (value: number) => string;
  /** Where a line of small changes would otherwise look like a fall. */
  readonly range?: Range;
  /** Where a value is a warning, and where it is bad. */
  readonly limits?: readonly [warn: number, bad: number];
}

export const METRICS: readonly ShownMetric[] = [
  { metric: 'rsrp', name: 'Signal (RSRP)', textOf: unit('dBm'), range: [-130, -60], limits: [-100, -110] },
  { metric: 'rsrq', name: 'Signal quality (RSRQ)', textOf: unit('dB'), range: [-20, -3], limits: [-15, -18] },
  { metric: 'sinr', name: 'Signal to noise (SINR)', textOf: unit('dB'), range: [-10, 30], limits: [3, -3] },
  { metric: 'rssi', name: 'Signal strength (RSSI)', textOf: unit('dBm'), range: [-110, -50], limits: [-85, -95] },
  { metric: 'temperature', name: 'Temperature', textOf: unit('°C'), range: [0, 80], limits: [65, 80] },
  { metric: 'dataDay', name: 'Data of the day', textOf: bytesText },
  { metric: 'dataMonth', name: 'Data of the month', textOf: bytesText },
  { metric: 'uptimeSeconds', name: 'Uptime', textOf: (seconds) => durationText(seconds * 1_000) },
  { metric: 'memoryFree', name: 'Free memory', textOf: unit('%'), range: [0, 100], limits: [20, 5] },
  { metric: 'flashFree', name: 'Free flash', textOf: unit('%'), range: [0, 100], limits: [20, 5] },
  { metric: 'load1', name: 'Load of 1 minute', textOf: (value) => value.toFixed(2) },
  { metric: 'load5', name: 'Load of 5 minutes', textOf: (value) => value.toFixed(2) },
];

function unit(text: string): (value: number) => string {
  return (value) => `${signedText(value)} ${text}`;
}
