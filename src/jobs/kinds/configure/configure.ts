import { z } from 'zod';
import { AppError, type Facts } from '../../../platform/errors.js';
import { type End, type Failure } from '../../rows/job-state.js';
import { failureOf, isOfflineCode, isDeviceRefusal } from '../../rows/step-error.js';
import { isSame, type Options } from '../../kind-api/intended-items.js';
import { bulk, readerOf, readItems, MAX_ERRORS, planFor, problemOf } from './configure-items.js';
import {
  asChange,
  differenceOf,
  type SecretReader,
  find,
  inverseOf,
  isBack,
  isFulfilled,
  plannedChange,
  requestsOf,
  type FoundItems,
  type State,
  statesOf,
  unlike,
} from './configure-plan.js';
import { risksOf } from './configure-risks.js';
import { type ConfigureChange, configureSpec, type ConfigureSpec, MAX_CHARACTERS } from './configure-spec.js';
import { PROBE_AGAIN_MS, SETTLED_MS } from '../../kind-api/conclude-write.js';
import { authPathOf } from '../../kind-api/device-items.js';
import { endOfOtherDevice, endIfOtherSerial, serialOf } from '../../kind-api/identity.js';
import { type CursorAt, defineKind, type EffectVerdict, type Evidence, type KindResult } from '../../kind-api/kind.js';
import { effect, end, endWith, go, mayBeOnDevice, refused, storedFailure, succeed } from '../../kind-api/outcomes.js';
import { type StepContext } from '../../kind-api/step-context.js';

/*
 *   read ==effect: apply==> verify --> succeeded                  (nothing differs, dryRun: ends before the effect)
 *                      |       |  something does not hold
 *                      +-------+--> undo ==effect: undo==> failed, and the device is as it was
 *
 * Several configuration changes as one. The job reads and stores the present state, sends all changes in one bulk
 * request, and reads again after a new login. Either all changes hold, or those that took place are undone. A bulk
 * request is no transaction: each item is verified by itself, by the state of the device and not by its answer.
 *
 * The configuration after a new login proves success, so that a change that locks out the gateway counts as failed.
 * Secrets of the stored state are sealed values; spec, cursor, intent and result have their ids.
 */

const DEADLINE_MS = 6 * 60 * 60_000;

/** A device that does not answer for this long after a change counts as cut off by it. */
const CUT_OFF_MS = 15 * 60_000;

const plan = {
  spec: configureSpec,
  plan: z.array(plannedChange),
  difference: z.array(z.record(z.string(), z.unknown())),
  serial: z.string(),
  missedSince: z.iso.datetime().optional(),
};
const cursorSchema = z.discriminatedUnion('at', [
  z.object({ at: z.literal('read'), spec: configureSpec }),
  z.object({ at: z.literal('apply'), ...plan }),
  z.object({ at: z.literal('verify'), ...plan }),
  z.object({ at: z.literal('undo'), ...plan, failure: storedFailure, back: z.array(z.number().int()) }),
]);
type Cursor = z.infer<typeof cursorSchema>;
type Verdict = EffectVerdict<Cursor>;
type PlannedCursor = Exclude<Cursor, { at: 'read' }>;

export const configure = defineKind<ConfigureSpec, Cursor>({
  name: 'configure',
  deadlineMs: DEADLINE_MS,
  spec: configureSpec,
  cursor: cursorSchema,
  stepUp: ({ acceptRisk }) => acceptRisk,
  calls: ({ changes }) =>
    changes.flatMap(({ path }) => [false, true].map((writes) => ({ path: authPathOf(path), writes }))),
  sealedValuesOf: ({ changes }) =>
    changes.flatMap((change) =>
      change.action === 'delete'
        ? []
        : change.sealed.map(({ option, valueId }) => ({ valueId, destination: { path: change.path, option } })),
    ),
  start: (spec) => ({ at: 'read', spec }),
  steps: {
    read: ({ spec }, context) => read(spec, context),
    apply: ({ spec }, context) => read(spec, context),
    verify,
    undo: prepareUndo,
  },
  effects: {
    apply: { at: 'apply', send: sendApply, conclude: concludeApply },
    undo: { at: 'undo', send: sendUndo, conclude: concludeUndo },
  },
  isIrrevocable: (cursor, intent) => cursor.at === 'verify' || cursor.at === 'undo' || mayBeOnDevice(intent),
  progress(cursor) {
    const percent = { read: 5, apply: 40, verify: 75, undo: 85 }[cursor.at];
    return { percent, text: TEXTS[cursor.at] };
  },
});

