import { readConfig } from './platform/config.js';
import { errorFields, createLog } from './platform/log.js';
import { startGateway, type Gateway } from './gateway.js';

/** A stop that takes longer than this is cut off; leases bring back what was left. */
const STOP_WITHIN_MS = 25_000;

async function main(): Promise<void> {
  const gateway = await startGateway({ config: readConfig(process.env) });
  process.stderr.write(`Fleetgate answers at ${gateway.url}; its documents are at ${gateway.url}/docs\n`);
  stopOnSignals(gateway);
}

function stopOnSignals(gateway: Gateway): void {
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    gateway.close().then(
      () => process.exit(0),
      (error: unknown) => {
        gateway.log.error(errorFields(error), 'The gateway did not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.on('unhandledRejection', (error) => {
    gateway.log.fatal(errorFields(error), 'A promise was rejected and nobody looked');
    stop();
  });
}

main().catch((error: unknown) => {
  // One readable sentence for the operator who starts it; the stack for who looks closer.
  process.stderr.write(`\nFleetgate could not start: ${error instanceof Error ? error.message : String(error)}\n\n`);
  createLog('error').error(errorFields(error), 'The gateway could not start');
  process.exit(1);
});
