import { z } from 'zod';
import { group, PATHS, user } from '../../../device-api/contract.js';
import { AppError } from '../../../platform/errors.js';
import { type End, type Failure } from '../../rows/job-state.js';
import { concludeWrite, SETTLED_MS } from '../../kind-api/conclude-write.js';
import { endIfOtherDevice } from '../../kind-api/identity.js';
import { type CursorAt, defineKind, type EffectVerdict, type Evidence, type KindResult } from '../../kind-api/kind.js';
import { effect, end, go, refused, succeed } from '../../kind-api/outcomes.js';
import { type StepContext } from '../../kind-api/step-context.js';
import {
  type Change,
  changeOf,
  isSeen,
  keyOf,
  planOf,
  type DeviceUsers,
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
 * Brings accounts and groups of a device to an intended state. The job reads the device and changes only what differs,
 * until a read finds no difference. Passwords are sealed values, generated or given, and never in spec, cursor or intent.
 * One login proves each password that was set.
 *
 * The accounts that the gateway itself uses, and their groups, are refused before anything is written.
 */

const DEADLINE_MS = 60 * 60_000;

const memory = {
  spec: usersSpec,
  done: z.array(z.string()),
  sends: z.number().int(),
  values: z.record(z.string(), z.uuid()),
  /** Accounts whose password this job has set. */
  renewed: z.array(z.string()),
  unproven: z.array(z.string()),
};
const cursorSchema = z.discriminatedUnion('at', [
  z.object({ at: z.literal('identify'), ...memory }),
  z.object({ at: z.literal('compare'), ...memory }),
  z.object({ at: z.literal('change'), ...memory, change: changeOf }),
  z.object({ at: z.literal('prove'), ...memory, proven: z.array(z.string()) }),
]);
type Cursor = z.infer<typeof cursorSchema>;
type Verdict = EffectVerdict<Cursor>;

export const users = defineKind<UsersSpec, Cursor>({
  name: 'users',
  deadlineMs: DEADLINE_MS,
  permission: 'job.start_sensitive',
  spec: usersSpec,
  cursor: cursorSchema,
  sealedValuesOf: ({ accounts }) =>
    accounts.flatMap(({ sealedValue }) => (sealedValue ? [{ valueId: sealedValue }] : [])),
  start: (spec) => ({ at: 'identify', spec, done: [], sends: 0, values: {}, renewed: [], unproven: [] }),
  steps: {
    identify,
    compare,
    change: (cursor, context) => compare(back(cursor), context),
    prove,
  },
  effects: { change: { at: 'change', send, conclude } },
  isIrrevocable: (cursor, intent) => cursor.done.length > 0 || (intent !== null && intent.state === 'sent'),
  progress(cursor) {
    const total = cursor.spec.accounts.length + cursor.spec.groups.length;
    const percent = Math.min(95, 5 + Math.floor((90 * cursor.done.length) / Math.max(1, total)));
    return { percent, text: `${cursor.done.length} changes made` };
  },
});

async function identify(cursor: CursorAt<Cursor, 'identify'>, context: StepContext): Promise<KindResult<Cursor>> {
  const failure = refusalOf(cursor.spec, await context.ownAccounts());
  const refusal = failure ? end('not_executed', failure) : await endIfOtherDevice(context);
  return refusal ?? go({ ...cursor, at: 'compare' }, 'The device is the right one');
}

/** Finds the next difference, and checks whether it may be changed. */
async function compare(cursor: CursorAt<Cursor, 'compare'>, context: StepContext): Promise<KindResult<Cursor>> {
  const present = await read(context);
  const plan = planOf(cursor.spec, present, cursor.renewed);
  const [change] = plan;
  if (!change) return go({ ...cursor, at: 'prove', proven: [] }, 'Nothing differs');
  const refusal = refusalOfPlan(plan, present, await context.ownAccounts());
  if (refusal) return endOf(cursor, refusal, cursor.done.length > 0 ? 'failed' : 'not_executed');
  if (cursor.done.includes(keyOf(change))) return endOf(cursor, notApplied(change));
  const values = change.withPassword ? await valueFor(cursor, change.name, context) : cursor.values;
  const next = { ...cursor, at: 'change', values, change } as const;
  const facts = { ...change.fields, toCome: plan.length - 1 };
  return effect('change', next, { seen: isSeen(change, present) }, textOf(change), facts);
}

async function send({ change, values }: CursorAt<Cursor, 'change'>, context: StepContext) {
  const base = change.of === 'account' ? PATHS.users : PATHS.groups;
  const item = `${base}/${encodeURIComponent(change.id ?? '')}`;
  if (change.is === 'remove') {
    await context.call({ method: 'DELETE', path: item }, z.unknown());
    return;
  }
  const secret = change.withPassword ? { password: await context.secrets.open(values[change.name]!) } : {};
  const named = change.of === 'account' ? { username: change.name } : { id: change.name };
  const data = { ...(change.is === 'create' ? named : {}), ...change.fields, ...secret };
  const request = change.is === 'create' ? { method: 'POST', path: base } : { method: 'PUT', path: item };
  await context.call({ ...(request as { method: 'POST' | 'PUT'; path: string }), json: { data } }, z.unknown());
}

async function conclude(
  cursor: CursorAt<Cursor, 'change'>,
  evidence: Evidence,
  context: StepContext,
): Promise<Verdict> {
  const { change } = cursor;
  const { answer, refusal } = evidence;
  if (refusal) {
    return refused(endOf(cursor, { ...refusal, facts: { ...refusal.facts, change: keyOf(change) } }));
  }
  const present = await read(context);
  const seen = isSeen(change, present);
  const isLost = answer === undefined;
  if (isLost && seen && change.is === 'change' && change.withPassword)
    return concludePassword(cursor, evidence, context);
  const counts = { users: present.users.length, groups: present.groups.length };
  return concludeWrite<Cursor>(evidence, {
    after: { seen, ...(isLost && !seen ? counts : {}) },
    applied: seen
      ? onward(cursor, isLost ? 'The answer was lost, but the device has the change' : 'The device has the change')
      : null,
    notApplied: endOf(cursor, notApplied(change)),
    sends: cursor.sends,
    resend: (sends) =>
      go(back({ ...cursor, sends }), 'The answer was lost and nothing has changed; sends it again', { sends }),
    lost: (sends) => {
      const message = 'The device never answered, and has not made the change';
      return { is: 'not_executed', stepResult: endOf(cursor, { code: 'answer_lost', message, facts: { sends } }) };
    },
  });
}

/** A password cannot be read back: one login proves it, after the device had time to apply it. */
async function concludePassword(
  cursor: CursorAt<Cursor, 'change'>,
  { settlingMs }: Evidence,
  context: StepContext,
): Promise<Verdict> {
  if (settlingMs < SETTLED_MS) return { is: 'undecided', afterMs: SETTLED_MS - settlingMs };
  const { name } = cursor.change;
  const after = { seen: true };
  const isAccepted = await isProven(name, cursor.values[name]!, context);
  if (isAccepted === true) {
    return { is: 'executed', after, stepResult: onward(cursor, 'The answer was lost, but the device has the change') };
  }
  const is = isAccepted === false ? 'not_executed' : 'unknown';
  const message = 'The answer was lost, and the account does not accept the new password';
  return { is, after, stepResult: endOf(cursor, { code: 'password_not_set', message, facts: {} }, 'unknown') };
}

/** One login with each password that was set, no more: the device counts those that it refuses. */
async function prove(cursor: CursorAt<Cursor, 'prove'>, context: StepContext): Promise<KindResult<Cursor>> {
  const username = cursor.renewed.find((name) => !cursor.proven.includes(name) && !cursor.unproven.includes(name));
  if (username === undefined) return succeeded(cursor);
  const isAccepted = await isProven(username, cursor.values[username]!, context);
  if (isAccepted === false) {
    const message = 'The device accepted a password and refuses the login with it';
    return endOf(cursor, { code: 'password_refused', message, facts: { username } });
  }
  const text = isAccepted ? 'A login proves the password' : 'The account cannot log in';
  const next = isAccepted
    ? { ...cursor, proven: [...cursor.proven, username] }
    : { ...cursor, unproven: [...cursor.unproven, username] };
  return go(next, text, { username });
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

function succeeded(cursor: CursorAt<Cursor, 'prove'>): KindResult<Cursor> {
  const wanted = cursor.spec.accounts.length + cursor.spec.groups.length;
  return succeed({
    ...progressOf(cursor),
    asTheyWere: Math.max(0, wanted - cursor.done.length),
    proven: cursor.proven,
  });
}

async function read({ call }: StepContext): Promise<DeviceUsers> {
  return {
    users: await call({ method: 'GET', path: PATHS.users }, z.array(user)),
    groups: await call({ method: 'GET', path: PATHS.groups }, z.array(group)),
  };
}

async function valueFor(cursor: CursorAt<Cursor, 'compare'>, username: string, { secrets, device }: StepContext) {
  const given = cursor.spec.accounts.find((account) => account.username === username)?.sealedValue;
  const value = given ?? (await secrets.generate(`account ${username}`, `Account ${username} of ${device.name}`));
  return { ...cursor.values, [username]: value };
}

function onward(cursor: CursorAt<Cursor, 'change'>, text: string) {
  const { change } = cursor;
  const renewed = change.withPassword ? [...cursor.renewed, change.name] : cursor.renewed;
  const next = back({ ...cursor, done: [...cursor.done, keyOf(change)], renewed, sends: 0 });
  return go(next, text, { change: keyOf(change) });
}

function back({ change: _done, ...rest }: CursorAt<Cursor, 'change'>): CursorAt<Cursor, 'compare'> {
  return { ...rest, at: 'compare' };
}

/** Completed changes stay, so an end without success lists them. */
function endOf(cursor: Cursor, failure: Failure, outcome: 'failed' | 'not_executed' | 'unknown' = 'failed'): End {
  return end(outcome, failure, progressOf(cursor));
}

function progressOf({ done, values }: Cursor) {
  const sealedValues = Object.entries(values).map(([username, valueId]) => ({ username, valueId }));
  return { changed: done, sealedValues };
}

function notApplied(change: Change): Failure {
  const message = 'The device accepted the change, but does not have it';
  return { code: 'did_not_hold', message, facts: { change: keyOf(change) } };
}

function textOf({ is, of, name, withPassword }: Change): string {
  const verb = { create: 'made', change: 'changed', remove: 'removed' }[is];
  return `The ${of} ${name} is ${verb}${withPassword ? ', with a sealed password' : ''}`;
}
