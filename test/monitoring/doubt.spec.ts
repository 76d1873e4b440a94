import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DataSource } from 'typeorm';
import { AlertSweeper } from '../../src/monitoring/alerts/alert.sweeper.js';
import { DevicesService } from '../../src/devices/registry/devices.service.js';
import { StatusSweeper } from '../../src/monitoring/status.sweeper.js';
import { ReachabilityWatch } from '../../src/proxy/connections/reachability-watch.js';
import { type Fleet } from '../../src/simulator/fleet.js';
import { Processes } from '../../src/system/processes.sweeper.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';
import { FakeClock } from '../support/fake-clock.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { until } from '../support/until.js';

/* Many devices that stop to answer at once: the gateway doubts itself first. */

const DEVICES = 21;
const EVERY_S = 300;

let world: TestGateway;
let fleet: Fleet;
let sweeper: StatusSweeper;
let watch: ReachabilityWatch;
const clock = new FakeClock(Date.now());

beforeAll(async () => {
  fleet = await startOwnFleet({ devices: DEVICES, profile: 'rutos', seed: 5 });
  world = await startTestGateway({ ROLE: 'api' }, clock);
  sweeper = world.gateway.app.get(StatusSweeper);
  watch = world.gateway.app.get(ReachabilityWatch);
  for (const one of [sweeper, world.gateway.app.get(AlertSweeper)])
    Object.assign(one, { config: { STATUS_EVERY_SECONDS: EVERY_S } });
  for (const { index, baseUrl } of fleet.devices) await world.api.post('/v1/devices', { name: `d-${index}`, baseUrl });
});
afterAll(async () => {
  await world.close();
  await fleet.close();
});
beforeEach(async () => {
  await Promise.all(fleet.devices.map((device) => device.start()));
  await pass();
  expect(await states()).toEqual({ online: DEVICES });
});

/**
 * One pass over the fleet. It is never late: a busy machine makes it so by itself, and a late pass judges nothing. What the pass before
 * still writes is written first: a pass leaves out the devices that others write.
 */
async function pass(): Promise<void> {
  await world.gateway.app.get(DevicesService).drain();
  clock.pass((EVERY_S + 20) * 1_000);
  await sweepOnTime();
}
async function sweepOnTime(): Promise<void> {
  const onTime = vi.spyOn(watch, 'wasLateSince').mockReturnValue(false);
  await sweeper.sweep();
  onTime.mockRestore();
}
const stop = (count: number) => Promise.all(fleet.devices.slice(0, count).map((device) => device.stop()));
async function states(): Promise<Record<string, number>> {
  const { groups } = await world.api.get<{ groups: { values: { value: string; devices: number }[] }[] }>(
    '/v1/devices/summary?by=state',
  );
  return Object.fromEntries(groups[0]!.values.map(({ value, devices }) => [value, devices]));
}
async function warning() {
  await world.gateway.app.get(Processes).sweep();
  const { warnings } = await world.api.get<{ warnings: { code: string; since: string }[] }>('/v1/system');
  return warnings.find(({ code }) => code === 'many_devices_away');
}

