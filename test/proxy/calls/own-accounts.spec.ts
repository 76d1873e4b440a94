import { describe, expect, it } from 'vitest';
import { areTouched, touchedAccounts } from '../../../src/proxy/calls/own-accounts.js';
import { bulkCall, checkPath, singleCall } from '../../../src/proxy/connections/call-request.js';

const password = 'Abcdefg1!';
const bytes = (body: unknown) => (body === null ? null : Buffer.from(JSON.stringify(body)));
const touched = (method: string, path: string, body: unknown) => {
  const found = touchedAccounts({ call: singleCall(method, checkPath(path)), body: bytes(body) });
  return found instanceof Set ? [...found] : found;
};

describe('the accounts of the gateway', () => {
  const list = { data: [{ id: 'cfg1', username: 'admin', group: 'root', '.type': 'login' }] };

  it('are compared by name, since ids are those of the device', () => {
    expect(areTouched(['admin'], new Set(['cfg1']), list)).toBe(true);
    expect(areTouched(['reader'], new Set(['cfg1']), list)).toBe(false);
    expect(areTouched(['admin'], new Set(['cfg2']), list)).toBe(false);
    expect(() => areTouched(['admin'], new Set(['cfg1']), { data: 'none' })).toThrow(
      expect.objectContaining({ code: 'device_answer_invalid' }),
    );
  });
});

describe('a write that touches accounts of the device', () => {
  it.each([
    ['the password of one', 'PUT', '/api/users/config/cfg1', { data: { password } }, ['cfg1']],
    ['by another spelling of the path', 'PUT', '/api/v1/Users/CONFIG/cfg%20/?x=1', { data: { password } }, ['cfg ']],
    ['the passwords of several', 'PUT', '/api/users/config', { data: [{ id: '1', password }, { id: '2' }] }, ['1']],
    ['by name, too', 'PUT', '/api/users/config', { data: [{ id: 7, username: 'admin', password }] }, ['7', 'admin']],
    ['one alone in the place of a list', 'PUT', '/api/users/config', { data: { id: '1', password } }, ['1']],
    ['a removal', 'DELETE', '/api/users/config/cfg1', null, ['cfg1']],
    ['the removal of several', 'DELETE', '/api/users/config', { data: ['1', { id: '2' }] }, ['1', '2']],
    ['the first password', 'POST', '/api/system/actions/change_password_firstlogin', { data: { password } }, 'own'],
    ['a removal by an object of ids', 'DELETE', '/api/users/config', { data: { 0: 'cfg1' } }, 'own'],
    ['a removal by a list in a list', 'DELETE', '/api/users/config', { data: [['cfg1']] }, 'own'],
    ['a removal by an id in an object', 'DELETE', '/api/users/config', { data: ['2', { id: { 0: 'cfg1' } }] }, 'own'],
    ['a removal of null', 'DELETE', '/api/users/config', { data: [null] }, 'own'],
    ['a removal by a list alone', 'DELETE', '/api/users/config', ['cfg1'], 'own'],
    ['a removal without data', 'DELETE', '/api/users/config/', { id: 'cfg1' }, 'own'],
    ['a removal by text', 'DELETE', '/api/users/config', 'cfg1', 'own'],
    ['a password without an id', 'PUT', '/api/users/config', { data: [{ id: '2' }, { password }] }, 'own'],
    ['passwords by an object of ids', 'PUT', '/api/users/config', { data: { cfg1: { password } } }, 'own'],
    ['passwords in a list alone', 'PUT', '/api/users/config', [{ id: 'cfg1', password }], 'own'],
    ['groups in a list alone', 'PUT', '/api/users/config', [{ id: 'cfg1', group: 'user' }], null],
    ['the removal of an empty list', 'DELETE', '/api/users/config', { data: [] }, null],
    ['a group', 'PUT', '/api/users/config/cfg1', { data: { group: 'user' } }, null],
    ['a new account', 'POST', '/api/users/config', { data: { username: 'eve', password } }, null],
    ['a group of accounts', 'PUT', '/api/users/groups/config/user', { data: { read: ['password'] } }, null],
    ['a read', 'GET', '/api/users/config', null, null],
    ['another service', 'PUT', '/api/wireless/interfaces/config/1', { data: { password } }, null],
    ['the removal of nothing', 'DELETE', '/api/users/config', null, null],
  ])('names them: %s', (_what, method, path, body, names) => {
    expect(touched(method, path, body)).toEqual(names);
  });

  it('names those of each item of a bulk request', () => {
    const items = [
      { endpoint: '/api/system/device/status', method: 'GET' },
      { endpoint: '/users/config/cfg1', method: 'PUT', data: { password } },
      { endpoint: '/users/config', method: 'DELETE', data: ['2'] },
    ];
    const path = checkPath('/api/bulk');
    expect(touchedAccounts(bulkCall('POST', path, Buffer.from(JSON.stringify({ data: items }))))).toEqual(
      new Set(['cfg1', '2']),
    );
  });

  it('names one whose body cannot be read, and counts as own when it is not known which', () => {
    const body = Buffer.from('{"data":');
    const of = (path: string) => touchedAccounts({ call: singleCall('PUT', checkPath(path)), body });
    expect(of('/api/users/config/cfg1')).toEqual(new Set(['cfg1']));
    expect(of('/api/users/config')).toBe('own');
  });
});
