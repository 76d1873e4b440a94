/*
 * `npm run faults`: the longest fault runs, commands of their own. Each prints its seed; the same seed misbehaves in the
 * same way, though processes never die at quite the same instruction twice. Ends with 1 when a rule was broken.
 */
import { Command } from 'commander';
import { runRollout } from './rollout.js';

/**
 * What an option is when it is not given. On two cores of its own the long run takes about ten minutes, the short one about
 * two; beside other work, three times that. A machine that is so busy that a call takes many seconds should get a lower
 * `timeScale`: such seconds are minutes to the devices.
 */
const LONG = { devices: 1_000, timeScale: 20, minutes: 45 };
const SHORT = { devices: 60, timeScale: 20, minutes: 8 };

const program = new Command('faults')
  .description('A rollout of firmware while processes are killed, the database crashes and the queue is emptied.')
  .option('--devices <count>', `devices of the fleet (${LONG.devices})`)
  .option('--seed <number>', 'repeats a run', String(Date.now() % 1_000_000))
  .option('--time-scale <factor>', `how much faster time passes (${LONG.timeScale})`)
  .option('--minutes <count>', `gives up after so long (${LONG.minutes})`)
  .option('--short', `for CI: ${SHORT.devices} devices, ${SHORT.timeScale} times faster, ${SHORT.minutes} minutes`)
  .addHelpText('after', '\nExamples:\n  npm run faults\n  npm run faults -- --short --seed 7\n')
  .parse();

const given = program.opts<Partial<Record<keyof typeof LONG, string>> & { seed: string; short?: boolean }>();
const usual = given.short ? SHORT : LONG;
const seed = Number(given.seed);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => stop.abort(new Error('It was interrupted')));
process.stdout.write(`seed ${seed}\n`);
const broken = await runRollout({
  devices: Number(given.devices ?? usual.devices),
  seed,
  timeScale: Number(given.timeScale ?? usual.timeScale),
  withinMs: Number(given.minutes ?? usual.minutes) * 60_000,
  signal: stop.signal,
  say: (line) => void process.stdout.write(`${line}\n`),
});
for (const rule of broken.slice(0, 50)) process.stdout.write(`BROKEN: ${rule}\n`);
process.stdout.write(broken.length === 0 ? 'every rule held\n' : `${broken.length} rules were broken (seed ${seed})\n`);
process.exit(broken.length === 0 ? 0 : 1);
