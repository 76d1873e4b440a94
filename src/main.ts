import { readConfig } from './platform/config.js';
import { errorFields, createLog } from './platform/log.js';
import { startGateway, type Gateway } from './gateway.js';

/** A stop that takes longer than this is cut off; leases bring back what was left. */
const STOP_WITHIN_MS = 25_000;

/** Listens for the signals from the first moment on: one that comes during the start ends it in order, too. */
async function main(): Promise<void> {
  const stop = new Promise<'signal' | 'fault'>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve('signal'));
    process.on('unhandledRejection', (error) => {
      createLog('fatal').fatal(errorFields(error), 'A promise was rejected and nobody looked');
      resolve('fault');
    });
  });
  const gateway = await startGateway({ config: readConfig(process.env) });
  process.stderr.write(`Fleetgate answers at ${gateway.url}; its documents are at ${gateway.url}/docs\n`);
  const why = await stop;
  process.exit((await end(gateway)) && why === 'signal' ? 0 : 1);
}

/** @returns whether all of it ended in order and in time */
async function end(gateway: Gateway): Promise<boolean> {
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, STOP_WITHIN_MS, false).unref());
  const closed = gateway.close().then(
    () => true,
    (error: unknown) => {
      gateway.log.error(errorFields(error), 'The gateway did not stop cleanly');
      return false;
    },
  );
  return Promise.race([closed, late]);
}

main().catch((error: unknown) => {
  // One readable sentence for the operator who starts it; the stack for who looks closer.
  process.stderr.write(`\nFleetgate could not start: ${error instanceof Error ? error.message : String(error)}\n\n`);
  createLog('error').error(errorFields(error), 'The gateway could not start');
  process.exit(1);
});
