/* Why a device waits, was left out or did not succeed, in words. */

const REASONS: Readonly<Record<string, string>> = {
  forbidden: 'without your permission to start this job',
  held_by_rollout: 'in another open rollout',
  offline: 'offline',
  offline_too_long: 'offline for too long',
  device_offline: 'offline',
  locked: 'locked',
  no_window: 'for which no window opens',
  backup_missing: 'without a recent backup',
  image_wrong_model: 'of another model than the image is for',
  image_is_older: 'with newer firmware than the image',
  firmware_too_old: 'with firmware from which the image cannot be installed',
  image_not_signed: 'that need a signed image',
  image_invalid: 'whose image was not recognised as firmware',
  value_missing: 'without a value that the parameters name',
  spec_invalid: 'for which the parameters are not valid',
  device_has_no_credentials: 'without stored credentials',
  device_credentials_refused: 'whose password is refused',
  device_trust_changed: 'with a changed certificate',
  changed_since: 'changed since by something else',
  nothing_to_undo: 'with nothing to roll back',
  no_image_of_firmware_before: 'whose earlier firmware is not stored',
  firmware_before_unknown: 'whose earlier firmware is not known',
  operator: 'skipped by a person',
  left_selector: 'no longer matching the selector',
  device_replaced: 'with another address or serial number since the plan',
  device_removed: 'removed from the registry',
};

/** A reason of the gateway; an unknown one is shown with spaces. */
export const reasonText = (reason: string | null): string =>
  reason === null ? '' : (REASONS[reason] ?? reason.replaceAll('_', ' '));

/** Things by a key, in the order in which each key came first. */
export function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): [string, Item[]][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups];
}
