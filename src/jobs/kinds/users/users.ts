import { z } from 'zod';
import { group, PATHS, user } from '../../../device-api/contract.js';
import { AppError } from '../../../platform/errors.js';
import { type Failure } from '../../rows/job-state.js';
import { identity } from '../../kind/identity.js';
import { defineKind, type Evidence, type KindOutcome, type StepContext, type EffectVerdict } from '../../kind/kind.js';
import {
  type Change,
  changeOf,
  isSeen,
  keyOf,
  planOf,
  type Present,
  refusalOf,
  refusalOfPlan,
  usersSpec,
  type UsersSpec,
} from './users-plan.js';

/*
 *   identify --> compare ==effect: change==> compare ... --> prove --> succeeded
 *                   ^                           |
 *                   +---------------------------+   one write for each difference, each read back
 *
 * Brings accounts and groups of a device to a wished state. The device is read, what differs is changed and nothing else,
 * and the end is a reading without a difference. Passwords are sealed values: made here or given, never in spec, cursor or
 * journal; each that was set is proven by one login.
 *
 * The accounts that the gateway itself uses, and their groups, are refused before anything is written.
 */

const DEADLINE_MS = 60 * 60_000;

/** A write that has not shown by then was not carried out. */
const SETTLED_MS = 60_000;

const LOOK_AGAIN_MS = 5_000;

/** Times that one change is sent, when it is certain that it was not carried out before. */
const MAX_SENDS = 3;

const memory = {
  spec: usersSpec,
  done: z.array(z.string()),
  sends: z.number().int(),
  /** Sealed values by account. */
  values: z.record(z.string(), z.uuid()),
  /** Accounts whose password this job has set. */
  renewed: z.array(z.string()),
  unproven: z.array(z.string()),
};
const cursor = z.discriminatedUnion('at', [
  z.object({ at: z.literal('identify'), ...memory }),
  z.object({ at: z.literal('compare'), ...memory }),
  z.object({ at: z.literal('change'), ...memory, change: changeOf }),
  z.object({ at: z.literal('prove'), ...memory, proven: z.array(z.string()) }),
]);
type Cursor = z.infer<typeof cursor>;
type At<Name extends Cursor['at']> = Extract<Cursor, { at: Name }>;

export const users = defineKind<UsersSpec, Cursor>({
  name: 'users',
  deadlineMs: DEADLINE_MS,
  permission: 'job.start_sensitive',
  spec: usersSpec,
  cursor,
  sealedValuesOf: ({ accounts }) =>
    accounts.flatMap(({ sealedValue }) => (sealedValue ? [{ valueId: sealedValue }] : [])),
  start: (spec) => ({ at: 'identify', spec, done: [], sends: 0, values: {}, renewed: [], unproven: [] }),
  step(now, context) {
    switch (now.at) {
      case 'identify':
        return identify(now, context);
      case 'compare':
      case 'change':
        return compare({ ...now, at: 'compare' }, context);
      case 'prove':
        return prove(now, context);
    }
  },
  effects: { change: { send, conclude } },
  isPastReturn: (now, intent) => now.done.length > 0 || (intent !== null && intent.state === 'sent'),
  progress(now) {
    const total = now.spec.accounts.length + now.spec.groups.length;
    const percent = Math.min(95, 5 + Math.floor((90 * now.done.length) / Math.max(1, total)));
    return { percent, text: `${now.done.length} changes made` };
  },
});

async function identify(now: At<'identify'>, context: StepContext): Promise<KindOutcome<Cursor>> {
  const failure = refusalOf(now.spec, await context.ownAccounts()) ?? (await identity(context));
  if (failure) return { next: 'end', outcome: 'not_executed', failure };
  return { next: 'go', cursor: { ...now, at: 'compare' }, say: { text: 'The device is the one that was meant' } };
}

