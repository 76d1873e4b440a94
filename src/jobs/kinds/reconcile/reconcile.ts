import { z } from 'zod';
import { AppError, type Facts } from '../../../platform/errors.js';
import { bulk, MAX_ERRORS } from '../configure/configure-items.js';
import { configureSpec } from '../configure/configure-spec.js';
import { configure } from '../configure/configure.js';
import { type CursorAt, defineKind, type EffectVerdict, type Evidence, type KindResult } from '../../kind-api/kind.js';
import { endIfOtherSerial, serialOf } from '../../kind-api/identity.js';
import { end, endWith, go, succeed } from '../../kind-api/outcomes.js';
import { type StepResult } from '../../rows/job-state.js';
import { type ReadPaths, type StepContext } from '../../kind-api/step-context.js';

/*
 *   plan --> read, apply, verify, undo of `configure` --> note --> succeeded
 *     |  nothing differs
 *     +--> succeeded
 *
 * Sets a device to the published version of a template. The job reads the device, plans again with what is there now, and hands
 * the changes to `configure`: at most 32, with its proof and its undo. Then it stores what the device answered, since only that
 * is compared from then on. What the template changes is no part of the spec: a version that is published later counts.
 */

/** With which a device says that it has no such service (observed-devices.md 1.9). */
const NOT_THERE: ReadonlySet<number> = new Set([100, 102, 113, 122]);

const spec = z.strictObject({
  template: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'the name of a template')
    .describe('The published template to set the device to')
    .meta({ examples: ['base'] }),
  acceptRisk: z
    .boolean()
    .default(false)
    .describe('Whether a change is allowed that can cut the connection to the device; needs a recent second factor'),
});
type Spec = z.output<typeof spec>;

const made = { number: z.number().int(), left: z.number().int(), putBack: z.array(z.string()).readonly() };
/** `inner`: the cursor of `configure`, which has the rest. */
const inConfigure = { spec, ...made, inner: z.unknown() };
const cursorSchema = z.discriminatedUnion('at', [
  z.object({ at: z.literal('plan'), spec }),
  z.object({ at: z.literal('read'), ...inConfigure }),
  z.object({ at: z.literal('apply'), ...inConfigure }),
  z.object({ at: z.literal('verify'), ...inConfigure }),
  z.object({ at: z.literal('undo'), ...inConfigure }),
  z.object({ at: z.literal('note'), spec, ...made, result: z.record(z.string(), z.unknown()) }),
]);
type Cursor = z.infer<typeof cursorSchema>;
type InnerCursor = Exclude<Cursor, { at: 'plan' | 'note' }>;

const effect = (name: 'apply' | 'undo') => ({
  send: ({ inner }: InnerCursor, context: StepContext) => configure.effect(name).send(inner, context),
  async conclude(cursor: InnerCursor, evidence: Evidence, context: StepContext): Promise<EffectVerdict<Cursor>> {
    const verdict = await configure.effect(name).conclude(cursor.inner, evidence, context);
    if (verdict.is !== 'undecided') return { ...verdict, stepResult: around(cursor, verdict.stepResult) };
    const { is, afterMs, cursor: inner } = verdict;
    return { is, afterMs, ...(inner === undefined ? {} : { cursor: withInner(cursor, inner) }) };
  },
});

export const reconcile = defineKind<Spec, Cursor>({
  name: 'reconcile',
  deadlineMs: configure.deadlineMs,
  spec,
  cursor: cursorSchema,
  stepUp: ({ acceptRisk }) => acceptRisk,
  start: (given) => ({ at: 'plan', spec: given }),
  steps: { plan, read: prepare, apply: prepare, verify: step, undo: step, note },
  effects: { apply: { at: 'apply', ...effect('apply') }, undo: { at: 'undo', ...effect('undo') } },
  isIrrevocable: (cursor, intent) =>
    cursor.at === 'note' || (cursor.at !== 'plan' && configure.isIrrevocable(cursor.inner, intent)),
  progress(cursor, moment) {
    if (cursor.at === 'plan') return { percent: 2, text: 'Comparing the device with the template' };
    if (cursor.at === 'note') return { percent: 95, text: 'Storing what the device has now' };
    return configure.progress(cursor.inner, moment)!;
  },
});