const TEXTS: Readonly<Record<Cursor['at'], string>> = {
  read: 'Reading the present configuration',
  apply: 'Making the changes',
  verify: 'Checking that they hold, after a new login',
  undo: 'Rolling back the changes',
};

// ------------------------------------------------------------------------------------------------- before it is sent

/** Compares the items and stores their earlier state. Nothing is changed. */
async function read(spec: ConfigureSpec, context: StepContext): Promise<KindResult<Cursor>> {
  const serial = await serialOf(context);
  const otherDevice = endIfOtherSerial(context.device.serial, serial);
  if (otherDevice) return otherDevice;
  const seen = await readItems(spec.changes, context);
  const reader = await readerOf(spec.changes, context);
  const open = spec.changes.flatMap((change, index) => {
    return isFulfilled(change, seen[index]!, reader) ? [] : [{ change, index, seen: seen[index]! }];
  });
  const impossible = open
    .map(({ change, index, seen: one }) => problemOf(change, index, one, context))
    .find((one) => one !== null);
  if (impossible) return end('not_executed', impossible);
  const changes = open.map(({ change }) => change);
  const difference = open.map(({ change, seen: { item } }) =>
    differenceOf(change, item, (value) => context.redacted(value, change.path)),
  );
  const asTheyWere = spec.changes.length - open.length;
  const risks = risksOf(changes);
  if (spec.dryRun || open.length === 0) {
    const result = { dryRun: spec.dryRun, changed: 0, asTheyWere, difference, risks, undo: [] };
    return succeed(result, open.length === 0 ? 'Nothing differs' : 'This is what would change; nothing was sent');
  }
  if (risks.length > 0 && !spec.acceptRisk) {
    const message = 'The change can cut the connection to the device: read the reasons, and send it with `acceptRisk`';
    return endWith('not_executed', 'risk_not_accepted', message, { risks, difference });
  }
  const planned = await Promise.all(open.map(({ change, index, seen: one }) => planFor(change, index, one, context)));
  const cursor = { at: 'apply', spec, plan: planned, difference, serial } as const;
  if (JSON.stringify(cursor).length > 3 * MAX_CHARACTERS) {
    const message = 'The present configuration is too large to be stored: split the change';
    return endWith('not_executed', 'too_much_to_keep', message, { limitCharacters: 3 * MAX_CHARACTERS });
  }
  const facts = { difference, risks, asTheyWere };
  return effect(
    'apply',
    cursor,
    { changes: open.length },
    'The present configuration is stored; sends the changes',
    facts,
  );
}

// ------------------------------------------------------------------------------------------------------------- apply

/** The part of the answer that the intent stores: for each change whether the device accepted it, and its new id. */
const storedAnswers = z.array(
  z.object({
    isRefused: z.boolean(),
    made: z.string().nullable(),
    forms: z.record(z.string(), z.string()),
    errors: z.array(z.unknown()),
  }),
);
type StoredAnswers = z.infer<typeof storedAnswers>;

async function sendApply({ plan: planned }: CursorAt<Cursor, 'apply'>, context: StepContext): Promise<StoredAnswers> {
  const changes = planned.map(asChange);
  const reader = await readerOf(changes, context);
  const answers = await bulk(requestsOf(changes, reader.opened), context);
  return planned.map((change, index) => {
    const answer = answers[index] ?? null;
    if (answer?.success === false) {
      const errors = context.redacted(answer.errors, change.path).slice(0, MAX_ERRORS);
      return { isRefused: true, made: null, forms: {}, errors };
    }
    const data: unknown = answer?.data;
    const item = (data !== null && typeof data === 'object' && !Array.isArray(data) ? data : {}) as Options;
    const made = change.action === 'create' && change.known && typeof item['id'] === 'string' ? item['id'] : null;
    const others =
      change.action === 'delete' ? [] : unlike(change, item, reader).filter((name) => Object.hasOwn(item, name));
    const forms = Object.fromEntries(others.map((name) => [name, reader.print(item[name])]));
    return { isRefused: false, made, forms, errors: [] };
  });
}

