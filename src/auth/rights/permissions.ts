import { type PermissionName } from '../../platform/http/endpoint.js';

/*
 * The table of permissions and of the built-in roles that hold them. Rights, the guard, the tests and the documents
 * read the same rows. Custom roles are rows (`roles.service.ts`); `rights.ts` defines their meaning. Pure.
 */

/** The built-in roles: the same in every installation, and unchangeable. */
export const ROLES = ['viewer', 'operator', 'deployer', 'security', 'auditor', 'administrator'] as const;
export type Role = (typeof ROLES)[number];

/** Whether a role is a built-in one. */
export const isBuiltIn = (name: string): name is Role => (ROLES as readonly string[]).includes(name);

export interface PermissionInfo {
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
  'self.read': { about: 'self', roles: ALL_ROLES },
  'self.change': { about: 'self', roles: ALL_ROLES },
  'device.read': { about: 'device', roles: ALL_ROLES },
  'device.call_read': { about: 'device', roles: ['viewer', 'operator', 'deployer', 'security'], call: 'read' },
  'device.call_write': { about: 'device', roles: ['operator'], call: 'write' },
  'device.read_secrets': { about: 'device', roles: ['operator', 'security'], call: 'read' },
  'device.manage': { about: 'device', roles: ['operator'] },
  'device.trust': { about: 'device', roles: ['operator', 'security'] },
  'job.read': { about: 'device', roles: ALL_ROLES },
  'job.start': { about: 'device', roles: WORKERS },
  'job.start_sensitive': { about: 'device', roles: ['operator'] },
  'job.cancel': { about: 'device', roles: WORKERS },
  'artifact.read': { about: 'device', roles: WORKERS },
  'artifact.manage': { about: 'gateway', roles: WORKERS },
  'backup.read': { about: 'gateway', roles: ALL_ROLES },
  'backup.manage': { about: 'gateway', roles: WORKERS },
  'rollout.read': { about: 'gateway', roles: ALL_ROLES },
  'rollout.manage': { about: 'gateway', roles: WORKERS },
  'rollout.approve': { about: 'gateway', roles: ['deployer', 'security'] },
  'sealed_value.give': { about: 'gateway', roles: ['operator', 'deployer', 'security'] },
  'sealed_value.open': { about: 'gateway', roles: ['security'] },
  'webhook.manage': { about: 'gateway', roles: ['operator', 'deployer'] },
  'selector.manage': { about: 'gateway', roles: ['operator'] },
  'approval.read': { about: 'gateway', roles: ['operator', 'deployer', 'security', 'auditor'] },
  'approval.decide': { about: 'gateway', roles: ['security'] },
  'audit.read': { about: 'device', roles: ['operator', 'security', 'auditor'] },
  'audit.verify': { about: 'gateway', roles: ['operator', 'security', 'auditor'] },
  'audit.export': { about: 'gateway', roles: ['security', 'auditor'] },
  'lock.read': { about: 'gateway', roles: ['operator', 'deployer', 'security', 'auditor'] },
  'lock.manage': { about: 'gateway', roles: ['security'] },
  'rights.explain': { about: 'gateway', roles: ['security', 'auditor'] },
  'role.read': { about: 'gateway', roles: ['security', 'auditor'] },
  'role.manage': { about: 'gateway', roles: [] },
  'operator.read': { about: 'gateway', roles: ['security', 'auditor'] },
  'operator.manage': { about: 'gateway', roles: [] },
  'key.manage': { about: 'gateway', roles: [] },
  'secrets.read': { about: 'gateway', roles: ['security', 'auditor'] },
  'secrets.rotate': { about: 'gateway', roles: ['security'] },
  'metrics.read': { about: 'gateway', roles: ALL_ROLES },
} as const satisfies Record<PermissionName, PermissionInfo>;

export type Permission = keyof typeof PERMISSIONS;

/** All permissions, in the order of the table. */
export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as Permission[];

export function isPermission(name: string): name is Permission {
  return Object.hasOwn(PERMISSIONS, name);
}

export const infoOf = (permission: Permission): PermissionInfo => PERMISSIONS[permission];

/** Whether a built-in role holds a permission. */
export function holds(role: Role, permission: Permission): boolean {
  return role === 'administrator' || infoOf(permission).roles.includes(role);
}

/** The permissions that a pattern matches: a name, `noun.*`, or `*`. Empty when nothing matches. */
export function permissionsOf(pattern: string): readonly Permission[] {
  if (pattern === '*') return PERMISSION_NAMES;
  if (pattern.endsWith('.*')) return PERMISSION_NAMES.filter((name) => name.startsWith(pattern.slice(0, -1)));
  return isPermission(pattern) ? [pattern] : [];
}
