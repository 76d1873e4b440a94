import { type Schema } from '../../api/client.js';

type Severity = Schema<'AlertRule'>['severity'];

export const SEVERITIES: readonly (readonly [value: Severity, text: string])[] = [
  ['critical', 'Critical'],
  ['warning', 'Warning'],
  ['info', 'Information'],
];

export const SEVERITY_TONES = { critical: 'bad', warning: 'warn', info: 'plain' } as const;

/** How long, such as `15 min`. */
export function forText(seconds: number): string {
  if (seconds === 0) return 'at once';
  if (seconds % 86_400 === 0) return `${seconds / 86_400} d`;
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
