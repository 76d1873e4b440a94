import { z } from 'zod';
import { PATHS, user } from '../../../device-api/contract.js';
import { type Failure } from '../../rows/job-state.js';
import { identity } from '../../kind/identity.js';
import { defineKind, type Evidence, type KindOutcome, type StepContext, type EffectVerdict } from '../../kind/kind.js';

/*
 *   look --> recover (a rotation before this one left a password that may count) --> look
 *     |
 *     +----> set ==effect: change, concluded by a login with the new password==> done --> succeeded
 *
 * Another password for an account that the gateway logs in with. The new one is sealed beside the present one before it is
 * sent, and takes its place when a login has proven it, so that no crash and no lost answer costs access: after any end
 * the gateway holds the password that the device takes, sealed, and the next rotation finds out which of two it is.
 *
 * A lost answer is decided by logins alone: one with the new password, one with the present one. Two that may have been
 * refused is the limit of a job, kept in the database.
 */

const DEADLINE_MS = 60 * 60_000;

/** Within that a device has carried out a change whose answer was lost, or never will. */
const SETTLED_MS = 30_000;

const spec = z.strictObject({
  account: z
    .enum(['main', 'read'])
    .default('main')
    .describe('Which account of the gateway; `read`: the one for reading'),
  sealedValue: z.uuid().optional().describe('Id of a sealed value: the password. Absent: one is made'),
});
type Spec = z.output<typeof spec>;

const memory = { spec };
const named = { ...memory, username: z.string(), userId: z.string() };
const cursor = z.discriminatedUnion('at', [
  z.object({ at: z.literal('look'), ...memory }),
  z.object({ at: z.literal('recover'), ...memory, username: z.string() }),
  z.object({ at: z.literal('set'), ...named }),
  z.object({ at: z.literal('done'), ...named }),
]);
type Cursor = z.infer<typeof cursor>;
type At<Name extends Cursor['at']> = Extract<Cursor, { at: Name }>;

export const credentials = defineKind<Spec, Cursor>({
  name: 'credentials',
  deadlineMs: DEADLINE_MS,
  permission: 'job.start_sensitive',
  stepUp: true,
  spec,
  cursor,
  start: (given) => ({ at: 'look', spec: given }),
  sealedValuesOf: ({ sealedValue }) => (sealedValue ? [{ valueId: sealedValue }] : []),
  step(now, context) {
    switch (now.at) {
      case 'look':
        return look(now, context);
      case 'recover':
        return recover(now, context);
      case 'set':
        return set(now, context);
      case 'done':
        return Promise.resolve(succeeded(now));
    }
  },
  effects: { change: { send, conclude } },
  isPastReturn: (now, intent) => now.at === 'done' || (intent !== null && intent.state !== 'open'),
  progress: ({ at }, { intent }) => {
    if (at === 'done') return { percent: 95, text: 'The new password is proven' };
    if (intent?.state === 'sent') return { percent: 60, text: 'A login proves which password the device takes' };
    return { percent: at === 'set' ? 30 : 10, text: 'The present password is looked at' };
  },
});

/** Whose password it is, and whether it can be changed; nothing is sent that changes anything. */
async function look(now: At<'look'>, context: StepContext): Promise<KindOutcome<Cursor>> {
  const account = await context.rotation.account(now.spec.account);
  if (!account) return refuse('no_account', 'The gateway has no such account on this device', {});
  const { username } = account;
  // Devices refuse it with an error about the id, which would tell nobody why.
  if (username === 'root') return refuse('account_is_root', 'root cannot be changed through the API of a device', {});
  if (account.hasLeftover) return { next: 'go', cursor: { ...now, at: 'recover', username } };
  const failure = await identity(context);
  if (failure) return { next: 'end', outcome: 'not_executed', failure };
  const userId = await idOf(username, context);
  if (userId === null) return notThere(username);
  const say = { text: 'The account is on the device', facts: { username } };
  return { next: 'go', cursor: { ...now, at: 'set', username, userId }, say };
}

/** A rotation before this one ended without knowing which password counts. */
async function recover(now: At<'recover'>, context: StepContext): Promise<KindOutcome<Cursor>> {
  const { rotation } = context;
  const { spec: given, username } = now;
  const account = await rotation.account(given.account);
  const onward = { at: 'look', spec: given } as const;
  if (!account?.hasLeftover) return { next: 'go', cursor: onward };
  // A password that was refused already is not sent again.
  const present = account.isRefused ? 'refused' : await rotation.prove(given.account, 'present');
  if (present === 'taken') {
    await rotation.drop(given.account);
    return { next: 'go', cursor: onward, say: { text: 'The present password counts; one that was left over is gone' } };
  }
  const leftover = present === 'refused' ? await rotation.prove(given.account, 'pending') : present;
  if (leftover === 'taken') {
    await rotation.promote(given.account, username);
    return { next: 'go', cursor: onward, say: { text: 'The password that the last rotation left over counts' } };
  }
  const failure = await noneTaken(now, leftover === 'refused', context);
  return { next: 'end', outcome: 'not_executed', failure };
}

