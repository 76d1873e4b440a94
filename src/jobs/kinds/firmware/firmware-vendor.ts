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
import { alreadyThere, isRefusedWith, MAX_TRIES, type Cursor, type Result } from './firmware-cursor.js';
import { isSameVersion } from '../../../device-api/firmware-version.js';
import { type CursorAt } from '../../kind-api/kind.js';
import { endWith, go, poll } from '../../kind-api/outcomes.js';
import { type StepContext } from '../../kind-api/step-context.js';

/* Firmware from the vendor: the device is offered it, downloads it, and reports progress. */

const DOWNLOAD_POLL_MS = 5_000;

/** A download without progress for this long has stalled; the stable code of that end is `download_frozen`. */
const STALLED_MS = 10 * 60_000;

/** Code 15 depends on the device's internet connection: a retry each minute, for two hours. */
const NO_INTERNET_MS = 60_000;
const NO_INTERNET_LONGEST_MS = 2 * 60 * 60_000;

/** Asks for the vendor's offer. Code 15 is temporary: the internet connection may come back. */
export async function offer(cursor: CursorAt<Cursor, 'offer'>, { call, now }: StepContext): Promise<Result> {
  const updates = await call({ method: 'GET', path: PATHS.firmwareUpdates }, firmwareUpdates).catch(
    nullWithoutInternet,
  );
  if (!updates) return waitForInternet(cursor, now);
  const { version } = updates.device;
  if (version === NEWEST_FIRMWARE) {
    const { version: asked } = cursor.spec;
    if (asked === undefined || (cursor.from !== null && isSameVersion(asked, cursor.from)))
      return alreadyThere(cursor.from);
    return notOffered(asked, null);
  }
  if (cursor.spec.version !== undefined && !isSameVersion(cursor.spec.version, version)) {
    return notOffered(cursor.spec.version, version);
  }
  const { offlineSince: _, ...rest } = cursor;
  return go({ ...rest, at: 'fetch', offered: version }, 'The vendor has an image for the device', { offered: version });
}

function notOffered(version: string, offered: string | null): Result {
  const message = 'The vendor does not offer the requested version';
  return endWith('not_executed', 'version_not_offered', message, { version, offered });
}

/** Starts the download; a device that is already downloading answers the same. */
export async function startDownload(cursor: CursorAt<Cursor, 'fetch'>, { call, now }: StepContext): Promise<Result> {
  try {
    await call({ method: 'POST', path: PATHS.fetchFirmware }, z.unknown());
  } catch (error) {
    if (isRefusedWith(error, ACTION_CODES.nothingToFetch.code)) {
      const message = 'The device says that there is nothing to fetch';
      return endWith('not_executed', 'nothing_to_fetch', message, failureOf(error as AppError).facts);
    }
    nullWithoutInternet(error);
    return waitForInternet(cursor, now);
  }
  const { offlineSince: _, ...rest } = cursor;
  const next: Cursor = { ...rest, at: 'download', percent: 0, movedAt: now.toISOString() };
  return poll(next, DOWNLOAD_POLL_MS, 'The device fetches the image');
}

/** Reads the progress of the download; a failed one starts again, a stalled one ends the job. */
export async function download(cursor: CursorAt<Cursor, 'download'>, { call, now }: StepContext): Promise<Result> {
  const { percents, process } = await call({ method: 'GET', path: PATHS.firmwareProgress }, firmwareProgress);
  const { percent, movedAt, ...rest } = cursor;
  if (process === 'succeeded') {
    return go({ ...rest, at: 'verify' }, 'The device has fetched the image');
  }
  const isStalled = percents === percent && now.getTime() - Date.parse(movedAt) >= STALLED_MS;
  if (process === 'failed' || isStalled) {
    const tries = cursor.tries + 1;
    const text = process === 'failed' ? 'The download failed' : 'The download has stopped';
    const facts = { percent: percents, tries };
    if (tries < MAX_TRIES && process === 'failed') {
      return go({ ...rest, at: 'fetch', tries }, `${text}; the gateway will retry`, facts);
    }
    return endWith('not_executed', process === 'failed' ? 'download_failed' : 'download_frozen', text, facts);
  }
  const hasMoved = percents !== percent;
  return poll(hasMoved ? { ...cursor, percent: percents, movedAt: now.toISOString() } : cursor, DOWNLOAD_POLL_MS);
}

function nullWithoutInternet(error: unknown): null {
  if (isRefusedWith(error, ACTION_CODES.noInternet.code)) return null;
  throw error;
}

function waitForInternet(cursor: CursorAt<Cursor, 'offer'> | CursorAt<Cursor, 'fetch'>, now: Date): Result {
  const { offlineSince: since } = cursor;
  if (since !== undefined && now.getTime() - Date.parse(since) >= NO_INTERNET_LONGEST_MS) {
    const message = 'The device has no internet, so it cannot ask the vendor';
    return endWith('not_executed', 'no_internet', message, { since });
  }
  const wait = { next: 'wait', afterMs: NO_INTERNET_MS, reason: 'retry' } as const;
  if (since !== undefined) return { ...wait, cursor: cursor };
  const text = 'The device has no internet access now; the gateway will retry';
  return { ...wait, cursor: { ...cursor, offlineSince: now.toISOString() }, logLine: { text } };
}
