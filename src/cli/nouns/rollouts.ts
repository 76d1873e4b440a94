import { Option, type Command } from 'commander';
import { serverSentEvents } from '../../api-client/lines.js';
import { type components } from '../../api-client/api-client.js';
import { ownCommand, type OpenContext } from '../command.js';
import { type Context, type GlobalFlags } from '../context.js';
import { CommandFailure, EXIT } from '../exit-codes.js';
import { readDocument } from '../input/document.js';
import { requireConsent } from '../input/secret.js';
import { idOf } from '../operations/named-things.js';
import { withFields } from '../operations/request.js';
import { type Row } from '../output/cells.js';
import { WorkProgress } from '../output/progress.js';
import { watch } from '../watching.js';
import { wavesByNumber } from './shown.js';

/* `fleetgate rollout plan`, `apply` and `watch`: one change for many devices, from a file. */

type Rollout = components['schemas']['RolloutWithWaves'];
type Plan = components['schemas']['RolloutPlan'];

interface FileFlags extends GlobalFlags {
  readonly file?: string;
  readonly watch?: boolean;
}

const ROLLOUT_FILE = new Option(
  '-f, --file <file>',
  'the rollout as JSON or YAML; - is standard input',
).makeOptionMandatory();

export const planCommand = (open: OpenContext): Command =>
  ownCommand<FileFlags>(open, {
    words: 'plan',
    summary: 'Says what a rollout would do: waves, devices, and who is skipped and why',
    examples: ['fleetgate rollout plan -f june-firmware.yaml', 'fleetgate rollout plan -f june-firmware.yaml -o json'],
    options: [ROLLOUT_FILE],
    run: async (context, { file }) => showPlan(context, await readDocument(file!, context.terminal.stdin)),
  });

async function showPlan(context: Context, document: unknown): Promise<void> {
  const plan = await create(context, document, true);
  await context.object(plan);
  sayNotReady(plan as unknown as Plan, context);
}

/** Says which devices cannot start now. */
function sayNotReady({ total, ready, notReady }: Plan, context: Context): void {
  if (notReady.length === 0) return;
  context.say(`${total - ready} of ${total} devices cannot start now:`);
  for (const { reason, devices, first } of notReady)
    context.say(
      `  ${devices} ${reason.replaceAll('_', ' ')}: ${first.join(', ')}${devices > first.length ? ' …' : ''}`,
    );
}

export const applyCommand = (open: OpenContext): Command =>
  ownCommand<FileFlags>(open, {
    words: 'apply',
    summary: 'Shows the plan of a rollout from a file, and creates and starts it after your consent',
    examples: [
      'fleetgate rollout apply -f june-firmware.yaml --watch',
      'fleetgate rollout apply -f june-firmware.yaml --yes --reason "7.16.3"',
    ],
    changes: true,
    options: [ROLLOUT_FILE, ['-w, --watch', 'follows it to its end']],
    run: async (context, flags) =>
      applyDocument(context, await readDocument(flags.file!, context.terminal.stdin), flags),
  });

export const watchCommand = (open: OpenContext): Command =>
  ownCommand(open, {
    words: 'watch <rollout>',
    summary: 'Follows a rollout to its end; Ctrl-C stops following, and the rollout goes on',
    examples: ['fleetgate rollout watch june-firmware'],
    more: 'The exit code is 0 when all devices succeeded, 3 when some did not, 8 when it still runs at --timeout, and 10 when it waits for a person.',
    run: async (context, _flags, written) => watchRollout(context, await idOf('rolloutId', written, context)),
  });

/** Shows the plan of a rollout, and starts it. Nothing is stored before the consent: who refuses leaves no draft. */
export async function applyDocument(context: Context, document: unknown, flags: FileFlags): Promise<void> {
  if (flags.dryRun) return showPlan(context, document);
  const plan = flags.yes ? null : await consentToPlan(context, document, flags);
  const made = (await create(context, document, false)) as unknown as Rollout;
  if (plan && made.planDigest !== plan.digest) {
    await context.send('POST', `/v1/rollouts/${made.id}/abort`, { json: {} });
    throw new CommandFailure(EXIT.conflict, 'The plan is another one by now. Nothing was started: look at it again');
  }
  const answer = await context.send('POST', `/v1/rollouts/${made.id}/start`, { json: {}, once: true });
  const started = (await answer.json()) as Rollout;
  await showRollout(context, started);
  context.say(`${made.name} is ${started.state}. Follow it with: fleetgate rollout watch ${made.id}`);
  if (flags.watch) await watchRollout(context, made.id);
}

const showRollout = (context: Context, rollout: object): Promise<void> =>
  context.object(context.isForPeople ? wavesByNumber(rollout as Row) : (rollout as Row));

async function consentToPlan(context: Context, document: unknown, flags: FileFlags): Promise<Plan> {
  const plan = (await create(context, document, true)) as unknown as Plan;
  for (const { name, total, first } of plan.waves) {
    context.say(
      `${name}: ${total} ${total === 1 ? 'device' : 'devices'} (${first.join(', ')}${total > first.length ? ', …' : ''})`,
    );
  }
  if (plan.skippedTotal > 0) context.say(`${plan.skippedTotal} are left out; \`fleetgate rollout plan\` says why`);
  sayNotReady(plan, context);
  await requireConsent(
    `${plan.total} devices take part, ${plan.offline} of them offline now.`,
    null,
    flags,
    context.terminal,
  );
  return plan;
}

