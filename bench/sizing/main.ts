/* `npm run bench:sizing`: measures what one of each costs on this machine, and writes the page that says how much machine a fleet needs. */
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Gateway } from '../gateway.js';
import { startLoad } from '../load.js';
import { measureCosts } from './costs.js';
import { sizingPage } from './page.js';

const HELP = `Usage: npm run bench:sizing -- [--page <file>]

  --page <file>   where the page goes (docs/explanation/sizing.md)
`;

const { values: flags } = parseArgs({
  options: {
    page: { type: 'string', default: path.join('docs', 'explanation', 'sizing.md') },
    help: { type: 'boolean', default: false },
  },
});

if (flags.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void Gateway.removeAll().finally(() => process.exit(130)));

const load = await startLoad();
const costs = await measureCosts(load, (line) => process.stderr.write(`${line}\n`));
await load.stop();
const unknown = Object.values(costs).flatMap((cost) => (typeof cost === 'number' ? [cost] : Object.values(cost)));
if (unknown.some((value) => !Number.isFinite(value))) {
  process.stderr.write('A cost could not be measured: processor time and memory are read from /proc, on Linux.\n');
  process.exit(1);
}
const machine = {
  date: new Date().toISOString().slice(0, 10),
  processor: os.cpus()[0]?.model.trim() ?? 'processor unknown',
  cores: os.cpus().length,
  node: process.versions.node,
};
await writeFile(flags.page, sizingPage(costs, machine));
process.stderr.write(`Written to ${flags.page}\n`);
