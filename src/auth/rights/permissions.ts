import { type PermissionName } from '../../http/endpoint.js';

/*
 * The table of permissions and of the built-in roles that hold them. Rights, the guard, the tests and the documents
 * read the same rows. Custom roles are rows (`roles.service.ts`); `rights.ts` defines their meaning. Pure.
 */

export const ROLES = ['viewer', 'operator', 'deployer', 'security', 'auditor', 'administrator'] as const;
export type Role = (typeof ROLES)[number];

export const isBuiltIn = (name: string): name is Role => (ROLES as readonly string[]).includes(name);

export interface PermissionInfo {
  /** What its holder may do: "to …". docs/reference/rights.md shows it. */
  readonly to: string;
  /**
   * The object. `device`: one device at a time, so a selector can narrow it. `gateway`: the gateway itself, so a role
   * narrowed to some devices does not give it. `self`: the caller's own data, which every caller has.
   */
  readonly about: 'device' | 'gateway' | 'self';
  /** The roles besides administrator, which holds all. */
  readonly roles: readonly Role[];
  /** For permissions of calls: the action of the device's access lists. */
  readonly call?: 'read' | 'write';
}

const ALL_ROLES: readonly Role[] = ['viewer', 'operator', 'deployer', 'security', 'auditor'];
const WORKERS: readonly Role[] = ['operator', 'deployer'];

