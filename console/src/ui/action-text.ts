/* Actions of the audit and of approvals in words. */

const WORDS: Readonly<Record<string, string>> = {
  'api_key.issue': 'Issued an API key',
  'api_key.revoke': 'Revoked an API key',
  'api_key.rotate': 'Replaced an API key',
  'approval.approve': 'Approved a request',
  'approval.ask': 'Asked for approval',
  'approval.reject': 'Rejected a request',
  'approval.use': 'Used an approval',
  'artifact.add': 'Added a file',
  'artifact.delete': 'Removed a file',
  'artifact.read': 'Downloaded a file',
  'audit.export': 'Exported the audit',
  'audit.verify': 'Verified the audit',
  'device.call_read': 'Read from a device',
  'device.call_write': 'Wrote to a device',
  'device.change': 'Changed a device',
  'device.credentials': 'Set the credentials of a device',
  'device.pin': 'Accepted a certificate',
  'device.register': 'Registered a device',
  'device.remove': 'Removed a device',
  'device.replace': 'Replaced the hardware of a device',
  'device.session_reset': 'Reset the session of a device',
  'device.trust': 'Changed the trust of a device',
  'fan_out.cancel': 'Cancelled a bulk query',
  'fan_out.start': 'Called many devices',
  'job.cancel': 'Cancelled a job',
  'job.end': 'Ended a job',
  'job.start': 'Started a job',
  'lock.lift': 'Lifted a lock',
  'lock.set': 'Set a lock',
  'login.fail': 'Failed to sign in',
  'login.succeed': 'Signed in',
  'operator.create': 'Added a person',
  'operator.invite': 'Invited a person',
  'operator.update': 'Changed a person',
  'password.change': 'Changed their password',
  'password.set': 'Set their first password',
  'request.refuse': 'Was refused',
  'role.assign': 'Gave roles to a person',
  'role.remove': 'Removed a role',
  'role.save': 'Saved a role',
  'rollout.abort': 'Aborted a rollout',
  'rollout.approve': 'Approved a rollout',
  'rollout.create': 'Planned a rollout',
  'rollout.finish': 'Finished a rollout',
  'rollout.pause': 'Paused a rollout',
  'rollout.promote': 'Promoted a wave',
  'rollout.reject': 'Rejected a rollout',
  'rollout.resume': 'Resumed a rollout',
  'rollout.start': 'Started a rollout',
  'second_factor.confirm': 'Set up a second factor',
  'second_factor.remove': 'Removed a second factor',
  'session.logout': 'Signed out',
  'session.revoke': 'Ended a session',
};

/** The names of actions that have words, for completion. */
export const KNOWN_ACTIONS = Object.keys(WORDS);

/** The first words of these texts, as what a person will do or tried to do. The others lose `d`, as in `Paused`. */
const VERBS: Readonly<Record<string, string>> = {
  Accepted: 'accept',
  Added: 'add',
  Asked: 'ask',
  Called: 'call',
  Cancelled: 'cancel',
  Downloaded: 'download',
  Ended: 'end',
  Exported: 'export',
  Finished: 'finish',
  Gave: 'give',
  Lifted: 'lift',
  Planned: 'plan',
  Read: 'read',
  Registered: 'register',
  Rejected: 'reject',
  Reset: 'reset',
  Set: 'set',
  Signed: 'sign',
  Aborted: 'abort',
  Started: 'start',
  Verified: 'verify',
  Wrote: 'write',
};

/** Entries about how something ended: they are past with each outcome. */
const ENDS: ReadonlySet<string> = new Set(['job.end', 'login.fail', 'request.refuse', 'rollout.finish']);

/** An action in words; one that is not known here is shown as `Api key: rotate`. */
export function actionText(action: string): string {
  const [noun = '', verb] = action.split('.');
  const plain = noun.replaceAll('_', ' ');
  const text = verb === undefined ? plain : `${plain}: ${verb.replaceAll('_', ' ')}`;
  return WORDS[action] ?? text.charAt(0).toUpperCase() + text.slice(1);
}

/** What is asked for and not done yet: `Will write to a device`. */
export const plannedText = (action: string): string => inTense(action, 'Will');

/** An action with what came of it: `Tried to write to a device` where it was refused. @param outcome null: it is under way */
export function triedText(action: string, outcome: string | null): string {
  if (outcome === 'succeeded' || ENDS.has(action)) return actionText(action);
  return inTense(action, outcome === null ? 'Begins to' : 'Tried to');
}

function inTense(action: string, before: string): string {
  const text = WORDS[action];
  if (text === undefined) return actionText(action);
  const [first = '', ...rest] = text.split(' ');
  const verb = VERBS[first] ?? first.toLowerCase().replace(/d$/, '');
  return [before, verb, ...rest].join(' ');
}
