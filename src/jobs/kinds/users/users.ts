import { z } from 'zod';
import { group, PATHS, user } from '../../../device-api/contract.js';
import { AppError } from '../../../platform/errors.js';
import { type End, type Failure } from '../../rows/job-state.js';
import { concludeWrite, SETTLED_MS } from '../../kind-api/conclude-write.js';
import { refuseOtherDevice } from '../../kind-api/identity.js';
import { type At, defineKind, type EffectVerdict, type Evidence, type KindOutcome } from '../../kind-api/kind.js';
import { effect, end, go, refused, succeed } from '../../kind-api/outcomes.js';
import { type StepContext } from '../../kind-api/step-context.js';
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
 * Brings accounts and groups of a device to an intended state. The job reads the device and changes only what differs,
 * until a read finds no difference. Passwords are sealed values, generated or given, and never in spec, cursor or journal.
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
const cursor = z.discriminatedUnion('at', [
  z.object({ at: z.literal('identify'), ...memory }),
  z.object({ at: z.literal('compare'), ...memory }),
  z.object({ at: z.literal('change'), ...memory, change: changeOf }),
  z.object({ at: z.literal('prove'), ...memory, proven: z.array(z.string()) }),
]);
type Cursor = z.infer<typeof cursor>;
type Verdict = EffectVerdict<Cursor>;

export const users = defineKind<UsersSpec, Cursor>({
  name: 'users',
  deadlineMs: DEADLINE_MS,
  permission: 'job.start_sensitive',
  spec: usersSpec,
  cursor,
  sealedValuesOf: ({ accounts }) =>
    accounts.flatMap(({ sealedValue }) => (sealedValue ? [{ valueId: sealedValue }] : [])),
  start: (spec) => ({ at: 'identify', spec, done: [], sends: 0, values: {}, renewed: [], unproven: [] }),
  steps: {
    identify,
    compare,
    change: (now, context) => compare(back(now), context),
    prove,
  },
  effects: { change: { at: 'change', send, conclude } },
  isPastReturn: (now, intent) => now.done.length > 0 || (intent !== null && intent.state === 'sent'),
  progress(now) {
    const total = now.spec.accounts.length + now.spec.groups.length;
    const percent = Math.min(95, 5 + Math.floor((90 * now.done.length) / Math.max(1, total)));
    return { percent, text: `${now.done.length} changes made` };
  },
});

async function identify(now: At<Cursor, 'identify'>, context: StepContext): Promise<KindOutcome<Cursor>> {
  const failure = refusalOf(now.spec, await context.ownAccounts());
  const refusal = failure ? end('not_executed', failure) : await refuseOtherDevice(context);
  return refusal ?? go({ ...now, at: 'compare' }, 'The device is the right one');
}

/** Finds the next difference, and checks whether it may be changed. */
async function compare(now: At<Cursor, 'compare'>, context: StepContext): Promise<KindOutcome<Cursor>> {
  const present = await read(context);
  const plan = planOf(now.spec, present, now.renewed);
  const [change] = plan;
  if (!change) return go({ ...now, at: 'prove', proven: [] }, 'Nothing differs');
  const refusal = refusalOfPlan(plan, present, await context.ownAccounts());
  if (refusal) return endOf(now, refusal, now.done.length > 0 ? 'failed' : 'not_executed');
  if (now.done.includes(keyOf(change))) return endOf(now, didNotHold(change));
  const values = change.withPassword ? await valueFor(now, change.name, context) : now.values;
  const next = { ...now, at: 'change', values, change } as const;
  const facts = { ...change.fields, toCome: plan.length - 1 };
  return effect('change', next, { seen: isSeen(change, present) }, textOf(change), facts);
}