async function plan({ spec: given }: CursorAt<Cursor, 'plan'>, context: StepContext): Promise<KindResult<Cursor>> {
  const otherDevice = endIfOtherSerial(context.device.serial, await serialOf(context));
  if (otherDevice) return otherDevice;
  const templates = context.templates();
  const paths = await templates.paths(given.template);
  if ('code' in paths) return end('not_executed', paths);
  const read = await readAll(paths, context);
  const planned = await templates.changes(given.template, read);
  if ('code' in planned) return end('not_executed', planned);
  const { changes, ...rest } = planned;
  if (changes.length === 0) {
    await templates.note(given.template, rest, read);
    return succeed(resultOf({ spec: given, ...rest }, { changed: 0 }), 'The device has what the template says');
  }
  const asked = configureSpec.safeParse({ changes, acceptRisk: given.acceptRisk });
  if (!asked.success) {
    const message = 'A value of the template cannot be set on this device';
    return endWith('not_executed', 'template_refused', message, { reason: asked.error.issues[0]!.message });
  }
  const text = `Version ${rest.number} changes ${changes.length} section${changes.length === 1 ? '' : 's'}`;
  return go(withInner({ spec: given, ...rest }, configure.start(asked.data)), text, { left: rest.left });
}

/** Before it is sent, perhaps hours later, the template must still reach the device, and the author still have the rights. */
async function prepare(cursor: InnerCursor, context: StepContext): Promise<KindResult<Cursor>> {
  const paths = await context.templates().paths(cursor.spec.template);
  return 'code' in paths ? end('not_executed', paths) : step(cursor, context);
}

async function step(cursor: InnerCursor, context: StepContext): Promise<KindResult<Cursor>> {
  const result = await configure.step(cursor.inner, context);
  if (result.next === 'effect') return { ...result, cursor: withInner(cursor, result.cursor) };
  if (result.next === 'end_with_artifacts') throw new Error('A guarded change makes no artifacts');
  return around(cursor, result);
}

/** A result of `configure`: its success is not the end yet. */
function around(cursor: InnerCursor, result: StepResult): StepResult<Cursor> {
  if (result.next !== 'end') return { ...result, cursor: withInner(cursor, result.cursor) };
  if (result.outcome !== 'succeeded') return result;
  const { spec: given, number, left, putBack } = cursor;
  const next: Cursor = { at: 'note', spec: given, number, left, putBack, result: result.result ?? {} };
  const { logLine } = result;
  return { next: 'go' as const, cursor: next, ...(logLine ? { logLine } : {}) };
}

function withInner({ spec: given, number, left, putBack }: Omit<InnerCursor, 'at' | 'inner'>, inner: unknown): Cursor {
  return { at: configure.at(inner) as InnerCursor['at'], spec: given, number, left, putBack, inner };
}

/** The changes hold already. A device that cannot be read once more is compared by what watches read. */
async function note(cursor: CursorAt<Cursor, 'note'>, context: StepContext): Promise<KindResult<Cursor>> {
  const templates = context.templates();
  try {
    const paths = await templates.paths(cursor.spec.template);
    if (!('code' in paths)) await templates.note(cursor.spec.template, cursor, await readAll(paths, context));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
  const text = cursor.left > 0 ? `${cursor.left} more changes are left for the next time` : undefined;
  return succeed(resultOf(cursor, cursor.result), text);
}

const resultOf = ({ spec: { template }, number, left }: Omit<InnerCursor, 'at' | 'inner'>, result: Facts): Facts => ({
  ...result,
  template,
  version: number,
  left,
});

/** @throws AppError `device_answer_invalid`, `device_refused` */
async function readAll(paths: readonly string[], context: StepContext): Promise<ReadPaths> {
  const answers = await bulk(
    paths.map((endpoint) => ({ method: 'GET', endpoint })),
    context,
  );
  const read = new Map<string, unknown>();
  for (const [index, path] of paths.entries()) {
    const answer = answers[index] ?? null;
    if (answer === null) throw new AppError('device_answer_invalid', { path });
    if (answer.success) read.set(path, context.redacted(answer.data ?? null, path));
    else if (!answer.errors.some(({ code }) => NOT_THERE.has(code))) {
      const deviceErrors = context.redacted(answer.errors, path).slice(0, MAX_ERRORS);
      throw new AppError('device_refused', { path, deviceErrors });
    }
  }
  return read;
}
