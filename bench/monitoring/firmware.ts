/*
 * C7: a rollout of firmware restarts each router. Does it alert? The rule that the set-up makes must open nothing. A
 * rule without patience, with a status check each minute, may open alerts; nobody is notified of them while the restart
 * is the gateway's own.
 */
import { makeFirmwareImage } from '../../src/simulator/device/firmware.js';
import { FAMILIES, NEWEST_VENDOR_FIRMWARE } from '../../src/simulator/device/families.js';
import { until, type Installation } from './installation.js';
import { NONE, sized, untilOnline, withScene, type Bench, type Scene } from './scene.js';

const SHIPPED = 'Offline for 15 minutes';
const IMPATIENT = { name: 'offline at once', selector: 'state:offline', forSeconds: 0, clearAfterSeconds: 0 };
const RECEIVER = 'first';
const STATUS_S = 60;

/** A notification would come by then: it gathers for 30 s. */
const SETTLED_S = 120;

export async function measureFirmware(bench: Bench): Promise<void> {
  const plan = {
    devices: sized(bench, 500, 30),
    scale: 20,
    family: 'RUTX50' as const,
    receivers: [RECEIVER],
    installation: { settings: { STATUS_EVERY_SECONDS: String(STATUS_S) } },
  };
  await withScene(bench, plan, async (scene) => {
    await scene.site.api.post('/v1/monitoring/rules', IMPATIENT);
    await untilOnline(scene);
    const counts = await rollOut(scene.site, scene.routers.all.length);
    await scene.site.pass(SETTLED_S);
    await tell(bench, scene, counts);
  });
}

type Counts = Readonly<Record<string, number>>;

/** @returns how many routers ended how */
async function rollOut(site: Installation, devices: number): Promise<Counts> {
  const content = makeFirmwareImage(FAMILIES.RUTX50, NEWEST_VENDOR_FIRMWARE);
  const headers = { 'content-type': 'application/octet-stream', 'idempotency-key': 'bench-image' };
  const stored = await site.api.client.request('POST', '/v1/artifacts?kind=firmware&name=image.bin', {
    content,
    headers,
  });
  const { id: artifactId } = (await stored.json()) as { id: string };
  const { id } = await site.api.post<{ id: string }>('/v1/rollouts', {
    name: 'bench',
    kind: 'firmware',
    spec: { artifactId, backup: 'skip' },
    selector: 'all',
    policy: { waves: [{ take: 'rest' }], stop: { percent: 100, minimum: 100_000 }, concurrency: 100 },
  });
  await site.api.post(`/v1/rollouts/${id}/start`, {});
  let counts: Counts = {};
  await until(`the rollout over ${devices} routers`, async () => {
    const view = await site.api.get<{ state: string; counts: Counts }>(`/v1/rollouts/${id}`);
    counts = view.counts;
    if (!['scheduled', 'running', 'finished'].includes(view.state)) throw new Error(`the rollout is ${view.state}`);
    return view.state === 'finished';
  });
  return counts;
}

async function tell({ report }: Bench, { site, routers, receivers }: Scene, counts: Counts): Promise<void> {
  const opened = (rule: string) =>
    site.count(`select count(*) from event where type = 'alert.opened' and data ->> 'rule' = $1`, [rule]);
  const { reboots } = await routers.sum();
  const devices = routers.all.length;
  const done = `${counts['succeeded'] ?? 0} of ${devices} upgraded`;
  report.add({
    id: 'C7',
    what: `rollout of firmware over ${devices} routers: alerts of “${SHIPPED}”`,
    value: counts['succeeded'] === devices ? await opened(SHIPPED) : Number.NaN,
    unit: 'alerts',
    ...NONE,
    detail: `events; ${done}; simulator's ledger: ${reboots} restarts`,
  });
  report.add({
    id: 'C7',
    what: `the same: notifications of “${IMPATIENT.name}”`,
    value: receivers.arrived(RECEIVER, IMPATIENT.name).length,
    unit: 'notifications',
    ...NONE,
    detail: `receiver's log; its rule opened ${await opened(IMPATIENT.name)} alerts by events, status checks each minute`,
  });
}
