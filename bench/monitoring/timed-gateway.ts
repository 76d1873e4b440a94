/*
 * The gateway with a clock at its passes over the rules: how long each took is a line in DATA_DIR. Passes come each
 * second and not each ten, so that a run has more of them.
 */
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { AlertSweeper } from '../../src/monitoring/alerts/alert.sweeper.js';

export const PASSES_FILE = 'bench-passes.ndjson';

export interface TimedPass {
  readonly ms: number;
  readonly judged: number;
  readonly opened: number;
  readonly closed: number;
}

const EVERY_MS = 1_000;

async function begin(): Promise<void> {
  const sweep: (this: AlertSweeper) => Promise<Record<string, number>> = Reflect.get(AlertSweeper.prototype, 'sweep');
  AlertSweeper.prototype.sweep = async function timed(this: AlertSweeper) {
    Object.assign(this, { everyMs: EVERY_MS });
    const startedAt = performance.now();
    const counts = await sweep.call(this);
    const line = JSON.stringify({ ms: performance.now() - startedAt, ...counts });
    appendFileSync(path.join(process.env['DATA_DIR']!, PASSES_FILE), `${line}\n`);
    return counts;
  };
  await import('../../src/main.js');
}

if (process.argv[1]?.endsWith('timed-gateway.js')) await begin();