describe('devices that stop to answer', () => {
  it('are offline after two failed checks when they are few', async () => {
    await stop(3);
    await pass();
    expect(await states()).toEqual({ online: DEVICES });
    await pass();
    expect(await states()).toEqual({ online: DEVICES - 3, offline: 3 });
    expect(await warning()).toBeUndefined();
  });

  it('are checked also while a transaction makes rows that refer to them', async () => {
    const db = world.gateway.app.get(DataSource);
    await stop(3);
    await db.transaction(async (tx) => {
      await tx.query('select from device for key share');
      await pass();
      await pass();
    });
    expect(await states()).toEqual({ online: DEVICES - 3, offline: 3 });
  });

  it('stay as they are for three passes when they are most of the fleet, with a warning, and are believed then', async () => {
    await stop(DEVICES);
    for (let passes = 0; passes < 3; passes++) {
      if (passes > 0) clock.pass(-20_000);
      await pass();
      expect(await states()).toEqual({ online: DEVICES });
    }
    const warned = await warning();
    expect(warned?.since).toEqual(expect.any(String));
    await pass();
    expect(await states()).toEqual({ offline: DEVICES });
    expect(await warning()).toBeUndefined();
  });

  it('are checked at once when they are believed to be away, also those that were not due', async () => {
    await stop(DEVICES);
    for (let passes = 0; passes < 3; passes++) await pass();
    const db = world.gateway.app.get(DataSource);
    await db.query(`update device set probe_at = $1 where name in ('d-0', 'd-1')`, [
      new Date(clock.nowMs() + 3_600_000),
    ]);
    await pass();
    expect(await states()).toEqual({ online: 2, offline: DEVICES - 2 });
    await sweepOnTime();
    expect(await states()).toEqual({ offline: DEVICES });
  });

  it('stay as they are, and the warning too, while a pass of a doubt is late', async () => {
    await stop(DEVICES);
    await pass();
    expect(await warning()).toBeDefined();
    clock.pass((EVERY_S + 20) * 1_000);
    const late = vi.spyOn(watch, 'wasLateSince').mockReturnValue(true);
    await sweeper.sweep();
    late.mockRestore();
    expect(await warning()).toBeDefined();
    expect(await states()).toEqual({ online: DEVICES });
  });

  it('are judged one by one again as soon as most of them are back', async () => {
    await stop(DEVICES);
    await pass();
    await Promise.all(fleet.devices.slice(2).map((device) => device.start()));
    await pass();
    expect(await states()).toEqual({ online: DEVICES - 2, offline: 2 });
  });

  it('are not judged when this process was late', async () => {
    await stop(3);
    await pass();
    clock.pass((EVERY_S + 20) * 1_000);
    const sweeping = sweeper.sweep();
    // The event loop stands still, as on an overloaded machine.
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_300));
    await sweeping;
    expect(await states()).toEqual({ online: DEVICES });
    await pass();
    expect(await states()).toEqual({ online: DEVICES - 3, offline: 3 });
  });
});

describe('an alert about devices that are offline', () => {
  const RULE = { name: 'away', selector: 'state:offline', forSeconds: 400, clearAfterSeconds: 0 };

  interface Alerts {
    readonly items: readonly { readonly state: string; readonly matchedAt: string }[];
  }

  it('counts from the first failed check, and after a doubt from when they are believed to be away', async () => {
    const { id } = await world.api.post<{ id: string }>('/v1/monitoring/rules', RULE);
    const judged = async (): Promise<Alerts['items']> => {
      clock.pass(10_000); // a rule is not judged twice at one time
      await world.gateway.app.get(AlertSweeper).sweep();
      return (await world.api.get<Alerts>(`/v1/monitoring/alerts?rule=${id}&state=all&limit=100`)).items;
    };
    await stop(1);
    await pass();
    const failedAt = clock.now().toISOString();
    await pass();
    await until(async () => (await judged())[0]?.state === 'open');
    expect(await judged()).toMatchObject([{ matchedAt: failedAt }]);
    await stop(DEVICES);
    for (let passes = 0; passes < 4; passes++) await pass();
    const believedAt = clock.nowMs();
    await until(async () => (await judged()).length === DEVICES);
    const later = (await judged()).filter(({ matchedAt }) => matchedAt !== failedAt);
    expect(later).toHaveLength(DEVICES - 1);
    for (const { matchedAt } of later) expect(Date.parse(matchedAt)).toBeGreaterThanOrEqual(believedAt);
  });
});

describe('calls that find nothing', () => {
  it('count as one failed check each', async () => {
    await stop(1);
    const { id } = await world.api.get<{ id: string }>('/v1/devices/name:d-0');
    await world.api.send('PUT', `/v1/devices/${id}/credentials`, { username: 'admin', password: 'Secret-123' });
    const call = async () => {
      const path = `/v1/devices/${id}/api/users/config/1`;
      const headers = { authorization: `Bearer ${world.keys.operator}`, 'content-type': 'application/json' };
      const answer = await fetch(world.url + path, { method: 'PUT', body: '{}', headers });
      return answer.status;
    };
    expect(await call()).toBe(502);
    expect(await states()).toEqual({ online: DEVICES });
    expect(await call()).toBe(502);
    expect(await states()).toEqual({ online: DEVICES - 1, offline: 1 });
  });
});
