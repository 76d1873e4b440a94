import { createHash } from 'node:crypto';
import { z } from 'zod';
import { joinBulk } from '../../../device-api/bulk.js';
import { METHODS } from '../../../device-api/contract.js';
import { type Facts } from '../../../platform/errors.js';
import { type DeviceAnswer, type DeviceRequest } from '../../../proxy/calls/device-calls.js';
import { type Failure } from '../../rows/job-state.js';
import { failureOf, isDeviceRefusal } from '../../rows/step-error.js';
import {
  canonical,
  differing,
  type IntendedItem,
  intendedItemsOf,
  isAttained,
  type Options,
  recordsIn,
} from '../../kind-api/intended-items.js';
import { actsOf, type CallSpec, callSpec, changes, expectation, isBulkCall, itemPaths, missedBy } from './call-spec.js';
import { PROBE_AGAIN_MS, SETTLED_MS } from '../../kind-api/conclude-write.js';
import { readItem } from '../../kind-api/device-items.js';
import { type CursorAt, defineKind, type EffectVerdict, type Evidence, type KindResult } from '../../kind-api/kind.js';
import { effect, end, endWith, succeed } from '../../kind-api/outcomes.js';
import { type StepContext } from '../../kind-api/step-context.js';

/*
 *   read  --> the answer is compared --> end                  (repeated until the device answers)
 *   write --effect--> answered: read back --> end             (sent once, whatever happens)
 *     ^         |---> lost: only a read decides --> end
 *     +---------+ refused for the moment
 *
 * One call to the API of a device that outlives an absent device, a restart and a lost answer. What proves success of a
 * write is what the device has afterwards, where that can be read (`intended-items.ts`); for any other write it is the answer,
 * and without one the outcome is `unknown`: nothing is sent a second time.
 */

/** A durable call waits up to a day for its device. */
const DEADLINE_MS = 24 * 60 * 60_000;

/** How often a device may refuse it temporarily. */
const MAX_SENDS = 8;

/** Of a larger answer only digest and size are stored. */
const MAX_KEPT_CHARACTERS = 32 * 1024;

const given = {
  method: z.enum(METHODS),
  path: z.string(),
  data: z.unknown().optional(),
  expect: expectation.optional(),
  sends: z.number().int(),
};
const cursorSchema = z.discriminatedUnion('at', [
  z.object({ at: z.literal('read'), ...given }),
  z.object({ at: z.literal('write'), ...given, verify: z.boolean() }),
]);
type Cursor = z.infer<typeof cursorSchema>;
type Write = CursorAt<Cursor, 'write'>;

export const call = defineKind<CallSpec, Cursor>({
  name: 'call',
  deadlineMs: DEADLINE_MS,
  spec: callSpec,
  cursor: cursorSchema,
  calls: actsOf,
  start: ({ verify, ...rest }) =>
    changes(rest) ? { at: 'write', ...rest, sends: 0, verify } : { at: 'read', ...rest, sends: 0 },
  steps: { read, write: prepare },
  effects: { call: { at: 'write', send, conclude } },
  isIrrevocable: (_now, intent) => intent?.state === 'sent',
});

async function read(cursor: CursorAt<Cursor, 'read'>, context: StepContext): Promise<KindResult<Cursor>> {
  const { method, path } = cursor;
  try {
    const answer = await context.callForEnvelope(requestOf(cursor));
    const missed = missedBy(cursor.expect, answer);
    return {
      ...endOf(missed, view(cursor, answer, context)),
      logLine: { text: 'The device answered', facts: { method, path, status: answer.status } },
    };
  } catch (error) {
    if (!isDeviceRefusal(error)) throw error;
    return refused(cursor, failureOf(error));
  }
}

/** The caller may expect a refusal; some refusals are temporary. */
function refused<At extends Cursor>(cursor: At, refusal: Failure) {
  const { deviceStatus: status, deviceErrors: errors } = refusal.facts;
  const sends = cursor.sends + 1;
  if (
    cursor.expect &&
    missedBy(cursor.expect, { status: Number(status), body: { success: false, errors } }).length === 0
  ) {
    return succeed({ status, errors });
  }
  if (isTemporaryRefusal(refusal) && sends < MAX_SENDS) {
    const logLine = { text: 'The device cannot do it now; the gateway will retry', facts: refusal.facts };
    return { next: 'wait', cursor: { ...cursor, sends }, afterMs: REFUSED_RETRY_MS, reason: 'retry', logLine } as const;
  }
  return end('failed', refusal);
}

