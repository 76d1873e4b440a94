import { type PermissionName } from '../../platform/http/endpoint.js';

/*
 * What can be permitted, and which built-in role holds it, as a table. Pure: rights, the guard, the tests and the
 * documents read the same rows. Roles of one's own are rows (`roles.service.ts`); what they mean is in `rights.ts`.
 */

/** The built-in roles: they are the same in every installation and cannot be changed. */
export const ROLES = ['viewer', 'operator', 'deployer', 'security', 'auditor', 'administrator'] as const;
export type Role = (typeof ROLES)[number];

/** Whether a role is a built-in one. */
export const isBuiltIn = (name: string): name is Role => (ROLES as readonly string[]).includes(name);

export interface PermissionInfo {
  /**
   * What it is about. `device`: one device at a time, so a selector can narrow it; `gateway`: the gateway as a whole, so
   * whoever is narrowed to some devices does not have it; `self`: one's own things, which everybody has.
   */
  readonly about: 'device' | 'gateway' | 'self';
  /** Beside the administrator, who holds all. */
  readonly roles: readonly Role[];
  /** Whether it is asked with a path of the device's API, and for which action of its access lists. */
  readonly call?: 'read' | 'write';
}

const EVERYBODY: readonly Role[] = ['viewer', 'operator', 'deployer', 'security', 'auditor'];
const WORKERS: readonly Role[] = ['operator', 'deployer'];

const PERMISSIONS = {
  'self.read': { about: 'self', roles: EVERYBODY },
  'self.change': { about: 'self', roles: EVERYBODY },
  'device.read': { about: 'device', roles: EVERYBODY },
  'device.call_read': { about: 'device', roles: ['viewer', 'operator', 'deployer', 'security'], call: 'read' },
  'device.call_write': { about: 'device', roles: ['operator'], call: 'write' },
  'device.read_secrets': { about: 'device', roles: ['operator', 'security'], call: 'read' },
  'device.manage': { about: 'device', roles: ['operator'] },
  'device.trust': { about: 'device', roles: ['operator', 'security'] },
  'job.read': { about: 'device', roles: EVERYBODY },
  'job.start': { about: 'device', roles: WORKERS },
  'job.start_sensitive': { about: 'device', roles: ['operator'] },
  'job.cancel': { about: 'device', roles: WORKERS },
  'artifact.read': { about: 'device', roles: WORKERS },
  'artifact.manage': { about: 'gateway', roles: WORKERS },
  'backup.read': { about: 'gateway', roles: EVERYBODY },
  'backup.manage': { about: 'gateway', roles: WORKERS },
  'rollout.read': { about: 'gateway', roles: EVERYBODY },
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
  'metrics.read': { about: 'gateway', roles: EVERYBODY },
} as const satisfies Record<PermissionName, PermissionInfo>;

export type Permission = keyof typeof PERMISSIONS;

/** All of them, in the order of the table. */
export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as Permission[];

export function isPermission(name: string): name is Permission {
  return Object.hasOwn(PERMISSIONS, name);
}

/** What is said of a permission. */
export const infoOf = (permission: Permission): PermissionInfo => PERMISSIONS[permission];

/** Whether a built-in role holds a permission. */
export function holds(role: Role, permission: Permission): boolean {
  return role === 'administrator' || infoOf(permission).roles.includes(role);
}

/** The permissions that a pattern names: one by its name, `noun.*`, or `*`. None for a pattern that fits nothing. */
export function permissionsOf(pattern: string): readonly Permission[] {
  if (pattern === '*') return PERMISSION_NAMES;
  if (pattern.endsWith('.*')) return PERMISSION_NAMES.filter((name) => name.startsWith(pattern.slice(0, -1)));
  return isPermission(pattern) ? [pattern] : [];
}
