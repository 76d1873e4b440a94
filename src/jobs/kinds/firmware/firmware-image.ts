import { type FirmwareImage } from '../../../device-api/contract.js';
import { ageOf, compareVersions, isSameVersion } from '../../../device-api/firmware-version.js';
import { matchesWildcard } from '../../../device-api/wildcard.js';
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

export interface FirmwareRules {
  readonly allowDowngrade: boolean;
  readonly allowUnauthorized: boolean;
  readonly requireSignature: boolean;
  readonly keepSettings: boolean;
}

/** Why an image is not sent to a device; null when there is no reason. */
export function artifactRefused(image: StoredArtifact, device: Hardware, allowed: FirmwareRules): Failure | null {
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
  if (minimumVersion !== null && !isAtLeast(device.version, minimumVersion)) {
    const facts = { minimumVersion, running: device.version };
    return refusal('firmware_too_old', 'The device runs a version from which this image cannot be installed', facts);
  }
  // Where the order cannot be told, the device's report of the image decides.
  const age = version === null ? null : ageOf(version, device.version);
  if (age !== null && age < 0 && !allowed.allowDowngrade) {
    const facts = { version, running: device.version };
    return refusal('image_is_older', 'The image is older than the device’s version, and that was not allowed', facts);
  }
  return null;
}

/** As a device would say it of bytes that are no image. */
export const notAnImage = (): Failure =>
  refusal('image_invalid', 'The stored file was not recognised as an image of firmware', {});

/**
 * Why an image that the device has is not flashed (observed-devices.md 3: a bad image is no HTTP error).
 * @param stated the version that the image was stored or asked for with, where one was said
 * @param sha256 of the bytes that were sent; null when the device fetched them itself
 */
export function reportRefused(
  report: FirmwareImage,
  of: { readonly stated: string | null; readonly sha256: string | null; readonly running: string | null },
  allowed: FirmwareRules,
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
  const older = allowed.allowDowngrade ? null : olderRefused(report, of);
  if (older !== null) return older;
  if (report.allow_backup === false && allowed.keepSettings) {
    return refusal('settings_not_kept', 'The device says that it cannot keep its settings with this image', facts);
  }
  return null;
}

/** The names of versions decide, or else the device's own word on the image. Without both, the image is not flashed. */
function olderRefused(
  report: FirmwareImage,
  { stated, running }: { readonly stated: string | null; readonly running: string | null },
): Failure | null {
  const version = report.fw_version || (report.newer === undefined ? stated : null);
  const age = version === null ? null : ageOf(version, running);
  const facts = { report: { ...report }, version, running };
  if (age === null && report.newer === undefined) {
    const message = 'The order of the two versions cannot be told from their names, and a downgrade was not allowed';
    return refusal('firmware_order_unknown', message, facts);
  }
  if (age === null ? report.newer === true : age >= 0) return null;
  const message = 'The image is older than the device’s version, and that was not allowed';
  return refusal('image_is_older', message, facts);
}

/** A version that cannot be told is not enough. */
function isAtLeast(running: string | null, minimum: string): boolean {
  const order = running === null ? null : compareVersions(running, minimum);
  return order !== null && order >= 0;
}

/** `*` in a pattern matches any text; letter case makes no difference. */
function isAnyOf(text: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesWildcard(pattern.toLowerCase(), text.toLowerCase()));
}

function refusal(code: string, message: string, facts: Record<string, unknown>): Failure {
  return { code, message, facts };
}
