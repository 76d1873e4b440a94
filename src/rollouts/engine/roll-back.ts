import { isSameVersion } from '../../device-api/firmware-version.js';

/*
 * How a kind of job is rolled back, device by device. Pure. What cannot be rolled back is reported with the reason;
 * nothing is guessed. A device that was changed since is skipped: a later change may depend on the state that would be
 * undone.
 */

/** A device that the rollout has changed, and its present state. */
export interface ChangedDeviceFacts {
  readonly kind: string;
  /** The result of its job. */
  readonly result: Readonly<Record<string, unknown>> | null;
  readonly firmwareBefore: string | null;
  readonly firmwareNow: string | null;
  /** A later job changed it. */
  readonly changedSince: boolean;
}

/** A firmware image in the store. */
export interface Image {
  readonly id: string;
  readonly sha256: string;
  readonly version: string | null;
  /** Its models; `*` means any text. Empty: all. */
  readonly models: readonly string[];
}

export type RollbackSpec = { readonly spec: Readonly<Record<string, unknown>> } | { readonly reason: string };

/** Kinds that can be rolled back. */
export const REVERSIBLE: readonly string[] = ['firmware', 'configure'];

/** The spec that rolls a device back, or why there is none. */
export function rollbackSpec(target: ChangedDeviceFacts, images: readonly Image[]): RollbackSpec {
  if (target.changedSince) return { reason: 'changed_since' };
  switch (target.kind) {
    case 'firmware':
      return previousImage(target, images);
    case 'configure': {
      const undo = target.result?.['undo'];
      return Array.isArray(undo) && undo.length > 0 ? { spec: { changes: undo } } : { reason: 'nothing_to_undo' };
    }
    default:
      return { reason: 'kind_has_no_way_back' };
  }
}

function previousImage({ firmwareBefore, firmwareNow }: ChangedDeviceFacts, images: readonly Image[]): RollbackSpec {
  if (firmwareBefore === null) return { reason: 'firmware_before_unknown' };
  if (firmwareBefore === firmwareNow) return { reason: 'nothing_to_undo' };
  const image = images.find(({ version }) => version !== null && isSameVersion(version, firmwareBefore));
  if (!image) return { reason: 'no_image_of_firmware_before' };
  return { spec: { artifactId: image.id, sha256: image.sha256, allowDowngrade: true, backup: 'skip' } };
}
