import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawRequest, startProxyWorld, type ProxyWorld } from '../proxy-world.js';
import { addPerson } from '../../support/people.js';
import { until } from '../../support/until.js';

/* The device's own API through the gateway, as an operator sends it. */

let proxy: ProxyWorld;

beforeAll(async () => {
  proxy = await startProxyWorld({ devices: 2, profile: 'rutos' });
});
afterAll(async () => {
  await proxy.close();
});

describe('an address that was called before', () => {
  it('is judged again: a lost right, another tag of the device and a revoked key count at once', async () => {
    const { world, ids } = proxy;
    const person = await addPerson(world, 'Otto', [{ role: 'operator', selector: 'tag:pump' }]);
    const agent = new http.Agent({ keepAlive: true });
    const tag = (tags: string[]) => world.api.send('PATCH', `/v1/devices/${ids[1]}`, { tags });
    const give = (selector: string) =>
      world.api.send('PUT', `/v1/operators/${person.operatorId}/roles`, { roles: [{ role: 'operator', selector }] });
    const read = async () => {
      const target = `/v1/devices/${ids[1]}/api/system/device/usage/status`;
      const headers = { authorization: `Bearer ${person.key}` };
      const { status, json } = await rawRequest(world, agent, target, 'GET', { headers });
      return json['code'] ?? status;
    };
    const seen: unknown[] = [await read()];
    for (const change of [
      () => tag(['pump']),
      () => tag(['gate']),
      () => tag(['pump']),
      () => give('tag:gate'),
      () => give('tag:pump'),
      () => world.api.send('DELETE', `/v1/api-keys/${person.keyId}`),
    ]) {
      await change();
      seen.push(await read());
    }

    const no = 'device_not_found';
    expect(seen).toEqual([no, 200, no, 200, no, 200, 'unauthenticated']);
    agent.destroy();
    await tag([]);
  });
});

describe('a read through the gateway', () => {
  it('gives the status and bytes of the device, and says that it was the device who spoke', async () => {
    const answer = await proxy.ask(0, 'GET', '/api/system/device/status', {
      headers: { 'x-request-id': 'my-request-1' },
    });

    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ success: true, data: { mnfinfo: { serial: proxy.fleet.devices[0]!.serial } } });
    expect(answer.headers['proxy-status']).toBe('fleetgate; received-status=200');
    expect(answer.headers['x-request-id']).toBe('my-request-1');
    expect(answer.headers['server-timing']).toMatch(/^queue;dur=[\d.]+, login;dur=[\d.]+, device;dur=[\d.]+$/);
    const [line] = proxy.fleet.ledger.entries({ device: 0, path: '/api/system/device/status' });
    expect(line).toMatchObject({ method: 'GET', requestId: 'my-request-1', session: 's1' });
  });

  it('learns the profile, the pin and that the device is there', async () => {
    const device = await proxy.world.api.get<Record<string, unknown>>(`/v1/devices/${proxy.ids[0]}`);

    await until(
      async () => (await proxy.world.api.get<{ state: string }>(`/v1/devices/${proxy.ids[0]}`)).state === 'online',
    );
    expect(device).toMatchObject({ profile: 'rutos', trust: { mode: 'pin', pin: expect.stringMatching(/^sha256\//) } });
  });

  it('leaves a refusal of the device as it is', async () => {
    const answer = await proxy.ask(0, 'GET', '/api/no_such_service/config');

    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toContain('application/json');
    expect(answer.headers['proxy-status']).toBe('fleetgate; received-status=404');
    expect(answer.json).toMatchObject({ success: false });
  });

  it('reaches the device by name and by HEAD', async () => {
    const byName = await proxy.world
      .as('operator')
      .get<{ success: boolean }>(`/v1/devices/name:${proxy.fleet.devices[1]!.name}/api/system/device/usage/status`);
    const head = await proxy.ask(0, 'HEAD', '/api/system/device/status');

    expect(byName.success).toBe(true);
    expect(head.bytes).toHaveLength(0);
    expect(head.headers['proxy-status']).toMatch(/^fleetgate; received-status=/);
  });
});

describe('a write through the gateway', () => {
  it('is audited before it goes out and closed after it', async () => {
    const answer = await proxy.ask(0, 'POST', '/api/users/config', {
      body: JSON.stringify({ data: { username: 'eve', password: 'Abcdefg1!', group: 'user' } }),
      headers: { 'content-type': 'application/json', 'x-change-reason': 'a new colleague' },
    });

    expect(answer.status).toBe(201);
    await until(async () => (await proxy.audit(0)).at(-1)?.outcome !== null);
    const line = (await proxy.audit(0)).at(-1)!;
    expect(line).toMatchObject({
      subject: 'POST /api/users/config',
      outcome: 'succeeded',
      outcomeFacts: { deviceStatus: 201 },
    });
    expect(JSON.stringify(line)).not.toContain('Abcdefg1!');
  });

  it('closes its entry as refused with the codes of the device', async () => {
    const answer = await proxy.ask(0, 'DELETE', '/api/users/config/no-such-user');

    expect(answer.status).toBeGreaterThanOrEqual(400);
    await until(async () => (await proxy.audit(0)).at(-1)?.outcome === 'refused');
    expect((await proxy.audit(0)).at(-1)).toMatchObject({ subject: 'DELETE /api/users/config/no-such-user' });
  });
});

describe('the odd wire forms that public clients send', () => {
  const forms: [string, string, string, { body?: string; headers?: Record<string, string> }][] = [
    ['a POST without content type and body', 'POST', '/api/wireguard/actions/generate_keys', {}],
    [
      'a POST as octet-stream of length 0',
      'POST',
      '/api/session/status',
      { headers: { 'content-type': 'application/octet-stream', 'content-length': '0' } },
    ],
    [
      'a GET with a JSON body',
      'GET',
      '/api/system/device/status',
      { body: '{"data":{}}', headers: { 'content-type': 'application/json', 'content-length': '11' } },
    ],
    [
      'a DELETE with a JSON body',
      'DELETE',
      '/api/users/config',
      { body: '{"data":["99"]}', headers: { 'content-type': 'application/json', 'content-length': '15' } },
    ],
    ['a trailing slash', 'GET', '/api/system/device/status/', {}],
    ['a version prefix', 'GET', '/api/v1/system/device/status', {}],
  ];

  it.each(forms)('passes %s to the device', async (_name, method, path, options) => {
    const before = proxy.fleet.ledger.entries({ device: 0 }).at(-1)!.seq;

    const answer = await proxy.ask(0, method, path, options);

    expect(answer.headers['proxy-status']).toMatch(/^fleetgate; received-status=/);
    // Before a removal of accounts the gateway reads which they are.
    const lines = proxy.fleet.ledger.entries({ device: 0, since: before }).filter((line) => line.method === method);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ method, path });
    expect(lines[0]!.bodySha256 !== undefined).toBe(options.body !== undefined);
  });
});

describe('rights', () => {
  it.each([
    ['nobody', null, 'GET', 401, 'unauthenticated'],
    ['a viewer', 'viewer', 'POST', 403, 'forbidden'],
  ] as const)('%s (%s) gets a problem for %s and the device nothing', async (_who, role, method, status, code) => {
    const before = proxy.fleet.ledger.entries({ device: 0 }).length;

    const answer = await proxy.ask(0, method, '/api/system/device/status', { role });

    expect(answer).toMatchObject({ status, json: { code } });
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.headers['proxy-status']).toContain('error=http_request_denied');
    expect(proxy.fleet.ledger.entries({ device: 0 })).toHaveLength(before);
  });
});
