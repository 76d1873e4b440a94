import { z } from 'zod';
import { firmwareStatus, PATHS, systemStatus, usageStatus } from '../../device-api/contract.js';
import { AppError, type ErrorCode, type Facts } from '../../platform/errors.js';
import { type End, type Failure, type Intent } from '../rows/job-state.js';
import { failureOf } from '../rows/job-trouble.js';
import { nullWhenRefused } from './device-items.js';
import { endWith, hasCode } from './outcomes.js';
import { type StepContext } from './step-context.js';

/*
 * What kinds share that send a device away and wait for it: who it is before, and what became of it after. A device that
 * comes back is first away, then half up (resets, 5xx, answers of services that have not started), then there; each look
 * says which. Nothing here sends anything that changes the device.
 */

/** Who a device is and since when it runs: what is compared before and after. */
export const probeOf = z.object({
  serial: z.string(),
  /** As `firmware/device/status` has it. */
  version: z.string().nullable(),
  uptimeSeconds: z.number().nullable(),
});
export type Probe = z.infer<typeof probeOf>;

export type Look =
  | {
      readonly is: 'there';
      readonly probe: Probe;
      /** Whether it started since the effect was sent; null when it does not tell its uptime. */
      readonly hasRestarted: boolean | null;
    }
  | {
      /**
       * `away`: no answer. `half_up`: answers that are none. `locked_out`: it refuses the stored credentials.
       * `factory`: it asks for a first password. `another_key`: it shows another certificate.
       */
      readonly is: 'away' | 'half_up' | 'locked_out' | 'factory' | 'another_key';
      readonly failure: Failure;
    };

/** Clocks of gateway and device run apart by less than this in the minutes that a restart takes. */
const CLOCK_SLACK_MS = 15_000;

/** A device is looked for at least this long before it is given up. */
const IN_VAIN_MS = 120_000;

/** Observed behaviour, section 1, row 9: the factory password must be changed before anything else. */
const FIRST_LOGIN = 125;

/** Errors of the road that say that the device is not there, or was gone in the middle of its answer. */
const AWAY: ReadonlySet<ErrorCode> = new Set([
  'device_unreachable',
  'device_timeout',
  'device_tls_failed',
  'device_circuit_open',
  'device_answer_cut',
  'device_outcome_unknown',
  'device_queue_full',
]);

/** It speaks, but not as it should. */
const HALF_UP: ReadonlySet<ErrorCode> = new Set([
  'device_answer_invalid',
  'device_answer_too_large',
  'device_login_failed',
  'device_refused',
]);

/**
 * Who a device is now. Another device that a login met is a probe too: its serial number is all that is known of it.
 * @throws AppError of the road to the device
 */
export async function probe(context: StepContext): Promise<Probe> {
  try {
    return await read(context);
  } catch (error) {
    const serial = strangerOf(error);
    if (serial === null) throw error;
    return { serial, version: null, uptimeSeconds: null };
  }
}

/** The serial number of the other device that answered a login; null when the error is not about that. */
function strangerOf(error: unknown): string | null {
  return error instanceof AppError && error.code === 'identity_mismatch' ? String(error.facts['serial']) : null;
}

async function read({ call }: StepContext): Promise<Probe> {
  const system = await call({ method: 'GET', path: PATHS.systemStatus }, systemStatus);
  const usage = await call({ method: 'GET', path: PATHS.usageStatus }, usageStatus);
  const firmware = await call({ method: 'GET', path: PATHS.firmwareStatus }, firmwareStatus).catch(nullWhenRefused);
  return {
    serial: system.mnfinfo.serial,
    version: firmware?.version ?? system.static?.fw_version ?? null,
    uptimeSeconds: usage.uptime_seconds ?? null,
  };
}

