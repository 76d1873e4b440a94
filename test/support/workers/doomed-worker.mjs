/*
 * A worker process from the build that kills itself, as by SIGKILL, at a save of a job's journal. Time is scaled, from the
 * same base as that of the process that started it. Argument: JSON of `Doom` (test/support/jobs/kind-laws.ts).
 *
 *   before  at its first save, before anything of it is committed
 *   after   right after the commit of its first save. The save that says `sent` is passed: the effect itself comes after
 *           it, and then the next save kills, before its commit. So is one that opens an effect of `passes`: what is open
 *           when a worker dies is forgotten, and would be so for ever
 *   sent    right after the commit of `sent`, so that the effect never goes out
 *   never   it goes on until somebody ends it; SIGTERM stops it in order. It says when it is ready
 */
import { startGateway } from '../../../dist/src/gateway.js';
import { JobRows } from '../../../dist/src/jobs/engine/job-rows.js';
import { readConfig } from '../../../dist/src/platform/config.js';
import { WorkerClock } from './worker-clock.mjs';

const { dies, passes, scale, base } = JSON.parse(process.argv[2]);

const die = () => process.kill(process.pid, 'SIGKILL');
let isSent = false;
const save = Reflect.get(JobRows.prototype, 'save');
JobRows.prototype.save = async function (...given) {
  if (dies === 'never') return save.apply(this, given);
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
