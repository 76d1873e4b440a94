import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { AppError, type ErrorCode, type Facts } from '../../../platform/errors.js';
import { type End, type Failure } from '../../rows/job-state.js';
import { failureOf, isOfflineCode } from '../../rows/step-error.js';
import { endOfOtherDevice } from '../../kind-api/identity.js';
import { type Evidence } from '../../kind-api/kind.js';
import { endWith } from '../../kind-api/outcomes.js';
import {
  downSecondsOf,
  endOfMissing,
  endOfChangedDevice,
  isGivenUp,
  type ProbeResult,
  PROBE_EVERY_MS,
  probeAfter,
  type Probe,
} from '../../kind-api/restart.js';
import { type StepContext } from '../../kind-api/step-context.js';

/*
 * The result of a restore, from probes of the device alone: at the address that it had and, when it is not there any more, at
 * those that it announced (observed-devices.md 3, Backup).
 *
 *   same serial, same uptime       not begun yet, for a while; then: nothing was restored
 *   away, not ready                searched at the announced address; after a while: it never came back
 *   same serial, new uptime        restored
 *   another serial                 it came back with another identity, or another device has its address
 *   refuses the credentials        the restored configuration has others
 */

/** What a device announces of its next address. */
export const announcement = z.object({
  lanIpv4: z.string().nullable(),
  httpPort: z.number().int().nullable(),
  httpsPort: z.number().int().nullable(),
});
export type Announcement = z.infer<typeof announcement>;

export interface RestoredDevice {
  readonly serial: string;
  readonly artifactId: string;
  /** The address where it is searched. */
  readonly baseUrl: string;
  /** Other possible addresses, in the order of attempts. */
  readonly elsewhere: readonly string[];
  readonly missedSince?: string | undefined;
}

export type RestoreVerdict =
  | { readonly is: 'undecided'; readonly afterMs: number; readonly missedSince?: string; readonly movedTo?: string }
  | { readonly is: 'restarted'; readonly after: Probe; readonly downSeconds: number }
  | { readonly is: 'executed' | 'not_executed' | 'unknown'; readonly after: Facts; readonly stepResult: End };

/** It goes offline within seconds; after this time a running device no longer restarts. */
const BEGINS_MS = 90_000;

/** A restart takes 45 to 90 s; first starts with another configuration take longer. After this it does not come back. */
const GIVE_UP_MS = 20 * 60_000;

/** Errors at another address that mean that the device is not there, or not yet. */
const NOT_THERE: ReadonlySet<ErrorCode> = new Set([
  'device_answer_cut',
  'device_answer_invalid',
  'device_login_failed',
  'device_outcome_unknown',
  'device_refused',
  'base_url_refused',
  'device_exists',
  // Another device has that address: its key is not the pinned one, so it got no password.
  'device_trust_changed',
]);

export async function concludeRestore(
  restored: RestoredDevice,
  evidence: Evidence,
  context: StepContext,
): Promise<RestoreVerdict> {
  const { serial } = restored;
  const { settlingMs } = evidence;
  const result = await probeAfter(evidence.before, settlingMs, context);
  if (result.is === 'there' && result.probe.serial === serial) return judgeSame(result, evidence);
  if (result.is === 'locked_out') {
    if (await takePasswords(restored.artifactId, context)) return { is: 'undecided', afterMs: 0 };
    return lockedOut(result.failure, restored.baseUrl);
  }
  const factory = result.is === 'factory' ? endOfChangedDevice(result) : null;
  if (factory) return { is: 'unknown', after: { look: result.is }, stepResult: factory };
  // Another device may have the address by now, so the device is searched elsewhere before any verdict.
  const elsewhere = await probeElsewhere(restored, context);
  if (elsewhere.movedTo !== null) return { is: 'undecided', afterMs: 0, movedTo: elsewhere.movedTo };
  if (elsewhere.refused) return lockedOut(elsewhere.refused, elsewhere.at);
  const missedSince = restored.missedSince ?? context.now.toISOString();
  const isOver = isGivenUp(missedSince, context.now, settlingMs, GIVE_UP_MS);
  const hopes = restored.elsewhere.length > 0 && !isOver;
  if (result.is === 'there') {
    if (hopes) return { is: 'undecided', afterMs: PROBE_EVERY_MS, missedSince };
    return { is: 'unknown', after: result.probe, stepResult: anotherIdentity(serial, result.probe.serial) };
  }
  const otherDevice = hopes ? null : endOfChangedDevice(result);
  const missing = isOver ? withAddresses(endOfMissing(result, settlingMs), restored) : null;
  const end = otherDevice ?? missing;
  if (end) return { is: 'unknown', after: { look: result.is }, stepResult: end };
  return { is: 'undecided', afterMs: PROBE_EVERY_MS, missedSince };
}

