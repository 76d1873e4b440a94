import { type PermissionName } from '../platform/endpoint.js';

/*
 * Who may do what, as a table. Pure: the guard, the tests and the documents read the same rows.
 * A viewer does not read through to devices: answers of devices can hold keys and passwords in clear.
 */

export const ROLES = ['viewer', 'operator', 'administrator'] as const;
export type Role = (typeof ROLES)[number];

/** Permission -> the least role that holds it; each role holds all that the ones before it hold. */
export const PERMISSIONS = {
  'self.read': 'viewer',
  'device.read': 'viewer',
  'job.read': 'viewer',
  'device.call_read': 'operator',
  'device.call_write': 'operator',
  'device.manage': 'operator',
  'job.start': 'operator',
  'job.cancel': 'operator',
  'artifact.read': 'operator',
  'audit.read': 'operator',
  'metrics.read': 'viewer',
  'operator.manage': 'administrator',
  'key.manage': 'administrator',
} as const satisfies Record<PermissionName, Role>;

export type Permission = keyof typeof PERMISSIONS;

export function isPermission(name: string): name is Permission {
  return Object.hasOwn(PERMISSIONS, name);
}

/** Whether a role holds a permission. */
export function holds(role: Role, permission: Permission): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(PERMISSIONS[permission]);
}
