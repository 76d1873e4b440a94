import { type Schema } from '../../api/client.js';

type Metric = Schema<'ListedMonitoringPolicy'>['metrics'][number];

/** What a policy can read, as people call it. */
export const METRIC_WORDS: Readonly<Record<Metric, string>> = {
  modem: 'signal',
  interface: 'interfaces',
  usage: 'uptime, memory and load',
  position: 'position',
  data: 'data use',
};

/** How often, such as `4 min`. */
export function everyText(seconds: number): string {
  if (seconds % 3_600 === 0) return `${seconds / 3_600}\u00a0h`;
  return seconds % 60 === 0 ? `${seconds / 60}\u00a0min` : `${seconds}\u00a0s`;
}
