/*
 * A worker process from the build that a job or a schedule takes down, as by SIGKILL or by a promise that is rejected and
 * that nothing waits for. Argument: JSON of
 *
 *   schedule  id of the schedule that does it
 *   lethal   id of the job that does it
 *   company  how many jobs are in hand when it does it; absent: it waits for no others
 *   rejects  whether it is a promise; the process is then the gateway as it is started
 *   scale, base  of its clock, as of the process that started it
 */
import { startGateway } from '../../../dist/src/gateway.js';
import { StepContextFactory } from '../../../dist/src/jobs/engine/step-context-factory.js';
import { readConfig } from '../../../dist/src/platform/config.js';
import { SchedulesService } from '../../../dist/src/rollouts/schedules/schedules.service.js';
import { WorkerClock } from './worker-clock.mjs';

const { schedule, lethal, company, rejects, scale, base } = JSON.parse(process.argv[2]);

const die = () => {
  if (!rejects) process.kill(process.pid, 'SIGKILL');
  void Promise.reject(new Error('A promise that nothing waits for'));
  return new Promise(() => {});
};
const seen = new Set();
const contextFor = Reflect.get(StepContextFactory.prototype, 'contextFor');
StepContextFactory.prototype.contextFor = async function (job, ...given) {
  if (company && job.epoch === 1) {
    seen.add(job.deviceId);
    if (seen.size >= company) void die();
    await new Promise(() => {});
  }
  if (job.id === lethal) return die();
  return contextFor.call(this, job, ...given);
};

const run = Reflect.get(SchedulesService.prototype, 'run');
SchedulesService.prototype.run = function (id, ...given) {
  if (id === schedule) return die();
  return run.call(this, id, ...given);
};

if (rejects) {
  process.argv.length = 2;
  await import('../../../dist/src/main.js');
} else await startGateway({ config: readConfig(process.env), clock: new WorkerClock({ scale, base }) });
