/* The permissions of the gateway in words, as docs/reference/rights.md has them. A test compares them with the gateway. */

/** Each with what its holder may do: "to …". */
export const PERMISSIONS = {
  'self.read': 'see the own account, keys and sessions',
  'self.change': 'change the own password, second factor and keys',
  'device.read': 'see devices of the registry, their state and history',
  'device.call_read': 'call devices to read',
  'device.call_write': 'call devices to write',
  'device.read_secrets': 'see answers of devices with their secrets, and download backups',
  'device.manage': 'register, change, tag and remove devices',
  'device.trust': 'change credentials and trust of devices',
  'discovery.read': 'see what searches of networks found',
  'discovery.manage': 'search networks for devices, and register the ones that were found',
  'job.read': 'see jobs',
  'job.start': 'start jobs',
  'job.start_sensitive': 'start jobs about passwords, users and restores',
  'job.cancel': 'cancel jobs',
  'artifact.read': 'see and download artifacts',
  'artifact.manage': 'store and remove artifacts',
  'backup.read': 'see policies of backups',
  'backup.manage': 'set and remove policies of backups',
  'monitoring.read': 'see policies of monitoring and rules of alerts',
  'monitoring.manage': 'set and remove policies of monitoring and rules of alerts',
  'alert.acknowledge': 'acknowledge alerts',
  'rollout.read': 'see rollouts and schedules',
  'rollout.manage': 'plan, start, pause and abort rollouts',
  'rollout.approve': 'approve rollouts of others',
  'sealed_value.give': 'store values for jobs to use',
  'sealed_value.open': 'open sealed values',
  'webhook.manage': 'see, set and remove webhooks, and send deliveries again',
  'field.manage': 'define custom fields of devices, and remove them',
  'selector.manage': 'save and remove selectors',
  'approval.read': 'see approvals',
  'approval.decide': 'approve and reject requests of others',
  'audit.read': 'read the audit',
  'audit.verify': 'check the audit',
  'audit.export': 'export the audit',
  'lock.read': 'see locks',
  'lock.manage': 'lock and unlock',
  'rights.explain': 'see which rules apply to others',
  'role.read': 'see roles',
  'role.manage': 'save roles, and give them to operators',
  'operator.read': 'see operators',
  'operator.manage': 'add, change and disable operators',
  'key.manage': 'see, issue and end keys of others',
  'secrets.read': 'see the progress of key rotations',
  'secrets.rotate': 'rotate root and data keys',
  'system.read': 'see the state of the installation',
  'metrics.read': 'read the metrics',
} as const;

type Nouns = readonly (readonly [noun: string, permissions: readonly (readonly [name: string, to: string])[]])[];

/** The permissions by their nouns, without those about the own account. */
export const PERMISSION_NOUNS: Nouns = [...new Set(Object.keys(PERMISSIONS).map(nounOf))]
  .filter((noun) => noun !== 'self')
  .map((noun) => [noun, Object.entries(PERMISSIONS).filter(([name]) => nounOf(name) === noun)]);

function nounOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

/** Pairs for a choice of one permission. */
export const PERMISSION_OPTIONS = PERMISSION_NOUNS.flatMap(([, permissions]) =>
  permissions.map(([name, to]) => [name, `${name}: ${to}`] as const),
);
