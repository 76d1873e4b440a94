import { type Schema } from '../../api/client.js';
import { durationText } from '../../ui/time.js';

type Times = Pick<Schema<'Job'>, 'startedAt' | 'endedAt'>;

/** How long a job took; a dash before its end. */
export function lengthText({ startedAt, endedAt }: Times): string {
  if (!startedAt || !endedAt) return '–';
  const ms = new Date(endedAt).getTime() - new Date(startedAt).getTime();
  return ms < 1_000 ? '< 1 s' : durationText(ms);
}

/** How long after the start of the job something happened, such as `+4 s`. */
export function sinceText(from: string, at: string): string {
  const ms = new Date(at).getTime() - new Date(from).getTime();
  return ms < 1_000 ? '+0 s' : `+${durationText(ms)}`;
}
