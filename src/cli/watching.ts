import { ConnectionError } from '../api-client/api-client.js';
import { isPassing } from '../api-client/api-error.js';
import { delay, pauseAfter } from '../api-client/pace.js';
import { type Context } from './context.js';
import { CommandFailure, EXIT, UsageError } from './exit-codes.js';

/** A connection that lasted this long resets the pauses. */
const GOOD_MS = 30_000;

/**
 * Follows long work to its end, also while the gateway restarts or connections break, until `--timeout`, or until Ctrl-C. Neither of them changes the work.
 * @param command how to come back, such as `fleetgate job watch 0192…`
 * @param follow reads until the end; it is to stop with the signal, and is called again after a break
 */
export async function watch(
  context: Context,
  command: string,
  follow: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { flags, interrupted } = context;
  const limit = flags.timeout === undefined ? null : AbortSignal.timeout(flags.timeout * 1_000);
  try {
    await followAgain(context, limit ? AbortSignal.any([limit, interrupted]) : interrupted, follow);
  } catch (error) {
    const isLate = limit?.aborted || (error instanceof ConnectionError && error.reason === 'timeout');
    if (!interrupted.aborted && !isLate) throw error;
    context.say('It goes on. Follow it again with:');
    context.say(`  ${command}`);
    context.endWith(interrupted.aborted ? EXIT.interrupted : EXIT.stillRunning);
  }
}

async function followAgain(
  context: Context,
  signal: AbortSignal,
  follow: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  for (let failures = 0; ; failures++) {
    const beganAt = performance.now();
    try {
      return await follow(signal);
    } catch (error) {
      if (signal.aborted || !isBreak(error)) throw error;
      if (performance.now() - beganAt > GOOD_MS) failures = 0;
      const pauseMs = pauseAfter(failures);
      context.say(`${error.message}; the next attempt is in ${Math.ceil(pauseMs / 1_000)} s`);
      await delay(pauseMs, signal);
    }
  }
}

/** Whether the gateway, or the way to it, broke off what was followed. A wrong address or certificate does not mend itself. */
export function isBreak(error: unknown): error is Error {
  if (error instanceof CommandFailure || error instanceof UsageError) return false;
  if (error instanceof ConnectionError && LASTING.test(error.systemCode ?? '')) return false;
  return isPassing(error);
}

const LASTING = /^(ENOTFOUND|CERT_|ERR_TLS_|ERR_INVALID_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/;
