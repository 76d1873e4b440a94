/*
 * A worker process from the build that a job or a schedule takes down, as by SIGKILL. Argument: JSON of
 *
 *   schedule  id of the schedule that does it
 *   lethal   id of the device whose jobs do it; absent: none does
 *   company  how many jobs are in hand when they do it first
 *   scale, base  of its clock, as of the process that started it
 */
import { startGateway } from '../../dist/src/gateway.js';
import { StepContexts } from '../../dist/src/jobs/step-contexts.js';
import { readConfig } from '../../dist/src/platform/config.js';
import { SchedulesService } from '../../dist/src/rollouts/schedules.service.js';
import { WorkerClock } from './worker-clock.mjs';

const { schedule, lethal, company, scale, base } = JSON.parse(process.argv[2]);

const die = () => process.kill(process.pid, 'SIGKILL');
const seen = new Set();
const of = Reflect.get(StepContexts.prototype, 'of');
StepContexts.prototype.of = async function (job, ...given) {
  if (lethal && job.lostWorkers === 0 && job.epoch === 1) {
    seen.add(job.deviceId);
    if (seen.size >= company) die();
    await new Promise(() => {});
  }
  if (job.deviceId === lethal) die();
  return of.call(this, job, ...given);
};

const run = Reflect.get(SchedulesService.prototype, 'run');
SchedulesService.prototype.run = function (id, ...given) {
  if (id === schedule) die();
  return run.call(this, id, ...given);
};

await startGateway({ config: readConfig(process.env), clock: new WorkerClock({ scale, base }) });
