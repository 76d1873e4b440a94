import { type components } from './openapi.js';
import { delay } from './pace.js';

/** A job with its log of steps. */
export type WatchedJob = components['schemas']['JobWithSteps'];

export interface WaitOptions {
  /** Ends the waiting, not the job; `AbortSignal.timeout(ms)` is a time limit. */
  readonly signal?: AbortSignal;
  /** Is called with the job when its phase, step, progress or reason to wait is another one than before. */
  readonly onChange?: (job: WatchedJob) => void;
}

/** Between two looks. Backups end in seconds; a firmware upgrade takes minutes and needs no quicker answer. */
const FIRST_PAUSE_MS = 250;
const LAST_PAUSE_MS = 3_000;

/**
 * Waits until a job has ended.
 * @param read reads the job
 * @returns the job; `outcome` says how it ended
 * @throws the reason of the signal when it aborts; the job goes on
 */
export async function waitForJob(
  read: () => Promise<WatchedJob>,
  { signal, onChange }: WaitOptions,
): Promise<WatchedJob> {
  let before = '';
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LAST_PAUSE_MS)) {
    const job = await read();
    const now = JSON.stringify([job.phase, job.step, job.progress, job.waitReason]);
    if (now !== before) onChange?.(job);
    before = now;
    if (job.phase === 'ended') return job;
    await delay(pauseMs, signal);
  }
}
