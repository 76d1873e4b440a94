/*
 * How a kind of job is taken back, device by device. Pure. What cannot be taken back is said to be so, and why; nothing is
 * guessed. A device that was changed since is spared: what somebody did later may rest on what would be undone.
 */

/** A device that the rollout has changed, and what is known of it now. */
export interface ChangedTarget {
  readonly kind: string;
  /** What the job said at its end. */
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
  /** Models that it is for; `*` stands for any text. Empty: all. */
  readonly models: readonly string[];
}

export type WayBack = { readonly spec: Readonly<Record<string, unknown>> } | { readonly reason: string };

/** Kinds that can be taken back. */
export const REVERSIBLE: readonly string[] = ['firmware', 'configure'];

/** What takes a device back, or why nothing does. */
export function wayBack(target: ChangedTarget, images: readonly Image[]): WayBack {
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

function previousImage({ firmwareBefore, firmwareNow }: ChangedTarget, images: readonly Image[]): WayBack {
  if (firmwareBefore === null) return { reason: 'firmware_before_unknown' };
  if (firmwareBefore === firmwareNow) return { reason: 'nothing_to_undo' };
  const image = images.find(({ version }) => version !== null && isOf(version, firmwareBefore));
  if (!image) return { reason: 'no_image_of_firmware_before' };
  return { spec: { artifactId: image.id, sha256: image.sha256, allowDowngrade: true, backup: 'skip' } };
}

/** Whether a version, written in full or in numbers alone, is that of a firmware: `07.16.3` of `RUTX_R_00.07.16.3`. */
function isOf(version: string, firmware: string): boolean {
  if (version.toLowerCase() === firmware.toLowerCase()) return true;
  return numbersOf(firmware).endsWith(`.${numbersOf(version)}`) || numbersOf(firmware) === numbersOf(version);
}

function numbersOf(text: string): string {
  const last = text.match(/\d+(?:\.\d+)*/g)?.at(-1) ?? '';
  const numbers = text.endsWith(last) ? last : '';
  return numbers
    .split('.')
    .map((part) => String(Number(part)))
    .join('.');
}
