import { z } from 'zod';
import { PATHS } from '../../../device-api/contract.js';
import { type End } from '../../rows/job-state.js';
import { defineKind, type Effect, type Evidence, type StepContext, type EffectVerdict } from '../../kind/kind.js';
import {
  awayForMs,
  endOfAnother,
  endOfMissing,
  endOfStranger,
  isGivenUp,
  lookAfter,
  probe,
  refuseAnother,
} from '../../kind/restart.js';

/*
 *   identify ==effect: reboot==> (away, half up) --> confirm --> succeeded
 *
 * What proves success: the same serial, and an uptime that began again (observed behaviour, section 5). The device says 200
 * first and goes then, so an answer proves nothing, and a lost one is found out in the same way.
 */

/** Between two looks at a device that is on its way. */
const LOOK_EVERY_MS = 10_000;

/** It is gone within 3 s; after this, a device that still runs does not restart any more. */
const BEGINS_MS = 60_000;

/** 45 to 90 s and some resets as a rule. After this it does not come back by itself. */
const RETURNS_MS = 15 * 60_000;

const cursor = z.discriminatedUnion('at', [
  z.object({ at: z.literal('identify') }),
  z.object({ at: z.literal('restart'), serial: z.string(), missedSince: z.iso.datetime().optional() }),
  z.object({ at: z.literal('confirm'), serial: z.string(), downSeconds: z.number() }),
]);
type Cursor = z.infer<typeof cursor>;

export const reboot = defineKind<Record<string, never>, Cursor>({
  name: 'reboot',
  deadlineMs: 60 * 60_000,
  spec: z.strictObject({}),
  cursor,
  start: () => ({ at: 'identify' }),
  step(now, context) {
    return now.at === 'confirm' ? confirm(now, context) : identify(context);
  },
  effects: { reboot: rebootEffect() },
  isPastReturn: (_cursor, intent) => intent !== null && intent.state !== 'open' && intent.state !== 'not_executed',
  progress(now, { intent, now: at }) {
    if (now.at === 'identify') return { percent: 5, text: 'Looking who the device is' };
    if (now.at === 'confirm') return { percent: 95, text: 'Looking whether it is well' };
    const percent = 10 + Math.min(80, Math.floor((80 * awayForMs(intent, at)) / 120_000));
    return { percent, text: 'Waiting for it to come back' };
  },
});

async function identify(context: StepContext) {
  const before = await probe(context);
  const expected = context.device.serial;
  if (expected !== null && expected !== before.serial) return refuseAnother(expected, before.serial);
  return {
    next: 'effect',
    effect: 'reboot',
    cursor: { at: 'restart', serial: before.serial },
    before,
    say: { text: 'The device is told to restart', facts: before },
  } as const;
}

function rebootEffect(): Effect<Cursor> {
  return {
    async send(_cursor, { call }) {
      await call({ method: 'POST', path: PATHS.reboot }, z.unknown());
      return { accepted: true };
    },
    async conclude(now, evidence, context) {
      if (now.at !== 'restart') throw new Error(`A device was restarted at the step ${now.at}`);
      if (evidence.refusal) {
        const outcome = { next: 'end', outcome: 'failed', failure: evidence.refusal } as const;
        return { is: 'not_executed', after: { refused: evidence.refusal.facts }, outcome };
      }
      return concludeByLooking(now, evidence, context);
    },
  };
}

async function concludeByLooking(
  { at, serial, ...last }: Extract<Cursor, { at: 'restart' }>,
  evidence: Evidence,
  context: StepContext,
): Promise<EffectVerdict<Cursor>> {
  const { before, sentForMs } = evidence;
  const look = await lookAfter(before, sentForMs, context);
  if (look.is !== 'there') {
    const missedSince = last.missedSince ?? context.now.toISOString();
    const isOver = isGivenUp(missedSince, context.now, sentForMs, RETURNS_MS);
    const end = endOfStranger(look) ?? (isOver ? endOfMissing(look, sentForMs) : null);
    if (end) return { is: 'unknown', after: { look: look.is }, outcome: end };
    return { ...again(), cursor: { at, serial, missedSince } };
  }
  const after = look.probe;
  if (after.serial !== serial) return { is: 'unknown', after, outcome: endOfAnother(serial, after.serial) };
  if (look.hasRestarted) {
    const downSeconds = Math.max(0, Math.round(sentForMs / 1000) - (after.uptimeSeconds ?? 0));
    const say = { text: 'The device has restarted', facts: { uptimeSeconds: after.uptimeSeconds } };
    return { is: 'executed', after, outcome: { next: 'go', cursor: { at: 'confirm', serial, downSeconds }, say } };
  }
  if (look.hasRestarted === null && sentForMs < RETURNS_MS) return { ...again(), cursor: { at, serial } };
  if (look.hasRestarted === null) return { is: 'unknown', after, outcome: noUptime(sentForMs) };
  return sentForMs < BEGINS_MS
    ? { ...again(), cursor: { at, serial } }
    : { is: 'not_executed', after, outcome: notRestarted(evidence) };
}

const again = () => ({ is: 'undecided', afterMs: LOOK_EVERY_MS }) as const;

function notRestarted({ answer, before }: Evidence): End {
  return answer === undefined
    ? end('not_executed', 'restart_not_begun', 'The answer was lost, and the device has not restarted', before)
    : end('failed', 'nothing_restarted', 'The device said that it restarts, and it did not', before);
}

function noUptime(waitedMs: number): End {
  const facts = { waitedSeconds: Math.round(waitedMs / 1000) };
  return end('unknown', 'no_uptime', 'The device does not tell since when it runs, so nobody can tell', facts);
}

function end(outcome: 'failed' | 'not_executed' | 'unknown', code: string, message: string, facts: object): End {
  return { next: 'end', outcome, failure: { code, message, facts: { ...facts } } };
}

/** It was seen to have restarted; the end is when it takes a login of its own and answers as before. */
async function confirm(now: Extract<Cursor, { at: 'confirm' }>, context: StepContext) {
  await context.freshLogin();
  const after = await probe(context);
  if (after.serial !== now.serial) return endOfAnother(now.serial, after.serial);
  return {
    next: 'end',
    outcome: 'succeeded',
    result: { ...after, downSeconds: now.downSeconds },
    say: { text: 'It is the same device, and it takes the stored credentials' },
  } as const;
}
