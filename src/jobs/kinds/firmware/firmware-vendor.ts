import { z } from 'zod';
import {
  ACTION_CODES,
  firmwareProgress,
  firmwareUpdates,
  NEWEST_FIRMWARE,
  PATHS,
} from '../../../device-api/contract.js';
import { type AppError } from '../../../platform/errors.js';
import { failureOf } from '../../rows/step-error.js';
import { alreadyThere, isRefusedWith, MAX_TRIES, type Cursor, type Outcome } from './firmware-cursor.js';
import { isSameVersion } from './firmware-image.js';
import { type At } from '../../kind-api/kind.js';
import { endWith, go, poll } from '../../kind-api/outcomes.js';
import { type StepContext } from '../../kind-api/step-context.js';

/* Firmware from the vendor: the device is offered it, downloads it, and reports progress. */

const DOWNLOAD_LOOK_MS = 5_000;

/** A download without progress for this long has failed. */
const FROZEN_MS = 10 * 60_000;

/** Code 15 depends on the device's internet connection: a retry each minute, for two hours. */
const NO_INTERNET_MS = 60_000;
const NO_INTERNET_LONGEST_MS = 2 * 60 * 60_000;

/** Asks for the vendor's offer. Code 15 is temporary: the internet connection may come back. */
export async function offer(now: At<Cursor, 'offer'>, { call, now: at }: StepContext): Promise<Outcome> {
  const updates = await call({ method: 'GET', path: PATHS.firmwareUpdates }, firmwareUpdates).catch(
    nullWithoutInternet,
  );
  if (!updates) return waitForInternet(now, at);
  const { version } = updates.device;
  if (version === NEWEST_FIRMWARE) {
    const { version: asked } = now.spec;
    if (asked === undefined || (now.from !== null && isSameVersion(asked, now.from))) return alreadyThere(now.from);
    return notOffered(asked, null);
  }
  if (now.spec.version !== undefined && !isSameVersion(now.spec.version, version)) {
    return notOffered(now.spec.version, version);
  }
  const { offlineSince: _, ...rest } = now;
  return go({ ...rest, at: 'fetch', offered: version }, 'The vendor has an image for the device', { offered: version });
}

function notOffered(version: string, offered: string | null): Outcome {
  const message = 'The vendor does not offer the requested version';
  return endWith('not_executed', 'version_not_offered', message, { version, offered });
}

/** Starts the download; a device that is already downloading answers the same. */
export async function fetch(now: At<Cursor, 'fetch'>, { call, now: at }: StepContext): Promise<Outcome> {
  try {
    await call({ method: 'POST', path: PATHS.fetchFirmware }, z.unknown());
  } catch (error) {
    if (isRefusedWith(error, ACTION_CODES.nothingToFetch.code)) {
      const message = 'The device says that there is nothing to fetch';
      return endWith('not_executed', 'nothing_to_fetch', message, failureOf(error as AppError).facts);
    }
    nullWithoutInternet(error);
    return waitForInternet(now, at);
  }
  const { offlineSince: _, ...rest } = now;
  const cursor: Cursor = { ...rest, at: 'download', percent: 0, movedAt: at.toISOString() };
  return poll(cursor, DOWNLOAD_LOOK_MS, 'The device fetches the image');
}

/** Reads the progress of the download; a failed one starts again, a stalled one ends the job. */
export async function download(now: At<Cursor, 'download'>, { call, now: at }: StepContext): Promise<Outcome> {
  const { percents, process } = await call({ method: 'GET', path: PATHS.firmwareProgress }, firmwareProgress);
  const { percent, movedAt, ...rest } = now;
  if (process === 'succeeded') {
    return go({ ...rest, at: 'verify' }, 'The device has fetched the image');
  }
  const isFrozen = percents === percent && at.getTime() - Date.parse(movedAt) >= FROZEN_MS;
  if (process === 'failed' || isFrozen) {
    const tries = now.tries + 1;
    const text = process === 'failed' ? 'The download failed' : 'The download has stopped';
    const facts = { percent: percents, tries };
    if (tries < MAX_TRIES && process === 'failed') {
      return go({ ...rest, at: 'fetch', tries }, `${text}; the gateway will retry`, facts);
    }
    return endWith('not_executed', process === 'failed' ? 'download_failed' : 'download_frozen', text, facts);
  }
  const hasMoved = percents !== percent;
  return poll(hasMoved ? { ...now, percent: percents, movedAt: at.toISOString() } : now, DOWNLOAD_LOOK_MS);
}

function nullWithoutInternet(error: unknown): null {
  if (isRefusedWith(error, ACTION_CODES.noInternet.code)) return null;
  throw error;
}

function waitForInternet(now: At<Cursor, 'offer'> | At<Cursor, 'fetch'>, at: Date): Outcome {
  const { offlineSince: since } = now;
  if (since !== undefined && at.getTime() - Date.parse(since) >= NO_INTERNET_LONGEST_MS) {
    const message = 'The device has no internet, so it cannot ask the vendor';
    return endWith('not_executed', 'no_internet', message, { since });
  }
  const wait = { next: 'wait', afterMs: NO_INTERNET_MS, reason: 'retry' } as const;
  if (since !== undefined) return { ...wait, cursor: now };
  const text = 'The device has no internet access now; the gateway will retry';
  return { ...wait, cursor: { ...now, offlineSince: at.toISOString() }, logLine: { text } };
}
