import { z } from 'zod';
import { PATHS, user } from '../../../device-api/contract.js';
import { type Failure } from '../../rows/job-state.js';
import { endIfOtherDevice } from '../../kind-api/identity.js';
import { type CursorAt, defineKind, type EffectVerdict, type Evidence, type KindResult } from '../../kind-api/kind.js';
import { effect, end, endWith, go, refused, succeed } from '../../kind-api/outcomes.js';
import { type StepContext } from '../../kind-api/step-context.js';

/*
 *   look --> recover (a rotation before this one left a password that may count) --> look
 *     |
 *     +----> set ==effect: change, concluded by a login with the new password==> done --> succeeded
 *
 * Rotates the password of an account that the gateway logs in with. The new password is sealed beside the present one
 * before it is sent, and replaces it when a login has proven it. So after any crash or lost answer the gateway still has
 * the password that the device accepts, and the next rotation finds out which of the two it is.
 *
 * After a lost answer only logins decide: one with the new password, one with the present one. The database limits a job
 * to two logins that may be refused.
 */

const DEADLINE_MS = 60 * 60_000;

/** After this time a device has executed a change whose answer was lost, or never will. */
const SETTLED_MS = 30_000;

const spec = z.strictObject({
  account: z
    .enum(['main', 'read'])
    .default('main')
    .describe('Which account of the gateway; `read`: the account for reads'),
  sealedValue: z
    .uuid()
    .optional()
    .describe('Id of a sealed value with the password. Absent: the gateway generates one'),
});
type Spec = z.output<typeof spec>;

const memory = { spec };
const named = { ...memory, username: z.string(), userId: z.string() };
const cursorSchema = z.discriminatedUnion('at', [
  z.object({ at: z.literal('look'), ...memory }),
  z.object({ at: z.literal('recover'), ...memory, username: z.string() }),
  z.object({ at: z.literal('set'), ...named }),
  z.object({ at: z.literal('done'), ...named }),
]);
type Cursor = z.infer<typeof cursorSchema>;
type Verdict = EffectVerdict<Cursor>;

export const credentials = defineKind<Spec, Cursor>({
  name: 'credentials',
  deadlineMs: DEADLINE_MS,
  permission: 'job.start_sensitive',
  stepUp: true,
  spec,
  cursor: cursorSchema,
  start: (given) => ({ at: 'look', spec: given }),
  sealedValuesOf: ({ sealedValue }) => (sealedValue ? [{ valueId: sealedValue }] : []),
  steps: {
    look,
    recover,
    set,
    done: ({ spec: { account }, username }) => succeed({ account, username }),
  },
  effects: { change: { at: 'set', send, conclude } },
  isIrrevocable: (cursor, intent) => cursor.at === 'done' || (intent !== null && intent.state !== 'open'),
  progress: ({ at }, { intent }) => {
    if (at === 'done') return { percent: 95, text: 'The new password is proven' };
    if (intent?.state === 'sent') return { percent: 60, text: 'A login proves which password the device accepts' };
    return { percent: at === 'set' ? 30 : 10, text: 'Checks the present password' };
  },
});

/** Finds the account and checks that its password can be changed; nothing is changed. */
async function look(cursor: CursorAt<Cursor, 'look'>, context: StepContext): Promise<KindResult<Cursor>> {
  const account = await context.rotation.account(cursor.spec.account);
  if (!account) return notExecuted('no_account', 'The gateway has no such account on this device');
  const { username } = account;
  // Devices refuse it with a misleading error about the id.
  if (username === 'root') return notExecuted('account_is_root', 'root cannot be changed through the API of a device');
  if (account.hasLeftover) return go({ ...cursor, at: 'recover', username });
  const otherDevice = await endIfOtherDevice(context);
  if (otherDevice) return otherDevice;
  const userId = await idOf(username, context);
  if (userId === null) return notThere(username);
  return go({ ...cursor, at: 'set', username, userId }, 'The account is on the device', { username });
}

