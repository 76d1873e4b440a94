import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { type GatewayConfig, readConfig } from './platform/config.js';
import { errorFields, createLog } from './platform/log.js';
import { standardOutput } from './platform/output/standard-output.js';
import { withTimeout } from './platform/with-timeout.js';
import { CHILD_MARK, ParentProcess } from './processes/parent-process.js';
import { freeStartMemory } from './processes/start-memory.js';
import { type Gateway } from './gateway.js';

const HELP = `Usage: npm start

Starts the gateway. It takes no arguments; environment variables configure it. docs/reference/config.md lists them all. The most common ones:
PORT (8080), HOST (127.0.0.1), DATA_DIR, DATABASE_URL, REDIS_URL, ROLE (all, api, worker), PROCESSES, LOG_LEVEL.

Examples:
  npm start
  PORT=9000 DATA_DIR=/srv/fleetgate npm start
`;

/** A stop that takes longer than this is cut off; leases bring back what was left. */
const STOP_WITHIN_MS = 25_000;

/** A child that is cut off by itself ends in order for its parent. */
const CHILDREN_STOP_WITHIN_MS = STOP_WITHIN_MS + 3_000;

/** Whether this is one of the processes of a machine. */
const IS_CHILD = cluster.isWorker && process.env[CHILD_MARK] !== undefined;

/** Listens for the signals from the first moment on: one that comes during the start ends it in order, too. */
async function main(): Promise<void> {
  const told = new AbortController();
  const stop = new Promise<void>((resolve) => told.signal.addEventListener('abort', () => resolve()));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => told.abort());
  process.on('unhandledRejection', fail);
  // Node itself writes warnings to standard error, and waits for its reader.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => createLog('warn').warn(errorFields(warning), 'Node.js warns'));
  const config = readConfig(process.env);
  // Loaded here, so that help and a refused argument answer at once.
  const { processCount } = await import('./machine-processes.js');
  const count = processCount(config);
  if (IS_CHILD) await beChild(config, told.signal, stop);
  if (count > 1) await beParent(config, count, told.signal, stop);
  const { startGateway } = await import('./gateway.js');
  const gateway = await startGateway({ config, stop: told.signal });
  await freeStartMemory();
  announce(gateway.url);
  await stop;
  process.exit((await end(gateway)) ? 0 : 1);
}

function announce(url: string): void {
  standardOutput(2).write(`Fleetgate answers at ${url}; its documents are at ${url}/docs\n`);
}

/** One of several processes of this machine. */
async function beChild(config: GatewayConfig, told: AbortSignal, stop: Promise<void>): Promise<never> {
  const { childConfig } = await import('./machine-processes.js');
  const { startGateway } = await import('./gateway.js');
  const parent = await ParentProcess.join();
  const gateway = await startGateway({ config: childConfig(config, parent.task), stop: told, parent }).catch(
    async (error: unknown) => {
      await parent.services.failed(isRefusal(error) ? sentenceOf(error) : null); // the parent says it once
      throw error;
    },
  );
  process.title = `fleetgate ${parent.task.role}`; // for ps and top
  await freeStartMemory();
  await parent.services.ready(gateway.url);
  await stop;
  await parent.services.stopping();
  process.exit((await end(gateway)) ? 0 : 1);
}

/** The process that starts the others. */
async function beParent(config: GatewayConfig, count: number, told: AbortSignal, stop: Promise<void>): Promise<never> {
  const { MachineProcesses } = await import('./machine-processes.js');
  const { prepareStart } = await import('./start.js');
  const start = await prepareStart(config);
  const processes = new MachineProcesses(config, count, start, createLog(config.LOG_LEVEL));
  try {
    if (!told.aborted) await Promise.race([processes.start(fileURLToPath(import.meta.url)), stop]);
    if (!told.aborted) announce(processes.url);
  } catch (error) {
    await processes.stop(CHILDREN_STOP_WITHIN_MS);
    throw error;
  }
  await stop;
  process.exit((await processes.stop(CHILDREN_STOP_WITHIN_MS)) ? 0 : 1);
}

/**
 * Ends at once, as after an exception: a stop in order would hand back the work in hand as if none of it were to blame,
 * and work that takes processes down would never be quarantined.
 */
function fail(error: unknown): void {
  createLog('fatal').fatal(errorFields(error), 'A promise was rejected without a handler');
  process.exit(1);
}

/** @returns whether all of it ended in order and in time */
async function end(gateway: Gateway): Promise<boolean> {
  const closed = gateway.close().then(
    () => true,
    (error: unknown) => {
      gateway.log.error(errorFields(error), 'The gateway did not stop cleanly');
      return false;
    },
  );
  return withTimeout(STOP_WITHIN_MS, closed, () => false);
}

/** What went wrong, with what to do where the system's own words do not say it. */
function sentenceOf(error: unknown): string {
  const { code, port } = error as { code?: string; port?: number };
  if (code === 'EADDRINUSE') return `port ${port} is in use: stop the process that listens on it, or set PORT`;
  return error instanceof Error ? error.message : String(error);
}

const [argument] = process.argv.slice(2);
if (argument === '--help' || argument === '-h') {
  standardOutput(1).write(HELP);
  process.exit(0);
}
if (argument !== undefined) {
  standardOutput(2).write(`Fleetgate takes no arguments; remove ${argument}.\n\n${HELP}`);
  process.exit(2);
}
/** A refusal says all in its sentence: a setting, a folder, a port in use. Other errors need their stack. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  ((error as NodeJS.ErrnoException).code === 'EADDRINUSE' || (error.constructor === Error && !('code' in error)));

main().catch((error: unknown) => {
  if (!IS_CHILD) standardOutput(2).write(`\nFleetgate could not start: ${sentenceOf(error)}\n\n`);
  if (!isRefusal(error)) createLog('error').error(errorFields(error), 'The gateway could not start');
  process.exit(1);
});
