import { DataSource } from 'typeorm';
import { expect } from 'vitest';
import { type FamilyName } from '../../src/simulator/device/families.js';
import { type Fleet } from '../../src/simulator/fleet.js';
import { WatchPlanSweeper } from '../../src/templates/watches/watch-plan.sweeper.js';
import { WatchSweeper } from '../../src/templates/watches/watch.sweeper.js';
import { Caller } from '../simulator/caller.js';
import { startOwnFleet } from './devices/own-fleet.js';
import { FakeClock } from './fake-clock.js';
import { startTestGateway, type TestGateway } from './gateway.js';
import { until } from './until.js';

/*
 * A gateway with simulated routers that watches read. Its clock stands, so each pass is one that the test asked for.
 */

export interface WatchedWorld extends TestGateway {
  readonly db: DataSource;
  readonly fleet: Fleet;
  readonly ids: readonly string[];
  readonly clock: FakeClock;
  /** All devices of a watch are read once more. */
  run(watch: string, selector?: string): Promise<void>;
  /** A write through the gateway. */
  write(index: number, method: string, path: string, body: object): Promise<unknown>;
  /** A write behind the back of the gateway, by a session of its own. */
  writeBehind(index: number, method: string, path: string, body: object): Promise<void>;
}

/** @param sites one for each router; they are named `r-0`, `r-1`, … @param family null: those that were recorded whole, in turn */
export async function startWatchedWorld(
  sites: readonly string[],
  env: Record<string, string> = {},
  family: FamilyName | null = 'RUTX50',
): Promise<WatchedWorld> {
  const clock = new FakeClock(Date.now());
  const fleet = await startOwnFleet({
    devices: sites.length,
    ...(family === null ? {} : { family }),
    profile: 'rutos',
    seed: 5,
    timeScale: 1,
  });
  const gateway = await startTestGateway({ ROLE: 'api', ...env }, clock);
  const { app } = gateway.gateway;
  const db = app.get(DataSource);
  const ids: string[] = [];
  for (const { index, baseUrl, username, password } of fleet.devices) {
    const device = { name: `r-${index}`, baseUrl, credentials: { username, password }, site: sites[index] };
    ids.push((await gateway.api.post<{ id: string }>('/v1/devices', device)).id);
  }
  return {
    ...gateway,
    db,
    fleet,
    ids,
    clock,
    async run(watch, selector = 'all') {
      clock.pass(1_000);
      await app.get(WatchPlanSweeper).sweep();
      await gateway.api.post(`/v1/watches/${watch}/run`, { selector });
      await until(async () => {
        await app.get(WatchSweeper).sweep();
        const [row] = await db.query<{ asked: number }[]>(
          `select count(*)::int as asked from watched_device join watch on watch.id = watch_id
            where watch.name = $1 and asked_at is not null`,
          [watch],
        );
        return row!.asked === 0;
      });
      clock.pass(1_000);
    },
    write: (index, method, path, body) => gateway.api.send(method, `/v1/devices/${ids[index]}${path}`, body),
    async writeBehind(index, method, path, body) {
      const caller = await new Caller(fleet.devices[index]!).login();
      const { body: answer } = await caller.send(method, path, { body });
      expect(answer).toMatchObject({ success: true });
    },
    async close() {
      await gateway.close();
      await fleet.close();
    },
  };
}