/** The probe before is also what makes sure of a session: while the password is changed, nobody logs in. */
async function set(now: At<'set'>, context: StepContext): Promise<KindOutcome<Cursor>> {
  const userId = await idOf(now.username, context);
  if (userId === null) return notThere(now.username);
  await context.rotation.prepare(now.spec.account, now.spec.sealedValue ?? null);
  const say = { text: 'The new password is sealed as pending, and is sent now', facts: { username: now.username } };
  return { next: 'effect', effect: 'change', cursor: { ...now, userId }, before: { userId }, say };
}

/** The id of an account on the device; null when it lists none of this name. */
async function idOf(username: string, { call }: StepContext): Promise<string | null> {
  const users = await call({ method: 'GET', path: PATHS.users }, z.array(user));
  return users.find((one) => one.username === username)?.id ?? null;
}

async function send(at: Cursor, { rotation }: StepContext) {
  const now = setting(at);
  await rotation.change(now.spec.account, now.userId);
  return { accepted: true };
}

async function conclude(at: Cursor, evidence: Evidence, context: StepContext): Promise<EffectVerdict<Cursor>> {
  const now = setting(at);
  const { rotation } = context;
  const { account } = now.spec;
  if (evidence.refusal) {
    await rotation.drop(account);
    return { is: 'not_executed', after: {}, outcome: ended('not_executed', evidence.refusal) };
  }
  if (await rotation.isPromoted(account)) return proven(now);
  const isLost = evidence.answer === undefined;
  if (isLost && evidence.sentForMs < SETTLED_MS) {
    return { is: 'undecided', afterMs: SETTLED_MS - evidence.sentForMs };
  }
  const pending = await rotation.prove(account, 'pending');
  if (pending === 'taken') {
    if (await rotation.promote(account, now.username)) return proven(now);
    await rotation.stop(account);
    const message = 'The device takes the new password, but the account was replaced in the registry meanwhile';
    return {
      is: 'executed',
      after: { pending },
      outcome: ended('failed', { code: 'account_replaced', message, facts: {} }),
    };
  }
  const present = await rotation.prove(account, 'present');
  const after = { pending, present };
  if (present === 'taken') {
    await rotation.stop(account);
    const is = 'not_executed';
    const message = isLost
      ? 'The answer was lost, and the device takes the password that it took before'
      : 'The device accepted the new password, and takes the one that it took before';
    const failure = { code: isLost ? 'answer_lost' : 'did_not_hold', message, facts: { username: now.username } };
    return { is, after, outcome: ended(isLost ? 'not_executed' : 'failed', failure) };
  }
  const failure = await noneTaken(now, present === 'refused', context);
  return { is: 'unknown', after, outcome: ended('unknown', failure) };
}

/** No password that the gateway holds was taken: both stay sealed, and no session tries again by itself. */
async function noneTaken(
  { spec: { account }, username }: At<'set'> | At<'recover'>,
  wereBothRefused: boolean,
  { rotation }: StepContext,
): Promise<Failure> {
  if (wereBothRefused) {
    await rotation.noteRefused(account);
    const message = 'The device takes neither the present nor the new password: somebody else has changed it';
    return { code: 'neither_password_taken', message, facts: { username } };
  }
  await rotation.stop(account);
  const message = 'Which password the device takes is not known: two logins were refused or had no answer';
  return { code: 'logins_spent', message, facts: { username } };
}

function proven(now: At<'set'>): EffectVerdict<Cursor> {
  const say = {
    text: 'A new login proves the new password, and it is the present one now',
    facts: { username: now.username },
  };
  return { is: 'executed', after: { proven: true }, outcome: { next: 'go', cursor: { ...now, at: 'done' }, say } };
}

function succeeded({ spec: { account }, username }: At<'done'>): KindOutcome<Cursor> {
  return { next: 'end', outcome: 'succeeded', result: { account, username } };
}

function ended(outcome: 'failed' | 'not_executed' | 'unknown', failure: Failure) {
  return { next: 'end', outcome, failure } as const;
}

function refuse(code: string, message: string, facts: Record<string, unknown>) {
  return ended('not_executed', { code, message, facts });
}

function notThere(username: string) {
  return refuse('account_not_on_device', 'The device lists no account of this name', { username });
}

function setting(now: Cursor): At<'set'> {
  if (now.at !== 'set') throw new Error(`A password was changed at the step ${now.at}`);
  return now;
}
