import { type Schema } from '../../api/client.js';
import { lengthOf } from './timeline/step-spans.js';
import { durationText } from '../../ui/time.js';

type Times = Pick<Schema<'Job'>, 'createdAt' | 'startedAt' | 'endedAt'>;

/** How long a job took since its start, as exactly as its steps are shown; a dash before its end. */
export function lengthText({ createdAt, startedAt, endedAt }: Times): string {
  if (!startedAt || !endedAt) return '–';
  const whole = { from: Date.parse(createdAt), to: Date.parse(endedAt) };
  const text = lengthOf({ from: Date.parse(startedAt), to: whole.to }, whole);
  return text === '0.0 s' ? '< 0.1 s' : text;
}

/** How long after the start of the job something happened, such as `+4 s`. */
export function sinceText(from: string, at: string): string {
  const ms = new Date(at).getTime() - new Date(from).getTime();
  return ms < 1_000 ? '+0 s' : `+${durationText(ms)}`;
}