/** Reads the items of the write before it is sent, for comparison afterwards. */
async function prepare(cursor: Write, context: StepContext): Promise<KindResult<Cursor>> {
  const intended = intendedItemsOf(cursor);
  const before = intended && (await readItems(intended, context));
  const { method, path } = cursor;
  const facts = { method, path, canBeReadBack: before !== null };
  return effect('call', cursor, before ? { items: before.map(note) } : {}, 'Calls the device', facts);
}

/** The part of an answer that the intent stores: only what the verdict needs and the caller gets. */
const storedAnswer = z.object({
  missed: z.array(z.string()),
  refusedItems: z.array(z.number().int()),
  /** Digests of options that the device stored in another form, by `path option`. */
  otherForms: z.record(z.string(), z.string()),
  result: z.record(z.string(), z.unknown()),
});
type StoredAnswer = z.infer<typeof storedAnswer>;

async function send(cursor: Write, context: StepContext): Promise<StoredAnswer> {
  const answer = await context.callForEnvelope(requestOf(cursor));
  return {
    missed: missedBy(cursor.expect, answer),
    refusedItems: isBulkCall(cursor) ? refusedItems(cursor, answer) : [],
    otherForms: otherForms(cursor, answer, context),
    result: view(cursor, answer, context),
  };
}

async function conclude(cursor: Write, evidence: Evidence, context: StepContext): Promise<EffectVerdict<Cursor>> {
  if (evidence.refusal) {
    const after = { refused: evidence.refusal.facts };
    return { is: 'not_executed', after, stepResult: refused(cursor, evidence.refusal) };
  }
  const answer = storedAnswer.safeParse(evidence.answer);
  return answer.success ? concludeAnswered(cursor, answer.data, context) : concludeLost(cursor, evidence, context);
}

/** The device accepted it. A 200 does not prove the change, so readable items are read again. */
async function concludeAnswered(
  cursor: Write,
  answer: StoredAnswer,
  context: StepContext,
): Promise<EffectVerdict<Cursor>> {
  const { missed, refusedItems: items, otherForms: forms, result } = answer;
  const ended = (after: Facts, failure: Failure | null, verified: boolean): EffectVerdict<Cursor> => {
    const told = { ...result, verified };
    return { is: 'executed', after, stepResult: failure ? end('failed', failure, told) : succeed(told) };
  };
  if (items.length > 0 && !cursor.expect) {
    const message = 'The device refused items of the bulk request';
    return ended({}, { code: 'bulk_items_refused', message, facts: { items } }, false);
  }
  if (missed.length > 0) return ended({}, notAsExpected(missed), false);
  const intended = cursor.verify && items.length === 0 ? intendedItemsOf(cursor) : null;
  if (!intended) return ended({}, null, false);
  const seen = await readItems(intended, context);
  const after = { items: seen.map(note) };
  const unlike = seen.flatMap(({ aim, item }) => unlikeAsked(aim, item, forms, context));
  if (unlike.length === 0) return ended(after, null, true);
  const message = 'The device accepted the call, but does not have what it asked for';
  return ended(after, { code: 'did_not_hold', message, facts: { unlike } }, false);
}

const notes = z.array(z.object({ path: z.string(), exists: z.boolean(), digest: z.string() }));

/** The answer was lost: the comparison of the items before and after decides. */
async function concludeLost(cursor: Write, evidence: Evidence, context: StepContext): Promise<EffectVerdict<Cursor>> {
  const intended = intendedItemsOf(cursor);
  const before = notes.safeParse(evidence.before['items']);
  if (!intended || !before.success) {
    const message = 'The answer was lost, and no read can show the result of the call';
    return { is: 'unknown', after: {}, stepResult: endWith('unknown', 'answer_lost', message) };
  }
  const seen = await readItems(intended, context);
  const after = { items: seen.map(note) };
  const isAsBefore = seen.every((item, index) => before.data[index]?.digest === note(item).digest);
  if (seen.every(({ aim, item }) => isAttained(aim, item))) {
    // The item may have had this state before: the goal is reached, but it is unknown whether by this call.
    return { is: isAsBefore ? 'unknown' : 'executed', after, stepResult: attained(cursor, seen) };
  }
  if (evidence.settlingMs < SETTLED_MS) return { is: 'undecided', afterMs: PROBE_AGAIN_MS };
  const is = isAsBefore ? 'not_executed' : 'unknown';
  const message = isAsBefore
    ? 'The answer was lost, and the device is as it was before'
    : 'The answer was lost, and the device is neither as before nor as requested';
  return { is, after, stepResult: endWith(is, 'answer_lost', message, after) };
}

