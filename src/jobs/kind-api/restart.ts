import { z } from 'zod';
import { firmwareStatus, PATHS, systemStatus, usageStatus } from '../../device-api/contract.js';
import { AppError, type ErrorCode, type Facts } from '../../platform/errors.js';
import { type End, type Failure, type Intent } from '../rows/job-state.js';
import { failureOf, isOfflineCode } from '../rows/step-error.js';
import { nullWhenRefused } from './device-items.js';
import { endWith, hasCode } from './outcomes.js';
import { type StepContext } from './step-context.js';

/*
 * Shared by kinds that restart a device and wait for it: its identity before, and its state after. A returning device
 * is first offline, then not ready (resets, 5xx, answers of services that have not started), then back; each probe reports
 * which. Nothing here changes the device.
 */

export const probeSchema = z.object({
  serial: z.string(),
  /** As in `firmware/device/status`. */
  version: z.string().nullable(),
  uptimeSeconds: z.number().nullable(),
});
export type Probe = z.infer<typeof probeSchema>;

export type ProbeResult =
  | {
      readonly is: 'there';
      readonly probe: Probe;
      /** Whether it started since the effect was sent; null when it does not tell its uptime. */
      readonly hasRestarted: boolean | null;
    }
  | {
      /**
       * `away`: no answer. `half_up`: not ready, it answers with errors or unreadable data. `locked_out`: it refuses the stored credentials.
       * `factory`: it asks for a first password. `another_key`: it shows another certificate.
       */
      readonly is: 'away' | 'half_up' | 'locked_out' | 'factory' | 'another_key';
      readonly failure: Failure;
    };

/** The clocks of gateway and device differ by less than this during a restart. */
const CLOCK_SLACK_MS = 15_000;

/** The shortest search for a missing device. */
const MIN_SEARCH_MS = 120_000;

/** observed-devices.md 1.9: the factory password must be changed before anything else. */
const FIRST_LOGIN = 125;

/** Errors for a device that went offline during its answer. */
const LEAVING: ReadonlySet<ErrorCode> = new Set(['device_answer_cut', 'device_outcome_unknown', 'device_queue_full']);

/** Errors for a device that answers wrongly. */
const NOT_READY: ReadonlySet<ErrorCode> = new Set([
  'device_answer_invalid',
  'device_answer_too_large',
  'device_login_failed',
  'device_refused',
]);

/** The present identity; of another device that a login found, only its serial number. @throws AppError of the call */
export async function probe(context: StepContext): Promise<Probe> {
  try {
    return await read(context);
  } catch (error) {
    const serial = otherSerialOf(error);
    if (serial === null) throw error;
    return { serial, version: null, uptimeSeconds: null };
  }
}

/** The serial number of the other device that answered a login; null when the error has another cause. */
function otherSerialOf(error: unknown): string | null {
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

/** Probes a device after its restart. @throws AppError of the gateway itself, never of the device */
export async function probeAfter(before: Facts, settlingMs: number, context: StepContext): Promise<ProbeResult> {
  try {
    const now = await probe(context);
    return { is: 'there', probe: now, hasRestarted: hasRestarted(probeSchema.parse(before), now, settlingMs) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const failure = failureOf(error);
    if (hasCode(error, FIRST_LOGIN)) return { is: 'factory', failure };
    if (error.code === 'device_credentials_refused') return { is: 'locked_out', failure };
    if (error.code === 'device_trust_changed') return { is: 'another_key', failure };
    if (isOfflineCode(error.code) || LEAVING.has(error.code)) return { is: 'away', failure };
    if (NOT_READY.has(error.code)) return { is: 'half_up', failure };
    throw error;
  }
}

function hasRestarted(before: Probe, now: Probe, settlingMs: number): boolean | null {
  if (now.uptimeSeconds === null) return null;
  if (now.uptimeSeconds * 1000 + CLOCK_SLACK_MS < settlingMs) return true;
  return before.uptimeSeconds === null ? null : now.uptimeSeconds < before.uptimeSeconds;
}

/** Between two reads of a device that restarts. */
export const PROBE_EVERY_MS = 10_000;

/** The answers show neither success nor failure yet: the device is probed again. */
export const probeAgain = () => ({ is: 'undecided', afterMs: PROBE_EVERY_MS }) as const;

type FailedProbe = Exclude<ProbeResult, { is: 'there' }>;

/** The end of a job whose device came back changed. Null for `away` and `half_up`. */
export function endOfChangedDevice({ is, failure: last }: FailedProbe): End | null {
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
export interface ReturnDeadline {
  /** How long after the effect it should have come back. */
  readonly giveUpMs: number;
  /** Since when no probe found it. */
  readonly missedSince?: string | undefined;
}

/**
 * Whether to give up a device: it is long overdue, and several probes failed. The gateway itself may have been down
 * since the effect was sent, so one probe is not enough.
 * @param since since when no probe found it
 */
export function isGivenUp(since: string, now: Date, settlingMs: number, giveUpMs: number): boolean {
  return settlingMs >= giveUpMs && now.getTime() - Date.parse(since) >= MIN_SEARCH_MS;
}

/** The end of a job whose device is not there, or since when it is missed. */
export function concludeAbsent(
  result: FailedProbe,
  settlingMs: number,
  { giveUpMs, missedSince }: ReturnDeadline,
  { now }: StepContext,
) {
  const since = missedSince ?? now.toISOString();
  const isOver = isGivenUp(since, now, settlingMs, giveUpMs);
  const stepResult = endOfChangedDevice(result) ?? (isOver ? endOfMissing(result, settlingMs) : null);
  // `look` is the result of the last probe; the name is in stored rows.
  if (stepResult) return { is: 'unknown', after: { look: result.is }, stepResult } as const;
  return { ...probeAgain(), missedSince: since };
}

/** The end of a job whose device did not come back in time. */
export function endOfMissing({ is, failure: last }: FailedProbe, waitedMs: number): End {
  const facts = { waitedSeconds: Math.round(waitedMs / 1000), last };
  return is === 'away'
    ? endWith('unknown', 'never_came_back', 'The device never came back', facts)
    : endWith('unknown', 'came_back_broken', 'The device came back, and its answers are not usable', facts);
}

/** How long a device was away that has restarted. */
export function downSecondsOf(settlingMs: number, { uptimeSeconds }: Probe): number {
  return Math.max(0, Math.round(settlingMs / 1000) - (uptimeSeconds ?? 0));
}

/**
 * How long a device has been offline because of an effect, in milliseconds, for people. Measured from `openedAt`:
 * `sentAt` is set again after the answer, and progress would go back.
 */
export function awayForMs(intent: Intent | null, now: Date): number {
  return intent?.state === 'sent' ? Math.max(0, now.getTime() - Date.parse(intent.openedAt)) : 0;
}
