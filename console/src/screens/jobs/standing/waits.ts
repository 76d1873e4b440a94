import { type components } from '../../../../../src/api-client/api-client.js';
import { lengthOf, stepSpans } from '../timeline/step-spans.js';

/* What a job waits for, and at which of its steps it ended, in words. Pure. */

type Job = components['schemas']['JobWithLog'];

const WAITS: Readonly<Record<string, string>> = {
  device_offline: 'the device to answer',
  retry: 'the next try',
  device_works: 'the device, which works on it',
  worker_lost: 'the gateway to go on: its process was lost',
  worker_stopped: 'the gateway to go on: its process was stopped',
  locked: 'a lock of the device to end',
};

/** `the device to answer`; null: it does not wait. */
export function waitText({ phase, waitReason }: Pick<Job, 'phase' | 'waitReason'>): string | null {
  if (waitReason !== null) return WAITS[waitReason] ?? waitReason.replaceAll('_', ' ');
  return phase === 'queued' ? 'its turn' : null;
}

type Ended = Pick<Job, 'createdAt' | 'startedAt' | 'endedAt' | 'log' | 'step' | 'outcome'>;

/** `At “Fetches the file”, after 1 h.`; empty where it ended before its first step. @param now in milliseconds */
export function lastStepText(job: Ended, now: number): string {
  const spans = stepSpans(job, now);
  const last = spans.at(-1);
  if (!last || last.step === 'wait_first') return '';
  const whole = { from: spans[0]!.from, to: last.to };
  const length = lengthOf(last, whole);
  return `At the step “${last.title}”, ${length === '0.0 s' ? 'at once' : `after ${length}`}.`;
}