/** An earlier rotation ended without knowing which password is valid. */
async function recover(cursor: CursorAt<Cursor, 'recover'>, context: StepContext): Promise<KindResult<Cursor>> {
  const { rotation } = context;
  const { spec: given, username } = cursor;
  const account = await rotation.account(given.account);
  const onward = { at: 'look', spec: given } as const;
  if (!account?.hasLeftover) return go(onward);
  // A refused password is not sent again.
  const present = account.isRefused ? 'refused' : await rotation.prove(given.account, 'present');
  if (present === 'accepted') {
    await rotation.drop(given.account);
    return go(onward, 'The present password works; a leftover one is removed');
  }
  const leftover = present === 'refused' ? await rotation.prove(given.account, 'pending') : present;
  if (leftover === 'accepted') {
    await rotation.activate(given.account, username);
    return go(onward, 'The leftover password of the last rotation works');
  }
  return end('not_executed', await noneTaken(cursor, leftover === 'refused', context));
}

/** The probe also ensures a session: during the change no session logs in. */
async function set(cursor: CursorAt<Cursor, 'set'>, context: StepContext): Promise<KindResult<Cursor>> {
  const userId = await idOf(cursor.username, context);
  if (userId === null) return notThere(cursor.username);
  await context.rotation.prepare(cursor.spec.account, cursor.spec.sealedValue ?? null);
  const text = 'The new password is sealed as pending; sends it now';
  return effect('change', { ...cursor, userId }, { userId }, text, { username: cursor.username });
}

/** The id of an account on the device; null when it lists none of this name. */
async function idOf(username: string, { call }: StepContext): Promise<string | null> {
  const users = await call({ method: 'GET', path: PATHS.users }, z.array(user));
  return users.find((one) => one.username === username)?.id ?? null;
}

async function send(cursor: CursorAt<Cursor, 'set'>, { rotation }: StepContext) {
  await rotation.change(cursor.spec.account, cursor.userId);
}

async function conclude(cursor: CursorAt<Cursor, 'set'>, evidence: Evidence, context: StepContext): Promise<Verdict> {
  const { rotation } = context;
  const { account } = cursor.spec;
  if (evidence.refusal) {
    await rotation.drop(account);
    return refused(end('not_executed', evidence.refusal));
  }
  if (await rotation.isActivated(account)) return proven(cursor);
  const isLost = evidence.answer === undefined;
  if (isLost && evidence.settlingMs < SETTLED_MS) {
    return { is: 'undecided', afterMs: SETTLED_MS - evidence.settlingMs };
  }
  const pending = await rotation.prove(account, 'pending');
  if (pending === 'accepted') {
    if (await rotation.activate(account, cursor.username)) return proven(cursor);
    await rotation.stop(account);
    const message = 'The device accepts the new password, but the account in the registry was replaced during the job';
    return { is: 'executed', after: { pending }, stepResult: endWith('failed', 'account_replaced', message) };
  }
  const present = await rotation.prove(account, 'present');
  const after = { pending, present };
  if (present === 'accepted') {
    await rotation.stop(account);
    const facts = { username: cursor.username };
    const same = 'takes the password that it took before';
    const stepResult = isLost
      ? endWith('not_executed', 'answer_lost', `The answer was lost, and the device ${same}`, facts)
      : endWith('failed', 'did_not_hold', 'The device accepted the change, but still accepts the old password', facts);
    return { is: 'not_executed', after, stepResult };
  }
  const failure = await noneTaken(cursor, present === 'refused', context);
  return { is: 'unknown', after, stepResult: end('unknown', failure) };
}

/** The device accepted neither password: both stay sealed, and no session retries automatically. */
async function noneTaken(
  { spec: { account }, username }: CursorAt<Cursor, 'set'> | CursorAt<Cursor, 'recover'>,
  wereBothRefused: boolean,
  { rotation }: StepContext,
): Promise<Failure> {
  if (wereBothRefused) {
    await rotation.noteRefused(account);
    const message = 'The device accepts neither the present nor the new password: another client has changed it';
    return { code: 'neither_password_taken', message, facts: { username } };
  }
  await rotation.stop(account);
  const message = 'It is not known which password the device accepts: two logins were refused or had no answer';
  return { code: 'logins_spent', message, facts: { username } };
}

function proven(cursor: CursorAt<Cursor, 'set'>): Verdict {
  const text = 'A new login proves the new password, and it is the present one now';
  const stepResult = go({ ...cursor, at: 'done' } as const, text, { username: cursor.username });
  return { is: 'executed', after: { proven: true }, stepResult };
}

const notExecuted = (code: string, message: string, facts = {}) => endWith('not_executed', code, message, facts);

function notThere(username: string) {
  return notExecuted('account_not_on_device', 'The device has no account with this name', { username });
}