/** Finds the next difference, and whether it may be changed. */
async function compare(now: At<'compare'>, context: StepContext): Promise<KindOutcome<Cursor>> {
  const present = await read(context);
  const plan = planOf(now.spec, present, now.renewed);
  const [change] = plan;
  if (!change) {
    return { next: 'go', cursor: { ...now, at: 'prove', proven: [] }, say: { text: 'Nothing differs' } };
  }
  const refusal = refusalOfPlan(plan, present, await context.ownAccounts());
  if (refusal) return endOf(now, refusal, now.done.length > 0 ? 'failed' : 'not_executed');
  if (now.done.includes(keyOf(change))) return endOf(now, didNotHold(change));
  const values = change.withPassword ? await valueFor(now, change.name, context) : now.values;
  return {
    next: 'effect',
    effect: 'change',
    cursor: { ...now, at: 'change', values, change },
    before: { seen: isSeen(change, present) },
    say: { text: textOf(change), facts: { ...change.fields, toCome: plan.length - 1 } },
  };
}

async function send(now: Cursor, context: StepContext) {
  const { change, values } = changing(now);
  const base = change.of === 'account' ? PATHS.users : PATHS.groups;
  const item = `${base}/${encodeURIComponent(change.id ?? '')}`;
  if (change.is === 'remove') {
    await context.call({ method: 'DELETE', path: item }, z.unknown());
    return { accepted: true };
  }
  const secret = change.withPassword ? { password: await context.secrets.open(values[change.name]!) } : {};
  const named = change.of === 'account' ? { username: change.name } : { id: change.name };
  const data = { ...(change.is === 'create' ? named : {}), ...change.fields, ...secret };
  const request = change.is === 'create' ? { method: 'POST', path: base } : { method: 'PUT', path: item };
  await context.call({ ...(request as { method: 'POST' | 'PUT'; path: string }), json: { data } }, z.unknown());
  return { accepted: true };
}

async function conclude(at: Cursor, evidence: Evidence, context: StepContext): Promise<EffectVerdict<Cursor>> {
  const now = changing(at);
  const { change } = now;
  if (evidence.refusal) {
    return {
      is: 'not_executed',
      after: {},
      outcome: endOf(now, { ...evidence.refusal, facts: refused(now, evidence) }),
    };
  }
  const present = await read(context);
  const seen = isSeen(change, present);
  if (evidence.answer !== undefined) {
    return { is: 'executed', after: { seen }, outcome: seen ? onward(now, 'done') : endOf(now, didNotHold(change)) };
  }
  return concludeLost(now, evidence, { seen, present }, context);
}

async function concludeLost(
  now: At<'change'>,
  { sentForMs }: Evidence,
  { seen, present }: { seen: boolean; present: Present },
  context: StepContext,
): Promise<EffectVerdict<Cursor>> {
  const { change } = now;
  const isLate = sentForMs >= SETTLED_MS;
  if (seen && change.is === 'change' && change.withPassword) {
    // Nothing that can be read tells a new password from an old one: one login does, once there was time enough.
    if (!isLate) return { is: 'undecided', afterMs: SETTLED_MS - sentForMs };
    const isTaken = await isProven(change.name, now.values[change.name]!, context);
    if (isTaken === true) return { is: 'executed', after: { seen }, outcome: onward(now, 'lost') };
    const is = isTaken === false ? 'not_executed' : 'unknown';
    const message = 'The answer was lost, and the account does not take the new password';
    return { is, after: { seen }, outcome: endOf(now, { code: 'password_not_set', message, facts: {} }, 'unknown') };
  }
  if (seen) return { is: 'executed', after: { seen }, outcome: onward(now, 'lost') };
  if (!isLate) return { is: 'undecided', afterMs: LOOK_AGAIN_MS };
  const sends = now.sends + 1;
  const after = { seen, users: present.users.length, groups: present.groups.length };
  if (sends < MAX_SENDS) {
    const say = { text: 'The answer was lost and nothing has changed; it is sent again', facts: { sends } };
    return { is: 'not_executed', after, outcome: { next: 'go', cursor: back({ ...now, sends }), say } };
  }
  const message = 'The device never answered, and has not done what it was asked for';
  return { is: 'not_executed', after, outcome: endOf(now, { code: 'answer_lost', message, facts: { sends } }) };
}

