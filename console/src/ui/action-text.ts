/* Actions of the audit and of approvals in words. */

const WORDS: Readonly<Record<string, string>> = {
  'device.call_read': 'Read from a device',
  'device.call_write': 'Write to a device',
  'device.change': 'Changed a device',
  'device.credentials': 'Set the credentials of a device',
  'device.pin': 'Accepted a certificate',
  'login.succeed': 'Signed in',
  'login.fail': 'Sign-in failed',
  'job.start': 'Started a job',
  'job.end': 'Ended a job',
  'job.cancel': 'Cancelled a job',
  'fan_out.start': 'Called many devices',
  'lock.set': 'Set a lock',
  'lock.lift': 'Lifted a lock',
  'artifact.add': 'Added a file',
  'audit.verify': 'Verified the audit',
  'audit.export': 'Exported the audit',
  'rollout.create': 'Planned a rollout',
  'rollout.start': 'Started a rollout',
  'rollout.finish': 'Finished a rollout',
};

/** An action in words; one that is not known here is shown as `Api key: rotate`. */
export function actionText(action: string): string {
  const [noun = '', verb] = action.split('.');
  const plain = noun.replaceAll('_', ' ');
  const text = verb === undefined ? plain : `${plain}: ${verb.replaceAll('_', ' ')}`;
  return WORDS[action] ?? text.charAt(0).toUpperCase() + text.slice(1);
}
