/* The page of docs/explanation/sizing.md: measured costs, what a fleet is assumed to do, and what follows. Pure. */
import { priceOf, tableBytes } from '../../src/monitoring/policy-price.js';
import { type Metric } from '../../src/monitoring/samples/sample-request.js';
import { type Costs, type Spent } from './costs.js';

export interface Machine {
  readonly date: string;
  readonly processor: string;
  readonly cores: number;
  readonly node: string;
}

const FLEETS = [50, 500, 5_000, 50_000];

const DAY_S = 86_400;

/** What is assumed of each router; a reader puts in their own. */
const HABITS = {
  /** `STATUS_EVERY_SECONDS` as it is by default. */
  checkEveryS: 300,
  sampleEveryS: 240,
  /** Programs and people together. */
  callEveryS: 120,
  writesPerDay: 5,
  backupsPerDay: 1,
  backupWithinS: 4 * 3_600,
  backupBytes: 300_000,
  backupsKept: 30,
  historyDays: 7,
};

/** A process is planned at half of a core: the other half is for fan-outs, rollouts, and the minute after an outage. */
const HEADROOM = 0.5;

/** Jobs in flight that one process was measured with: `npm run bench:jobs`. */
const JOBS_OF_ONE_PROCESS = { postgres: 1_000, redis: 10_000 };

interface Sizing {
  readonly devices: number;
  readonly callsPerSecond: number;
  readonly gatewayCores: number;
  readonly databaseCores: number;
  readonly processes: number;
  readonly memoryMB: number;
  readonly auditMBPerDay: number;
  readonly historyGB: number;
  readonly backupsGB: number;
}

/** What a fleet of this size needs. */
export function sizingOf(devices: number, costs: Costs): Sizing {
  const reads = devices * (1 / HABITS.checkEveryS + 1 / HABITS.sampleEveryS + 1 / HABITS.callEveryS);
  const writes = (devices * HABITS.writesPerDay) / DAY_S;
  const backups = (devices * HABITS.backupsPerDay) / HABITS.backupWithinS;
  const cores = (of: keyof Spent): number =>
    (reads * costs.routerCall[of] + writes * costs.write[of] + backups * costs.backup[of]) / 1_000;
  const processes = Math.max(1, Math.ceil(cores('gatewayMs') / HEADROOM));
  const entries = devices * (HABITS.writesPerDay + HABITS.backupsPerDay);
  return {
    devices,
    callsPerSecond: reads,
    gatewayCores: cores('gatewayMs'),
    databaseCores: cores('databaseMs'),
    processes,
    memoryMB: processes * (costs.emptyMB + (devices / 1_000) * costs.mbPerThousandDevices),
    auditMBPerDay: (entries * costs.auditBytesPerWrite) / 1e6,
    historyGB: (devices * HABITS.historyDays * (DAY_S / HABITS.sampleEveryS) * costs.historyBytesPerSample) / 1e9,
    backupsGB: (devices * HABITS.backupsKept * HABITS.backupBytes) / 1e9,
  };
}

