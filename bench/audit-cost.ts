/*
 * P11, what the audit costs: writes through a gateway, in turns beside the same gateway without an audit
 * (`unaudited-gateway.ts`) and beside one with the least that an audit can be (`empty-audit-gateway.ts`). That is fair: the
 * same process, settings, devices and callers, with one part taken out. Routers take their time, so that 32 and 64 callers
 * do not fill the processors, and what an entry adds to the time of a write counts; 128 callers nearly do. Devices that
 * answer at once fill them, and each microsecond counts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startBareDevices, type BareFleet, type Range } from './bare-devices.js';
import { CREATE_EMPTY } from './empty-audit.js';
import { Gateway, type GatewayOptions } from './gateway.js';
import { type Load, type LoadResult } from './load.js';
import { alternate, median, ratio } from './measuring.js';
import { CONNECTIONS, putRequest } from './passing-through.js';
import { significant, type Bound, type Report } from './report.js';

/** Until the code of each gateway is compiled as far as it will be: an audit has more of it. */
const WARM_UP_SECONDS = 8;
const WARM_UP_SECONDS_SHORT = 2;

/** What the log has still to place after a run is not to take from the next one. */
const SETTLE_MS = 1_000;

/** How long a router takes for an answer: the fastest family of the simulator. */
const ROUTER_MS: Range = [20, 90];

/** Two installations of the same gateway differ by up to a tenth in what they pass on: rounds take turns between this many. */
const INSTALLATIONS = 2;

/** Callers of routers: as many as elsewhere, and more, up to 2,000 writes a second. */
const CALLERS_OF_ROUTERS = [CONNECTIONS, CONNECTIONS * 2, CONNECTIONS * 4];

type Rates = readonly number[];
type Installations = readonly Gateway[];

/**
 * P11: the cost of auditing, as a share of the writes that the same gateway passes on without it. With devices that
 * answer at once two cores are full, whatever is added; beside it is the smallest possible audit.
 */
export async function measureCost(report: Report, load: Load, short: boolean, options: GatewayOptions): Promise<void> {
  const atOnce = await startBareDevices(CONNECTIONS);
  const routers = await startBareDevices(Math.max(...CALLERS_OF_ROUTERS), ROUTER_MS);
  const gateways: Gateway[] = [];
  const install = async (program?: string): Promise<Installations> => {
    const installations: Gateway[] = [];
    for (let count = 0; count < (short ? 1 : INSTALLATIONS); count++) {
      const gateway = await Gateway.install({ ...options, ...(program === undefined ? {} : { program }) });
      gateways.push(gateway);
      installations.push(gateway);
      for (const { csv } of [atOnce, routers]) await gateway.importCsv(csv);
    }
    return installations;
  };
  try {
    const audited = await install();
    const unaudited = await install('unaudited-gateway.js');
    const empty = await install('empty-audit-gateway.js');
    for (const gateway of empty) await makeTable(gateway);
    for (const callers of CALLERS_OF_ROUTERS) {
      const rates = await ratesOf(load, short, { audited, unaudited }, routers, callers);
      const devices = `devices that take ${ROUTER_MS.join(' to ')} ms`;
      reportCost(report, `PUT with its audit, ${callers} connections, ${devices}`, rates.audited, rates.unaudited);
    }
    const rates = await ratesOf(load, short, { audited, empty, unaudited }, atOnce);
    const how = `${CONNECTIONS} connections, devices that answer at once`;
    // Without a target: Postgres on the same two cores takes more than 15 % of writes that cost nothing else.
    reportCost(report, `PUT with its audit, ${how}`, rates.audited, rates.unaudited, null);
    reportCost(report, `PUT with two empty rows instead, ${how}`, rates.empty, rates.unaudited, null);
  } finally {
    await Promise.all([...gateways.map((gateway) => gateway.remove()), atOnce.stop(), routers.stop()]);
  }
}

/** Writes a second through each gateway, one of each round; a round is of one installation of each. */
async function ratesOf<Name extends string>(
  load: Load,
  short: boolean,
  gateways: Record<Name, Installations>,
  fleet: BareFleet,
  callers = CONNECTIONS,
): Promise<Record<Name, Rates>> {
  const devices = fleet.devices.slice(0, callers);
  const ask = (seconds: number) =>
    mapValues(gateways, (installations: Installations) => {
      let round = 0;
      return async () => {
        const gateway = installations[round++ % installations.length]!;
        const requests = devices.map(({ name }) => putRequest(name, gateway.headers()));
        const result = await load.ask({ port: gateway.port, requests, seconds });
        await sleep(SETTLE_MS);
        return result;
      };
    });
  await alternate(ask(short ? WARM_UP_SECONDS_SHORT : WARM_UP_SECONDS), short ? 1 : INSTALLATIONS);
  const runs = await alternate(ask(short ? 0.5 : 3), short ? 3 : 5 * INSTALLATIONS);
  return mapValues(runs, (results: LoadResult[]) => results.map(({ perSecond }) => perSecond));
}

async function makeTable(gateway: Gateway): Promise<void> {
  const db = new Client({ connectionString: await gateway.databaseUrl() });
  await db.connect();
  try {
    await db.query(CREATE_EMPTY);
  } finally {
    await db.end();
  }
}

/** @param bound null: a figure to know */
function reportCost(
  report: Report,
  what: string,
  rates: Rates,
  unaudited: Rates,
  bound: Bound | null = { atLeast: 0.85 },
): void {
  report.add({
    id: 'P11',
    what,
    value: ratio(rates, unaudited),
    unit: '×',
    against: 'the same gateway without an audit',
    ...(bound === null ? {} : { bound }),
    detail: `${significant(median(rates))}/s against ${significant(median(unaudited))}/s`,
  });
}

const mapValues = <Name extends string, From, To>(given: Record<Name, From>, map: (value: From) => To) =>
  Object.fromEntries(Object.entries<From>(given).map(([name, value]) => [name, map(value)])) as Record<Name, To>;
