import { describe, expect, it } from 'vitest';
import {
  holds,
  infoOf,
  isPermission,
  PERMISSION_NAMES,
  permissionsOf,
  ROLES,
  type Permission,
} from '../../src/auth/rights/permissions.js';

describe('the table of permissions', () => {
  it('gives the administrator everything, and everybody what is about themselves', () => {
    for (const permission of PERMISSION_NAMES) {
      expect([permission, holds('administrator', permission)]).toEqual([permission, true]);
      const isOwn = infoOf(permission).about === 'self';
      if (isOwn) expect(ROLES.filter((role) => holds(role, permission))).toEqual([...ROLES]);
    }
  });

  it('lets nobody but the administrator give rights and keys', () => {
    const giving: Permission[] = ['role.manage', 'operator.manage', 'key.manage'];
    for (const permission of giving) {
      expect(ROLES.filter((role) => holds(role, permission))).toEqual(['administrator']);
    }
  });

  it('asks for a path where it is about calls, and only there', () => {
    const calls = PERMISSION_NAMES.filter((permission) => infoOf(permission).call);
    const devices = ['device.call_read', 'device.call_write', 'device.read_secrets'];
    const templates = ['template.read', 'template.edit', 'template.publish'];
    expect(calls).toEqual([...devices, 'observed.read', ...templates]);
  });

  it('does not know what Object knows', () => {
    expect(isPermission('constructor')).toBe(false);
    expect(isPermission('device.read')).toBe(true);
  });

  it('reads patterns: a name, a noun, or everything', () => {
    expect(permissionsOf('*')).toEqual(PERMISSION_NAMES);
    expect(permissionsOf('lock.*')).toEqual(['lock.read', 'lock.manage']);
    expect(permissionsOf('lock.read')).toEqual(['lock.read']);
    expect(permissionsOf('lock')).toEqual([]);
    expect(permissionsOf('loc*')).toEqual([]);
  });
});
