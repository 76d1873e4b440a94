/* Actions of the audit and of approvals in words. */

const WORDS: Readonly<Record<string, string>> = {
  'alert.acknowledge': 'Acknowledged an alert',
  'alert_rule.change': 'Changed an alert rule',
  'alert_rule.create': 'Created an alert rule',
  'alert_rule.remove': 'Removed an alert rule',
  'api_key.address_refuse': 'Refused an API key at another address',
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
  'audit.archive': 'Archived a part of the audit',
  'audit.clock_set_back': 'Noticed that the clock was set back',
  'audit.export': 'Exported the audit',
  'audit.verify': 'Verified the audit',
  'backup_policy.change': 'Changed a backup policy',
  'backup_policy.create': 'Created a backup policy',
  'backup_policy.quarantine': 'Quarantined a backup policy',
  'backup_policy.remove': 'Removed a backup policy',
  'backup_policy.run': 'Ran a backup policy',
  'device.call_read': 'Read from a device',
  'device.call_write': 'Wrote to a device',
  'device.change': 'Changed a device',
  'device.credentials': 'Set the credentials of a device',
  'device.move': 'Moved a device to another address',
  'device.pin': 'Accepted a certificate',
  'device.read_secrets': 'Read secrets of a device',
  'device.register': 'Registered a device',
  'device.remove': 'Removed a device',
  'device.replace': 'Replaced the hardware of a device',
  'device.session_reset': 'Reset the session of a device',
  'device.trust': 'Changed the trust of a device',
  'discovery.accept': 'Registered devices of a search',
  'discovery.cancel': 'Cancelled a search of networks',
  'discovery.end': 'Ended a search of networks',
  'discovery.start': 'Started a search of networks',
  'fan_out.cancel': 'Cancelled a bulk query',
  'fan_out.start': 'Called many devices',
  'field.define': 'Defined a field',
  'field.remove': 'Removed a field',
  'installation.restore': 'Restored the installation',
  'job.cancel': 'Cancelled a job',
  'job.end': 'Ended a job',
  'job.start': 'Started a job',
  'lock.lift': 'Lifted a lock',
  'lock.set': 'Set a lock',
  'login.fail': 'Failed to sign in',
  'login.succeed': 'Signed in',
  'login.throttle': 'Tried to sign in too often',
  'monitoring_policy.change': 'Changed a collection of metrics',
  'monitoring_policy.create': 'Created a collection of metrics',
  'monitoring_policy.remove': 'Removed a collection of metrics',
  'mute.create': 'Muted devices',
  'mute.remove': 'Ended a mute',
  'operator.create': 'Added a person',
  'operator.invite': 'Invited a person',
  'operator.update': 'Changed a person',
  'password.change': 'Changed their password',
  'password.confirm': 'Confirmed their password',
  'password.set': 'Set their first password',
  'request.refuse': 'Was refused',
  'role.assign': 'Gave roles to a person',
  'role.remove': 'Removed a role',
  'role.save': 'Saved a role',
  'rollout.abort': 'Aborted a rollout',
  'rollout.approve': 'Approved a rollout',
  'rollout.create': 'Planned a rollout',
  'rollout.finish': 'Finished a rollout',
  'rollout.move': 'Moved a device between rollouts',
  'rollout.pause': 'Paused a rollout',
  'rollout.promote': 'Promoted a wave',
  'rollout.reject': 'Rejected a rollout',
  'rollout.resume': 'Resumed a rollout',
  'rollout.retry': 'Retried devices of a rollout',
  'rollout.skip': 'Skipped devices of a rollout',
  'rollout.start': 'Started a rollout',
  'schedule.change': 'Changed a schedule',
  'schedule.create': 'Created a schedule',
  'schedule.quarantine': 'Quarantined a schedule',
  'schedule.remove': 'Removed a schedule',
  'schedule.run': 'Ran a schedule',
  'sealed_value.give': 'Stored a sealed value',
  'sealed_value.open': 'Opened a sealed value',
  'sealed_value.remove': 'Removed a sealed value',
  'second_factor.begin': 'Began a second factor',
  'second_factor.confirm': 'Set up a second factor',
  'second_factor.remove': 'Removed a second factor',
  'second_factor.renew_codes': 'Renewed their recovery codes',
  'second_factor.show': 'Read the secret of a second factor',
  'secret.rotate': 'Started a rotation of keys',
  'secret.rotation_end': 'Ended a rotation of keys',
  'secret.unreadable': 'Found a secret that cannot be read',
  'selector.remove': 'Removed a saved selector',
  'selector.save': 'Saved a selector',
  'session.logout': 'Signed out',
  'session.revoke': 'Ended a session',
  'template.change': 'Changed the draft of a template',
  'template.create': 'Created a template',
  'template.ignore': 'Ignored an option of a template',
  'template.ignore_end': 'Ended an ignored option',
  'template.publish': 'Published a template',
  'template.remove': 'Removed a template',
  'template.resume': 'Resumed a template',
  'watch.change': 'Changed a watch',
  'watch.create': 'Created a watch',
  'watch.quarantine': 'Quarantined a watch',
  'watch.remove': 'Removed a watch',
  'watch.run': 'Ran a watch',
  'webhook.change': 'Changed a webhook',
  'webhook.confirm': 'Confirmed the address of a webhook',
  'webhook.create': 'Created a webhook',
  'webhook.quarantine': 'Quarantined a webhook',
  'webhook.remove': 'Removed a webhook',
  'webhook.replay': 'Sent events of a webhook again',
  'webhook.send_code': 'Sent a code to a webhook',
  'webhook.test': 'Tested a webhook',
};

/** The names of actions that have words, for completion. */
export const KNOWN_ACTIONS = Object.keys(WORDS);

/** The first words of these texts, as what a person will do or tried to do. The others lose `d`, as in `Paused`. */
const VERBS: Readonly<Record<string, string>> = {
  Aborted: 'abort',
  Accepted: 'accept',
  Added: 'add',
  Asked: 'ask',
  Began: 'begin',
  Called: 'call',
  Cancelled: 'cancel',
  Confirmed: 'confirm',
  Downloaded: 'download',
  Ended: 'end',
  Exported: 'export',
  Finished: 'finish',
  Found: 'find',
  Gave: 'give',
  Lifted: 'lift',
  Opened: 'open',
  Planned: 'plan',
  Published: 'publish',
  Ran: 'run',
  Read: 'read',
  Registered: 'register',
  Rejected: 'reject',
  Renewed: 'renew',
  Reset: 'reset',
  Retried: 'retry',
  Sent: 'send',
  Set: 'set',
  Signed: 'sign',
  Skipped: 'skip',
  Started: 'start',
  Tested: 'test',
  Tried: 'try',
  Verified: 'verify',
  Wrote: 'write',
};

/** Entries about how something ended: they are past with each outcome. */
const ENDS: ReadonlySet<string> = new Set([
  'job.end',
  'login.fail',
  'login.throttle',
  'request.refuse',
  'rollout.finish',
]);

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