/** One login with each password that was set, no more: the device counts those that it refuses. */
async function prove(now: At<'prove'>, context: StepContext): Promise<KindOutcome<Cursor>> {
  const username = now.renewed.find((name) => !now.proven.includes(name) && !now.unproven.includes(name));
  if (username === undefined) return succeeded(now);
  const isTaken = await isProven(username, now.values[username]!, context);
  if (isTaken === false) {
    const message = 'The device accepted a password and refuses the login with it';
    return endOf(now, { code: 'password_refused', message, facts: { username } });
  }
  const say = {
    text: isTaken ? 'A login proves the password' : 'The account cannot log in by itself',
    facts: { username },
  };
  const cursor = isTaken
    ? { ...now, proven: [...now.proven, username] }
    : { ...now, unproven: [...now.unproven, username] };
  return { next: 'go', cursor, say };
}

/** @returns null when the device answers neither yes nor no: a first login, an expired account */
async function isProven(username: string, valueId: string, context: StepContext): Promise<boolean | null> {
  try {
    return await context.provePassword(username, valueId);
  } catch (error) {
    if (error instanceof AppError && error.code === 'device_login_failed') return null;
    throw error;
  }
}

function succeeded(now: At<'prove'>): KindOutcome<Cursor> {
  const wanted = now.spec.accounts.length + now.spec.groups.length;
  return {
    next: 'end',
    outcome: 'succeeded',
    result: { ...progressOf(now), asTheyWere: Math.max(0, wanted - now.done.length), proven: now.proven },
  };
}

async function read({ call }: StepContext): Promise<Present> {
  return {
    users: await call({ method: 'GET', path: PATHS.users }, z.array(user)),
    groups: await call({ method: 'GET', path: PATHS.groups }, z.array(group)),
  };
}

async function valueFor(now: At<'compare'>, username: string, { secrets, device }: StepContext) {
  const given = now.spec.accounts.find((account) => account.username === username)?.sealedValue;
  const value = given ?? (await secrets.generate(`account ${username}`, `Account ${username} of ${device.name}`));
  return { ...now.values, [username]: value };
}

function onward(now: At<'change'>, how: 'done' | 'lost') {
  const { change } = now;
  const text = how === 'done' ? 'The device has it' : 'The answer was lost, but the device has it';
  const renewed = change.withPassword ? [...now.renewed, change.name] : now.renewed;
  const cursor = back({ ...now, done: [...now.done, keyOf(change)], renewed, sends: 0 });
  return { next: 'go', cursor, say: { text, facts: { change: keyOf(change) } } } as const;
}

function back({ change: _done, ...rest }: At<'change'>): Cursor {
  return { ...rest, at: 'compare' };
}

function changing(now: Cursor): At<'change'> {
  if (now.at !== 'change') throw new Error(`An account was changed at the step ${now.at}`);
  return now;
}

/** What was done stays done, so an end without success says what that is. */
function endOf(now: Cursor, failure: Failure, outcome: 'failed' | 'not_executed' | 'unknown' = 'failed') {
  return { next: 'end', outcome, result: progressOf(now), failure } as const;
}

function progressOf({ done, values }: Cursor) {
  const sealedValues = Object.entries(values).map(([username, valueId]) => ({ username, valueId }));
  return { changed: done, sealedValues };
}

function refused(now: At<'change'>, { refusal }: Evidence) {
  return { ...refusal!.facts, change: keyOf(now.change) };
}

function didNotHold(change: Change): Failure {
  const message = 'The device accepted the change, but does not have it';
  return { code: 'did_not_hold', message, facts: { change: keyOf(change) } };
}

function textOf({ is, of, name, withPassword }: Change): string {
  const verb = { create: 'made', change: 'changed', remove: 'removed' }[is];
  return `The ${of} ${name} is ${verb}${withPassword ? ', with a sealed password' : ''}`;
}
