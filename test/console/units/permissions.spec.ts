import { expect, it } from 'vitest';
import {
  isOfRoles,
  PERMISSION_NOUNS,
  permissionsWords,
  permissionWords,
  READ_PERMISSIONS,
} from '../../../console/src/screens/access/permissions.js';
import { extentOf, grantsCount, grantsText, type Rule } from '../../../console/src/screens/access/role-grants.js';
import { PERMISSIONS } from '../../../src/api-client/permission-words.js';
import { infoOf, PERMISSION_NAMES } from '../../../src/auth/rights/permissions.js';

it('names all permissions of the gateway in the words of its table', () => {
  expect(PERMISSIONS).toEqual(Object.fromEntries(PERMISSION_NAMES.map((name) => [name, infoOf(name).to])));
});

it('has in a role and in the own account the same permissions', () => {
  const inRoles = PERMISSION_NOUNS.flatMap(([, permissions]) => permissions.map(([name]) => name));
  expect(PERMISSION_NAMES.filter(isOfRoles).toSorted()).toEqual(inRoles.toSorted());
});

it('knows the permissions to see, which change nothing and open no secret of a device', () => {
  const others = PERMISSION_NAMES.filter((name) => !READ_PERMISSIONS.includes(name));
  expect(others.filter((name) => name.includes('read'))).toEqual(['device.read_secrets']);
  expect(READ_PERMISSIONS.filter((name) => infoOf(name as (typeof PERMISSION_NAMES)[number]).call === 'write')).toEqual(
    [],
  );
});

it('says the patterns of rules in words', () => {
  expect(['*', 'sealed_value.*', 'job.start', 'not.known'].map(permissionWords)).toEqual([
    'everything', 'all about sealed values', 'start jobs', 'not.known',
  ]); // prettier-ignore
});

it('says the permissions of a rule by the first ones, and how many there are more', () => {
  expect([[], ['*'], ['job.start', 'job.read'], ['job.*', 'job.start', 'job.read', 'device.read', 'device.change']].map(permissionsWords)).toEqual([
    'No permission yet', 'Everything', 'Start jobs, see jobs', 'All about jobs, start jobs, see jobs and 2 more',
  ]); // prettier-ignore
});

it.each([
  ['an allowance of all', 'all', [{}]],
  ['an allowance of the noun', 'all', [{ permissions: ['job.*'] }]],
  ['an allowance on some devices', 'some', [{ selector: 'tag:lt' }]],
  ['a denial at some paths', 'some', [{}, { effect: 'deny', devices: { api: { '/firmware/*': ['write'] } } }]],
  ['a denial of all', 'none', [{}, { effect: 'deny', permissions: ['*'] }]],
  ['another permission', 'none', [{ permissions: ['job.read', 'jo.*'] }]],
])('reads of a role with %s that it allows %s', (_what, extent, rules) => {
  const allow = { effect: 'allow', permissions: ['job.start'], selector: null, devices: null } as const;
  const all = rules.map((rule) => ({ ...allow, ...rule }) as Rule);
  expect(extentOf(all, 'job.start')).toBe(extent);
});

it('counts what rules allow, and what of it holds for a part of the devices', () => {
  const allow = (permissions: string[], selector: string | null = null): Rule => ({
    effect: 'allow',
    permissions,
    selector,
    devices: null,
  });
  const all = ['job.start', 'job.read', 'device.read'];
  expect(grantsCount([allow(['job.*'], 'tag:a')], all)).toBe('2 of 3 permissions');
  expect(grantsText([], all)).toBe('Allows 0 of 3 permissions.');
  expect(grantsText([allow(['job.*'])], all)).toBe('Allows 2 of 3 permissions.');
  expect(grantsText([allow(['job.*'], 'tag:a')], all)).toBe(
    'Allows 2 of 3 permissions, on some devices or paths only.',
  );
  expect(grantsText([allow(['job.read']), allow(['device.read'], 'tag:a')], all)).toBe(
    'Allows 2 of 3 permissions, 1 of them on some devices or paths only.',
  );
});