const PERMISSIONS = {
  'self.read': { to: 'see the own account, keys and sessions', about: 'self', roles: ALL_ROLES },
  'self.change': { to: 'change the own password, second factor and keys', about: 'self', roles: ALL_ROLES },
  'device.read': { to: 'see devices of the registry, their state and history', about: 'device', roles: ALL_ROLES },
  'device.call_read': {
    to: 'call devices to read',
    about: 'device',
    roles: ['viewer', 'operator', 'deployer', 'security'],
    call: 'read',
  },
  'device.call_write': { to: 'call devices to write', about: 'device', roles: ['operator'], call: 'write' },
  'device.read_secrets': {
    to: 'see answers of devices with their secrets, and download backups',
    about: 'device',
    roles: ['operator', 'security'],
    call: 'read',
  },
  'device.manage': { to: 'register, change, tag and remove devices', about: 'device', roles: ['operator'] },
  'device.trust': { to: 'change credentials and trust of devices', about: 'device', roles: ['operator', 'security'] },
  'discovery.read': {
    to: 'see what searches of networks found',
    about: 'gateway',
    roles: ['operator', 'security', 'auditor'],
  },
  'discovery.manage': {
    to: 'search networks for devices, and register the ones that were found',
    about: 'gateway',
    roles: ['operator'],
  },
  'job.read': { to: 'see jobs', about: 'device', roles: ALL_ROLES },
  'job.start': { to: 'start jobs', about: 'device', roles: WORKERS },
  'job.start_sensitive': { to: 'start jobs about passwords, users and restores', about: 'device', roles: ['operator'] },
  'job.cancel': { to: 'cancel jobs', about: 'device', roles: WORKERS },
  'artifact.read': { to: 'see and download artifacts', about: 'device', roles: WORKERS },
  'artifact.manage': { to: 'store and remove artifacts', about: 'gateway', roles: WORKERS },
  'backup.read': { to: 'see policies of backups', about: 'gateway', roles: ALL_ROLES },
  'backup.manage': { to: 'set and remove policies of backups', about: 'gateway', roles: WORKERS },
  'monitoring.read': {
    to: 'see policies of monitoring, watches and rules of alerts',
    about: 'gateway',
    roles: ALL_ROLES,
  },
  'monitoring.manage': {
    to: 'set and remove policies of monitoring, watches and rules of alerts',
    about: 'gateway',
    roles: WORKERS,
  },
  'observed.read': {
    to: 'see what watches read of devices, at the paths that they may call',
    about: 'device',
    roles: ['viewer', 'operator', 'deployer', 'security'],
    call: 'read',
  },
  'template.read': {
    to: 'see templates of devices that they see, and plan them',
    about: 'device',
    roles: ['viewer', 'operator', 'deployer', 'security'],
    call: 'read',
  },
  'template.edit': {
    to: 'make, change and remove templates, at the paths that they may set',
    about: 'device',
    roles: ['operator'],
    call: 'write',
  },
  'template.publish': {
    to: 'publish templates and ignore options of them, at the paths that they may set',
    about: 'device',
    roles: ['operator'],
    call: 'write',
  },
  'alert.acknowledge': { to: 'acknowledge alerts', about: 'device', roles: WORKERS },
  'rollout.read': { to: 'see rollouts and schedules', about: 'gateway', roles: ALL_ROLES },
  'rollout.manage': { to: 'plan, start, pause and abort rollouts', about: 'gateway', roles: WORKERS },
  'rollout.approve': { to: 'approve rollouts of others', about: 'gateway', roles: ['deployer', 'security'] },
  'sealed_value.give': {
    to: 'store values for jobs to use',
    about: 'gateway',
    roles: ['operator', 'deployer', 'security'],
  },
  'sealed_value.open': { to: 'open sealed values', about: 'gateway', roles: ['security'] },
  'webhook.manage': {
    to: 'see, set and remove webhooks, and send deliveries again',
    about: 'gateway',
    roles: ['operator', 'deployer'],
  },
  'field.manage': { to: 'define custom fields of devices, and remove them', about: 'gateway', roles: [] },
  'selector.manage': { to: 'save and remove selectors', about: 'gateway', roles: ['operator'] },
  'approval.read': { to: 'see approvals', about: 'gateway', roles: ['operator', 'deployer', 'security', 'auditor'] },
  'approval.decide': { to: 'approve and reject requests of others', about: 'gateway', roles: ['security'] },
  'audit.read': { to: 'read the audit', about: 'device', roles: ['operator', 'security', 'auditor'] },
  'audit.verify': { to: 'check the audit', about: 'gateway', roles: ['operator', 'security', 'auditor'] },
  'audit.export': { to: 'export the audit', about: 'gateway', roles: ['security', 'auditor'] },
  'lock.read': { to: 'see locks', about: 'gateway', roles: ['operator', 'deployer', 'security', 'auditor'] },
  'lock.manage': { to: 'lock and unlock', about: 'gateway', roles: ['security'] },
  'rights.explain': { to: 'see which rules apply to others', about: 'gateway', roles: ['security', 'auditor'] },
  'role.read': { to: 'see roles', about: 'gateway', roles: ['security', 'auditor'] },
  'role.manage': { to: 'save roles, and give them to operators', about: 'gateway', roles: [] },
  'operator.read': { to: 'see operators', about: 'gateway', roles: ['security', 'auditor'] },
  'operator.manage': { to: 'add, change and disable operators', about: 'gateway', roles: [] },
  'key.manage': { to: 'see, issue and end keys of others', about: 'gateway', roles: [] },
  'secrets.read': { to: 'see the progress of key rotations', about: 'gateway', roles: ['security', 'auditor'] },
  'secrets.rotate': { to: 'rotate root and data keys', about: 'gateway', roles: ['security'] },
  'system.read': {
    to: 'see the state of the installation',
    about: 'gateway',
    roles: ['operator', 'deployer', 'security', 'auditor'],
  },
  'metrics.read': { to: 'read the metrics', about: 'gateway', roles: ALL_ROLES },
} as const satisfies Record<PermissionName, PermissionInfo>;

export type Permission = keyof typeof PERMISSIONS;

export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as Permission[];

export function isPermission(name: string): name is Permission {
  return Object.hasOwn(PERMISSIONS, name);
}

export const infoOf = (permission: Permission): PermissionInfo => PERMISSIONS[permission];

export function holds(role: Role, permission: Permission): boolean {
  return role === 'administrator' || infoOf(permission).roles.includes(role);
}

/** The permissions that a pattern matches: a name, `noun.*`, or `*`. Empty when nothing matches. */
export function permissionsOf(pattern: string): readonly Permission[] {
  if (pattern === '*') return PERMISSION_NAMES;
  if (pattern.endsWith('.*')) return PERMISSION_NAMES.filter((name) => name.startsWith(pattern.slice(0, -1)));
  return isPermission(pattern) ? [pattern] : [];
}
