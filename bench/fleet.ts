/*
 * A simulated fleet as a process of its own, for fan-outs: real sessions, tokens that are checked, answers that differ from
 * device to device. Its devices keep connections open and log in at once, as the specification has them, so that what is
 * measured is the caller.
 */
import { startFleet } from '../src/simulator/fleet.js';
import { serveParent, startHelper, type Helper } from './processes.js';

/** A device as a baseline needs it. */
export interface FleetDevice {
  readonly port: number;
  readonly username: string;
  readonly password: string;
}

/** So many devices of each tag. */
export type FleetPlan = Readonly<Record<string, { readonly devices: number; readonly latencyMs?: number }>>;

interface Ready {
  readonly csv: string;
  readonly byTag: Readonly<Record<string, readonly FleetDevice[]>>;
}

export type SimulatedFleet = Helper<Ready, never, never>;

export const startSimulatedFleet = (plan: FleetPlan): Promise<SimulatedFleet> => startHelper('fleet.js', plan);

/** Tokens outlive the longest run. */
const TOKEN_LIFETIME_S = 3 * 3600;

async function listen(plan: FleetPlan): Promise<Ready> {
  const [first, ...groups] = Object.entries(plan).map(([tag, { devices, latencyMs }]) => ({
    devices,
    profile: 'spec' as const,
    tokenLifetimeS: TOKEN_LIFETIME_S,
    tags: [tag],
    ...(latencyMs === undefined ? {} : { latencyMs: [latencyMs, latencyMs] as [number, number] }),
  }));
  const fleet = await startFleet({ ...first!, groups, timeScale: 1 });
  const byTag: Record<string, FleetDevice[]> = {};
  for (const { tags, baseUrl, username, password } of fleet.devices) {
    (byTag[tags[0]!] ??= []).push({ port: Number(new URL(baseUrl).port), username, password });
  }
  return { csv: fleet.csv(), byTag };
}

if (process.argv[1]?.endsWith('fleet.js')) {
  await serveParent(async (plan: FleetPlan) => ({ ready: await listen(plan) }));
}
