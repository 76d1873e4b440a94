/* A bench of rows: its flags, its servers, and what becomes of a row that cannot be taken. What falls short is a finding, no failure. */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Gateway } from '../gateway.js';
import { Report } from '../report.js';
import { Installation } from './installation.js';
import { type Bench } from './scene.js';
import { Server } from './server.js';

interface Rows {
  /** Those that one measurement fills. */
  readonly ids: readonly string[];
  readonly what: string;
  readonly measure: (bench: Bench) => Promise<void>;
  /** It measures no times, so in the short form it may share the cores. */
  readonly counts?: true;
}

interface BenchOfRows {
  /** Such as `monitoring`: the command is `npm run bench:monitoring`. */
  readonly name: string;
  /** What `--short` does. */
  readonly short: string;
  readonly rows: readonly Rows[];
}

/** Rows of counts that share the cores, in the short form. */
const TOGETHER = 3;

/** Takes the rows that the arguments of the process choose, and ends the process: with 1 where one could not be taken. */
export async function takeRows({ name, short, rows }: BenchOfRows): Promise<never> {
  const { values: flags } = parseArgs({
    options: {
      short: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      output: { type: 'string', default: path.join('.data', 'bench') },
      help: { type: 'boolean', default: false },
    },
  });
  const only = flags.only.split(',').filter((id) => id !== '');
  const known = rows.flatMap(({ ids }) => ids);
  const unknown = only.filter((id) => !known.includes(id));
  if (unknown.length > 0) process.stderr.write(`There is no row ${unknown.join(', ')}.\n\n`);
  if (flags.help || unknown.length > 0) {
    process.stdout.write(helpOf(name, short, known[0]!));
    process.exit(flags.help ? 0 : 2);
  }
  // Nothing stays behind: routers end when this process is gone.
  const stopAll = async () => {
    await Promise.all([Gateway.removeAll(), Installation.stopAll()]);
    await Server.stopAll();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stopAll().finally(() => process.exit(130)));
  const report = new Report(`${name}, ${flags.short ? 'short' : 'long'} form`);
  const server = await Server.start();
  const chosen = rows.filter(({ ids }) => only.length === 0 || ids.some((id) => only.includes(id)));
  try {
    await takeAll({ report, short: flags.short, server }, chosen);
  } finally {
    await server.stop();
  }
  process.stdout.write(`\n${report.table()}\n\n`);
  process.stderr.write(`Kept as ${await report.save(flags.output)}\n`);
  process.exit(report.failed ? 1 : 0);
}

const helpOf = (
  name: string,
  short: string,
  first: string,
): string => `Usage: npm run bench:${name} -- [--short] [--only ${first}] [--output <folder>]

  --short            ${short}
  --only ${first}          these rows alone, with commas between them
  --output <folder>  where the JSON goes (.data/bench)
`;

/** One after the other, since they share the cores. */
async function takeAll(bench: Bench, rows: readonly Rows[]): Promise<void> {
  const isShared = ({ counts }: Rows) => bench.short && counts === true;
  for (const row of rows.filter((one) => !isShared(one))) await take(bench, row);
  const waiting = rows.filter(isShared).values();
  const taker = async () => {
    for (const row of waiting) await take(bench, row);
  };
  await Promise.all(Array.from({ length: TOGETHER }, taker));
}

/** What a row throws is written down, and the others go on. */
async function take(bench: Bench, { ids, what, measure }: Rows): Promise<void> {
  const startedAt = performance.now();
  await measure(bench).catch((error: unknown) => {
    for (const id of ids) bench.report.fail(id, what, error instanceof Error ? error.message : String(error));
  });
  process.stderr.write(`    ${what} took ${((performance.now() - startedAt) / 1_000).toFixed(1)} s\n`);
}
