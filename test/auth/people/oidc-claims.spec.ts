import { describe, expect, it } from 'vitest';
import { claimAt, groupsIn, rolesOf, scopeFor, sendsSecretInBody } from '../../../src/auth/people/oidc-claims.js';

/* What providers list, and where they put groups. */

const KEYCLOAK = { realm_access: { roles: ['a', 'b'] }, resource_access: { 'my.client': { roles: ['c'] } } };

describe('the scope of a sign-in', () => {
  it.each([
    ['a provider that lists nothing', undefined, undefined, 'openid profile email'],
    ['a fresh Keycloak', undefined, ['openid', 'email', 'profile', 'roles', 'offline_access'], 'openid profile email'],
    ['Entra', undefined, ['openid', 'profile', 'email', 'offline_access'], 'openid profile email'],
    ['one with groups', undefined, ['groups', 'email', 'openid', 'profile'], 'openid profile email groups'],
    ['one that knows no e-mail', undefined, ['openid', 'groups'], 'openid groups'],
    ['an odd document', undefined, [], 'openid'],
    ['a configured one', 'openid roles', ['openid'], 'openid roles'],
  ])('of %s', (_what, scope, supported, wanted) => expect(scopeFor({ scope }, supported)).toBe(wanted));
});

describe('the client secret', () => {
  it.each([
    [undefined, undefined, false],
    [undefined, ['client_secret_basic', 'client_secret_post'], false],
    [undefined, ['client_secret_post', 'private_key_jwt'], true],
    [undefined, ['private_key_jwt'], false],
    ['client_secret_post', ['client_secret_basic'], true],
    ['client_secret_basic', ['client_secret_post'], false],
  ] as const)('configured as %s, and %j in the document: in the body: %s', (clientAuthentication, supported, isIn) =>
    expect(sendsSecretInBody({ clientAuthentication }, supported)).toBe(isIn),
  );
});

describe('a claim', () => {
  it.each([
    ['groups', { groups: ['a'] }, ['a']],
    ['realm_access.roles', KEYCLOAK, ['a', 'b']],
    ['resource_access.my.client.roles', KEYCLOAK, ['c']],
    ['https://example.com/groups', { 'https://example.com/groups': 'x' }, 'x'],
    ['a.b', { 'a.b': 1, a: { b: 2 } }, 1],
    ['a.b', { a: ['b'] }, undefined],
    ['a.b', { a: null }, undefined],
    ['a.length', { a: 'text' }, undefined],
    ['constructor', {}, undefined],
    ['__proto__.toString', {}, undefined],
    ['.', { '': { '': 1 } }, 1],
    ['a', null, undefined],
    ['a', [{ a: 1 }], undefined],
  ])('%s of %j is %j', (path, claims, value) => expect(claimAt(claims, path)).toEqual(value));
});

describe('the groups of a person', () => {
  it.each([
    ['in the ID token', [{ groups: ['a'] }, { groups: ['b'] }], 'groups', ['a']],
    ['in the user info', [{}, { groups: 'b' }], 'groups', ['b']],
    ['none', [{ groups: [] }], 'groups', []],
    ['of another type', [{ groups: [1, 'a', null, { name: 'b' }] }], 'groups', ['a']],
    ['as a number', [{ groups: 7 }], 'groups', []],
    ['nowhere', [{}, {}], 'nothing', []],
    ['linked', [{ _claim_names: { groups: 'src1' } }, {}], 'link', []],
    ['linked in the user info', [{}, { _claim_names: { groups: 'src1' } }], 'link', []],
    ['linked by a sign', [{ hasgroups: true }], 'link', []],
    ['linked by a text', [{ hasgroups: 'true' }], 'link', []],
    ['linked, and there after all', [{ hasgroups: true }, { groups: ['a'] }], 'groups', ['a']],
    ['with another link', [{ _claim_names: { address: 'src1' } }], 'nothing', []],
    ['with an odd link', [{ _claim_names: 'groups', hasgroups: 1 }], 'nothing', []],
  ])('%s', (_what, sources, found, groups) => expect(groupsIn(sources, 'groups')).toEqual({ found, groups }));

  it('have the roles of all of them, each once', () => {
    const roles = { a: ['viewer', 'auditor'], b: ['viewer'] };
    expect(rolesOf(['b', 'a', 'toString'], { roles })).toEqual(['auditor', 'viewer']);
  });
});
