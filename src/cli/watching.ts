import { ConnectionError } from '../api-client/api-client.js';
import { type Context } from './context.js';
import { EXIT } from './exit-codes.js';

/**
 * Follows long work to its end, until `--timeout`, or until Ctrl-C. Neither of them changes the work.
 * @param command how to come back, such as `fleetgate job watch 0192…`
 * @param follow reads until the end; it is to stop with the signal
 */
export async function watch(
  context: Context,
  command: string,
  follow: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { flags, interrupted } = context;
  const limit = flags.timeout === undefined ? null : AbortSignal.timeout(flags.timeout * 1_000);
  try {
    await follow(limit ? AbortSignal.any([limit, interrupted]) : interrupted);
  } catch (error) {
    const isLate = limit?.aborted || (error instanceof ConnectionError && error.reason === 'timeout');
    if (!interrupted.aborted && !isLate) throw error;
    context.say('It goes on. Follow it again with:');
    context.say(`  ${command}`);
    context.endWith(interrupted.aborted ? EXIT.interrupted : EXIT.stillRunning);
  }
}
