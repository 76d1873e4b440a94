/*
 * P14: a child process of the gateway is killed as a crash would end it, again and again, while callers ask. How long is it
 * until its address answers a new connection, and until all its processes work again?
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Gateway } from './gateway.js';
import { median } from './measuring.js';
import { GET_PATH, target, type World } from './passing-through.js';
import { significant } from './report.js';

const CALLERS = 8;
const LOOK_EVERY_MS = 10;

/** Only ends what hangs. */
const WITHIN_MS = 60_000;

/** P14, of a gateway of several processes. */
export async function measureKills(world: World): Promise<void> {
  const { gateway, report, short } = world;
  if (gateway.processes === 1) return report.skip('P14', 'kill -9 of a child', 'with --processes 2 or more');
  const kills = short ? 3 : 20;
  const answered: number[] = [];
  const replaced: number[] = [];
  const over = new AbortController();
  const callers = callUntil(over.signal, world);
  try {
    await until(() => doAllWork(gateway));
    for (let kill = 0; kill < kills; kill++) {
      const children = await childrenOf(gateway.pid);
      process.kill(children[kill % children.length]!, 'SIGKILL');
      const killedAt = performance.now();
      const since = () => (performance.now() - killedAt) / 1_000;
      await until(() => answers(`${gateway.url}/health/live`));
      answered.push(since());
      await until(() => doAllWork(gateway));
      replaced.push(since());
    }
  } finally {
    over.abort();
  }
  const [calls, lost] = await callers;
  report.add({
    id: 'P14',
    what: `kill -9 of a child of ${gateway.processes} processes, ${kills} times: until the address answers`,
    value: Math.max(...answered),
    unit: 's',
    against: '',
    bound: { atMost: 1 },
    detail: `the longest; median ${significant(median(answered))} s; all work again after ${significant(median(replaced))} s, at most ${significant(Math.max(...replaced))} s; of ${calls.toLocaleString('en-GB')} calls beside it ${lost} met the end of a process`,
  });
}

/** Callers who ask devices without a pause, each on connections of its own. @returns how many calls, and how many got no answer of a device */
async function callUntil(stop: AbortSignal, { gateway, bare }: World): Promise<[calls: number, lost: number]> {
  let calls = 0;
  let lost = 0;
  const caller = async (name: string) => {
    for (; !stop.aborted; calls++)
      if (!(await answers(gateway.url + target(name, GET_PATH), gateway.headers()))) lost++;
  };
  await Promise.all(bare.devices.slice(0, CALLERS).map(({ name }) => caller(name)));
  return [calls, lost];
}

const answers = (url: string, headers: Record<string, string> = {}): Promise<boolean> =>
  fetch(url, { headers: { ...headers, connection: 'close' } }).then(
    async (answer) => (await answer.arrayBuffer()) && answer.ok,
    () => false,
  );

/** Whether the metrics have figures of each process: one that starts has none yet. */
async function doAllWork(gateway: Gateway): Promise<boolean> {
  const answer = await fetch(`${gateway.url}/metrics`, { headers: gateway.headers() }).catch(() => null);
  const text = (await answer?.text().catch(() => '')) ?? '';
  return (text.match(/^process_start_time_seconds\{/gm) ?? []).length === gateway.processes;
}

/** The processes that a process has started, without the database and its like. */
async function childrenOf(pid: number): Promise<number[]> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').map(Number);
  const titles = await Promise.all(children.map((child) => readFile(`/proc/${child}/cmdline`, 'latin1')));
  return children.filter((_, index) => /^fleetgate (?:api|worker)/.test(titles[index]!));
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const startedAt = performance.now();
  while (!(await isTrue())) {
    if (performance.now() - startedAt > WITHIN_MS) throw new Error('a killed process was not replaced');
    await sleep(LOOK_EVERY_MS);
  }
}
