import { PATHS } from '../../device-api/contract.js';
import { type Limits } from '../../device-api/exchange.js';
import { type CallRequest } from '../connections/call-request.js';

/* The deadlines of a call and the largest size of its answer. */

/** Reads answer fast or never; writes may restart a service before they answer. */
const READ = { firstByteMs: 10_000, totalMs: 15_000 };
const WRITE = { firstByteMs: 30_000, totalMs: 30_000 };

/** Paths that take longer (observed-devices.md 3): the device's own clients allow 60 to 120 s for these. */
const SLOW: ReadonlyMap<string, number> = new Map([
  [PATHS.firmwareUpdates, 45_000],
  [PATHS.uploadFirmware, 120_000],
  [PATHS.verifyFirmware, 60_000],
  [PATHS.generateBackup, 120_000],
  [PATHS.uploadBackup, 120_000],
  [PATHS.applyBackup, 120_000],
]);

/** The slowest link whose upload the gateway waits for: 23 MB of firmware then take 6 minutes. */
const BYTES_PER_SECOND = 64 * 1024;

/** A bulk answer is read into memory for the audit of its items. */
const MAX_BULK_ANSWER_BYTES = 16 * 1024 * 1024;

/**
 * @param deadlineMs the caller's own deadline for the complete call
 * @param maxBytes largest answer
 */
export function callLimits(call: CallRequest, maxBytes: number, deadlineMs?: number): Limits {
  const callMs = deadlineMs ?? SLOW.get(call.path.authPath);
  const time = call.writes ? WRITE : READ;
  return {
    firstByteMs: callMs ?? time.firstByteMs,
    totalMs: callMs ?? time.totalMs,
    maxBytes: call.isBulkRequest ? Math.min(maxBytes, MAX_BULK_ANSWER_BYTES) : maxBytes,
    bytesPerSecond: BYTES_PER_SECOND,
  };
}
