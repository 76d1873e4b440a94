import { joinBulk } from '../../../device-api/bulk.js';
import { type BulkItem, PATHS } from '../../../device-api/contract.js';
import { AppError } from '../../../platform/errors.js';
import { type Failure } from '../../rows/job-state.js';
import { type Options } from '../../kind-api/intended-items.js';
import {
  type SecretReader,
  isLoose,
  type PlannedChange,
  readOf,
  secretOptions,
  type FoundItems,
  seenIn,
  type Snapshot,
} from './configure-plan.js';
import { type ConfigureChange, itemOf } from './configure-spec.js';
import { type StepContext } from '../../kind-api/step-context.js';
import { secretsIn } from '../../kind-api/secret-fields.js';

/*
 * How a guarded change reads its device, and what it stores. Secrets are sealed before they are stored: the cursor has
 * only the ids of sealed values, and fingerprints to compare.
 */

/** Items are executed one by one, and each may restart a service. */
const BULK_MS = 180_000;

/** Items of a collection in which the device chooses the ids; the cursor stores their ids. */
const MAX_KNOWN = 512;

const MAX_LABEL = 120;

export const MAX_ERRORS = 5;

/** There is no such section, or none above it (specification, Errors). */
const NO_SUCH_ITEM = 113;

/** Reads the items of the changes in one bulk request. */
export async function readItems(changes: readonly ConfigureChange[], context: StepContext): Promise<FoundItems[]> {
  const requests = changes.map(readOf);
  const answers = await bulk(requests, context);
  return changes.map((change, index) => {
    const answer = answers[index] ?? null;
    const { endpoint: path } = requests[index]!;
    if (answer === null) throw new AppError('device_answer_invalid', { path });
    if (answer.success) return seenIn(change, answer.data);
    const codes = answer.errors.map(({ code }) => code);
    // Of a nested service whose parent is to be made by this very change, the device says that there is none.
    if (codes.includes(NO_SUCH_ITEM)) return { item: null, all: [] };
    const deviceErrors = context.redacted(answer.errors, path).slice(0, MAX_ERRORS);
    throw new AppError('device_refused', { path, deviceErrors, deviceCodes: codes });
  });
}

/** Sends one bulk request. @returns the envelope of each item; null for one that cannot be read */
export async function bulk(items: readonly BulkItem[], { callForEnvelope: answer }: StepContext) {
  const { body } = await answer({ method: 'POST', path: PATHS.bulk, json: { data: items }, deadlineMs: BULK_MS });
  return joinBulk(body, items.length);
}

/** Opens the sealed values of changes, for a request or a comparison. */
export async function readerOf(
  changes: readonly ConfigureChange[],
  { secrets, redacted }: StepContext,
): Promise<SecretReader> {
  const opened = new Map<string, string>();
  for (const change of changes) {
    if (change.action === 'delete') continue;
    for (const { valueId } of change.sealed) {
      if (!opened.has(valueId)) opened.set(valueId, await secrets.open(valueId));
    }
  }
  return { opened, print: (value) => printOf(value, redacted) };
}

/** A fingerprint of a value, independent of its name: equal values have the same, and it reveals none. */
function printOf(value: unknown, redacted: StepContext['redacted']): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return redacted({ password: text }, PATHS.bulk).password;
}

/** Why a change cannot be made on this device, or could not be undone. */
export function problemOf(
  change: ConfigureChange,
  index: number,
  { item, all }: FoundItems,
  context: StepContext,
): Failure | null {
  const facts = { index, path: change.path };
  if (change.action === 'update' && item === null) {
    return { code: 'item_not_found', message: 'There is no such configuration item to change', facts };
  }
  if (change.action === 'create' && item !== null) {
    const message = 'The item already exists with other options: an `update` would change it';
    return { code: 'item_exists', message, facts: { ...facts, item: itemOf(change) } };
  }
  const part = item && partOf(change, item);
  const odd = part && secretNames(part, change.path, context).find((name) => typeof part[name] !== 'string');
  if (odd) {
    const message = 'An option holds secrets in a form that cannot be sealed, so it could not be restored';
    return { code: 'cannot_be_undone', message, facts: { ...facts, option: odd } };
  }
  if (all.length > MAX_KNOWN) {
    const message = 'The service has too many items to find a new one among them';
    return { code: 'too_much_to_keep', message, facts: { ...facts, limitItems: MAX_KNOWN } };
  }
  return null;
}

/** A change with the data for its comparison and its undoing. */
export async function planFor(
  change: ConfigureChange,
  index: number,
  { item, all }: FoundItems,
  context: StepContext,
): Promise<PlannedChange> {
  return {
    index,
    action: change.action,
    path: change.path.replace(/\/$/, ''),
    data: change.action === 'delete' ? {} : change.data,
    sealed: change.action === 'delete' ? [] : change.sealed,
    before: item && (await snapshotOf(change, item, context)),
    known: isLoose(change) ? all.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])) : null,
    made: null,
    forms: {},
  };
}

/** The earlier state of an item, with its secrets sealed. A repeated read finds the values that were sealed first. */
async function snapshotOf(change: ConfigureChange, item: Options, context: StepContext): Promise<Snapshot> {
  const { path } = change;
  const part = partOf(change, item);
  const names = secretNames(part, path, context);
  const options = Object.fromEntries(Object.entries(part).filter(([name]) => !names.includes(name)));
  const sealed: Record<string, string> = {};
  const prints: Record<string, string> = {};
  for (const name of names) {
    const value = part[name] as string;
    prints[name] = printOf(value, context.redacted);
    const label = `${name} of ${path} on ${context.device.name}, before a change`.slice(0, MAX_LABEL);
    sealed[name] = await context.secrets.seal(`${path} ${name} ${prints[name]}`, label, value);
  }
  return { options, sealed, prints };
}

/** The part of an item to store: all of a removed one, or the changed options. */
function partOf(change: ConfigureChange, item: Options): Options {
  if (change.action !== 'update') return item;
  const names = new Set([...Object.keys(change.data), ...change.sealed.map(({ option }) => option)]);
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)));
}

function secretNames(item: Options, path: string, { redacted }: StepContext): string[] {
  // What is shown at this path, but hidden in the result of a job, could not be put back from there.
  const byName = Object.keys(item).filter((name) => secretsIn({ [name]: item[name] }, PATHS.bulk).length > 0);
  return [
    ...new Set([
      ...secretOptions(item, redacted(item, path)),
      ...secretOptions(item, redacted(item, PATHS.bulk)),
      ...byName,
    ]),
  ];
}
