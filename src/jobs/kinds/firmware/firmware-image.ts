import { type FirmwareImage } from '../../../device-api/contract.js';
import { matchesWildcard } from '../../../device-api/wildcard.js';
import { versionOf } from '../../../devices/selector/selector.js';
import { type Failure } from '../../rows/job-state.js';
import { type StoredArtifact } from '../../kind-api/step-context.js';

/*
 * Checks that an image is for a device: by the operator's data at its upload before a byte is sent, and by the device's
 * report afterwards. Pure.
 */

export interface Hardware {
  readonly models: readonly string[];
  readonly hardware: string | null;
  readonly version: string | null;
}

export interface Allowed {
  readonly allowDowngrade: boolean;
  readonly allowUnauthorized: boolean;
  readonly requireSignature: boolean;
  readonly keepSettings: boolean;
}

/** Why an image is not sent to a device; null when there is no reason. */
export function artifactRefused(image: StoredArtifact, device: Hardware, allowed: Allowed): Failure | null {
  const { models, hardware, minimumVersion, version, signedBy } = image;
  if (allowed.requireSignature && signedBy === null) {
    return refusal('image_not_signed', 'The image was stored without a signature, and one is required', {});
  }
  if (models.length > 0 && !device.models.some((model) => isAnyOf(model, models))) {
    return refusal('image_wrong_model', 'The image is for other models', { models, device: device.models });
  }
  if (hardware.length > 0 && !(device.hardware !== null && isAnyOf(device.hardware, hardware))) {
    const facts = { hardware, device: device.hardware };
    return refusal('image_wrong_hardware', 'The image is for other hardware versions', facts);
  }
  if (minimumVersion !== null && !(device.version !== null && compareVersions(device.version, minimumVersion) >= 0)) {
    const facts = { minimumVersion, running: device.version };
    return refusal('firmware_too_old', 'The device runs a version from which this image cannot be installed', facts);
  }
  if (version !== null && isOlder(version, device.version) && !allowed.allowDowngrade) {
    const facts = { version, running: device.version };
    return refusal('image_is_older', 'The image is older than the device’s version, and that was not allowed', facts);
  }
  return null;
}

/**
 * Why an image that the device has is not flashed (observed-devices.md 3: a bad image is no HTTP error).
 * @param stated the version that the image was stored or asked for with, where one was said
 * @param sha256 of the bytes that were sent; null when the device fetched them itself
 */
export function reportRefused(
  report: FirmwareImage,
  of: { readonly stated: string | null; readonly sha256: string | null; readonly running: string | null },
  allowed: Allowed,
): Failure | null {
  const facts = { report: { ...report } };
  if (!report.valid) return refusal('image_invalid', 'The device says that the image is not valid', facts);
  if (report.hw_support === false) {
    return refusal('image_wrong_model', 'The device says that the image is not for its hardware', facts);
  }
  if (of.sha256 !== null && report.sha256 && report.sha256.toLowerCase() !== of.sha256) {
    const message = 'The device received other bytes than were sent';
    return refusal('image_broken_on_the_way', message, { ...facts, sentSha256: of.sha256 });
  }
  if (of.stated !== null && report.fw_version && !isSameVersion(report.fw_version, of.stated)) {
    return refusal('image_other_version', 'The image has another version than declared', {
      ...facts,
      stated: of.stated,
    });
  }
  if (report.authorized === false && !allowed.allowUnauthorized) {
    return refusal('image_not_authorized', 'The device says that the image is not signed by its vendor', facts);
  }
  const older = report.fw_version ? isOlder(report.fw_version, of.running) : report.newer === false;
  if (older && !allowed.allowDowngrade) {
    const message = 'The image is older than the device’s version, and that was not allowed';
    return refusal('image_is_older', message, { ...facts, running: of.running });
  }
  if (report.allow_backup === false && allowed.keepSettings) {
    return refusal('settings_not_kept', 'The device says that it cannot keep its settings with this image', facts);
  }
  return null;
}

/** Whether two names mean one version: `RUTX_R_00.07.16.3` and `7.16.3` do; two full names must be the same. */
export function isSameVersion(one: string, other: string): boolean {
  if (one.toLowerCase() === other.toLowerCase()) return true;
  const areFull = /[a-z]/i.test(one) && /[a-z]/i.test(other);
  return !areFull && versionOf(one) !== null && compareVersions(one, other) === 0;
}

/** Below 0 when `one` is older. A name without numbers is older than any with some. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [versionOf(one) ?? [], versionOf(other) ?? []];
  for (let part = 0; part < Math.max(a.length, b.length); part++) {
    const difference = (a[part] ?? 0) - (b[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function isOlder(version: string, running: string | null): boolean {
  return running !== null && compareVersions(version, running) < 0;
}

/** `*` in a pattern matches any text; letter case makes no difference. */
function isAnyOf(text: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesWildcard(pattern.toLowerCase(), text.toLowerCase()));
}

function refusal(code: string, message: string, facts: Record<string, unknown>): Failure {
  return { code, message, facts };
}
