import { PATHS, unauthorizedStatus } from '../../../device-api/contract.js';
import { AppError, type Facts } from '../../../platform/errors.js';
import { type End } from '../../rows/job-state.js';
import { isSameVersion } from '../../../device-api/firmware-version.js';
import { nullWhenRefused } from '../../kind-api/device-items.js';
import { endOfOtherDevice } from '../../kind-api/identity.js';
import { type Evidence } from '../../kind-api/kind.js';
import { endWith } from '../../kind-api/outcomes.js';
import {
  concludeAbsent,
  downSecondsOf,
  probeAfter,
  probeAgain,
  probeSchema,
  type Probe,
} from '../../kind-api/restart.js';
import { type StepContext } from '../../kind-api/step-context.js';

/*
 * The result of an upgrade, from reads of the device. The device answers 200 before it begins, so its answer proves
 * nothing (observed-devices.md 5). It matters only when nothing was flashed: with an answer the device failed, without one
 * it may not have received the request.
 *
 *   same version, same uptime   not begun yet, for a while; then: nothing was flashed
 *   away, not ready             restarting, for a while; then: it never came back
 *   same version, new uptime    it came back old
 *   the wanted version          flashed
 *   another version             it came back with another one
 *   refuses the credentials     it came back with factory settings
 */

/** The upgrade whose result is determined. */
export interface Upgrade {
  readonly serial: string;
  /** What the image holds; null when the device did not say: any other version than before counts. */
  readonly wanted: string | null;
  /** Since when no probe found the device. */
  readonly missedSince?: string | undefined;
}

export type UpgradeVerdict =
  | { readonly is: 'undecided'; readonly afterMs: number; readonly missedSince?: string }
  | { readonly is: 'flashed'; readonly after: Probe & { readonly version: string }; readonly downSeconds: number }
  | { readonly is: 'executed' | 'not_executed' | 'unknown'; readonly after: Facts; readonly stepResult: End };

/** The port closes within 75 s of the answer. After this, a device that still runs does not begin any more. */
const BEGINS_MS = 180_000;

/** A device is away for 60 to 300 s and then resets connections for up to 15 s. After this time it will not come back. */
const GIVE_UP_MS = 20 * 60_000;

export async function concludeUpgrade(
  upgrade: Upgrade,
  evidence: Evidence,
  context: StepContext,
): Promise<UpgradeVerdict> {
  const { serial, wanted, missedSince } = upgrade;
  const { settlingMs } = evidence;
  const result = await probeAfter(evidence.before, settlingMs, context);
  if (result.is !== 'there') return concludeAbsent(result, settlingMs, { giveUpMs: GIVE_UP_MS, missedSince }, context);
  const after = result.probe;
  const before = probeSchema.parse(evidence.before);
  if (after.serial !== serial) return { is: 'unknown', after, stepResult: endOfOtherDevice(serial, after.serial) };
  const { version } = after;
  if (version === null)
    return settlingMs < GIVE_UP_MS ? probeAgain() : { is: 'unknown', after, stepResult: unreadable(after) };
  const isOld = before.version !== null && isSameVersion(version, before.version);
  if (wanted === null ? !isOld : isSameVersion(version, wanted)) {
    return { is: 'flashed', after: { ...after, version }, downSeconds: downSecondsOf(settlingMs, after) };
  }
  if (!isOld) {
    await storeVersions(version, context);
    return { is: 'executed', after, stepResult: cameBackOther(wanted, before, after) };
  }
  if (result.hasRestarted) return { is: 'executed', after, stepResult: cameBackOld(wanted, after) };
  const isSure = settlingMs >= (result.hasRestarted === null ? GIVE_UP_MS : BEGINS_MS);
  return isSure ? { is: 'not_executed', after, stepResult: nothingFlashed(wanted, evidence, after) } : probeAgain();
}

/** A new firmware brings a new version of the API. Without it the outcome of the job is the same. */
export async function storeVersions(firmware: string, { call, storeObservations }: StepContext): Promise<void> {
  const request = { method: 'GET', path: PATHS.unauthorizedStatus } as const;
  const status = await call(request, unauthorizedStatus).catch(nullWhenNotSaid);
  const apiVersion = status?.api_version;
  await storeObservations({ firmware, ...(apiVersion === undefined ? {} : { apiVersion }) });
}

function nullWhenNotSaid(error: unknown): null {
  return error instanceof AppError && error.code === 'device_answer_invalid' ? null : nullWhenRefused(error);
}

/** With an answer the device confirmed and did nothing; without one it may never have received the request. */
function nothingFlashed(wanted: string | null, { answer }: Evidence, after: Probe): End {
  const facts = { wanted, ...after };
  return answer === undefined
    ? endWith('not_executed', 'upgrade_not_begun', 'The answer was lost, and the device did not start to flash', facts)
    : endWith('failed', 'nothing_flashed', 'The device said OK and nothing was flashed', facts);
}

function cameBackOld(wanted: string | null, after: Probe): End {
  return endWith('failed', 'came_back_old', 'The device restarted and came back with its old version', {
    wanted,
    ...after,
  });
}

function cameBackOther(wanted: string | null, before: Probe, after: Probe): End {
  const facts = { from: before.version, wanted, ...after };
  return endWith('failed', 'came_back_other', 'The device came back with another version than the wanted one', facts);
}

function unreadable(after: Probe): End {
  return endWith('unknown', 'version_unreadable', 'The device came back and does not report its version', { ...after });
}
