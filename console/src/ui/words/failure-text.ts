/* Why something did not work that the gateway does by itself: the codes of failures that rows keep, in a few words. */

const CAUSES: Readonly<Record<string, string>> = {
  answer_lost: 'Its answer was lost',
  artifact_not_found: 'The file is no longer stored',
  author_gone: 'Its author may not act any more',
  backup_missing: 'No fresh backup is stored',
  backup_too_large: 'The backup is too large',
  call_given_up: 'The device did not answer in time',
  change_reason_required: 'The gateway is set to ask for a reason',
  cut_off: 'The device does not answer since',
  deadline_passed: 'Its time ran out',
  device_address_refused: 'Its name leads to an address that is never a device',
  device_answer_cut: 'Its answer was cut off',
  device_answer_invalid: 'Its answer does not match its API',
  device_answer_too_large: 'Its answer is too large',
  device_busy: 'The device was busy',
  device_circuit_open: 'It did not answer several times',
  device_credentials_refused: 'The login is refused',
  device_has_no_credentials: 'No login is stored',
  device_login_failed: 'The sign-in failed',
  device_outcome_unknown: 'It is unknown whether the device did it',
  device_queue_full: 'Too many calls wait for the device',
  device_refused: 'The device refused it',
  device_replaced: 'It has another address or serial number',
  device_timeout: 'The device did not answer in time',
  device_tls_failed: 'No encrypted connection could be made',
  device_trust_changed: 'Another certificate answers',
  device_unreachable: 'The device did not answer',
  identity_mismatch: 'Another device answers at its address',
  image_too_large: 'The image is too large',
  invalid_selector: 'The selector is no longer valid',
  last_rollout_open: 'The rollout of the last run has not ended',
  locked: 'A lock stops it',
  locked_out: 'The login is refused since',
  never_came_back: 'The device did not come back',
  no_room_on_device: 'No room on the device',
  not_there: 'The device has no such path',
  password_refused: 'The password was refused',
  quarantined: 'Three workers were lost at it',
  rights_not_held: 'Its author no longer has the rights',
  rollout_is_empty: 'The selector names no device that can take part',
  rollout_too_large: 'The selector names too many devices',
  run_missed: 'The gateway was down when it was due',
  selector_not_found: 'Its saved selector was removed',
  signal_too_weak: 'The signal is too weak',
  too_many_saved: 'As many are stored as there may be',
};

/** Null: it has no words here. */
export const knownCause = (code: string): string | null => CAUSES[code] ?? null;

/** A code of a failure in a few words, as a sentence without its stop; one without words here by its own. */
export const failureText = (code: string): string =>
  CAUSES[code] ?? code.replace(/^./, (first) => first.toUpperCase()).replaceAll('_', ' ');