async function send({ change, values }: At<Cursor, 'change'>, context: StepContext) {
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

async function conclude(now: At<Cursor, 'change'>, evidence: Evidence, context: StepContext): Promise<Verdict> {
  const { change } = now;
  const { answer, refusal } = evidence;
  if (refusal) {
    return refused(endOf(now, { ...refusal, facts: { ...refusal.facts, change: keyOf(change) } }));
  }
  const present = await read(context);
  const seen = isSeen(change, present);
  const isLost = answer === undefined;
  if (isLost && seen && change.is === 'change' && change.withPassword) return concludePassword(now, evidence, context);
  const counts = { users: present.users.length, groups: present.groups.length };
  return concludeWrite<Cursor>(evidence, {
    after: { seen, ...(isLost && !seen ? counts : {}) },
    held: seen
      ? onward(now, isLost ? 'The answer was lost, but the device has the change' : 'The device has the change')
      : null,
    didNotHold: endOf(now, didNotHold(change)),
    sends: now.sends,
    resend: (sends) =>
      go(back({ ...now, sends }), 'The answer was lost and nothing has changed; sends it again', { sends }),
    lost: (sends) => {
      const message = 'The device never answered, and has not made the change';
      return { is: 'not_executed', outcome: endOf(now, { code: 'answer_lost', message, facts: { sends } }) };
    },
  });
}

/** A password cannot be read back: one login proves it, after the device had time to apply it. */
async function concludePassword(
  now: At<Cursor, 'change'>,
  { sentForMs }: Evidence,
  context: StepContext,
): Promise<Verdict> {
  if (sentForMs < SETTLED_MS) return { is: 'undecided', afterMs: SETTLED_MS - sentForMs };
  const { name } = now.change;
  const after = { seen: true };
  const isTaken = await isProven(name, now.values[name]!, context);
  if (isTaken === true) {
    return { is: 'executed', after, outcome: onward(now, 'The answer was lost, but the device has the change') };
  }
  const is = isTaken === false ? 'not_executed' : 'unknown';
  const message = 'The answer was lost, and the account does not accept the new password';
  return { is, after, outcome: endOf(now, { code: 'password_not_set', message, facts: {} }, 'unknown') };
}

/** One login with each password that was set, no more: the device counts those that it refuses. */
async function prove(now: At<Cursor, 'prove'>, context: StepContext): Promise<KindOutcome<Cursor>> {
  const username = now.renewed.find((name) => !now.proven.includes(name) && !now.unproven.includes(name));
  if (username === undefined) return succeeded(now);
  const isTaken = await isProven(username, now.values[username]!, context);
  if (isTaken === false) {
    const message = 'The device accepted a password and refuses the login with it';
    return endOf(now, { code: 'password_refused', message, facts: { username } });
  }
  const text = isTaken ? 'A login proves the password' : 'The account cannot log in';
  const next = isTaken
    ? { ...now, proven: [...now.proven, username] }
    : { ...now, unproven: [...now.unproven, username] };
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

function succeeded(now: At<Cursor, 'prove'>): KindOutcome<Cursor> {
  const wanted = now.spec.accounts.length + now.spec.groups.length;
  return succeed({
    ...progressOf(now),
    asTheyWere: Math.max(0, wanted - now.done.length),
    proven: now.proven,
  });
}

async function read({ call }: StepContext): Promise<Present> {
  return {
    users: await call({ method: 'GET', path: PATHS.users }, z.array(user)),
    groups: await call({ method: 'GET', path: PATHS.groups }, z.array(group)),
  };
}

async function valueFor(now: At<Cursor, 'compare'>, username: string, { secrets, device }: StepContext) {
  const given = now.spec.accounts.find((account) => account.username === username)?.sealedValue;
  const value = given ?? (await secrets.generate(`account ${username}`, `Account ${username} of ${device.name}`));
  return { ...now.values, [username]: value };
}

function onward(now: At<Cursor, 'change'>, text: string) {
  const { change } = now;
  const renewed = change.withPassword ? [...now.renewed, change.name] : now.renewed;
  const next = back({ ...now, done: [...now.done, keyOf(change)], renewed, sends: 0 });
  return go(next, text, { change: keyOf(change) });
}

function back({ change: _done, ...rest }: At<Cursor, 'change'>): At<Cursor, 'compare'> {
  return { ...rest, at: 'compare' };
}

/** Completed changes stay, so an end without success lists them. */
function endOf(now: Cursor, failure: Failure, outcome: 'failed' | 'not_executed' | 'unknown' = 'failed'): End {
  return end(outcome, failure, progressOf(now));
}

function progressOf({ done, values }: Cursor) {
  const sealedValues = Object.entries(values).map(([username, valueId]) => ({ username, valueId }));
  return { changed: done, sealedValues };
}

function didNotHold(change: Change): Failure {
  const message = 'The device accepted the change, but does not have it';
  return { code: 'did_not_hold', message, facts: { change: keyOf(change) } };
}

function textOf({ is, of, name, withPassword }: Change): string {
  const verb = { create: 'made', change: 'changed', remove: 'removed' }[is];
  return `The ${of} ${name} is ${verb}${withPassword ? ', with a sealed password' : ''}`;
}
