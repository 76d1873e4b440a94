import path from 'node:path';
import { randomText } from '../auth/rights/key-format.js';
import { startGateway, type Gateway } from '../gateway.js';
import { defaultDataDir, readConfig } from '../platform/config.js';
import { standardOutput } from '../platform/output/standard-output.js';
import { REAL_BACKUP_BYTES, startFleet, type Fleet } from '../simulator/fleet.js';
import { type DemoReport } from './demo.js';
import { FIELD_DEVICES, demoDevice } from './fleet-plan.js';
import { OPERATOR, runDemo, type DemoAccess } from './run.js';

const DEVICES = 25;

const HELP = `Usage: npm run demo [-- --once]

Starts a gateway and a simulated fleet of ${DEVICES} routers, registers them, reads one through the gateway, makes a backup of
three by long jobs, makes examples for the console, prints what happened, and stays up until Ctrl-C.

  --once    end after the report: with 0 when everything held, with 1 when something did not
  --help    this text

Settings are those of docs/reference/config.md. The demo prints PUBLIC_URL and never calls it. Data are in a folder of its own
(below DATA_DIR where that is set), on an embedded database, whatever DATABASE_URL and REDIS_URL say.
`;

async function main(): Promise<number> {
  if (process.argv.includes('--help')) {
    standardOutput(1).write(HELP);
    return 0;
  }
  const stopped = stopSignal();
  // A folder of its own, whatever is set for a gateway in real use, and its own servers.
  const dataDir = process.env['DATA_DIR']
    ? path.join(process.env['DATA_DIR'], 'demo')
    : defaultDataDir('fleetgate-demo');
  const setupToken = randomText(32);
  const { DATABASE_URL: _db, DATABASE_OWNER_URL: _owner, REDIS_URL: _redis, ...rest } = process.env;
  const env = { PORT: '0', LOG_LEVEL: 'warn', ...rest };
  const config = readConfig({
    ...env,
    DATA_DIR: dataDir,
    DEVICE_ALLOW_LOOPBACK: 'true',
    // A write to all routers waits for a second person; the rollouts of the demo take fewer.
    APPROVAL_DEVICES: String(FIELD_DEVICES),
    FLEETGATE_SETUP_TOKEN: setupToken,
  });
  say(`Starting the gateway (data in ${dataDir}) and ${DEVICES} simulated routers …`);
  const gateway = await startGateway({ config });
  const fleet = await startFleet({
    devices: DEVICES,
    profile: 'rutos',
    seed: 7,
    timeScale: 20,
    latencyMs: [5, 40],
    backupBytes: REAL_BACKUP_BYTES,
  });
  try {
    const { report, access } = await runDemo({ gateway, fleet, dataDir, setupToken });
    const isOnce = process.argv.includes('--once');
    print(report, fleet);
    if (!isOnce) printAccess(gateway, access);
    say(checksText(report));
    if (!isOnce) {
      say('\nThe gateway and the routers keep running; Ctrl-C stops them.');
      await stopped;
    }
    return report.broken.length === 0 ? 0 : 1;
  } finally {
    await gateway.close();
    await fleet.close();
  }
}

function print({ lines }: DemoReport, fleet: Fleet): void {
  say(
    `\nFleetgate demo\n\n  ${'fleet'.padEnd(12)}${fleet.devices.length} simulated routers, each with its own address and certificate`,
  );
  for (const line of lines) say(line);
}

/** Where the gateway answers while it runs. */
function printAccess(gateway: Gateway, { keyFile, password }: DemoAccess): void {
  say(`\n  ${'console'.padEnd(12)}${gateway.url}/console/`);
  say(`  ${''.padEnd(12)}sign in as ${OPERATOR} with the password ${password}`);
  say(`  ${'API'.padEnd(12)}${gateway.url}/v1`);
  say(`  ${'documents'.padEnd(12)}${gateway.url}/docs   (machines: ${gateway.url}/openapi.json)`);
  say(`  ${'API key'.padEnd(12)}in ${keyFile}`);
  say(
    `\n  Try it:  curl -H "authorization: Bearer $(cat ${keyFile})" ${gateway.url}/v1/devices/name:${demoDevice(1).name}/api/system/device/status`,
  );
}

const checksText = ({ broken }: DemoReport): string =>
  broken.length === 0
    ? '\n  All checks passed.'
    : `\n  These checks failed:\n${broken.map((what) => `    - ${what}`).join('\n')}`;

/** Resolves on Ctrl-C, or when the terminal or npm goes away. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}

const say = (text: string) => standardOutput(1).write(`${text}\n`);

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    standardOutput(2).write(`\nThe demo could not run: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
