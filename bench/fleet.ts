/*
 * A simulated fleet in processes of its own, for fan-outs: real sessions, tokens that are checked, answers that differ from
 * device to device. Its devices keep connections open and log in at once, as the specification has them, so that what is
 * measured is the caller.
 */
import { startFleet } from '../src/simulator/fleet.js';
import { serveParent, startHelper } from './processes.js';

/** A device as a baseline needs it. */
export interface FleetDevice {
  readonly port: number;
  readonly username: string;
  readonly password: string;
}

/** So many devices of each tag. */
export type FleetPlan = Readonly<Record<string, { readonly devices: number; readonly latencyMs?: number }>>;

/** What a fleet is when it listens. */
interface ListeningFleet {
  readonly csv: string;
  readonly byTag: Readonly<Record<string, readonly FleetDevice[]>>;
}

export interface SimulatedFleet {
  readonly ready: ListeningFleet;
  stop(): Promise<void>;
}

/** One process's part: groups whose tags may stand in several parts. */
interface Part {
  readonly firstNumber: number;
  readonly groups: readonly { readonly tag: string; readonly devices: number; readonly latencyMs?: number }[];
}

/** A device is two open files: it listens, and it has a connection. Many systems allow a process 20,000. */
const MOST_PER_PROCESS = 6_000;

/** Starts the fleet, in as many processes as it needs. Devices are numbered in the order of the plan. */
export async function startSimulatedFleet(plan: FleetPlan): Promise<SimulatedFleet> {
  const helpers = await Promise.all(
    partsOf(plan).map((part) => startHelper<ListeningFleet, never, never>('fleet.js', part)),
  );
  const byTag: Record<string, FleetDevice[]> = {};
  for (const { ready } of helpers) {
    for (const [tag, devices] of Object.entries(ready.byTag)) (byTag[tag] ??= []).push(...devices);
  }
  const [header] = helpers[0]!.ready.csv.split('\n', 1);
  const lines = helpers.flatMap(({ ready }) => ready.csv.trimEnd().split('\n').slice(1));
  return {
    ready: { csv: [header, ...lines, ''].join('\n'), byTag },
    stop: async () => void (await Promise.all(helpers.map((helper) => helper.stop()))),
  };
}

function partsOf(plan: FleetPlan): Part[] {
  const parts: { firstNumber: number; groups: Part['groups'][number][] }[] = [{ firstNumber: 1, groups: [] }];
  let number = 1;
  let room = MOST_PER_PROCESS;
  for (const [tag, { devices, latencyMs }] of Object.entries(plan)) {
    for (let left = devices; left > 0;) {
      if (room === 0) {
        parts.push({ firstNumber: number, groups: [] });
        room = MOST_PER_PROCESS;
      }
      const taken = Math.min(left, room);
      parts.at(-1)!.groups.push({ tag, devices: taken, ...(latencyMs === undefined ? {} : { latencyMs }) });
      number += taken;
      left -= taken;
      room -= taken;
    }
  }
  return parts;
}

/** Tokens outlive the longest run. */
const TOKEN_LIFETIME_S = 3 * 3600;

/** Longer than a cold fan-out over 10,000 devices: the warm one after it finds the connections of both sides open. */
const KEEP_ALIVE_S = 75;

async function listen({ firstNumber, groups }: Part): Promise<ListeningFleet> {
  const [first, ...others] = groups.map(({ tag, devices, latencyMs }) => ({
    devices,
    profile: 'spec' as const,
    tokenLifetimeS: TOKEN_LIFETIME_S,
    tags: [tag],
    ...(latencyMs === undefined ? {} : { latencyMs: [latencyMs, latencyMs] as [number, number] }),
  }));
  const fleet = await startFleet({ ...first!, groups: others, firstNumber, timeScale: 1, keepAliveS: KEEP_ALIVE_S });
  const byTag: Record<string, FleetDevice[]> = {};
  for (const { setup, baseUrl, username, password } of fleet.devices) {
    (byTag[setup.tags[0]!] ??= []).push({ port: Number(new URL(baseUrl).port), username, password });
  }
  return { csv: fleet.csv(), byTag };
}

if (process.argv[1]?.endsWith('fleet.js')) {
  await serveParent(async (part: Part) => ({ ready: await listen(part) }));
}
