import { DataSource } from 'typeorm';
import { SamplerSweeper } from '../../../src/monitoring/sampler.sweeper.js';
import { SamplingPlanSweeper } from '../../../src/monitoring/sampling-plan.sweeper.js';
import { StatusSweeper } from '../../../src/monitoring/status.sweeper.js';
import { ReachabilityWatch } from '../../../src/proxy/connections/reachability-watch.js';
import { type Fleet } from '../../../src/simulator/fleet.js';
import { startOwnFleet } from '../devices/own-fleet.js';
import { FakeClock } from '../fake-clock.js';
import { startTestGateway, type TestGateway } from '../gateway.js';
import { until } from '../until.js';

/*
 * A gateway with simulated routers that a policy samples. Its clock stands, so each look at a device is one that the test asked for.
 */

const EXTRA = [{ path: '/api/modems/status', pointer: '/0/rsrp', name: 'signal', type: 'gauge' }];

export interface MonitoredWorld extends TestGateway {
  readonly db: DataSource;
  readonly fleet: Fleet;
  readonly ids: readonly string[];
  /** A router loses its power, and the gateway sees it. */
  die(index: number): Promise<void>;
}

/** @param sites one for each router; they are named `r-0`, `r-1`, … */
export async function startMonitoredWorld(sites: readonly string[]): Promise<MonitoredWorld> {
  const clock = new FakeClock(Date.now());
  // A RUTX50 has a modem and GPS.
  const fleet = await startOwnFleet({
    devices: sites.length,
    family: 'RUTX50',
    profile: 'rutos',
    seed: 5,
    timeScale: 1,
  });
  const gateway = await startTestGateway({ ROLE: 'api' }, clock);
  const { app } = gateway.gateway;
  // Not started by itself (STATUS_EVERY_SECONDS is 0), and never late.
  const status = app.get(StatusSweeper);
  Object.assign(status, { config: { STATUS_EVERY_SECONDS: 300 } });
  Object.assign(app.get(ReachabilityWatch), { wasLateSince: () => false });
  const ids: string[] = [];
  for (const { index, baseUrl, username, password } of fleet.devices) {
    const device = { name: `r-${index}`, baseUrl, credentials: { username, password }, site: sites[index] };
    ids.push((await gateway.api.post<{ id: string }>('/v1/devices', device)).id);
  }
  await gateway.api.post('/v1/monitoring/policies', { name: 'all', selector: 'all', extra: EXTRA });
  await app.get(SamplingPlanSweeper).sweep();
  clock.pass(241_000);
  const sampler = app.get(SamplerSweeper);
  await until(async () => {
    await sampler.sweep();
    await sampler.settled();
    const { items } = await gateway.api.get<{ items: { sample: object | null }[] }>('/v1/devices?fields=sample');
    return items.every(({ sample }) => sample !== null);
  });
  const stateOf = async (index: number) =>
    (await gateway.api.get<{ state: string }>(`/v1/devices/${ids[index]}`)).state;
  return {
    ...gateway,
    db: app.get(DataSource),
    fleet,
    ids,
    async die(index) {
      await fleet.devices[index]!.stop();
      await until(async () => {
        clock.pass(300_000);
        await status.sweep();
        return (await stateOf(index)) === 'offline';
      });
    },
    async close() {
      await gateway.close();
      await fleet.close();
    },
  };
}
