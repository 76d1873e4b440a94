import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Refusals } from '../../../src/audit/entries/refusals.js';
import { rawRequest, startProxyWorld, type AskOptions, type ProxyWorld } from '../proxy-world.js';
import { until } from '../../support/until.js';

/* A client that was written for the device, with the gateway in the place of the device. */

let proxy: ProxyWorld;
const agent = new http.Agent({ keepAlive: true });

beforeAll(async () => {
  proxy = await startProxyWorld({ devices: 1, profile: 'rutos' });
});
afterAll(async () => {
  agent.destroy();
  await proxy.close();
});

const ask = (method: string, path: string, options: AskOptions = {}) =>
  rawRequest(proxy.world, agent, `/d/${proxy.ids[0]}${path}`, method, { role: null, ...options });
const login = (body: object) => ask('POST', '/api/login', { body: JSON.stringify(body) });
const bearer = (token: unknown) => ({ authorization: `Bearer ${String(token)}`, 'content-type': 'application/json' });

describe('a client of the device', () => {
  it.each([
    ['at the top level', (password: string) => ({ username: 'admin', password })],
    ['inside data', (password: string) => ({ data: { username: 'admin', password } })],
  ])('logs in with an API key, credentials %s, and works as on the device', async (_form, body) => {
    const session = await login(body(proxy.world.keys.operator));
    expect(session).toMatchObject({
      status: 200,
      json: { success: true, data: { username: 'admin', group: 'admin', token: expect.any(String), expires: 299 } },
    });
    const headers = bearer((session.json['data'] as { token: string }).token);

    const status = await ask('GET', '/api/system/device/status', { headers });
    const created = await ask('POST', '/api/users/config', {
      headers,
      body: JSON.stringify({ data: { username: `u${String(body).length}`, password: 'Abcdefg1!', group: 'user' } }),
    });
    const { id } = created.json['data'] as { id: string };
    const removed = await ask('DELETE', `/api/users/config/${id}`, { headers });

    expect([status.status, created.status, removed.status]).toEqual([200, 201, 200]);
    expect(status.json).toMatchObject({ data: { mnfinfo: { serial: proxy.fleet.devices[0]!.serial } } });
    expect((await ask('GET', '/api/session/status', { headers })).json).toEqual({
      success: true,
      data: { active: true },
    });
    expect((await ask('POST', '/api/logout', { headers })).json).toMatchObject({ success: true });
    expect(proxy.fleet.ledger.summary(0).logins).toBe(1);
    await until(async () => (await proxy.audit(0)).every(({ outcome }) => outcome === 'succeeded'));
  });

  it('gets the refusals of the device in the words of the device', async () => {
    const headers = bearer(proxy.world.keys.operator);
    const answer = await ask('GET', '/api/no_such/config', { headers });
    expect(answer).toMatchObject({ status: 404, json: { success: false, errors: [{ code: 122 }] } });
    expect(answer.headers['proxy-status']).toBe('fleetgate; received-status=404');
  });

  it.each([
    ['a wrong key', () => login({ username: 'admin', password: 'Router-00000!' }), 401, 120],
    ['a login without a password', () => login({ username: 'admin' }), 400, 103],
    [
      'a login that is not UTF-8',
      () => ask('POST', '/api/login', { body: Buffer.from('{"username":"\xe9","password":"x"}', 'latin1') }),
      400,
      103,
    ],
    ['no token', () => ask('GET', '/api/system/device/status'), 401, 121],
    ['a made-up token', () => ask('GET', '/api/system/device/status', { headers: bearer('abc') }), 401, 123],
    [
      'the key of a viewer',
      () => ask('POST', '/api/wireguard/config', { headers: bearer(proxy.world.keys.viewer) }),
      403,
      120,
    ],
    ['a path with dots', () => ask('GET', '/api/x/../y', { headers: bearer(proxy.world.keys.operator) }), 400, 122],
  ])('gets a refusal of the gateway in the words of the device, too: %s', async (_what, send, status, code) => {
    const before = proxy.fleet.ledger.summary(0).requests;
    const answer = await send();
    expect(answer).toMatchObject({ status, json: { success: false, errors: [{ code }] } });
    expect(answer.headers['proxy-status']).toContain('fleetgate; error=');
    expect(proxy.fleet.ledger.summary(0).requests).toBe(before);
  });

  it('never reaches the login of the device itself, by no spelling', async () => {
    const headers = bearer(proxy.world.keys.operator);
    for (const path of ['/api/LOGIN', '/api/v1/v1/login?x', '/api/Logout/']) {
      const { json } = await ask('PUT', path, { headers, body: '{}' });
      expect(json).toMatchObject({ success: false, errors: [{ section: 'path_refused' }] });
    }
  });
});

