import { ERRORS } from '../../platform/errors.js';

/* The states and reasons of a rollout as a reader of its report says them. Pure. */

/** Ends of jobs and reasons of rollouts that are no errors of the table. */
const REASONS: Readonly<Record<string, string>> = {
  backup_missing: 'No recent backup is stored',
  came_back_old: 'It came back with the firmware that it had',
  changed_since: 'Something else has changed it since',
  device_offline: 'It was offline',
  device_removed: 'It was removed from the registry',
  device_replaced: 'Another address or serial number since the plan',
  device_trust_changed: 'Another certificate answers',
  firmware_too_old: 'Its firmware is too old for the image',
  held_by_rollout: 'Another rollout has it',
  image_is_older: 'It has newer firmware than the image',
  image_wrong_model: 'The image is for another model',
  left_selector: 'It no longer matches the selector',
  never_came_back: 'It did not come back',
  no_window: 'No window opens for it',
  offline: 'It is offline',
  offline_too_long: 'It was offline for too long',
  operator: 'A person skipped it',
};

/** `never_came_back` as `It did not come back`; an unknown code as its words. */
export function reasonWords(code: string | null): string {
  if (code === null) return '';
  if (Object.hasOwn(REASONS, code)) return REASONS[code]!;
  if (Object.hasOwn(ERRORS, code)) return ERRORS[code as keyof typeof ERRORS].title;
  return sentence(code);
}

/** `not_started` as `Not started`. */
export const sentence = (code: string): string => {
  const text = code.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};
