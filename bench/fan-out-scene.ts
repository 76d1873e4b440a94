/*
 * The fleet behind fan-outs and what both sides must have behind them before a cold or a warm measurement. The gateway knows
 * each device from before: its first meeting, with pin and profile, is no part of a fan-out.
 */
import { startLoops, type Loops } from './baselines/fan-out-loop.js';
import { AT_ONCE, fanOut, STATUS_PATH } from './fan-out-client.js';
import { startSimulatedFleet, type FleetPlan, type SimulatedFleet } from './fleet.js';
import { type World } from './passing-through.js';

/** The largest fan-out of the long form. */
export const MANY = 10_000;

/** How slow the devices with the tag `slow` are. */
export const SLOW_MS = 200;

/** Everything that a fan-out is measured with. */
export interface Scene extends World {
  readonly fleet: SimulatedFleet;
  readonly loops: Loops;
  /** Devices with the tag `bench`. */
  readonly count: number;
}

/** Devices that only let both sides run before a cold measurement. */
export const WARM_UP = 50;

/** Starts the fleet, registers it and meets each device. Call `close` in the end. */
export async function openScene(world: World): Promise<Scene & { close(): Promise<void> }> {
  const count = world.short ? 100 : 1_000;
  const plan: FleetPlan = {
    'warm-up': { devices: WARM_UP },
    bench: { devices: count },
    ...(world.short ? {} : { slow: { devices: count / 10, latencyMs: SLOW_MS }, many: { devices: MANY - count } }),
  };
  const [fleet, loops] = await Promise.all([startSimulatedFleet(plan), startLoops()]);
  const close = async () => void (await Promise.all([fleet.stop(), loops.stop()]));
  try {
    await world.gateway.importCsv(fleet.ready.csv);
    const total = Object.values(plan).reduce((sum, { devices }) => sum + devices, 0);
    const selector = Object.keys(plan).map((tag) => `tag:${tag}`);
    await fanOut(world.gateway, selector.join(' | '), total);
    return { ...world, fleet, loops, count, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** So often do they run: most of the code is compiled then. */
const TURNS = 10;

/** Neither side has a connection or a session; both have run, with other devices. */
export async function startCold({ gateway, fleet, loops }: Scene): Promise<void> {
  await gateway.restart();
  const devices = fleet.ready.byTag['warm-up']!;
  for (let turn = 0; turn < TURNS; turn++) {
    await fanOut(gateway, 'tag:warm-up', devices.length);
    for (const client of ['undici', 'https'] as const) {
      await loops.ask({ client, devices, cold: turn === 0, atOnce: AT_ONCE, path: STATUS_PATH });
    }
  }
}
