import { z } from 'zod';
import { PATHS } from '../../../device-api/contract.js';
import { type End } from '../../rows/job-state.js';
import { endOfOtherDevice, endIfOtherSerial } from '../../kind-api/identity.js';
import { type CursorAt, defineKind, type EffectVerdict, type Evidence } from '../../kind-api/kind.js';
import { effect, end, endWith, go, mayBeOnDevice, refused, succeed } from '../../kind-api/outcomes.js';
import { awayForMs, concludeAbsent, downSecondsOf, probeAfter, probeAgain, probe } from '../../kind-api/restart.js';
import { type StepContext } from '../../kind-api/step-context.js';

/*
 *   identify ==effect: reboot==> (away, not ready) --> confirm --> succeeded
 *
 * Success means the same serial number and a restarted uptime (observed-devices.md 5). The device answers 200
 * before it restarts, so the answer proves nothing, and a lost one needs no other rule.
 */

/** It goes offline within 3 s; after this time a running device no longer restarts. */
const BEGINS_MS = 60_000;

/** 45 to 90 s and some resets as a rule. After this it does not come back by itself. */
const GIVE_UP_MS = 15 * 60_000;

const cursorSchema = z.discriminatedUnion('at', [
  z.object({ at: z.literal('identify') }),
  z.object({ at: z.literal('restart'), serial: z.string(), missedSince: z.iso.datetime().optional() }),
  z.object({ at: z.literal('confirm'), serial: z.string(), downSeconds: z.number() }),
]);
type Cursor = z.infer<typeof cursorSchema>;

export const reboot = defineKind<Record<string, never>, Cursor>({
  name: 'reboot',
  deadlineMs: 60 * 60_000,
  restarts: true,
  spec: z.strictObject({}),
  cursor: cursorSchema,
  start: () => ({ at: 'identify' }),
  steps: {
    identify: (_now, context) => identify(context),
    restart: (_now, context) => identify(context),
    confirm,
  },
  effects: { reboot: { at: 'restart', send, conclude } },
  isIrrevocable: (_cursor, intent) => mayBeOnDevice(intent),
  progress(cursor, { intent, now }) {
    if (cursor.at === 'identify') return { percent: 5, text: 'Checking the identity of the device' };
    if (cursor.at === 'confirm') return { percent: 95, text: 'Checking its health' };
    const percent = 10 + Math.min(80, Math.floor((80 * awayForMs(intent, now)) / 120_000));
    return { percent, text: 'Waiting for it to come back' };
  },
});

async function identify(context: StepContext) {
  const before = await probe(context);
  const { serial } = before;
  const otherDevice = endIfOtherSerial(context.device.serial, serial);
  return (
    otherDevice ?? effect('reboot', { at: 'restart' as const, serial }, before, 'Tells the device to restart', before)
  );
}

async function send(_now: CursorAt<Cursor, 'restart'>, { call }: StepContext) {
  await call({ method: 'POST', path: PATHS.reboot }, z.unknown());
}

async function conclude(
  { at, serial, missedSince: last }: CursorAt<Cursor, 'restart'>,
  evidence: Evidence,
  context: StepContext,
): Promise<EffectVerdict<Cursor>> {
  const { before, refusal, settlingMs } = evidence;
  if (refusal) return refused(end('failed', refusal), { refused: refusal.facts });
  const result = await probeAfter(before, settlingMs, context);
  if (result.is !== 'there') {
    const verdict = concludeAbsent(result, settlingMs, { giveUpMs: GIVE_UP_MS, missedSince: last }, context);
    if (verdict.is === 'unknown') return verdict;
    const { missedSince, ...again } = verdict;
    return { ...again, cursor: { at, serial, missedSince } };
  }
  const after = result.probe;
  if (after.serial !== serial) return { is: 'unknown', after, stepResult: endOfOtherDevice(serial, after.serial) };
  if (result.hasRestarted) {
    const next = { at: 'confirm', serial, downSeconds: downSecondsOf(settlingMs, after) } as const;
    const stepResult = go(next, 'The device has restarted', { uptimeSeconds: after.uptimeSeconds });
    return { is: 'executed', after, stepResult };
  }
  const isUntold = result.hasRestarted === null;
  if (settlingMs < (isUntold ? GIVE_UP_MS : BEGINS_MS)) return { ...probeAgain(), cursor: { at, serial } };
  return isUntold
    ? { is: 'unknown', after, stepResult: noUptime(settlingMs) }
    : { is: 'not_executed', after, stepResult: notRestarted(evidence) };
}

function notRestarted({ answer, before }: Evidence): End {
  return answer === undefined
    ? endWith('not_executed', 'restart_not_begun', 'The answer was lost, and the device has not restarted', before)
    : endWith('failed', 'nothing_restarted', 'The device confirmed the restart, and did not restart', before);
}

function noUptime(waitedMs: number): End {
  const facts = { waitedSeconds: Math.round(waitedMs / 1000) };
  return endWith('unknown', 'no_uptime', 'The device does not report its uptime, so the result is not known', facts);
}

/** The restart was seen; the job ends when the device accepts a new login and answers as before. */
async function confirm({ serial, downSeconds }: CursorAt<Cursor, 'confirm'>, context: StepContext) {
  await context.endSessions();
  const after = await probe(context);
  if (after.serial !== serial) return endOfOtherDevice(serial, after.serial);
  return succeed({ ...after, downSeconds }, 'It is the same device, and it accepts the stored credentials');
}
