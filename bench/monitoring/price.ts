/*
 * C2: does a router pay what the policy promised? The price is asked before the policy is saved (a table says it) and
 * again when samples are there (their median). What the routers' ledger counted in the same time is beside it: all
 * bytes of all connections above TCP, with whatever else the gateway sent. The headers of TCP/IP, which a program
 * cannot see, are taken from the price: 800 bytes for each connection. A budget of a quarter must slow each router, and
 * be told once.
 */
import { significant } from '../report.js';
import { type Installation, until } from './installation.js';
import { type RouterCounts } from './routers.js';
import { NONE, sized, withScene, type Bench, type Scene } from './scene.js';

const EVERY_SECONDS = 240;
const POLICIES = '/v1/monitoring/policies';

/** Of `policy-price.ts`: a handshake, its headers and its end. */
const TCP_BYTES = 800;

const MONTH_S = 30 * 86_400;

/** A login a day is reckoned with, as in the price. */
const LOGINS_A_MONTH = 30;

interface Price {
  readonly devices: number;
  readonly bytesPerMonth: number;
  readonly models: readonly { readonly isMeasured: boolean }[];
}

/** The first of next month: a month's budget lasts for a whole one. */
function monthBegin(): number {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1, 0, 10);
}

export async function measurePrice(bench: Bench): Promise<void> {
  const devices = sized(bench, 500, 60);
  const plan = { devices, scale: sized(bench, 30, 60), installation: { base: monthBegin() } };
  await withScene(bench, plan, async (scene) => {
    const { site } = scene;
    const wish = { selector: 'all', everySeconds: EVERY_SECONDS };
    const before = await site.api.post<Price>(`${POLICIES}/price`, wish);
    const { id } = await site.api.post<{ id: string }>(POLICIES, { ...wish, name: 'all routers' });
    const measured = await measureBytes(bench, scene);
    const after = await site.api.post<Price>(`${POLICIES}/price`, wish);
    tellPrice(bench, 'by its table', before, measured);
    tellPrice(bench, after.models.every(({ isMeasured }) => isMeasured) ? 'by samples' : 'by table', after, measured);
    await measureBudget(bench, scene, id, Math.floor(measured.bytesPerMonth / 4e6));
  });
}

interface Measured {
  readonly bytesPerMonth: number;
  readonly words: string;
}

/** The login and the first sample are one window, the samples after them another. */
async function measureBytes(bench: Bench, { site, routers }: Scene): Promise<Measured> {
  const zero = await routers.sum();
  await untilSampled(site, routers.all.length, 1);
  const first = await routers.sum();
  await site.pass(EVERY_SECONDS * sized(bench, 20, 4));
  const last = await routers.sum();
  const wire = (from: RouterCounts, to: RouterCounts) =>
    to.bytes - from.bytes + TCP_BYTES * (to.connections - from.connections);
  const samples = last.samples - first.samples;
  const perSample = wire(first, last) / samples;
  const perLogin = Math.max(0, wire(zero, first) - first.samples * perSample) / Math.max(1, first.logins);
  const bytesPerMonth = (MONTH_S / EVERY_SECONDS) * perSample + LOGINS_A_MONTH * perLogin;
  const words =
    `simulator's ledger: ${samples} samples of ${routers.all.length} routers, ${significant(perSample)} bytes each, ` +
    `${last.logins - first.logins} logins between them, ${significant(perLogin)} bytes for the first contact`;
  return { bytesPerMonth, words };
}

async function untilSampled(site: Installation, devices: number, samples: number): Promise<void> {
  const sampled = () => site.count('select count(*) from device_sample where month_bytes >= bytes * $1', [samples]);
  await until('all routers are sampled', async () => (await sampled()) === devices);
}

function tellPrice({ report }: Bench, how: string, price: Price, { bytesPerMonth, words }: Measured): void {
  const promised = price.bytesPerMonth / price.devices;
  const share = (bytesPerMonth / promised - 1) * 100;
  report.add({
    id: 'C2',
    what: `bytes of a router and month beside the price ${how}`,
    value: Math.abs(share),
    unit: '%',
    against: '',
    bound: { atMost: 15 },
    detail: `${significant(bytesPerMonth / 1e6)} MB against ${significant(promised / 1e6)} MB; ${words}`,
  });
}

async function measureBudget({ report }: Bench, { site, routers }: Scene, id: string, budgetMb: number): Promise<void> {
  const name = 'all routers';
  await site.api.send('PUT', `${POLICIES}/${id}`, { name, selector: 'all', everySeconds: EVERY_SECONDS, budgetMb });
  const slowed = () => site.count('select count(*) from monitored_device where interval_seconds > every_seconds');
  await until('the budget slows the routers', async () => (await slowed()) === routers.all.length);
  const before = await routers.sum();
  await site.pass(4 * EVERY_SECONDS);
  const after = await routers.sum();
  const rows = await site.rows<{ device: string; count: number }>(
    `select device_id as device, count(*)::int as count from event where type = 'device.sampling_slowed' group by device_id`,
  );
  const wrong = routers.all.length - rows.length + rows.filter(({ count }) => count !== 1).length;
  const interval = await site.count('select min(interval_seconds) as count from monitored_device');
  report.add({
    id: 'C2',
    what: `a budget of ${budgetMb} MB: routers that are not slowed, or told not once`,
    value: wrong,
    unit: 'routers',
    ...NONE,
    detail:
      `rows: ${rows.length} of ${routers.all.length} with one event, least interval ${interval} s; simulator's ledger: ` +
      `${after.samples - before.samples} samples in the time of ${4 * routers.all.length} without it`,
  });
}
