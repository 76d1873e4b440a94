import { Option, type Command } from 'commander';
import { type components } from '../../api-client/api-client.js';
import { ownCommand, type OpenContext } from '../command.js';
import { type Context, type GlobalFlags } from '../context.js';
import { CommandFailure, EXIT, UsageError } from '../exit-codes.js';
import { readDocument } from '../input/document.js';
import { requireConsent } from '../input/secret.js';
import { collect, deviceAddress, setFields, withFields, withQuery } from '../operations/request.js';
import { watch } from '../watching.js';

/* `fleetgate job start` and `watch`: a job and its way to its end. */

type Job = components['schemas']['JobWithLog'];

interface StartFlags extends GlobalFlags {
  readonly selector?: string;
  readonly file?: string;
  readonly set?: readonly string[];
  readonly watch?: boolean;
}

const WATCH = ['-w, --watch', 'waits for the end of the job'] as const;

export const startCommand = (open: OpenContext): Command =>
  ownCommand<StartFlags>(open, {
    words: 'start <device> [kind]',
    summary: 'Starts a long job on a device, or with -l on many',
    examples: [
      'fleetgate job start pump-1 backup --watch',
      'fleetgate job start backup -l tag:pump --watch',
      'fleetgate job start pump-1 firmware --set artifactId=0192f3a1-7c4e-7b1a-9d2e-5f60718293a4 --reason "7.16.3"',
      'fleetgate job start pump-1 configure -f wifi.yaml',
    ],
    more:
      'docs/reference/job-kinds.md lists the kinds and the fields of each.\n' +
      'With -l the argument is the kind alone. It is a rollout of one wave then, whose plan is shown first: fleetgate rollout list.',
    changes: true,
    options: [
      ['-l, --selector <selector>', 'many devices, in place of one'],
      ['-f, --file <file>', 'the parameters as JSON or YAML; - is standard input'],
      new Option('--set <field=value>', 'a parameter; can be repeated').argParser(collect),
      WATCH,
    ],
    run: start,
  });

export const watchCommand = (open: OpenContext): Command =>
  ownCommand(open, {
    words: 'watch <job>',
    summary: 'Follows a job to its end; Ctrl-C stops following, and the job goes on',
    examples: [
      'fleetgate job watch 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4',
      'fleetgate job watch 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4 --timeout 600',
    ],
    more: 'The exit code is 0 when the job succeeded, 1 when it did not, and 8 when it still runs at --timeout.',
    run: (context, _flags, jobId) => watchJob(context, jobId),
  });

/** `retry`: a new job with the kind and the parameters of an ended one. */
export const retryCommand = (open: OpenContext): Command =>
  ownCommand<StartFlags>(open, {
    words: 'retry <job>',
    summary: 'Starts a job like one that has ended',
    examples: ['fleetgate job retry 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4 --watch'],
    changes: true,
    options: [WATCH],
    async run(context, flags, jobId = '') {
      const api = await context.api();
      const job = await api.get('/v1/jobs/{jobId}', { params: { path: { jobId } }, signal: context.interrupted });
      if (job.phase !== 'ended') throw new CommandFailure(EXIT.conflict, 'The job has not ended yet');
      await startWith(context, job.deviceId, { kind: job.kind, spec: withFields(job.spec, {}) }, flags);
    },
  });

/** `backup restore`: a job that makes a device as it was in a backup. */
export const restoreCommand = (open: OpenContext): Command =>
  ownCommand<StartFlags & { readonly allowOther?: boolean }>(open, {
    words: 'restore <device> <backup>',
    summary: 'Restores a stored backup on a device, which restarts',
    examples: [
      'fleetgate backup restore pump-1 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4 --watch',
      'fleetgate backup restore pump-1 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4 --confirm pump-1 --reason "as on Monday"',
    ],
    changes: true,
    options: [['--allow-other', 'also a backup of another device'], WATCH],
    async run(context, flags, device = '', artifactId = '') {
      if (!flags.dryRun)
        await requireConsent(`This replaces the configuration of ${device}.`, device, flags, context.terminal);
      const spec = { artifactId, ...(flags.allowOther ? { allowOther: true } : {}) };
      await startWith(context, device, { kind: 'restore', spec }, flags);
    },
  });