/**
 * The restored configuration has the passwords of its time. Those that the gateway stored with the backup are proven by one
 * login each, and then take the place of the present ones.
 * @returns whether any did
 */
export async function takePasswords(backupId: string, { rotation }: StepContext): Promise<boolean> {
  let areAccepted = false;
  for (const purpose of ['main', 'read'] as const) {
    const account = await rotation.account(purpose);
    // A password that another job left pending may count yet, and an account has only one pending password.
    if (!account || account.hasLeftover || !(await rotation.prepareFrom(purpose, backupId))) continue;
    if ((await rotation.prove(purpose, 'pending')) !== 'accepted') await rotation.drop(purpose);
    else if (await rotation.activate(purpose, account.username)) areAccepted = true;
  }
  return areAccepted;
}

function judgeSame(result: Extract<ProbeResult, { is: 'there' }>, evidence: Evidence): RestoreVerdict {
  const { settlingMs, answer } = evidence;
  const { probe: after, hasRestarted } = result;
  if (hasRestarted) {
    return { is: 'restarted', after, downSeconds: downSecondsOf(settlingMs, after) };
  }
  if (settlingMs < (hasRestarted === null ? GIVE_UP_MS : BEGINS_MS))
    return { is: 'undecided', afterMs: PROBE_EVERY_MS };
  if (hasRestarted === null) {
    const message = 'The device does not report its uptime, so the result of the restore is not known';
    return { is: 'unknown', after, stepResult: endWith('unknown', 'no_uptime', message) };
  }
  const stepResult =
    answer === undefined
      ? endWith(
          'not_executed',
          'restore_not_begun',
          'The answer was lost, and the device did not start to restore',
          after,
        )
      : endWith('failed', 'nothing_restored', 'The device said OK and nothing was restored', after);
  return { is: 'not_executed', after, stepResult };
}

interface OtherAddress {
  readonly movedTo: string | null;
  /** It is there, as its key proves, and does not take the stored credentials. */
  readonly refused: Failure | null;
  readonly at: string;
}

async function probeElsewhere({ serial, elsewhere }: RestoredDevice, { relocate }: StepContext): Promise<OtherAddress> {
  for (const at of elsewhere) {
    try {
      if ((await relocate(at, serial)) === serial) return { movedTo: at, refused: null, at };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'device_credentials_refused') return { movedTo: null, refused: failureOf(error), at };
      if (!isOfflineCode(error.code) && !NOT_THERE.has(error.code)) throw error;
    }
  }
  return { movedTo: null, refused: null, at: '' };
}

/** Where a device may be that announced itself: its host may be another in the network of the gateway than in its own. */
export function addressesOf(baseUrl: string, { lanIpv4, httpPort, httpsPort }: Announcement): string[] {
  const url = new URL(baseUrl);
  const port = url.protocol === 'https:' ? httpsPort : httpPort;
  const hosts = [url.hostname, ...(lanIpv4 && ipaddr.IPv4.isValidFourPartDecimal(lanIpv4) ? [lanIpv4] : [])];
  const ports = [...(port === null ? [] : [String(port)]), url.port];
  const addresses = hosts.flatMap((host) =>
    ports.map((one) => `${url.protocol}//${host}${one === '' ? '' : `:${one}`}`),
  );
  const origins = addresses.filter((address) => URL.canParse(address)).map((address) => new URL(address).origin);
  return [...new Set(origins)].filter((origin) => origin !== url.origin);
}

function lockedOut(last: Failure, at: string): RestoreVerdict {
  const message =
    'The device came back and refuses the stored credentials: the restored configuration has others, or it blocked the ' +
    'gateway’s address. Give the credentials of the time of the backup';
  const stepResult = endWith('failed', 'credentials_changed', message, { at, last });
  return { is: 'unknown', after: { look: 'locked_out' }, stepResult };
}

function anotherIdentity(expectedSerial: string, serial: string): End {
  const message = 'The device that came back reports another identity';
  const { failure } = endOfOtherDevice(expectedSerial, serial);
  return endWith('unknown', 'another_identity', message, failure?.facts ?? {});
}

function withAddresses(end: End, { baseUrl, elsewhere }: RestoredDevice): End {
  const { failure } = end;
  return failure
    ? { ...end, failure: { ...failure, facts: { ...failure.facts, lookedAt: [baseUrl, ...elsewhere] } } }
    : end;
}