async function concludeApply(
  cursor: CursorAt<Cursor, 'apply'>,
  evidence: Evidence,
  context: StepContext,
): Promise<Verdict> {
  const { refusal } = evidence;
  if (refusal) return refused(end('failed', refusal), { refused: refusal.facts });
  const answer = storedAnswers.safeParse(evidence.answer);
  const took = answer.success ? answer.data : null;
  const plan = cursor.plan.map((change, index) =>
    took ? { ...change, made: took[index]!.made, forms: took[index]!.forms } : change,
  );
  const noted = { ...cursor, plan };
  const found = await readPlanned(noted, context);
  if (found.is !== 'there') return concludeUnseen(noted, found, evidence, context);
  const { states } = found;
  const after = { changes: tell(noted, states) };
  const named = nameMade(noted, found);
  if (states.every((state) => state === 'held')) {
    const text = took ? 'The device has the changes' : 'The answer was lost, but the device has the changes';
    return { is: 'executed', after, stepResult: go({ ...named, at: 'verify' }, text) };
  }
  if (!took && evidence.settlingMs < SETTLED_MS) return { is: 'undecided', afterMs: PROBE_AGAIN_MS };
  const why = whyNot(noted, states, took);
  if (states.every((state) => state === 'as_before')) {
    return refused(end(took ? 'failed' : 'not_executed', why, resultOf(named, states, [])), after);
  }
  return { is: 'executed', after, stepResult: toUndo(named, states, why) };
}

function whyNot(cursor: PlannedCursor, states: readonly State[], took: StoredAnswers | null): Failure {
  const refused = (took ?? []).flatMap(({ isRefused, errors }, position) =>
    isRefused ? [{ index: cursor.plan[position]!.index, path: cursor.plan[position]!.path, errors }] : [],
  );
  const facts = { refused, changes: tell(cursor, states) };
  if (refused.length > 0) return { code: 'changes_refused', message: 'The device refused some of the changes', facts };
  return took
    ? { code: 'did_not_hold', message: 'The device accepted the changes, but does not have all of them', facts }
    : { code: 'answer_lost', message: 'The answer was lost, and the device does not have all of the changes', facts };
}

// ----------------------------------------------------------------------------------------------------- verify and undo

/** Reads all items again after a new login, which fails when the change locked out the gateway. */
async function verify(cursor: CursorAt<Cursor, 'verify'>, context: StepContext): Promise<KindResult<Cursor>> {
  const found = await readPlanned(cursor, context, true);
  if (found.is !== 'there') return waitFor(cursor, found, context);
  const { states } = found;
  if (states.every((state) => state === 'held')) {
    const result = resultOf(cursor, states, inverseOf(cursor.plan));
    return succeed(result, 'The device accepts a new login and has all of the changes', {
      changes: cursor.plan.length,
    });
  }
  const message = 'The changes were applied and did not stay';
  return toUndo(cursor, states, { code: 'did_not_stay', message, facts: { changes: tell(cursor, states) } });
}

/** Undoes every difference: a part of a change is worse than none. */
function toUndo(cursor: PlannedCursor, states: readonly State[], why: Failure) {
  const back = cursor.plan.flatMap((_change, position) => (states[position] === 'as_before' ? [] : [position]));
  const { missedSince: _seen, ...rest } = cursor;
  const failure = { ...why, facts: { ...why.facts } };
  const next = { ...rest, at: 'undo', failure, back } as const;
  return go(next, `${why.message}; rolls back the changes`, failure.facts);
}

