/*
 * A worker process from the build that kills itself, as by SIGKILL, at a save of a job's journal. Time is scaled, from the
 * same base as that of the process that started it. Argument: JSON of `WorkerDeath` (test/support/jobs/law-workers.ts).
 *
 *   before  at its first save, before anything of it is committed
 *   after   right after the commit of its first save. The save that says `sent` is passed: the effect itself comes after
 *           it, and then the next save kills, before its commit. So is one that opens an effect of `passes`: what is open
 *           when a worker dies is forgotten, and would be so for ever
 *   sent    right after the commit of `sent`, so that the effect never goes out
 *   never   it goes on until another process ends it; SIGTERM stops it in order. It says when it is ready
 *
 * One that never dies may hold the jobs of some devices (`holds`), until it is killed with all of them in hand. It says
 * `held <device>` for each: `sent` right after the commit of `sent`, so that the effect never goes out; `answered` before the
 * first commit after it, when the effect has taken place.
 */
import { startGateway } from '../../../dist/src/gateway.js';
import { JobRows } from '../../../dist/src/jobs/engine/job-rows.js';
import { readConfig } from '../../../dist/src/platform/config.js';
import { WorkerClock } from './worker-clock.mjs';

const { dies, passes = [], holds = {}, scale, base } = JSON.parse(process.argv[2]);

const die = () => process.kill(process.pid, 'SIGKILL');
let isSent = false;
const save = Reflect.get(JobRows.prototype, 'save');

/** A save after which, or instead of which, the worker does nothing more for the job. */
async function saveAndHold(rows, given) {
  const [{ deviceId, intent: before }] = given;
  const hold = () => {
    process.stderr.write(`held ${deviceId}\n`);
    return new Promise(() => {});
  };
  if (before?.state === 'sent' && holds.answered?.includes(deviceId)) await hold();
  const row = await save.apply(rows, given);
  if (row.intent?.state === 'sent' && holds.sent?.includes(deviceId)) await hold();
  return row;
}

JobRows.prototype.save = async function (...given) {
  if (dies === 'never') return saveAndHold(this, given);
  if (dies === 'before' || isSent) die();
  const row = await save.apply(this, given);
  const saysSent = row.intent?.state === 'sent';
  const isPassed = row.intent?.state === 'open' && passes.includes(row.intent.effect);
  if (saysSent === (dies === 'sent') && !isPassed) die();
  isSent = saysSent && dies === 'after';
  return row;
};

const gateway = await startGateway({ config: readConfig(process.env), clock: new WorkerClock({ scale, base }) });
process.once('SIGTERM', () => void gateway.close().finally(() => process.exit()));
if (dies === 'never') process.stderr.write('ready\n');
