/*
 * P5: fan-outs that are ten times as large, and what a slow device does to the others. Beside the gateway's own figures for
 * the usual number of devices, in the same run.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fanOut } from './fan-out-client.js';
import { MANY, SLOW_MS, startCold, WARM_UP, type Scene } from './fan-out-scene.js';
import { ms, PAUSE_MS, times, type Pass, type Passes } from './fan-out.js';
import { alternate, median, ratio } from './measuring.js';
import { residentMB, watchMemory } from './processes.js';
import { significant } from './report.js';

/** Warm fan-outs over all devices: one alone may meet a collection of garbage. */
const WARM_ROUNDS = 5;

/** P5: one slow device in ten. The rest is done when the last of its lines is there. */
export async function measureMixed({ gateway, fleet, report, count }: Scene): Promise<void> {
  const slow = fleet.ready.byTag['slow']!.length;
  const lastOf = async (selector: string, expected: number) => {
    await sleep(PAUSE_MS);
    const { arrivals } = await fanOut(gateway, selector, expected);
    // The simulator numbers devices in the order of the tags.
    const isSlow = (name: string) => Number(name.slice(-5)) > WARM_UP + count;
    return Math.max(...[...arrivals].filter(([name]) => !isSlow(name)).map(([, at]) => at));
  };
  const ways = {
    alone: () => lastOf('tag:bench', count),
    mixed: () => lastOf('tag:bench | tag:slow', count + slow),
  };
  await ways.mixed();
  const runs = await alternate(ways, 5);
  report.add({
    id: 'P5',
    what: `${count} devices with ${slow} of ${SLOW_MS} ms among them: time of the others`,
    value: ratio(runs.mixed, runs.alone),
    unit: '×',
    against: 'the same without slow ones',
    bound: { atMost: 1.5 },
    detail: `${ms(runs.mixed)} against ${ms(runs.alone)}`,
  });
}

/** P5: ten times the devices. */
export async function measureMany(scene: Scene, { cold, warm }: Passes): Promise<void> {
  const { gateway, report, count } = scene;
  await startCold(scene);
  const before = await residentMB(gateway.pid);
  const stopWatching = watchMemory(gateway.pid);
  const selector = 'tag:bench | tag:many';
  const first = await fanOut(gateway, selector, MANY);
  const grownMB = (await stopWatching()) - (before ?? Number.NaN);
  const again: number[] = [];
  while (again.length < WARM_ROUNDS) again.push((await fanOut(gateway, selector, MANY)).ms);
  const compare = (kind: string, rounds: readonly number[], passes: readonly Pass[]) =>
    report.add({
      id: 'P5',
      what: `fan-out over ${MANY.toLocaleString('en-GB')}, ${kind}`,
      value: median(rounds) / median(times(passes, 'ours')),
      unit: '×',
      against: `the time of ${count}`,
      bound: { atMost: 11 },
      detail: `${ms(rounds)} against ${ms(times(passes, 'ours'))}`,
    });
  compare('cold', [first.ms], cold);
  compare('warm', again, warm);
  report.add({
    id: 'P5',
    what: `memory per device at the peak of ${MANY.toLocaleString('en-GB')}`,
    value: (grownMB * 1_000) / MANY,
    unit: 'KB',
    against: '',
    bound: { atMost: 80 },
    detail: `${significant(before ?? Number.NaN)} MB before, ${significant(grownMB)} MB more at the peak`,
  });
}
