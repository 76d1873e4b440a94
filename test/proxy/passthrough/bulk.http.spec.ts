import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProxyWorld, type ProxyWorld } from '../proxy-world.js';
import { until } from '../../support/until.js';

/* A bulk request is judged, audited and answered item by item. */

let proxy: ProxyWorld;

beforeAll(async () => {
  proxy = await startProxyWorld({ devices: 1, profile: 'rutos' });
});
afterAll(async () => {
  await proxy.close();
});

const read = { endpoint: '/api/system/device/status', method: 'GET' };
const create = (username: string) => ({
  endpoint: '/api/users/config',
  method: 'POST',
  data: { username, password: 'Abcdefg1!', group: 'user' },
});
const send = (data: unknown) => proxy.ask(0, 'POST', '/api/bulk', { body: JSON.stringify({ data }) });

describe('a bulk request', () => {
  it('of reads alone is not audited, and its answers come back in order', async () => {
    const answer = await send([read, { endpoint: '/api/no_such/config', method: 'GET' }, read]);

    expect(answer.status).toBe(207);
    expect((answer.json['data'] as { success: boolean }[]).map(({ success }) => success)).toEqual([true, false, true]);
    expect(await proxy.audit(0)).toEqual([]);
  });

  it('has one audit entry for each item that writes, each with its own outcome', async () => {
    const answer = await send([
      create('eve'),
      read,
      { endpoint: '/users/config/no-such-user?x=1', method: 'DELETE' },
      { ...create('mal'), endpoint: '/api/v1/users/config' },
    ]);

    expect(answer.status).toBe(207);
    await until(async () => (await proxy.audit(0)).every(({ outcome }) => outcome !== null));
    const lines = (await proxy.audit(0)).sort((a, b) => Number(a.facts['bulkItem']) - Number(b.facts['bulkItem']));
    expect(lines).toMatchObject([
      { subject: 'POST /api/users/config', outcome: 'succeeded', facts: { bulkItem: 0 } },
      { subject: 'DELETE /api/users/config/no-such-user', outcome: 'refused', facts: { bulkItem: 2 } },
      { subject: 'POST /api/users/config', outcome: 'succeeded', facts: { bulkItem: 3 } },
    ]);
    expect(JSON.stringify(lines)).not.toContain('Abcdefg1!');
  });

  it.each([
    ['a login', [read, { endpoint: '/api/login', method: 'POST', data: { username: 'admin', password: 'x' } }]],
    ['a login by another spelling', [{ endpoint: '/v1/LOGIN/', method: 'POST', data: {} }]],
    ['a logout', [{ endpoint: '/logout', method: 'POST', data: {} }]],
    ['another bulk request', [{ endpoint: '/api/bulk', method: 'POST', data: [read] }]],
    ['a path with dots', [{ endpoint: '/api/users/../login', method: 'POST', data: {} }]],
    ['an encoded slash', [{ endpoint: '/api/users%2fconfig', method: 'GET' }]],
    ['another host', [{ endpoint: 'https://evil.example/api/x', method: 'GET' }]],
  ])('is refused as a whole when it holds %s', async (_what, items) => {
    const before = proxy.fleet.ledger.summary(0).requests;

    const answer = await send(items);

    expect(answer.json).toMatchObject({ status: 400, code: 'path_refused', item: items.length - 1 });
    expect(proxy.fleet.ledger.summary(0).requests).toBe(before);
  });

  it.each([
    ['no JSON', '{"data":', 'invalid_json'],
    ['no list', '{"data":{}}', 'invalid_input'],
    ['an unknown verb', '{"data":[{"endpoint":"/api/x/config","method":"PATCH"}]}', 'invalid_input'],
    ['nothing', '', 'invalid_json'],
    [
      'bytes that are not UTF-8',
      Buffer.from('{"data":[{"endpoint":"/api/users/config","method":"POST","data":{"username":"k\xe9y"}}]}', 'latin1'),
      'invalid_json',
    ],
  ])('of %s is refused', async (_what, body, code) => {
    expect((await proxy.ask(0, 'POST', '/api/bulk', { body })).json).toMatchObject({ status: 400, code });
  });

  it('means to the device what it meant to the gateway, also when a name stands in it twice', async () => {
    const body = `{"data":[{"endpoint":"/api/login","method":"POST","endpoint":"/api/system/device/status","method":"GET"}]}`;

    const answer = await proxy.ask(0, 'POST', '/api/bulk', { body });

    expect(answer.json).toMatchObject({ data: [{ success: true, data: { mnfinfo: {} } }] });
    expect(proxy.fleet.ledger.summary(0)).toMatchObject({ logins: 1, failedLogins: 0 });
  });
});
