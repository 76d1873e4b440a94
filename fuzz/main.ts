/*
 * `npm run fuzz`: hostile bodies for everything that reads the answer of a device. The same seed makes the same bodies. Ends
 * with 1 when a reader threw, held up the event loop, or took more than linear time.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Command } from 'commander';
import { Random } from '../src/simulator/device/random.js';
import { fuzzForwardedFor } from './forwarded-for.js';
import { runRounds } from './gateway-rounds.js';
import { pickOf, SHAPES } from './hostile-bodies.js';
import { READERS, type Reader } from './readers.js';

/** On a core of its own the long run takes about ten minutes, the short one less than one and a half. */
const LONG = { bodies: 20_000, rounds: 200, minutes: 5 };
const SHORT = { bodies: 1_000, rounds: 15, minutes: 1 };

/** What may hold up the event loop, in milliseconds. */
const MAX_DELAY_MS = 200;

/**
 * On a slow machine, a reader may take this many times as long as `JSON.parse` of the same body, at the same moment. The
 * dearest one, a digest of one long name, takes 12 times as long; a reader of quadratic time takes thousands.
 */
const MAX_TIMES_PARSED = 20;

/** Most bodies are small; as many as there is of each doubling in between. The largest are what a call of a job may read. */
const SMALLEST = 32;
const USUAL_LARGEST = 128 * 1024;
const LARGEST = 2 * 1024 * 1024 - 1024;
const LARGE_EVERY = 200;

/** Compared: linear time grows 8 times, quadratic 64 times. Both hold more names than are remembered as judged. */
const GROWN = [96 * 1024, 768 * 1024] as const;
const MAX_GROWTH = 24;

/** What every reader of JSON does at least. */
const PARSER: Reader = {
  name: 'JSON.parse',
  read: (body) => {
    try {
      JSON.parse(body.toString('utf8'));
    } catch {
      return; // where a body is no JSON, the time until this is known counts
    }
  },
};

/** Headers of X-Forwarded-For; all of them take half a second. */
const HEADERS = 100_000;

/** Shorter times are not compared: clocks and caches would be. */
const COMPARED_MS = 60;

const program = new Command('fuzz')
  .description('Hostile bodies for everything that reads the answer of a device, alone and through a running gateway.')
  .option('--bodies <count>', `generated bodies (${LONG.bodies}); each goes to every reader`)
  .option('--rounds <count>', `rounds through a running gateway (${LONG.rounds})`)
  .option('--seed <number>', 'repeats a run', String(Date.now() % 1_000_000))
  .option('--short', `for CI: ${SHORT.bodies} bodies, ${SHORT.rounds} rounds`)
  .addHelpText('after', '\nExamples:\n  npm run fuzz\n  npm run fuzz -- --short --seed 7\n')
  .parse();
const given = program.opts<{ bodies?: string; rounds?: string; seed: string; short?: boolean }>();
const usual = given.short ? SHORT : LONG;
const random = new Random(`fuzz-${given.seed}`);
const pick = pickOf(random);
const broken: string[] = [];
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * The milliseconds for which a reader held up the event loop, in processor time, since a machine has other work too. Of one
 * that waits, the longest of its turns, by the clock.
 */
async function heldUpMs(reader: Reader, body: Buffer): Promise<number> {
  const startedAt = process.cpuUsage();
  const reading = reader.read(body);
  if (!(reading instanceof Promise)) {
    const { user, system } = process.cpuUsage(startedAt);
    return (user + system) / 1000;
  }
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  try {
    await reading;
    await new Promise((resolve) => setTimeout(resolve, 0));
  } finally {
    delay.disable();
  }
  return Math.max(delay.max / 1e6, 0);
}

/** The milliseconds that a reader may hold up the event loop with this body, on this machine. */
async function allowedMs(body: Buffer): Promise<number> {
  return Math.max(MAX_DELAY_MS, MAX_TIMES_PARSED * (await shortestMs(PARSER, body, 0)));
}

/** The shortest of several tries: a machine that is busy in one is not in all of them. */
async function shortestMs(reader: Reader, body: Buffer, enoughMs: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 5 && best > enoughMs; tries++) best = Math.min(best, await heldUpMs(reader, body));
  return best;
}

async function readAll(bodies: number): Promise<void> {
  let worst = { ms: 0, what: 'nothing' };
  let bytes = 0;
  for (let count = 0; count < bodies; count++) {
    const shape = pick(SHAPES);
    const largest = count % LARGE_EVERY === 0 ? LARGEST : USUAL_LARGEST;
    const size = count % LARGE_EVERY === 0 ? LARGEST : Math.floor(SMALLEST * (largest / SMALLEST) ** random.next());
    const body = shape.make(size, pick);
    bytes += body.length;
    for (const reader of READERS) {
      const what = `${reader.name}: body ${count}, ${shape.name}, ${body.length} bytes`;
      try {
        const ms = await shortestMs(reader, body, MAX_DELAY_MS);
        if (ms > worst.ms) worst = { ms, what };
        if (ms > MAX_DELAY_MS && ms > (await allowedMs(body)))
          broken.push(`held up the event loop for ${ms.toFixed(0)} ms: ${what}`);
      } catch (error) {
        broken.push(`threw ${String(error).slice(0, 200)}: ${what}`);
      }
    }
  }
  say(`readers: ${bodies} bodies of ${(bytes / 2 ** 20).toFixed(0)} MiB for ${READERS.length} readers each`);
  say(`readers: longest ${worst.ms.toFixed(0)} ms (${worst.what})`);
}

async function compareSizes(): Promise<void> {
  let compared = 0;
  for (const shape of SHAPES) {
    for (const reader of READERS) {
      const [small, large] = GROWN.map((size) => shape.make(size, (items) => items[0]!)) as [Buffer, Buffer];
      compared++;
      const largeMs = await shortestMs(reader, large, COMPARED_MS).catch(() => 0);
      if (largeMs <= COMPARED_MS) continue;
      const growth = largeMs / (await shortestMs(reader, small, 0));
      if (growth > MAX_GROWTH)
        broken.push(`took ${growth.toFixed(0)} times as long for 8 times the bytes: ${reader.name}, ${shape.name}`);
    }
  }
  say(`growth: ${compared} pairs of a reader and a shape, ${GROWN.join(' and ')} bytes`);
}

say(`seed ${given.seed}`);
await readAll(Number(given.bodies ?? usual.bodies));
await compareSizes();
broken.push(...fuzzForwardedFor(HEADERS, random));
say(`headers: ${HEADERS} of X-Forwarded-For`);
const rounds = Number(given.rounds ?? usual.rounds);
if (rounds > 0)
  broken.push(
    ...(await runRounds({ rounds, withinMs: usual.minutes * 60_000, maxDelayMs: MAX_DELAY_MS, random, say })),
  );
for (const line of broken.slice(0, 50)) say(`BROKEN: ${line}`);
say(
  broken.length === 0 ? 'every answer was read or refused in order' : `${broken.length} were not (seed ${given.seed})`,
);
process.exit(broken.length === 0 ? 0 : 1);
