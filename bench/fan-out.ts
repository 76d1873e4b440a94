/*
 * P3, P4: one call to many devices, through POST /v1/fan-out, beside bare loops and other tools over the same devices.
 *
 * Cold: no connection and no session; the gateway was started again and has then called other devices, as the loops have.
 * Warm: connections and tokens are there. Before each fan-out the gateway rests for 1.2 s, so that nothing helps that is
 * remembered for a second, since real callers do not fan out all the time; the loops do not. The gateway's
 * time is that of its client, from the request to the summary line, all answers included.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { aiohttpVersion, curlVersion, runAiohttp, runCurl } from './baselines/fan-out-tools.js';
import { AT_ONCE, fanOut, STATUS_PATH } from './fan-out-client.js';
import { startCold, type Scene } from './fan-out-scene.js';
import { alternate, median, ratio, undisturbedRatio } from './measuring.js';
import { significant } from './report.js';

/** Longer than any cache time, shorter than the idle time of connections. */
export const PAUSE_MS = 1_200;

/** Milliseconds that each took for the same devices, one after the other. */
export interface Pass {
  readonly ours: number;
  readonly undici: number;
  readonly https: number;
}

/** The passes of a run. */
export interface Passes {
  readonly cold: readonly Pass[];
  readonly warm: readonly Pass[];
}

export async function measureFanOut(scene: Scene): Promise<Passes> {
  const cold: Pass[] = [];
  const warm: Pass[] = [];
  for (let round = 0; round < (scene.short ? 1 : 3); round++) {
    await startCold(scene);
    cold.push(await onePass(scene, true, round));
    for (let again = 0; again < (scene.short ? 2 : 3); again++) warm.push(await onePass(scene, false, round + again));
  }
  reportLoops(scene, cold, warm);
  await compareTools(scene, cold, warm);
  return { cold, warm };
}

async function onePass({ gateway, fleet, loops, count }: Scene, cold: boolean, round: number): Promise<Pass> {
  const devices = fleet.ready.byTag['bench']!;
  const loop = (client: 'undici' | 'https') => () =>
    loops.ask({ client, devices, cold, atOnce: AT_ONCE, path: STATUS_PATH });
  const ours = async () => {
    await sleep(PAUSE_MS);
    return (await fanOut(gateway, 'tag:bench', count)).ms;
  };
  const ways = { ours, undici: loop('undici'), https: loop('https') };
  // The order changes from pass to pass.
  const names = Object.keys(ways) as (keyof Pass)[];
  const order = [...names.slice(round % 3), ...names.slice(0, round % 3)];
  const times: Partial<Record<keyof Pass, number>> = {};
  for (const name of order) times[name] = await ways[name]();
  return times as Pass;
}

export const times = (passes: readonly Pass[], name: keyof Pass): number[] => passes.map((pass) => pass[name]);

export const ms = (values: readonly number[]): string => `${significant(median(values))} ms`;

function reportLoops({ report, count }: Scene, cold: readonly Pass[], warm: readonly Pass[]): void {
  const compare = (id: string, kind: string, passes: readonly Pass[], name: 'undici' | 'https', atMost?: number) =>
    report.add({
      id,
      what: `fan-out over ${count}, ${kind}`,
      value: ratio(times(passes, 'ours'), times(passes, name)),
      undisturbed: undisturbedRatio(times(passes, 'ours'), times(passes, name), 'low'),
      unit: '×',
      against: name === 'undici' ? 'bare undici Client' : 'bare node:https',
      ...(atMost === undefined ? {} : { bound: { atMost } }),
      detail: `${ms(times(passes, 'ours'))} against ${ms(times(passes, name))}`,
    });
  compare('P3', 'warm', warm, 'undici', 1.6);
  compare('P3', 'warm', warm, 'https');
  compare('P4', 'cold', cold, 'https', 1.3);
  compare('P4', 'cold', cold, 'undici');
}

async function compareTools(
  { report, fleet, short }: Scene,
  cold: readonly Pass[],
  warm: readonly Pass[],
): Promise<void> {
  const question = { devices: fleet.ready.byTag['bench']!, atOnce: AT_ONCE, path: STATUS_PATH };
  const rounds = short ? 1 : 2;
  const add = (id: string, kind: string, passes: readonly Pass[], tool: string, theirs: readonly number[]) =>
    report.add({
      id,
      what: `fan-out over ${question.devices.length}, ${kind}`,
      value: median(times(passes, 'ours')) / median(theirs),
      unit: '×',
      against: tool,
      bound: { atMost: 1 },
      detail: `${ms(times(passes, 'ours'))} against ${ms(theirs)}`,
    });
  const aiohttp = aiohttpVersion();
  if (aiohttp) {
    const { runs } = await alternate({ runs: () => runAiohttp(question) }, rounds);
    add(
      'P3',
      'warm',
      warm,
      aiohttp,
      runs.map(({ warmMs }) => warmMs),
    );
  } else report.skip('P3', 'fan-out, warm, against aiohttp', 'python3 with aiohttp is not installed here');
  const curl = curlVersion();
  if (curl) {
    const { runs } = await alternate({ runs: () => runCurl(question) }, rounds);
    add('P4', 'cold', cold, `${curl} --parallel`, runs);
  } else report.skip('P4', 'fan-out, cold, against curl --parallel', 'curl 7.66 or newer is not installed here');
}