/** The expectations on the lost answer, compared as far as a read allows: a success, with the item as `data`. */
function attained(cursor: Write, seen: readonly FoundItem[]) {
  const only = seen.length === 1 ? seen[0]!.item : null;
  const missed = missedBy(cursor.expect, { status: undefined, body: { success: true, data: only } });
  const isSuccess = cursor.expect?.status === undefined || cursor.expect.status < 300;
  if (isSuccess && missed.length === 0) {
    return succeed({ status: null, verified: true }, 'The answer was lost, but the device has the requested state');
  }
  const message = 'The answer was lost; the device has the requested state, but the expectation cannot be checked';
  return endWith('unknown', 'answer_lost', message, { missed });
}

interface FoundItem {
  readonly aim: IntendedItem;
  /** Null: the item does not exist. Digests replace its secrets. */
  readonly item: Options | null;
  readonly digest: string;
}

async function readItems(intended: readonly IntendedItem[], context: StepContext): Promise<FoundItem[]> {
  const seen: FoundItem[] = [];
  for (const aim of intended) {
    const item = await readItem(aim.path, context);
    seen.push({ aim, item, digest: digestOf(context.redacted(item, aim.path)) });
  }
  return seen;
}

const note = ({ aim, item, digest }: FoundItem) => ({ path: aim.path, exists: item !== null, digest });

/** Options that differ from the request and from the form in which the device accepted them. */
function unlikeAsked(
  aim: IntendedItem,
  item: Options | null,
  forms: StoredAnswer['otherForms'],
  context: StepContext,
): Facts[] {
  if (isAttained(aim, item)) return [];
  if (aim.wanted === null || item === null) return [{ path: aim.path, exists: item !== null }];
  return differing(aim.wanted, item)
    .filter((option) => forms[`${aim.path} ${option}`] !== formOf(aim, option, item, context))
    .map((option) => ({ path: aim.path, option, has: formOf(aim, option, item, context) }));
}

function otherForms(cursor: Write, { body }: DeviceAnswer, context: StepContext): StoredAnswer['otherForms'] {
  const records = recordsIn((body as { data?: unknown } | null)?.data);
  const forms: Record<string, string> = {};
  for (const aim of intendedItemsOf(cursor) ?? []) {
    const record = aim.id === null ? null : records.get(aim.id);
    if (!aim.wanted || !record) continue;
    for (const option of differing(aim.wanted, record)) {
      if (Object.hasOwn(record, option)) forms[`${aim.path} ${option}`] = formOf(aim, option, record, context);
    }
  }
  return forms;
}

/** A value in the form that people may see. */
function formOf({ path }: IntendedItem, option: string, item: Options, { redacted }: StepContext): string {
  return canonical(redacted({ [option]: item[option] }, path)[option]).slice(0, 200);
}

/** The caller's view of an answer: without secrets, and bounded. */
function view(cursor: Cursor, { status, body }: DeviceAnswer, { redacted }: StepContext): Facts {
  const shown = isBulkCall(cursor) ? redactItems(cursor, body, redacted) : redacted(body, cursor.path);
  const text = JSON.stringify(shown);
  if (text.length <= MAX_KEPT_CHARACTERS) return { status, body: shown };
  return { status, body: null, bodyCharacters: text.length, bodySha256: digestOf(shown) };
}

function redactItems(cursor: Cursor, body: unknown, redacted: StepContext['redacted']): unknown {
  const paths = itemPaths(cursor);
  const answers = joinBulk(body, paths.length);
  return { data: answers.map((answer, index) => redacted(answer, paths[index]!)) };
}

function refusedItems(cursor: Cursor, { body }: DeviceAnswer): number[] {
  const answers = joinBulk(body, itemPaths(cursor).length);
  return answers.flatMap((answer, index) => (answer?.success === true ? [] : [index]));
}

function requestOf({ method, path, data }: Cursor): DeviceRequest {
  return { method, path, ...(data === undefined ? {} : { json: { data } }) };
}

function endOf(missed: string[], result: Facts) {
  return missed.length === 0 ? succeed(result) : end('failed', notAsExpected(missed), result);
}

function notAsExpected(missed: readonly string[]): Failure {
  return { code: 'not_as_expected', message: 'The answer is not the expected one', facts: { missed } };
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex');
}

/*
 * Temporary refusals: the device did nothing, and the same call may be repeated. All other refusals are final
 * (observed-devices.md 1 and 4).
 */

/** Pairs of HTTP status and code. The code of an action has another meaning for another action. */
const TEMPORARY: ReadonlyMap<number, ReadonlySet<number>> = new Map([
  [422, new Set([15])], // the device has no internet now (observed-devices.md 1.9)
]);

const REFUSED_RETRY_MS = 30_000;

function isTemporaryRefusal({ facts }: Failure): boolean {
  const { deviceStatus, deviceCodes } = facts;
  const codes = TEMPORARY.get(Number(deviceStatus));
  return codes !== undefined && Array.isArray(deviceCodes) && deviceCodes.some((code) => codes.has(Number(code)));
}
