/*
 * A worker process from the build that stands still once, at a chosen place of a job's journal, and says so. Time is scaled,
 * from the same base as that of the process that started it. Argument: JSON of `Stall` (test/jobs/laws/stall-laws.long.spec.ts).
 *
 *   place  sent      right after the commit of `sent`, before anything of the effect
 *          audited   right before the first byte of the effect, when its audit entry is committed
 *          answered  when the device has answered, before that is saved
 *   how    blocked   its main loop does nothing, for `leastMs` and until the file `until` exists
 *          stopped   the whole process stops, its threads too, until somebody sends SIGCONT
 */
import { existsSync } from 'node:fs';
import { Audit } from '../../../dist/src/audit/entries/audit.js';
import { startGateway } from '../../../dist/src/gateway.js';
import { JobRows } from '../../../dist/src/jobs/engine/job-rows.js';
import { readConfig } from '../../../dist/src/platform/config.js';
import { WorkerClock } from './worker-clock.mjs';

const { place, how, until, leastMs, scale, base } = JSON.parse(process.argv[2]);

let isSent = false;
let hasStalled = false;

function stall(where) {
  if (where !== place || hasStalled) return;
  hasStalled = true;
  process.stderr.write('stands still\n');
  if (how === 'stopped') return process.kill(process.pid, 'SIGSTOP');
  const from = Date.now();
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  while (Date.now() - from < leastMs || !existsSync(until)) Atomics.wait(nobody, 0, 0, 20);
}

const save = Reflect.get(JobRows.prototype, 'save');
JobRows.prototype.save = async function (...given) {
  if (isSent) stall('answered');
  try {
    const row = await save.apply(this, given);
    isSent = row.intent?.state === 'sent';
    if (isSent) stall('sent');
    return row;
  } catch (error) {
    process.stderr.write(`could not save: ${error.name}\n`);
    throw error;
  }
};
const openAll = Reflect.get(Audit.prototype, 'openAll');
Audit.prototype.openAll = async function (...given) {
  const ids = await openAll.apply(this, given);
  if (isSent) stall('audited');
  return ids;
};

await startGateway({ config: readConfig(process.env), clock: new WorkerClock({ scale, base }) });
