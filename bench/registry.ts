/*
 * P9, P10, P13: the registry at the size of a large fleet. Imports of 10,000 devices each beside a bare insert of the same
 * rows, a page of 100 by selector beside the SQL that a person would write for it on the same database, and what a
 * process with 10,000 registered devices needs when it is idle.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { BareRows } from './baselines/bare-rows.js';
import { measureCommandLine } from './command-line.js';
import { Gateway, type GatewayOptions } from './gateway.js';
import { requestText, type Load } from './load.js';
import { alternate, median, percentile, ratio } from './measuring.js';
import { familyMB, residentMB } from './processes.js';
import { significant, type Report } from './report.js';

const IMPORTED = 10_000;

const PAGE = 100;

/** Plants at one site and devices with one tag: a sixteenth of the fleet matches both. */
const SELECTOR = 'tag:pump & site:vilnius/*';
const SELECTOR_SQL = `select device.*, account.username, account.failed_logins, account.changed_at
    from device left join device_account account on account.device_id = device.id and account.purpose = 'main'
   where device.tags @> array['pump'] and device.site like 'vilnius/%'
   order by device.created_at, device.id limit ${PAGE}`;

const CITIES = ['vilnius', 'kaunas', 'riga', 'tallinn'];
const TAGS = ['pump', 'valve', 'meter', 'gate'];

/** A file of devices that are never called. */
function fleetFile(batch: number): string {
  const lines = Array.from({ length: IMPORTED }, (_, line) => {
    const index = batch * IMPORTED + line;
    const [high, middle, low] = [index >> 16, (index >> 8) & 255, index & 255];
    const city = CITIES[index % 4]!;
    const tag = TAGS[(index >> 2) % 4]!;
    const mac = `02:00:00:${[high, middle, low].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`;
    return `batch-${batch}-${line},https://10.${high}.${middle}.${low},admin,secret-${index},${1_000_000 + index},${mac},RUT241,${city}/plant-${index % 50},${tag} lte`;
  });
  return ['name,base_url,username,password,serial,mac,model,site,tags', ...lines, ''].join('\n');
}

/** The registry and what is measured with it. */
interface Registry {
  readonly report: Report;
  readonly gateway: Gateway;
  readonly load: Load;
  readonly short: boolean;
}

/** P9, P10 and P13, on an installation of their own. */
export async function measureRegistry(
  report: Report,
  load: Load,
  short: boolean,
  options: GatewayOptions,
): Promise<void> {
  const gateway = await Gateway.install(options);
  const registry = { report, gateway, load, short };
  try {
    const first = await withDatabase(gateway, async (db) => importBatch(gateway, await BareRows.on(db), 0));
    await measureIdle(registry);
    await measureCommandLine(report, gateway, IMPORTED, short);
    await withDatabase(gateway, async (db) => {
      const bare = await BareRows.on(db);
      const imports = [first];
      for (let batch = 1; batch < (short ? 1 : 5); batch++) imports.push(await importBatch(gateway, bare, batch));
      reportImports(report, imports);
      await measureList(registry, db, imports.length * IMPORTED);
    });
  } finally {
    await gateway.remove();
  }
}

/** A connection to the database of the gateway, which comes and goes with it. */
async function withDatabase<Result>(gateway: Gateway, work: (db: Client) => Promise<Result>): Promise<Result> {
  const db = new Client({ connectionString: await gateway.databaseUrl() });
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}

interface Import {
  readonly oursMs: number;
  readonly bareMs: number;
  readonly rows: number;
}

async function importBatch(gateway: Gateway, bare: BareRows, batch: number): Promise<Import> {
  const file = fleetFile(batch);
  const startedAt = performance.now();
  await gateway.importCsv(file);
  const oursMs = performance.now() - startedAt;
  const { ms, rows } = await bare.insertAgain(`batch-${batch}-`);
  return { oursMs, bareMs: ms, rows };
}

function reportImports(report: Report, imports: readonly Import[]): void {
  const ours = imports.map(({ oursMs }) => oursMs);
  const bare = imports.map(({ bareMs }) => bareMs);
  const rows = imports[0]!.rows.toLocaleString('en-GB');
  report.add({
    id: 'P9',
    what: `import of ${IMPORTED.toLocaleString('en-GB')} devices`,
    value: ratio(ours, bare),
    unit: '×',
    against: 'unnest of the same rows',
    bound: { atMost: 3 },
    detail: `${significant(median(ours))} ms against ${significant(median(bare))} ms (${rows} rows in 4 tables)`,
  });
}

async function measureList({ report, gateway, load, short }: Registry, db: Client, devices: number): Promise<void> {
  const target = `/v1/devices?limit=${PAGE}&selector=${encodeURIComponent(SELECTOR)}`;
  const question = { port: gateway.port, requests: [requestText('GET', target, gateway.headers())], seconds: 0.5 };
  await db.query('analyze device, device_account');
  const ways = {
    ours: async () => (await load.ask(question)).p50Ms,
    bare: async () => {
      const times: number[] = [];
      for (const endsAt = performance.now() + 500; performance.now() < endsAt;) {
        const startedAt = performance.now();
        const { rows } = await db.query(SELECTOR_SQL);
        if (rows.length !== PAGE) throw new Error(`the bare query found ${rows.length} devices`);
        times.push(performance.now() - startedAt);
      }
      return percentile(times, 0.5);
    },
  };
  await ways.ours();
  const runs = await alternate(ways, short ? 3 : 7);
  report.add({
    id: 'P9',
    what: `list of ${PAGE} of ${devices.toLocaleString('en-GB')} by selector`,
    value: ratio(runs.ours, runs.bare),
    unit: '×',
    against: 'the bare SQL',
    bound: { atMost: 3 },
    detail: `${significant(median(runs.ours))} ms against ${significant(median(runs.bare))} ms at p50`,
  });
}

/** P10: what a process takes that has nothing to do, and how soon it is there when it has run before. */
async function measureIdle({ report, gateway, short }: Registry): Promise<void> {
  const starts: number[] = [];
  for (let round = 0; round < (short ? 1 : 5); round++) {
    await gateway.restart();
    starts.push(gateway.readyMs / 1_000);
  }
  const memory: number[] = [];
  for (let second = 0; second < (short ? 2 : 15); second++) {
    await sleep(1_000);
    memory.push((await residentMB(gateway.pid)) ?? Number.NaN);
  }
  const registered = `${IMPORTED.toLocaleString('en-GB')} registered devices`;
  report.add({
    id: 'P10',
    what: `${registered}, idle: resident memory`,
    value: Math.max(...memory),
    unit: 'MB',
    against: '',
    bound: { atMost: 220 },
    detail: `largest of ${memory.length} s after a start; the database not counted`,
  });
  const processes = gateway.processes;
  report.add({
    id: 'P10',
    what: `${registered}, idle: memory of ${processes === 1 ? 'the process' : `${processes} processes and their parent`} (PSS)`,
    value: await familyMB(gateway.pid),
    unit: 'MB',
    against: '',
    bound: { atMost: 220 + 130 * (processes - 1) },
    detail: 'what several processes share counts once; the database not counted',
  });
  report.add({
    id: 'P10',
    what: `${registered}: second start to ready`,
    value: median(starts),
    unit: 's',
    against: '',
    bound: { atMost: 3 },
    detail: `${starts.length} starts, the embedded database included; longest ${significant(Math.max(...starts))} s`,
  });
}