export function sizingPage(costs: Costs, machine: Machine): string {
  const sizes = FLEETS.map((devices) => sizingOf(devices, costs));
  return `# How much machine

Made by \`npm run bench:sizing\` on ${machine.date} with ${machine.cores} cores (${machine.processor}), Node ${machine.node}. What follows from the costs is
**calculated**, and marked so. Run it on your machine for its own figures; it takes two minutes and writes this page.

## What one of each costs

| | gateway | Postgres |
|---|---|---|
${costRows(costs)}

| | |
|---|---|
| memory of an idle process | ${round(costs.emptyMB)} MB, and ${round(costs.mbPerThousandDevices)} MB for 1,000 registered devices |
| audit | ${round(costs.auditBytesPerWrite)} bytes of disk for a write, with its outcome and the log |
| history of metrics | ${round(costs.historyBytesPerSample)} bytes of disk for a sample |
| calls of one core | ${round(1_000 / costs.keptCall.gatewayMs)} a second to devices that keep connections, ${round(1_000 / costs.routerCall.gatewayMs)} to routers, which want a TLS handshake for each (calculated) |
| jobs in flight | ${round(JOBS_OF_ONE_PROCESS.postgres)} in one process on Postgres, ${round(JOBS_OF_ONE_PROCESS.redis)} on Redis ([measured](performance.md) by \`npm run bench:jobs\`) |

## What a fleet needs (calculated)

Each router is assumed to have a status check every ${HABITS.checkEveryS / 60} minutes, metrics every ${HABITS.sampleEveryS / 60} minutes, a call by a person or program every ${HABITS.callEveryS / 60} minutes,
${HABITS.writesPerDay} writes a day, and a backup of ${HABITS.backupBytes / 1e3} kB each night within ${HABITS.backupWithinS / 3_600} hours, of which ${HABITS.backupsKept} are kept. A process is planned at
${HEADROOM * 100} % of a core: the rest is for fan-outs, rollouts, and the minute after an outage.

| routers | calls a second | cores: gateway, Postgres | processes | their memory | audit a day | history of ${HABITS.historyDays} days | backups |
|---|---|---|---|---|---|---|---|
${sizes.map(fleetRow).join('\n')}

## What to set

| routers | machine | set |
|---|---|---|
${sizes.map(adviceRow).join('\n')}

- **Postgres of your own** (\`DATABASE_URL\`) when a second machine comes, or when its disk should be backed up by your own tools. The embedded one is the same
  Postgres.
- **Redis** from the second machine on, or for more than ${round(JOBS_OF_ONE_PROCESS.postgres)} jobs in flight: processes then share the sessions of devices, and each router keeps one login.
- **More processes** when one takes more than half of a core for minutes (\`top\`, \`systemctl status\`, \`docker stats\`). [Several machines](../howto/run-on-several-machines.md)
  says how: \`PROCESSES\` on one machine, which needs no Redis, \`ROLE=worker\` and \`ROLE=api\` on several. People then do not wait for jobs.
- **Memory** while a fan-out runs: 50 kB more for each router of it ([P5](performance.md)).
- **Disk**: the sum of audit, history and backups, twice, for the backup of the gateway itself.

## What metrics cost on the SIM (calculated from recorded answers)

Megabytes in a month for each router, without what a policy reads besides.

| metrics | ${EVERY.map(([, text]) => text).join(' | ')} |
|---|${EVERY.map(() => '---').join('|')}|
${POLICIES.map(simRow).join('\n')}

Intervals above four minutes have a login and a logout of their own for each sample. \`POST /v1/monitoring/policies/price\` says it for your routers, by what they really sent.
`;
}

const COST_NAMES = [
  ['keptCall', 'a GET, connection kept'],
  ['routerCall', 'a GET of a router, with a TLS handshake'],
  ['write', 'a write with its audit entry'],
  ['backup', 'a backup job'],
] as const;

const costRows = (costs: Costs): string =>
  COST_NAMES.map(([name, text]) => `| ${text} | ${ms(costs[name].gatewayMs)} | ${ms(costs[name].databaseMs)} |`).join(
    '\n',
  );

const fleetRow = (size: Sizing): string =>
  `| ${round(size.devices)} | ${round(size.callsPerSecond)} | ${round(size.gatewayCores)}, ${round(size.databaseCores)} | ${size.processes} | ${round(size.memoryMB)} MB | ${round(size.auditMBPerDay)} MB | ${round(size.historyGB)} GB | ${round(size.backupsGB)} GB |`;

/** Two cores for each process beside Postgres, and never below what Node and Postgres need to start. */
function adviceRow({ devices, processes, databaseCores, memoryMB }: Sizing): string {
  const needed = Math.max(2, processes + Math.ceil(databaseCores / HEADROOM));
  const memoryGB = Math.max(2, Math.ceil((2 * memoryMB) / 1_000) + Math.ceil(devices / 10_000));
  const set =
    processes === 1
      ? 'nothing: `npm start`'
      : `\`DATABASE_URL\`, \`REDIS_URL\`, one process \`ROLE=worker\` and ${processes - 1} \`ROLE=api\``;
  return `| ${round(devices)} | ${needed} cores, ${memoryGB} GB | ${set} |`;
}

const EVERY = [
  [60, '1 min'],
  [240, '4 min'],
  [900, '15 min'],
  [3_600, '1 h'],
] as const;

const POLICIES: readonly (readonly [string, readonly Metric[]])[] = [
  ['signal', ['modem']],
  ['signal, load', ['modem', 'usage']],
  ['signal, load, traffic, position', ['modem', 'usage', 'interface', 'position']],
];

function simRow([name, metrics]: (typeof POLICIES)[number]): string {
  const bytes = tableBytes({ metrics: [...metrics], extra: [] });
  return `| ${name} | ${EVERY.map(([every]) => `${round(priceOf(every, bytes).bytesPerMonth / 1e6)} MB`).join(' | ')} |`;
}

/** Two digits that mean something; more would look measured. */
const round = (value: number): string =>
  value.toLocaleString('en-GB', { maximumSignificantDigits: value >= 10 ? 2 : 1 });
const ms = (value: number): string => `${value.toLocaleString('en-GB', { maximumSignificantDigits: 2 })} ms`;