async function create(context: Context, document: unknown, dryRun: boolean): Promise<Row> {
  const json = withFields(document, dryRun ? { dryRun } : {});
  const answer = await context.send('POST', '/v1/rollouts', { json, once: true });
  return (await answer.json()) as Row;
}

/** Follows a rollout with its progress. */
async function watchRollout(context: Context, rolloutId: string): Promise<void> {
  const api = await context.api();
  const params = { path: { rolloutId } };
  const progress = new WorkProgress('devices', context.terminal);
  await watch(context, `fleetgate rollout watch ${rolloutId}`, async (signal) => {
    try {
      const live = await api.stream('get', '/v1/rollouts/{rolloutId}/live', { params, signal });
      await showLive(live, progress, context);
    } finally {
      progress.end();
    }
    const { waves: _waves, ...rollout } = await api.get('/v1/rollouts/{rolloutId}', { params, signal });
    const need = neededFor(rollout);
    if (need === null && !ENDED.has(rollout.state)) throw new Error('The stream of the rollout ended');
    await showRollout(context, rollout);
    if (need !== null) {
      context.say(need);
      return context.endWith(EXIT.waitsForPerson);
    }
    const { succeeded, skipped } = rollout.counts;
    if (succeeded + skipped < rollout.total) context.endWith(EXIT.someFailed);
  });
}

type RolloutLive = components['schemas']['RolloutLive'];

const ENDED: ReadonlySet<Rollout['state']> = new Set(['finished', 'aborted']);

/** What waits for whom, and what they can do; null while the rollout goes on by itself. */
function neededFor({ id, name, state, pause }: Pick<RolloutLive, 'id' | 'name' | 'state' | 'pause'>): string | null {
  if (state === 'draft') return `${name} is a draft. Start it with: fleetgate rollout start ${id}`;
  if (state === 'awaiting_approval')
    return `${name} waits for the approval of a second person, who finds it with: fleetgate approval list`;
  if (state !== 'paused') return null;
  const why = pause ? `: ${pause.sentence}` : ' by a person.';
  return `${name} is paused${why} Resume it with: fleetgate rollout resume ${id}, or abort it with: fleetgate rollout abort ${id}`;
}

/** A line for each change of state or wave, and the progress below it, until it ends or waits for a person. */
async function showLive(live: ReadableStream<Uint8Array>, progress: WorkProgress, context: Context): Promise<void> {
  let said: string | null = null;
  for await (const { data } of serverSentEvents(live)) {
    if (data === '') continue;
    const rollout = JSON.parse(data) as RolloutLive;
    const state = stateOf(rollout);
    if (said === null) progress.begin(state.done);
    const now = stageOf(rollout);
    if (now !== said) {
      progress.clear();
      context.say(`${new Date().toTimeString().slice(0, 8)} ${now}`);
    }
    said = now;
    progress.update(state);
    if (neededFor(rollout) !== null) return;
  }
}

/** Such as `running, wave 2 of 3 (rest): soaking`. A wave that waits for a person does not end a watch: it may be promoted beside it. */
function stageOf({ id, state, pause, waves }: RolloutLive): string {
  if (pause) return `${state}: ${pause.sentence}`;
  const stage = (at: number) => `${state}, wave ${at + 1} of ${waves.length} (${waves[at]!.name})`;
  const running = waves.findIndex((wave) => wave.state === 'running' || wave.state === 'soaking');
  if (running >= 0) return `${stage(running)}: ${waves[running]!.state}`;
  const next = waves.findIndex((wave) => wave.state === 'waiting');
  const isGated = next >= 0 && waves[next]!.gate === 'manual' && !waves[next]!.promoted;
  if (state !== 'running' || !isGated) return state;
  return `${stage(next)} waits for a person. Start it with: fleetgate rollout promote ${id} ${next + 1}`;
}

function stateOf({ counts, total }: RolloutLive) {
  const { waiting: _waiting, offline: _offline, queued: _queued, running: _running, ...ended } = counts;
  const done = Object.values(ended).reduce((sum, count) => sum + count, 0);
  return { done, failed: counts.failed, total };
}

/** Which waves a resumed rollout takes as they ended, and what starts now. */
export async function afterResume(rolloutId: string, context: Context): Promise<string> {
  const api = await context.api();
  const { name, waves } = await api.get('/v1/rollouts/{rolloutId}', { params: { path: { rolloutId } } });
  const nameOf = (wave: Rollout['waves'][number]) => `wave ${wave.ordinal + 1} (${wave.name})`;
  const accepted = waves.filter(({ state }) => state === 'accepted').map(nameOf);
  const taken = accepted.length === 0 ? '' : ` Accepted as it ended: ${accepted.join(', ')}.`;
  const next = waves.find(({ state }) => state !== 'passed' && state !== 'accepted');
  if (!next) return `${name} goes on.${taken} No wave is left to start.`;
  const waits = next.state === 'waiting' && next.gate === 'manual' && !next.promoted;
  if (waits)
    return `${name} goes on.${taken} Next is ${nameOf(next)}; start it with: fleetgate rollout promote ${rolloutId} ${next.ordinal + 1}`;
  return `${name} goes on.${taken} Now ${next.state === 'waiting' ? 'starts' : 'continues'} ${nameOf(next)}.`;
}
