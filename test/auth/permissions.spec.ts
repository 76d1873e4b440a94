import { describe, expect, it } from '@jest/globals';
import { holds, isPermission, PERMISSIONS, ROLES, type Permission } from '../../src/auth/permissions.js';

describe('the table of permissions', () => {
  it.each([
    ['viewer', 'device.read', true],
    ['viewer', 'device.call_read', false],
    ['viewer', 'artifact.read', false],
    ['viewer', 'audit.read', false],
    ['operator', 'device.call_write', true],
    ['operator', 'job.start', true],
    ['operator', 'key.manage', false],
    ['administrator', 'key.manage', true],
  ] as const)('%s and %s: %p', (role, permission, expected) => {
    expect(holds(role, permission)).toBe(expected);
  });

  it('gives each role all that the one before it holds', () => {
    for (const permission of Object.keys(PERMISSIONS) as Permission[]) {
      const held = ROLES.map((role) => holds(role, permission));
      expect(held).toEqual([...held].sort((one, other) => Number(one) - Number(other)));
    }
  });

  it('does not know what Object knows', () => {
    expect(isPermission('constructor')).toBe(false);
    expect(isPermission('device.read')).toBe(true);
  });
});
