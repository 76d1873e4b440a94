/* What an operator reads about jobs: the kinds, why one waits, and what to look at when its result is not known. */

/** What a job is called in lists and titles, such as “Firmware update on gdansk-camera-12”. What starts it is a verb: `KIND_ACTS`. */
export const KINDS = [
  ['backup', 'Backup'],
  ['call', 'Single call'],
  ['certificates', 'New certificates'],
  ['configure', 'Settings change'],
  ['credentials', 'Password change'],
  ['firmware', 'Firmware update'],
  ['move', 'Address change'],
  ['reboot', 'Restart'],
  ['reconcile', 'Template update'],
  ['restore', 'Backup restore'],
  ['upload', 'File upload'],
  ['users', 'Account change'],
] as const;

/** What a person starts, by what it is for. */
export const KIND_ACTS = [
  [
    'Care',
    [
      ['backup', 'Back up'],
      ['reboot', 'Restart'],
      ['firmware', 'Update firmware'],
      ['restore', 'Restore a backup'],
    ],
  ],
  [
    'Settings',
    [
      ['configure', 'Change settings'],
      ['reconcile', 'Apply a template'],
    ],
  ],
  [
    'Access',
    [
      ['credentials', 'Change the password with which the gateway signs in'],
      ['users', 'Change accounts'],
      ['certificates', 'Make certificates'],
      ['move', 'Move to another address'],
    ],
  ],
  [
    'Expert',
    [
      ['upload', 'Send a file'],
      ['call', 'Send one call'],
    ],
  ],
] as const;

const TITLES = new Map<string, string>(KINDS);

const ACTS = new Map<string, string>(KIND_ACTS.flatMap(([, acts]): (readonly [string, string])[] => [...acts]));

/** What a person starts, such as “Change settings”. */
export const actText = (kind: string): string => ACTS.get(kind) ?? kindTitle(kind);

export const kindTitle = (kind: string): string => TITLES.get(kind) ?? kind;

export const PHASES = [
  ['queued', 'Queued'],
  ['dispatched', 'Starting'],
  ['running', 'Running'],
  ['ended', 'Ended'],
] as const;

export const OUTCOMES = [
  ['succeeded', 'Succeeded'],
  ['failed', 'Failed'],
  ['not_executed', 'Not executed'],
  ['unknown', 'Unknown'],
  ['cancelled', 'Cancelled'],
] as const;

/** The meaning of an outcome, as docs/reference/jobs.md says it. */
export const MEANING: Readonly<Record<string, string>> = {
  succeeded: 'The gateway saw the wanted state on the device.',
  failed: 'The job tried, and the device does not have the wanted state.',
  not_executed: 'Nothing was changed on the device, for certain.',
  unknown: 'Something was sent to the device, and no probe could show its result.',
  cancelled: 'An operator cancelled it in time.',
};

const FAILED: Readonly<Record<string, string>> = {
  deadline_passed: 'The job tried until its time ended.',
  device_credentials_refused: 'The job tried, and the device refused the login.',
  device_login_failed: 'The job tried, and could not log in.',
  device_refused: 'The job tried, and the device refused.',
  device_timeout: 'The job tried, and the device did not answer in time.',
  device_tls_failed: 'The job tried, and could not connect to the device.',
  device_unreachable: 'The job tried, and could not connect to the device.',
};

/** What a job that failed with this code did. */
export const failedText = (code: string): string => FAILED[code] ?? MEANING['failed']!;

const TO_LOOK_AT: Readonly<Record<string, string>> = {
  never_came_back:
    'Check power and network at the site. If the device answers again, compare its firmware and uptime with the evidence below.',
  came_back_broken:
    'The device answers, but not as its API should. Open its web page, and check firmware and free memory.',
  another_device:
    'Another device answers at this address. Compare the serial numbers, and correct the address or replace the hardware in the registry.',
  another_certificate:
    'Another certificate answers at this address. Compare the fingerprints with the device before you accept it.',
  version_unreadable: 'Read the firmware version on the device itself, then start the job again if it is the old one.',
  no_uptime: 'Look on the device whether it has restarted; it does not report its uptime.',
  cut_off:
    'The device does not answer since the change. Connect at the site and send the changes listed under “undo” of the result.',
  locked_out: 'The device refuses the login since the change. Log in at the site and roll the change back.',
  unreadable: 'The device does not show its configuration. Read it at the site, and compare it with the result below.',
  backup_not_made: 'Read the list of backups on the device, then start the job again.',
  quarantined: 'Three processes were lost at this step. Look at the log of the workers, then start the job again.',
  deadline_passed: 'Its time ended. Check whether the device can be reached, then start the job again.',
};

/** What a person should look at after a job with this code. */
export const toLookAt = (code: string): string =>
  TO_LOOK_AT[code] ??
  'Read the state of the device and compare it with the evidence below before you start the job again.';

interface Refusal {
  readonly code: string;
  readonly facts: unknown;
}

/** What the device answered, where another try would get the same answer: it does not have the call, or does not take what was sent. */
export function sameAgainText({ code, facts }: Refusal): string | null {
  if (code !== 'device_refused' || typeof facts !== 'object' || facts === null) return null;
  const status = 'deviceStatus' in facts ? facts.deviceStatus : null;
  if (status === 404) return 'The device does not have this call: its model or its firmware does not know it.';
  if (status === 400 || status === 422) return 'The device does not take what was sent.';
  return null;
}

/** Behind `sameAgainText`. */
export const SAME_AGAIN = 'Starting it again fails in the same way.';
