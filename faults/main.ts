/*
 * `npm run faults`: the longest fault runs, commands of their own. Each prints its seed; the same seed misbehaves in the
 * same way, though processes never die at quite the same instruction twice. Ends with 1 when a rule was broken.
 */
import { Command } from 'commander';
import { runRollout } from './rollout.js';

const program = new Command('faults')
  .description('A rollout of firmware while processes are killed, the database crashes and the queue is emptied.')
  .option('--devices <count>', 'devices of the fleet', '1000')
  .option('--seed <number>', 'repeats a run', String(Date.now() % 1_000_000))
  .option('--time-scale <factor>', 'how much faster time passes', '20')
  .option('--minutes <count>', 'gives up after so long', '20')
  .option('--short', '60 devices, for CI')
  .addHelpText('after', '\nExamples:\n  npm run faults\n  npm run faults -- --short --seed 7\n')
  .parse();

const given = program.opts<Record<'devices' | 'seed' | 'timeScale' | 'minutes', string> & { short?: boolean }>();
const seed = Number(given.seed);
process.stdout.write(`seed ${seed}\n`);
const broken = await runRollout({
  devices: given.short ? 60 : Number(given.devices),
  seed,
  timeScale: Number(given.timeScale),
  withinMs: Number(given.minutes) * 60_000,
  say: (line) => void process.stdout.write(`${line}\n`),
});
for (const rule of broken.slice(0, 50)) process.stdout.write(`BROKEN: ${rule}\n`);
process.stdout.write(broken.length === 0 ? 'every rule held\n' : `${broken.length} rules were broken (seed ${seed})\n`);
process.exit(broken.length === 0 ? 0 : 1);