/** Looks at a device that was sent away. @throws AppError of the gateway itself, never of the device */
export async function lookAfter(before: Facts, sentForMs: number, context: StepContext): Promise<Look> {
  try {
    const now = await probe(context);
    return { is: 'there', probe: now, hasRestarted: hasRestarted(probeOf.parse(before), now, sentForMs) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const failure = failureOf(error);
    if (hasCode(error, FIRST_LOGIN)) return { is: 'factory', failure };
    if (error.code === 'device_credentials_refused') return { is: 'locked_out', failure };
    if (error.code === 'device_trust_changed') return { is: 'another_key', failure };
    if (AWAY.has(error.code)) return { is: 'away', failure };
    if (HALF_UP.has(error.code)) return { is: 'half_up', failure };
    throw error;
  }
}

function hasRestarted(before: Probe, now: Probe, sentForMs: number): boolean | null {
  if (now.uptimeSeconds === null) return null;
  if (now.uptimeSeconds * 1000 + CLOCK_SLACK_MS < sentForMs) return true;
  return before.uptimeSeconds === null ? null : now.uptimeSeconds < before.uptimeSeconds;
}

/** Between two looks at a device that was sent away. */
export const LOOK_EVERY_MS = 10_000;

/** It answered neither as what was wanted nor as what was not: it is looked at again. */
export const lookAgain = () => ({ is: 'undecided', afterMs: LOOK_EVERY_MS }) as const;

type Absent = Exclude<Look, { is: 'there' }>;

/** The end of a job whose device answers, but not as the one that was sent away. Null for `away` and `half_up`. */
export function endOfStranger({ is, failure: last }: Absent): End | null {
  switch (is) {
    case 'factory':
      return endWith('failed', 'factory_settings', 'The device came back with factory settings', { last });
    case 'locked_out': {
      const message =
        'The device came back and refuses the credentials that it accepted before: it has factory settings, its password was changed, or it blocked the gateway’s address';
      return endWith('failed', 'factory_settings', message, { last });
    }
    case 'another_key': {
      const message = 'The address now shows another certificate, so it may not be the device';
      return endWith('unknown', 'another_certificate', message, { last });
    }
    default:
      return null;
  }
}

/** When a device is given up, and since when it is missed. */
export interface Missed {
  /** How long after the effect it should have come back. */
  readonly returnsMs: number;
  /** Since when no look found it. */
  readonly missedSince?: string | undefined;
}

/**
 * Whether a device is given up: it is long over its time, and has been looked for in vain for a while. The gateway itself may
 * have been away since the effect was sent, so one look is not enough.
 */
export function isGivenUp(since: string, now: Date, sentForMs: number, returnsMs: number): boolean {
  return sentForMs >= returnsMs && now.getTime() - Date.parse(since) >= IN_VAIN_MS;
}

/** The end of a job whose device is not there, or since when it is missed. */
export function concludeAbsent(
  look: Absent,
  sentForMs: number,
  { returnsMs, missedSince }: Missed,
  { now }: StepContext,
) {
  const since = missedSince ?? now.toISOString();
  const isOver = isGivenUp(since, now, sentForMs, returnsMs);
  const outcome = endOfStranger(look) ?? (isOver ? endOfMissing(look, sentForMs) : null);
  if (outcome) return { is: 'unknown', after: { look: look.is }, outcome } as const;
  return { ...lookAgain(), missedSince: since };
}

/** The end of a job whose device did not come back in time. */
export function endOfMissing({ is, failure: last }: Absent, waitedMs: number): End {
  const facts = { waitedSeconds: Math.round(waitedMs / 1000), last };
  return is === 'away'
    ? endWith('unknown', 'never_came_back', 'The device never came back', facts)
    : endWith('unknown', 'came_back_broken', 'The device came back, and its answers are not usable', facts);
}

/** How long a device was away that has restarted. */
export function downSecondsOf(sentForMs: number, { uptimeSeconds }: Probe): number {
  return Math.max(0, Math.round(sentForMs / 1000) - (uptimeSeconds ?? 0));
}

/**
 * For how long a device has been away on behalf of an effect, in milliseconds, as a person is told: since the intent, which
 * does not move; when it was sent is corrected once the device has answered, and progress would go back.
 */
export function awayForMs(intent: Intent | null, now: Date): number {
  return intent?.state === 'sent' ? Math.max(0, now.getTime() - Date.parse(intent.openedAt)) : 0;
}