async function start(context: Context, flags: StartFlags, first = '', second?: string): Promise<void> {
  const { selector, file, set } = flags;
  if (selector === undefined && second === undefined)
    throw new UsageError('Give the device and the kind, such as pump-1 backup, or the kind with -l');
  if (selector !== undefined && second !== undefined) throw new UsageError('Give a device, or -l for many of them');
  const document = file === undefined ? undefined : await readDocument(file, context.terminal.stdin);
  const spec = withFields(document, setFields(set));
  if (selector === undefined) return startWith(context, first, { kind: second!, spec }, flags);
  const name = `${first} of ${selector}`.slice(0, NAME_MAX);
  const { applyDocument } = await import('./rollouts.js');
  await applyDocument(context, { name, kind: first, selector, spec, policy: { waves: [{ take: 'rest' }] } }, flags);
}

/** Of the name of a rollout. */
const NAME_MAX = 120;

/** What a dry run can look up: the device, the kind, and the artifact that a job needs. @throws ApiError */
async function requireKnown(context: Context, device: string, { kind, spec }: JobInput): Promise<void> {
  await context.send('GET', deviceAddress(device));
  await context.send('GET', withQuery('/v1/jobs', { kind, limit: '1' }));
  const { artifactId } = spec;
  if (typeof artifactId === 'string') await context.send('GET', `/v1/artifacts/${encodeURIComponent(artifactId)}`);
}

interface JobInput {
  readonly kind: string;
  readonly spec: Readonly<Record<string, unknown>>;
}

async function startWith(context: Context, device: string, json: JobInput, flags: StartFlags): Promise<void> {
  // Parameters may be secrets: their names are enough to see what was understood.
  if (flags.dryRun) {
    await requireKnown(context, device, json);
    const names = Object.keys(json.spec).join(', ') || 'no parameters';
    return context.say(`Would start a ${json.kind} on ${device} with ${names}`);
  }
  const answer = await context.send('POST', `${deviceAddress(device)}/jobs`, { json, once: true });
  const job = (await answer.json()) as Job;
  if (flags.watch) return watchJob(context, job.id);
  await context.object(job);
  context.say(`Follow it with: fleetgate job watch ${job.id}`);
}

/** Follows a job, a line for each change. */
async function watchJob(context: Context, jobId: string): Promise<void> {
  const api = await context.api();
  await watch(context, `fleetgate job watch ${jobId}`, async (signal) => {
    const job = await api.jobs.wait(jobId, { signal, onChange: (now) => context.say(jobLine(now)) });
    await context.object(job);
    if (job.outcome !== 'succeeded') context.endWith(EXIT.error);
  });
}

/** For what a job waits, in the words of a person; another reason is said as it is. */
const WAITS: Readonly<Record<string, string>> = {
  device_offline: 'waits for the device, which does not answer',
  retry: 'tries again soon',
  device_works: 'waits for the device, which works on it',
  worker_lost: 'waits for another worker: the last one was lost',
  worker_stopped: 'waits for another worker: the last one stopped',
  locked: 'waits until a lock is lifted: fleetgate lock list',
};

/** Such as `12:00:01 firmware: transfer 40 %`. */
function jobLine({ kind, phase, step, progress, waitReason, outcome }: Job): string {
  const percent = progress === null ? '' : ` ${progress.percent} %`;
  const state = phase === 'ended' ? (outcome ?? 'ended') : `${step}${percent}`;
  return `${new Date().toTimeString().slice(0, 8)} ${kind}: ${state}${waitReason ? ` (${WAITS[waitReason] ?? waitReason})` : ''}`;
}