describe('what a device says of itself without a login', () => {
  const asks = async (name: string) => {
    const path = `/d/${name}/api/unauthorized/status`;
    const answer = await rawRequest(proxy.world, agent, path, 'GET', { role: null });
    expect(answer).toMatchObject({ status: 200, json: { success: true } });
    return answer.json['data'] as Record<string, string>;
  };

  it('is answered by the gateway, with the fields of a device and an identifier that stays', async () => {
    const before = proxy.fleet.ledger.summary(0).requests;
    const said = await asks(proxy.ids[0]!);
    expect(said).toEqual({
      lang: 'en',
      device_name: proxy.ids[0],
      device_model: expect.any(String),
      api_version: expect.stringMatching(/^\d+\.\d+/),
      device_identifier: expect.stringMatching(/^\d{24}$/),
    });
    expect(await asks(proxy.ids[0]!)).toEqual(said);
    expect(proxy.fleet.ledger.summary(0).requests).toBe(before);
  });

  it('differs by the name alone, and is the same for names of devices and for others', async () => {
    const { name } = proxy.fleet.devices[0]!;
    const known = await asks(`name:${name}`);
    const unknown = await asks('name:no-such-device');
    expect(unknown).toEqual({
      ...known,
      device_name: 'no-such-device',
      device_identifier: expect.stringMatching(/^\d{24}$/),
    });
    expect(unknown['device_identifier']).not.toBe(known['device_identifier']);
    expect(await asks('name:no-such-device')).toEqual(unknown);
  });
});

describe('a bulk request of a client of the device', () => {
  const read = { endpoint: '/api/system/device/status', method: 'GET' };
  const bulk = (items: readonly unknown[], key = proxy.world.keys.operator) =>
    ask('POST', '/api/bulk', { headers: bearer(key), body: JSON.stringify({ data: items }) });
  const items = ({ json }: { json: Record<string, unknown> }) =>
    (json['data'] as { success: boolean; errors?: { code: number; section: string }[] }[]).map((item) =>
      item.success ? 'done' : `${item.errors![0]!.code} ${item.errors![0]!.section}`,
    );

  it('answers an odd item with an error, and carries out the others', async () => {
    const user = { username: 'bulk', password: 'Abcdefg1!', group: 'user' };
    const answer = await bulk([
      { endpoint: '/api/users//config', method: 'GET' },
      read,
      { endpoint: '/api/users/config' },
      { endpoint: '/api/users/config', method: 'get' },
      { endpoint: '/api/login', method: 'POST', data: { username: 'admin', password: 'x' } },
      { endpoint: '/api/bulk', method: 'POST', data: [read] },
      'no item at all',
      null,
      { endpoint: '/users/config', method: 'POST', data: user },
      { endpoint: '/api/no_such/config', method: 'GET' },
    ]);
    expect(answer.status).toBe(207);
    const path = '122 path_refused';
    const input = '122 invalid_input';
    expect(items(answer)).toEqual([path, 'done', input, input, path, path, input, input, 'done', '122 undefined']);
    expect(answer.headers['proxy-status']).toBe('fleetgate; received-status=207');
    expect(proxy.fleet.ledger.summary(0)).toMatchObject({ logins: 1, failedLogins: 0 });
    await until(async () => (await proxy.audit(0)).every(({ outcome }) => outcome === 'succeeded'));
  });

  const write = { endpoint: '/api/users/config', method: 'POST', data: {} };

  /** How many refused items the audit counts. */
  const refusedItems = async () => {
    await proxy.world.gateway.app.get(Refusals).sweep();
    const { items: entries } = await proxy.world.api.get<{
      items: { subject: string; facts: Record<string, unknown> }[];
    }>('/v1/audit?action=request.refuse&limit=1000');
    return entries
      .filter(({ subject, facts }) => subject === 'POST /d/:ref/api/*' && facts['code'] === 'forbidden')
      .reduce((sum, { facts }) => sum + Number(facts['count']), 0);
  };

  it('answers an item that the caller may not use with an error, its secrets left out', async () => {
    const answer = await bulk([write, read, write], proxy.world.keys.viewer);
    expect(items(answer)).toEqual(['120 forbidden', 'done', '120 forbidden']);
  });

  it('has each refused item counted in the audit, also when no item is left', async () => {
    const before = await refusedItems();
    await bulk([write, read, write], proxy.world.keys.viewer);
    await bulk([write], proxy.world.keys.viewer);
    expect(await refusedItems()).toBe(before + 3);
  });

  it('asks the device nothing when no item is left', async () => {
    const before = proxy.fleet.ledger.summary(0).requests;
    const answer = await bulk([{ endpoint: '/api//x', method: 'GET' }]);
    expect([answer.status, items(answer)]).toEqual([207, ['122 path_refused']]);
    expect(answer.headers['proxy-status']).toBe('fleetgate');
    expect(proxy.fleet.ledger.summary(0).requests).toBe(before);
  });

  it('is refused as a whole when it is no list of items', async () => {
    const answer = await ask('POST', '/api/bulk', { headers: bearer(proxy.world.keys.operator), body: '{"data":{}}' });
    expect(answer).toMatchObject({ status: 400, json: { errors: [{ code: 122 }] } });
  });
});
