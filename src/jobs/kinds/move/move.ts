import { z } from 'zod';
import { originOf } from '../../../devices/registry/base-url.js';
import { MAX_SENDS } from '../../kind-api/conclude-write.js';
import { endIfOtherSerial, serialOf } from '../../kind-api/identity.js';
import { type CursorAt, defineKind, type EffectVerdict, type Evidence } from '../../kind-api/kind.js';
import { effect, end, endWith, go, poll, refused, storedFailure, succeed } from '../../kind-api/outcomes.js';
import { type StepContext } from '../../kind-api/step-context.js';
import { stepErrorOf } from '../../rows/step-error.js';

/*
 *   identify --> follow ==effect: move==> confirm --> succeeded
 *                  ^         |
 *                  +---------+   it does not answer there yet
 *
 * Follows a device to another address, such as that of a tunnel which an earlier change has set up. The effect changes the
 * registry: pin or authority, login and serial number at the new address, then both addresses in one transaction. Nothing is
 * written to the device, so the effect may be repeated, and the device answers at one of its addresses however the job ends.
 */

/** A tunnel that comes up needs minutes; one that has not come up in an hour needs a person. */
const DEADLINE_MS = 60 * 60_000;

/** Each try that reaches the device is a login. */
const AGAIN_MS = 15_000;

const spec = z.strictObject({
  to: z
    .string()
    .min(1)
    .max(300)
    .describe('https://host[:port] where the device answers, too')
    .meta({ examples: ['https://198.51.100.7'] }),
  keepOld: z.boolean().default(true).describe('Whether the old address stays as the spare one'),
});
type Spec = z.output<typeof spec>;

/** `sends`: looks at the new address whose result was lost. */
const memory = { spec, serial: z.string(), sends: z.number().int().default(0) };
const cursorSchema = z.discriminatedUnion('at', [
  z.object({ at: z.literal('identify'), spec }),
  z.object({ at: z.literal('follow'), ...memory }),
  z.object({ at: z.literal('confirm'), ...memory }),
]);
type Cursor = z.infer<typeof cursorSchema>;

/** What the look at the new address has shown, as the intent stores it. */
const seen = z.object({
  serial: z.string().optional(),
  failure: storedFailure.optional(),
  isAway: z.boolean().optional(),
});

export const move = defineKind<Spec, Cursor>({
  name: 'move',
  deadlineMs: DEADLINE_MS,
  // It sends the password to an address that its author chose, as an edit of the address would.
  permission: 'device.trust',
  stepUp: true,
  spec,
  cursor: cursorSchema,
  start: (given) => ({ at: 'identify', spec: given }),
  steps: { identify, follow, confirm },
  effects: { move: { at: 'follow', send, conclude } },
  isIrrevocable: ({ at }) => at === 'confirm',
  progress({ at }) {
    if (at === 'identify') return { percent: 5, text: 'Checking the identity of the device' };
    if (at === 'follow') return { percent: 30, text: 'Looking for it at the new address' };
    return { percent: 95, text: 'Checking the login' };
  },
});

/** A device whose key and serial number are known need not answer at the old address any more. */
async function identify({ spec: given }: CursorAt<Cursor, 'identify'>, context: StepContext) {
  const { mayFollow } = await context.address();
  const known = mayFollow ? context.device.serial : null;
  const serial = known ?? (await serialOf(context)); // the first contact pins the key
  if (!mayFollow && !(await context.address()).mayFollow) {
    const message = 'Its trust `insecure` proves nothing, so its password is sent to no other address';
    return endWith('not_executed', 'trust_proves_nothing', message);
  }
  return go({ at: 'follow' as const, spec: given, serial, sends: 0 }, 'It is recognised by its serial number', {
    serial,
  });
}

async function follow(cursor: CursorAt<Cursor, 'follow'>, context: StepContext) {
  const { baseUrl } = await context.address();
  return effect('move', cursor, { address: baseUrl }, 'Looks for it at the new address', { to: cursor.spec.to });
}

async function send({ spec: given, serial }: CursorAt<Cursor, 'follow'>, context: StepContext) {
  try {
    return { serial: await context.relocate(given.to, serial, given.keepOld) };
  } catch (error) {
    const { class: is, failure } = stepErrorOf(error);
    if (is !== 'offline' && is !== 'final') throw error;
    return { failure, isAway: is === 'offline' };
  }
}

async function conclude(
  cursor: CursorAt<Cursor, 'follow'>,
  { answer }: Evidence,
  context: StepContext,
): Promise<EffectVerdict<Cursor>> {
  const { spec: given, serial } = cursor;
  const { baseUrl } = await context.address();
  const after = { address: baseUrl };
  if (baseUrl === originOf(given.to))
    return { is: 'executed', after, stepResult: go({ ...cursor, at: 'confirm' }, 'It answers there', after) };
  const found = seen.safeParse(answer).data;
  if (!found) return refused(lookAgain(cursor), after);
  if (found.isAway) return refused(poll(cursor, AGAIN_MS), after);
  if (found.failure) return refused(end('not_executed', found.failure), after);
  const message = 'Somebody else changed its address at that moment';
  const changed = endWith('not_executed', 'address_changed', message, after);
  return refused(endIfOtherSerial(serial, found.serial!) ?? changed, after);
}

/** The process ended before it looked, or the answer of the device broke off. */
function lookAgain(cursor: CursorAt<Cursor, 'follow'>) {
  const sends = cursor.sends + 1;
  if (sends < MAX_SENDS) return go({ ...cursor, sends }, 'The result of the look was lost');
  const message = 'The result of the look at the new address was lost each time, and the registry is as before';
  return endWith('not_executed', 'answer_lost', message, { sends });
}

/** A session of its own at the new address. */
async function confirm({ spec: given, serial }: CursorAt<Cursor, 'confirm'>, context: StepContext) {
  await context.endSessions();
  const found = await serialOf(context);
  const { baseUrl, spareUrl } = await context.address();
  const result = { serial: found, address: baseUrl, spareAddress: given.keepOld ? spareUrl : null };
  return (
    endIfOtherSerial(serial, found) ?? succeed(result, 'It is the same device, and it accepts the stored credentials')
  );
}
