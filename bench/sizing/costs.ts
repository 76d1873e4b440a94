/*
 * What one of each costs: a call, a write, a backup, a registered device, an audit entry, a stored sample. Processor time and
 * bytes, so that a busy machine says nearly the same as an idle one. The gateway and its own Postgres are counted apart.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startFleet } from '../../src/simulator/fleet.js';
import { addHistory } from '../../test/support/monitoring/sampled-fleet.js';
import { startBareDevices } from '../bare-devices.js';
import { Gateway } from '../gateway.js';
import { requestText, type Load } from '../load.js';
import { GET_PATH, putRequest, target, warmUpAnswers } from '../passing-through.js';
import { cpuMicros, residentMB, treeCpuMicros } from '../processes.js';

/** Milliseconds of processor time, in the process of the gateway and in its Postgres. */
export interface Spent {
  readonly gatewayMs: number;
  readonly databaseMs: number;
}

export interface Costs {
  /** A GET whose device keeps its connection open. */
  readonly keptCall: Spent;
  /** A GET of a device that closes it, as routers do: a TLS handshake for each. */
  readonly routerCall: Spent;
  readonly write: Spent;
  /** A job of the kind `backup`, from its start to its stored archive. */
  readonly backup: Spent;
  readonly emptyMB: number;
  readonly mbPerThousandDevices: number;
  readonly auditBytesPerWrite: number;
  readonly historyBytesPerSample: number;
}

const CALLERS = 16;
const ROUTERS = 100;
const REGISTERED = 10_000;
const HISTORY_DEVICES = 200;
const DAY_S = 86_400;
const HISTORY_EVERY_S = 240;
/** Device time passes so much faster that a backup takes a second. */
const TIME_SCALE = 60;

export async function measureCosts(load: Load, say: (line: string) => void): Promise<Costs> {
  const gateway = await Gateway.install({});
  try {
    await gateway.restart(); // the first start made the database
    const emptyMB = await settledMB(gateway);
    say(`empty gateway: ${Math.round(emptyMB)} MB`);
    const bare = await measureBare(gateway, load);
    say(`GET ${bare.keptCall.gatewayMs.toFixed(2)} ms, PUT ${bare.write.gatewayMs.toFixed(2)} ms`);
    const routers = await measureRouters(gateway, load);
    say(
      `GET of a router ${routers.routerCall.gatewayMs.toFixed(2)} ms, backup ${routers.backup.gatewayMs.toFixed(1)} ms`,
    );
    await gateway.importCsv(registeredCsv());
    await gateway.restart();
    const registeredMB = await settledMB(gateway);
    const historyBytesPerSample = await withDatabase(gateway, historyBytes);
    const mbPerThousandDevices = ((registeredMB - emptyMB) / REGISTERED) * 1_000;
    return { ...bare, ...routers, emptyMB, mbPerThousandDevices, historyBytesPerSample };
  } finally {
    await gateway.remove();
  }
}

async function measureBare(gateway: Gateway, load: Load) {
  const bare = await startBareDevices(CALLERS);
  try {
    await gateway.importCsv(bare.csv);
    const { port } = gateway;
    const get = bare.devices.map(({ name }) => requestText('GET', target(name, GET_PATH), gateway.headers()));
    const put = bare.devices.map(({ name }) => putRequest(name, gateway.headers()));
    await load.ask({ port, requests: get, answers: warmUpAnswers(false) });
    const keptCall = await spentFor(gateway, async () => (await load.ask({ port, requests: get, seconds: 3 })).answers);
    await load.ask({ port, requests: put, answers: warmUpAnswers(false) });
    const before = await withDatabase(gateway, databaseBytes);
    let writes = 0;
    const write = await spentFor(
      gateway,
      async () => (writes = (await load.ask({ port, requests: put, answers: 10_000 })).answers),
    );
    const grown = (await withDatabase(gateway, databaseBytes)) - before;
    return { keptCall, write, auditBytesPerWrite: grown / writes };
  } finally {
    await bare.stop();
  }
}

async function measureRouters(gateway: Gateway, load: Load) {
  const fleet = await startFleet({ devices: ROUTERS, profile: 'rutos', timeScale: TIME_SCALE });
  try {
    await gateway.importCsv(fleet.csv());
    const { port } = gateway;
    const requests = fleet.devices.map(({ name }) =>
      requestText('GET', target(name, '/api/system/device/usage/status'), gateway.headers()),
    );
    await load.ask({ port, requests, answers: 5 * ROUTERS });
    const routerCall = await spentFor(
      gateway,
      async () => (await load.ask({ port, requests, answers: 30 * ROUTERS })).answers,
    );
    const backup = await spentFor(gateway, async () => {
      for (const { name } of fleet.devices)
        await gateway.call('POST', `/v1/devices/name:${name}/jobs`, { kind: 'backup' });
      await ended(gateway);
      return ROUTERS;
    });
    return { routerCall, backup };
  } finally {
    await fleet.close();
  }
}

/** @throws Error where a job did not succeed */
async function ended(gateway: Gateway): Promise<void> {
  for (;;) {
    const { body } = await gateway.call('GET', `/v1/jobs?limit=${ROUTERS}`);
    const { items } = body as { items: { phase: string; outcome: string | null }[] };
    if (items.every(({ outcome }) => outcome !== null)) {
      const failed = items.filter(({ outcome }) => outcome !== 'succeeded').length;
      if (failed > 0) throw new Error(`${failed} of ${items.length} backups did not succeed`);
      return;
    }
    await sleep(500);
  }
}

/** @param work answers how many were made */
async function spentFor(gateway: Gateway, work: () => Promise<number>): Promise<Spent> {
  const database = await gateway.databasePid();
  const look = async () => [(await cpuMicros(gateway.pid)) ?? Number.NaN, await treeCpuMicros(database)] as const;
  const before = await look();
  const count = await work();
  const after = await look();
  return {
    gatewayMs: (after[0] - before[0]) / 1_000 / count,
    databaseMs: Math.max(0, after[1] - before[1]) / 1_000 / count,
  };
}

/** Resident memory some seconds after a start. */
async function settledMB(gateway: Gateway): Promise<number> {
  await sleep(5_000);
  return (await residentMB(gateway.pid)) ?? Number.NaN;
}

const databaseBytes = async (db: Client): Promise<number> => {
  const { rows } = await db.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
  return Number(rows[0]!.bytes);
};

async function historyBytes(db: Client): Promise<number> {
  const before = await databaseBytes(db);
  await addHistory(db, { devices: HISTORY_DEVICES, from: DAY_S, every: HISTORY_EVERY_S });
  return ((await databaseBytes(db)) - before) / ((HISTORY_DEVICES * DAY_S) / HISTORY_EVERY_S);
}

async function withDatabase<Result>(gateway: Gateway, work: (db: Client) => Promise<Result>): Promise<Result> {
  const db = new Client({ connectionString: await gateway.databaseUrl() });
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}

/** Devices that are never called. */
function registeredCsv(): string {
  const lines = Array.from(
    { length: REGISTERED },
    (_, index) =>
      `idle-${index},https://10.${index >> 16}.${(index >> 8) & 255}.${index & 255},admin,secret-${index},${5_000_000 + index},RUT241`,
  );
  return ['name,base_url,username,password,serial,model', ...lines, ''].join('\n');
}