async function prepareUndo(cursor: CursorAt<Cursor, 'undo'>, context: StepContext): Promise<KindResult<Cursor>> {
  const found = await readPlanned(cursor, context);
  if (found.is !== 'there') return waitFor(cursor, found, context);
  const named = nameMade(cursor, found);
  const back = cursor.back.filter((position) => found.states[position] !== 'as_before');
  if (back.length === 0) return endUndone(named, []);
  const changes = inverseOf(back.map((position) => named.plan[position]!));
  const facts = { changes: changes.map(({ action, path }) => ({ action, path })) };
  const before = { changes: tell(named, found.states) };
  return effect('undo', { ...named, back }, before, 'The changes are rolled back', facts);
}

async function sendUndo(cursor: CursorAt<Cursor, 'undo'>, context: StepContext) {
  const changes = inverseOf(cursor.back.map((position) => cursor.plan[position]!));
  const { opened } = await readerOf(changes, context);
  const answers = await bulk(requestsOf(changes, opened), context);
  const refused = answers.flatMap((answer, index) => {
    if (answer?.success !== false) return [];
    const { path } = changes[index]!;
    return [{ path, errors: context.redacted(answer.errors, path).slice(0, MAX_ERRORS) }];
  });
  return { refused };
}

async function concludeUndo(
  cursor: CursorAt<Cursor, 'undo'>,
  evidence: Evidence,
  context: StepContext,
): Promise<Verdict> {
  const found = await readPlanned(cursor, context);
  if (found.is !== 'there') return concludeUnseen(cursor, found, evidence, context);
  const left = cursor.back.filter((position) => !isBack(cursor.plan[position]!, found.seen[position]!, found.reader));
  const isAnswered = evidence.answer !== undefined || evidence.refusal !== null;
  if (left.length > 0 && !isAnswered && evidence.settlingMs < SETTLED_MS) {
    return { is: 'undecided', afterMs: PROBE_AGAIN_MS };
  }
  const is = left.length === 0 ? 'executed' : left.length === cursor.back.length ? 'not_executed' : 'unknown';
  const said = evidence.refusal?.facts ?? (evidence.answer as Facts | undefined) ?? {};
  return { is, after: { left: left.length }, stepResult: endUndone(cursor, left, said) };
}

/** The change failed; the result says whether the device is as before. */
function endUndone(cursor: CursorAt<Cursor, 'undo'>, left: readonly number[], said: Facts = {}): End {
  const undo = inverseOf(left.map((position) => cursor.plan[position]!));
  const states = cursor.plan.map((_change, position): State => (left.includes(position) ? 'other' : 'as_before'));
  const result = resultOf(cursor, states, undo);
  if (left.length === 0) {
    const logLine = { text: 'The device is as before the change' };
    const facts = { ...cursor.failure.facts, undone: true };
    return { ...end('failed', { ...cursor.failure, facts }, result), logLine };
  }
  const message = `${cursor.failure.message}, and not all of it could be rolled back`;
  const facts = { why: cursor.failure, undone: false, left: undo, said };
  return end('failed', { code: 'undo_incomplete', message, facts }, result);
}

// ------------------------------------------------------------------------------------------- a device that is not there

/** Why a device cannot be read; the intent stores `is`. `stranger`: another device answers at the address. */
type ReadFailure = { readonly is: 'away' | 'unreadable' | 'locked_out' | 'stranger'; readonly failure: Failure };

/** Whether waiting is useless. */
const isLasting = ({ is }: ReadFailure) => is === 'locked_out' || is === 'stranger';

function waitFor(cursor: PlannedCursor, found: ReadFailure, { now }: StepContext): KindResult<Cursor> {
  const missedSince = cursor.missedSince ?? now.toISOString();
  const isOver = isLasting(found) || now.getTime() - Date.parse(missedSince) >= CUT_OFF_MS;
  if (isOver) return endUnseen(cursor, found);
  return { next: 'wait', cursor: { ...cursor, missedSince }, afterMs: PROBE_AGAIN_MS, reason: 'device_offline' };
}

