/*
 * All actions that entries of the audit have. The type of an entry takes no other one, so the list is complete, and a filter can
 * refuse what no entry will ever have.
 */

const VERBS = {
  alert: ['acknowledge'],
  alert_rule: ['change', 'create', 'remove'],
  api_key: ['address_refuse', 'issue', 'revoke', 'rotate'],
  approval: ['approve', 'ask', 'reject', 'use'],
  artifact: ['add', 'delete', 'read'],
  audit: ['archive', 'clock_set_back', 'export', 'verify'],
  backup_policy: ['change', 'create', 'quarantine', 'remove', 'run'],
  device: [
    'call_read',
    'call_write',
    'change',
    'credentials',
    'move',
    'pin',
    'read_secrets',
    'register',
    'remove',
    'replace',
    'session_reset',
    'trust',
  ],
  discovery: ['accept', 'cancel', 'end', 'start'],
  fan_out: ['cancel', 'start'],
  field: ['define', 'remove'],
  installation: ['restore'],
  job: ['cancel', 'end', 'start'],
  lock: ['lift', 'set'],
  login: ['fail', 'succeed', 'throttle'],
  monitoring_policy: ['change', 'create', 'remove'],
  mute: ['create', 'remove'],
  operator: ['create', 'invite', 'update'],
  password: ['change', 'confirm', 'set'],
  request: ['refuse'],
  role: ['assign', 'remove', 'save'],
  rollout: [
    'abort',
    'approve',
    'create',
    'finish',
    'move',
    'pause',
    'promote',
    'reject',
    'resume',
    'retry',
    'skip',
    'start',
  ],
  schedule: ['change', 'create', 'quarantine', 'remove', 'run'],
  sealed_value: ['give', 'open', 'remove'],
  second_factor: ['begin', 'confirm', 'remove', 'renew_codes', 'show'],
  secret: ['rotate', 'rotation_end', 'unreadable'],
  selector: ['remove', 'save'],
  session: ['logout', 'revoke'],
  template: ['change', 'create', 'ignore', 'ignore_end', 'publish', 'remove', 'resume'],
  watch: ['change', 'create', 'quarantine', 'remove', 'run'],
  webhook: ['change', 'confirm', 'create', 'quarantine', 'remove', 'replay', 'send_code', 'test'],
} as const;

type Noun = keyof typeof VERBS;
export type AuditAction = { [Name in Noun]: `${Name}.${(typeof VERBS)[Name][number]}` }[Noun];

const ACTIONS = new Map(Object.entries(VERBS).map(([noun, verbs]) => [noun, verbs.map((verb) => `${noun}.${verb}`)]));
export const AUDIT_ACTIONS: readonly string[] = [...ACTIONS.values()].flat();

/** Entries that change nothing beyond the log and the session of the caller: sign-ins, refusals, and reads of what is secret. */
export const READING_ACTIONS: readonly AuditAction[] = [
  'artifact.read',
  'audit.export',
  'audit.verify',
  'device.call_read',
  'device.read_secrets',
  'login.fail',
  'login.succeed',
  'login.throttle',
  'password.confirm',
  'request.refuse',
  'sealed_value.open',
  'second_factor.show',
  'session.logout',
];

/** What is wrong with an action to filter by, such as `job.start` or `job.*`, with those that there are; null: nothing. */
export function actionProblem(written: string): string | null {
  const [noun = ''] = written.split('.', 1);
  const own = ACTIONS.get(noun);
  if (!own) return `no such action: before its dot is one of ${[...ACTIONS.keys()].join(', ')}`;
  if (written === `${noun}.*` || own.includes(written)) return null;
  return `no such action: there are ${own.join(', ')}, and ${noun}.* for all of them`;
}
