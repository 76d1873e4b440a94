/*
 * Where in the console a person does what an error asks for. An address is a template with facts, as in `problem-table.ts`; a link
 * whose facts are missing is not shown. `needs` is the permission without which its screen has nothing.
 */

export interface LinkOfProblem {
  readonly text: string;
  /** Below /console, with its query. */
  readonly to: string;
  readonly needs?: string;
}

const EXPLAIN: LinkOfProblem = {
  text: 'Who can give it?',
  to: '/access?tab=explain&operator=everyone&action={permission}[&device={device}]',
  needs: 'rights.explain',
};
const ACCOUNT: LinkOfProblem = { text: 'Open your account', to: '/access?tab=account' };
const FIRST_REQUEST: LinkOfProblem = {
  text: 'See what was done',
  to: '/audit?requestId={firstRequestId}',
  needs: 'audit.read',
};
const STATUS: LinkOfProblem = { text: 'Open System', to: '/system', needs: 'system.read' };
const ROLES: LinkOfProblem = { text: 'Open the people', to: '/access?tab=people', needs: 'operator.read' };
const FILES: LinkOfProblem = { text: 'Open the files', to: '/artifacts', needs: 'artifact.read' };
const JOBS: LinkOfProblem = { text: 'Open the jobs', to: '/jobs', needs: 'job.read' };
const PINS: LinkOfProblem = { text: 'Open Certificates', to: '/certificates', needs: 'device.read' };

export const LINKS: Readonly<Record<string, LinkOfProblem>> = {
  forbidden: EXPLAIN,
  rights_not_held: EXPLAIN,
  starter_may_not: EXPLAIN,
  author_may_not: EXPLAIN,
  locked: { text: 'Open the lock', to: '/access?tab=locks', needs: 'lock.read' },
  approval_required: { text: 'Open the approval', to: '/access?tab=approvals', needs: 'approval.read' },
  approval_own: { text: 'Open the approvals', to: '/access?tab=approvals', needs: 'approval.read' },
  role_in_use: ROLES,
  last_administrator: ROLES,
  step_up_required: ACCOUNT,
  totp_not_found: ACCOUNT,
  unauthenticated: { text: 'Sign in', to: '/sign-in' },
  session_required: { text: 'Sign in', to: '/sign-in' },
  idempotency_key_running: FIRST_REQUEST,
  idempotency_outcome_unknown: FIRST_REQUEST,
  device_in_use: JOBS,
  device_has_no_credentials: {
    text: 'Show the devices without a login',
    to: '/devices?selector=credentials%3Anone',
    needs: 'device.read',
  },
  device_trust_changed: PINS,
  backup_unreadable: { text: 'Open Backups', to: '/backups', needs: 'backup.read' },
  too_many_sealed_values: JOBS,
  artifact_in_use: FILES,
  artifact_quota_exceeded: FILES,
  mail_not_set_up: STATUS,
  internal_error: STATUS,
  disk_full: STATUS,
  database_unavailable: STATUS,
};

/** The address of each screen that a list of the gateway is on, by its title. */
export const SCREEN_PATHS: Readonly<Record<string, string>> = {
  Access: '/access',
  Audit: '/audit',
  Backups: '/backups',
  'Bulk query': '/fan-outs',
  Configuration: '/configuration',
  Devices: '/devices',
  'Firmware and files': '/artifacts',
  Jobs: '/jobs',
  Monitoring: '/monitoring',
  Rollouts: '/rollouts',
  Schedules: '/schedules',
  System: '/system',
  Templates: '/templates',
};