function concludeUnseen(
  cursor: PlannedCursor,
  found: ReadFailure,
  { settlingMs }: Evidence,
  context: StepContext,
): Verdict {
  const missedSince = cursor.missedSince ?? context.now.toISOString();
  const missedMs = context.now.getTime() - Date.parse(missedSince);
  const isOver = isLasting(found) || (settlingMs >= CUT_OFF_MS && missedMs >= SETTLED_MS);
  if (isOver) return { is: 'unknown', after: { look: found.is }, stepResult: endUnseen(cursor, found) };
  return { is: 'undecided', afterMs: PROBE_AGAIN_MS, cursor: { ...cursor, missedSince } };
}

/** The device cannot be read, so nothing can be undone: an operator gets the list of undoing changes. */
function endUnseen(cursor: PlannedCursor, { is, failure: last }: ReadFailure) {
  const [code, message] = {
    away: ['cut_off', 'Since the change the device no longer answers'],
    unreadable: ['unreadable', 'Since the change the device refuses to show its configuration'],
    locked_out: ['locked_out', 'Since the change the device refuses the login of the gateway'],
    stranger: ['another_device', 'Another device answers at the address since the change'],
  }[is] as [string, string];
  const failed = { code, message, facts: { last, why: cursor.at === 'undo' ? cursor.failure : null } };
  const result = { difference: cursor.difference, undo: inverseOf(cursor.plan) };
  return end('unknown', failed, result);
}

// ------------------------------------------------------------------------------------------------------------ reading

type DeviceReading = {
  readonly is: 'there';
  readonly seen: readonly FoundItems[];
  readonly states: readonly State[];
  readonly reader: SecretReader;
};

/** The present state of a plan on the device, or why it cannot be read. */
async function readPlanned(
  cursor: PlannedCursor,
  context: StepContext,
  isFresh = false,
): Promise<DeviceReading | ReadFailure> {
  try {
    if (isFresh) await context.endSessions();
    const serial = await serialOf(context);
    if (serial !== cursor.serial) return { is: 'stranger', failure: endOfOtherDevice(cursor.serial, serial).failure! };
    const changes = cursor.plan.map(asChange);
    const seen = await readItems(changes, context);
    const reader = await readerOf(changes, context);
    return { is: 'there', seen, reader, states: statesOf(cursor.plan, seen, reader) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (isOfflineCode(error.code)) return { is: 'away', failure: failureOf(error) };
    if (error.code === 'device_credentials_refused') return { is: 'locked_out', failure: failureOf(error) };
    if (error.code === 'identity_mismatch') return { is: 'stranger', failure: failureOf(error) };
    if (isDeviceRefusal(error)) return { is: 'unreadable', failure: failureOf(error) };
    throw error;
  }
}

// ------------------------------------------------------------------------------------------------------------- endings

/** The id of a new item is unknown after a lost answer; then a read finds the item. */
function nameMade<Named extends PlannedCursor>(cursor: Named, { seen, reader }: DeviceReading): Named {
  const claimed = new Set<string>();
  const plan = cursor.plan.map((change, position) => {
    if (change.action !== 'create' || change.known === null || change.made !== null) return change;
    const id = find(change, seen[position]!, reader, claimed)?.['id'];
    return typeof id === 'string' ? { ...change, made: id } : change;
  });
  return isSame(plan, cursor.plan) ? cursor : { ...cursor, plan };
}

function tell(cursor: PlannedCursor, states: readonly State[]) {
  return cursor.plan.map(({ index, action, path, made }, position) => ({
    index,
    action,
    path,
    made,
    is: states[position]!,
  }));
}

function resultOf(cursor: PlannedCursor, states: readonly State[], undo: readonly ConfigureChange[]): Facts {
  return {
    dryRun: false,
    changed: states.filter((state) => state !== 'as_before').length,
    asTheyWere: cursor.spec.changes.length - cursor.plan.length,
    changes: tell(cursor, states),
    difference: cursor.difference,
    risks: risksOf(cursor.plan.map(asChange)),
    undo,
  };
}
