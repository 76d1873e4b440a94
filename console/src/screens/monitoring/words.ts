import { type Schema } from '../../api/client.js';

type Metric = Schema<'ListedMonitoringPolicy'>['metrics'][number];

/** What a policy can read, as people call it. */
export const METRIC_WORDS: Readonly<Record<Metric, string>> = {
  modem: 'Signal',
  interface: 'Interfaces',
  usage: 'Uptime, memory and load',
  position: 'Position',
  data: 'Data use',
};

/** How often, such as `every day`, `every 4 h`. */
export const everyText = (seconds: number): string =>
  seconds === 86_400 ? 'every\u00a0day' : seconds === 3_600 ? 'every\u00a0hour' : `every ${timeText(seconds)}`;

/** How long or how often, such as `4 min`. */
export function timeText(seconds: number): string {
  if (seconds === 0) return 'at once';
  if (seconds % 86_400 === 0) return `${seconds / 86_400}\u00a0d`;
  if (seconds % 3_600 === 0) return `${seconds / 3_600}\u00a0h`;
  return seconds % 60 === 0 ? `${seconds / 60}\u00a0min` : `${seconds}\u00a0s`;
}
