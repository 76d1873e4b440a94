import { createHash } from 'node:crypto';
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawRequest, startProxyWorld, type ProxyWorld } from '../proxy-world.js';

/* No client may change the password of the gateway's own account: the gateway would be locked out of the device. */

let proxy: ProxyWorld;
const agent = new http.Agent({ keepAlive: true });

beforeAll(async () => {
  proxy = await startProxyWorld({ devices: 1, profile: 'rutos' });
});
afterAll(async () => {
  agent.destroy();
  await proxy.close();
});

const password = 'Another-1!pass';
const prefixes: Readonly<Record<string, () => string>> = {
  passthrough: () => `/v1/devices/${proxy.ids[0]}`,
  façade: () => `/d/${proxy.ids[0]}`,
};
const send = (way: string, method: string, path: string, body: unknown, headers?: http.OutgoingHttpHeaders) =>
  rawRequest(proxy.world, agent, prefixes[way]!() + path, method, {
    role: 'administrator',
    headers: { 'content-type': 'application/json', ...(headers ?? lengthOf(body)) },
    body: JSON.stringify(body),
  });
const lengthOf = (body: unknown) => ({ 'content-length': JSON.stringify(body).length });
const own = () => {
  const { password: present } = proxy.fleet.devices[0]!;
  return { data: { current_password: present, password, password_confirm: password } };
};

describe.each(Object.keys(prefixes))('a password of the own account, by the %s', (way) => {
  it.each([
    ['of the account', 'PUT', '/api/users/config/admin', own],
    ['in a list', 'PUT', '/api/users/config', () => ({ data: [{ id: 'admin', ...own().data }] })],
    ['at the first login', 'POST', '/api/system/actions/change_password_firstlogin', own],
    ['in a bulk request', 'POST', '/api/bulk', () => ({ data: [{ endpoint: '/users/config/admin', method: 'PUT', ...own() }] })],
    ['by removal', 'DELETE', '/api/users/config/admin', () => ({})],
  ])('is refused with the job to use, and nothing is sent: %s', async (_what, method, path, body) => {
    const answer = await send(way, method, path, body());
    expect(answer.status).toBe(way === 'façade' ? 422 : 409);
    expect(answer.bytes.toString()).toContain('own_account');
    expect(answer.bytes.toString()).toContain('job of the kind credentials');
    expect(proxy.fleet.ledger.entries({ device: 0 }).filter(({ method: sent }) => sent === method)).toHaveLength(0);
  }); // prettier-ignore

  it('is refused as a body of unknown length, too', async () => {
    const answer = await send(way, 'PUT', '/api/users/config/admin', own(), { 'transfer-encoding': 'chunked' });
    expect(answer.bytes.toString()).toContain('own_account');
  });
});

describe('another account', () => {
  it('gets its password, and is removed, as before', async () => {
    const user = { data: { username: 'eve', password: 'Abcdefg1!', group: 'user' } };
    const created = await send('façade', 'POST', '/api/users/config', user);
    const one = `/api/users/config/${(created.json['data'] as { id: string }).id}`;
    expect((await send('façade', 'PUT', one, { data: { password } })).status).toBe(200);
    expect((await send('passthrough', 'DELETE', one, {})).status).toBe(200);
    expect((await send('façade', 'PUT', '/api/users/config/admin', { data: { group: 'root' } })).status).toBe(200);
  });
});

describe('a body whose names come twice', () => {
  it('reaches the device as the gateway read it: each name once', async () => {
    const user = { data: { username: 'twice', password: 'Abcdefg1!', group: 'user' } };
    const { json } = await send('passthrough', 'POST', '/api/users/config', user);
    const { id } = json['data'] as { id: string };
    // A device that takes the first of both names would change the account of the gateway.
    const body = `{"data":[{"id":"admin","id":"${id}","password":"${password}"}]}`;
    const once = `{"data":[{"id":"${id}","password":"${password}"}]}`;
    const headers = { 'content-type': 'application/json' };
    const path = `${prefixes['passthrough']!()}/api/users/config`;
    const answer = await rawRequest(proxy.world, agent, path, 'PUT', { role: 'administrator', headers, body });
    expect(answer.status).toBe(200);
    const received = proxy.fleet.ledger.entries({ device: 0 }).findLast(({ method }) => method === 'PUT')!;
    expect(received.bodySha256).toBe(createHash('sha256').update(once).digest('hex'));
  });
});
