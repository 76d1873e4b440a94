import { hash } from 'node:crypto';
import { canonical } from '../../jobs/kind-api/intended-items.js';
import { type DesiredPlan, type DeviceItem, type ItemDifference, planDesired } from './desired-plan.js';
import { type SYNC_STATES } from '../../selectors/records.js';
import { type IgnoredNames, NONE_IGNORED } from './ignored.js';
import { keyText, nameOf } from './normal-form.js';

/*
 * Whether a device is as its template says. What counts is what it answered after the last apply: an option that it stored in another
 * form then is no difference, as long as it keeps that form. Pure.
 */

export type SyncState = (typeof SYNC_STATES)[number];

/** The states that a job can close. */
export const OPEN_STATES = ['pending', 'drifted', 'both'] as const satisfies readonly SyncState[];

/** An item as it was applied. Its secrets are named, and their fingerprints are not stored: some options show theirs in clear. */
export type AppliedItem = Omit<DeviceItem, 'sealed'> & {
  readonly sealed: readonly { readonly option: string; readonly valueId: string }[];
};

/** What a device was set to, and what still differed right after it, as `formsOf` has it. */
export interface AppliedTemplate<Item = AppliedItem> {
  readonly items: readonly Item[];
  readonly forms: readonly string[];
}

export interface Sync {
  readonly state: Extract<SyncState, 'in_sync' | 'pending' | 'drifted' | 'both'>;
  /** By the items that are desired now. */
  readonly plan: DesiredPlan;
  /** What the device changed since the last apply. */
  readonly moved: readonly ItemDifference[];
}

export interface SyncInput {
  readonly items: readonly DeviceItem[];
  /** null: the device never had all that a version of the template says. */
  readonly applied: AppliedTemplate<DeviceItem> | null;
  readonly bodies: ReadonlyMap<string, unknown>;
  readonly ignored?: IgnoredNames;
  /** A difference without secrets. */
  readonly hidden: (difference: ItemDifference) => ItemDifference;
}

/** The state of a device whose plan has no problems. */
export function syncOf({ items, applied, bodies, ignored = NONE_IGNORED, hidden }: SyncInput): Sync {
  const forms = new Set(applied?.forms);
  const isForm = (difference: ItemDifference) => forms.size > 0 && forms.has(formOf(hidden(difference)));
  const plan = planDesired(items, bodies, isForm, ignored);
  const moved = applied ? openOf(planDesired(applied.items, bodies, isForm, ignored)) : [];
  if (openOf(plan).length === 0) return { state: 'in_sync', plan, moved };
  const isPending = applied === null || !isSameApplied(items, applied.items, ignored);
  const state = !isPending ? 'drifted' : moved.length > 0 ? 'both' : 'pending';
  return { state, plan, moved };
}

/** What is to be closed. */
export const openOf = ({ differences }: DesiredPlan): ItemDifference[] =>
  differences.filter(({ is }) => is !== 'normalised' && is !== 'ignored');

/**
 * What a device has once it has all of some items. An option that is ignored is as it was applied before, or is not there: when the
 * end of that passes, the device is `pending` where it never had the option, and has `drifted` where it did.
 */
export function appliedItems(
  items: readonly AppliedItem[],
  ignored: IgnoredNames = NONE_IGNORED,
  before: readonly AppliedItem[] = [],
): AppliedItem[] {
  return items.map(({ path, key, mode, options, sealed }) => {
    const known = before.filter((one) => one.path === path && keyText(one.key) === keyText(key));
    const isOwn = (option: string) => !ignored.has(nameOf({ path, key, option }));
    const values = Object.entries(options).flatMap(([option, value]) => {
      if (isOwn(option)) return [[option, value] as const];
      return known.flatMap((one) => Object.entries(one.options).filter(([name]) => name === option));
    });
    const secrets = sealed.flatMap(({ option, valueId }) =>
      isOwn(option) ? [{ option, valueId }] : known.flatMap((one) => one.sealed.filter((was) => was.option === option)),
    );
    return { path, key, mode, options: Object.fromEntries(values), sealed: secrets };
  });
}

export const isSameApplied = (
  one: readonly AppliedItem[],
  other: readonly AppliedItem[],
  ignored?: IgnoredNames,
): boolean => canonical(appliedItems(one, ignored)) === canonical(appliedItems(other, ignored));

/** How a device keeps options that it stored in another form than was sent: digests, since a value may be long. */
export function formsOf({ differences }: DesiredPlan, hidden: SyncInput['hidden']): string[] {
  const forms = differences.filter(({ is, option }) => is === 'different' && option !== null);
  return forms.map((difference) => formOf(hidden(difference)));
}

const formOf = (difference: ItemDifference): string =>
  hash('sha256', canonical([nameOf(difference), difference.wanted ?? null, difference.seen ?? null]), 'hex');

/** An option that was put back so often within so long has two masters. */
const PUT_BACK_MAX = 3;
const PUT_BACK_MS = 7 * 86_400_000;

/** When options were put back and by which job, by name of the option. */
export type PutBack = Readonly<Record<string, readonly { readonly at: string; readonly jobId: string }[]>>;

/** With what a job puts back now; repeated, it counts once. @returns the options that were put back too often, too */
export function putBackAgain(
  before: PutBack,
  names: readonly string[],
  now: Date,
  jobId: string,
): { readonly putBack: PutBack; readonly suspends: readonly string[] } {
  const times = new Map(
    Object.entries(before).map(([name, all]) => [
      name,
      all.filter((one) => one.jobId !== jobId && now.getTime() - Date.parse(one.at) < PUT_BACK_MS),
    ]),
  );
  for (const name of names) times.set(name, [...(times.get(name) ?? []), { at: now.toISOString(), jobId }]);
  const recent = [...times].filter(([, all]) => all.length > 0);
  const suspends = recent.filter(([, all]) => all.length >= PUT_BACK_MAX).map(([name]) => name);
  return { putBack: Object.fromEntries(recent), suspends };
}
