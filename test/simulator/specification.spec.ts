/* The specification's endpoints, states and rules, row by row, in its own profile. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SIMPLE_CERTIFICATE_FILES } from '../../src/device-api/contract.js';
import { DEFAULT_FIRMWARE, FAMILIES, firmwareName } from '../../src/simulator/device/families.js';
import { Caller, Fleets, until } from './caller.js';

/** Nothing that takes device time ends by itself while a test lasts. */
const SLOW = 0.01;

const fleets = new Fleets();
let admin: Caller;
beforeEach(async () => {
  admin = await fleets.caller({ profile: 'spec' });
});
afterEach(() => fleets.close());

describe('endpoints', () => {
  it('POST /api/login', async () => {
    const reply = await new Caller(admin.device).send('POST', '/api/login', {
      body: { data: { username: 'admin', password: admin.device.password } },
    });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ success: true, data: { username: 'admin', token: expect.any(String), expires: 299 } });
  });

  it('GET /api/system/device/status', async () => {
    const { status, body } = await admin.get('/api/system/device/status');
    expect(status).toBe(200);
    expect(body.data.mnfinfo.serial).toBe(admin.device.serial);
    expect(body.data.static.fw_version).toBe(firmwareName(FAMILIES.RUTX50, DEFAULT_FIRMWARE));
  });

  it('GET /api/<service>/config', async () => {
    expect((await admin.get('/api/wireguard/config')).body).toEqual({ success: true, data: [] });
    expect((await admin.get('/api/interfaces/config')).body.data.map(({ id }: { id: string }) => id)).toContain('lan');
  });

  it('POST /api/<service>/config', async () => {
    const { status, body } = await admin.post('/api/wireguard/config', { id: 'wg0' });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      id: 'wg0',
      '.type': 'interface',
      enabled: '0',
      listen_port: '51820',
      private_key: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
      public_key: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
    });
  });

  it('GET /api/<service>/config/{id}', async () => {
    const { body } = await admin.post('/api/wireguard/config', { id: 'wg0', addresses: ['10.0.0.1/24'] });
    expect((await admin.get('/api/wireguard/config/wg0')).body).toEqual(body);
  });

  it('PUT /api/<service>/config/{id}', async () => {
    const { body } = await admin.post('/api/wireguard/config', { id: 'wg0' });
    const changed = await admin.put('/api/wireguard/config/wg0', { listen_port: '51821' });
    expect(changed.body.data).toEqual({ ...body.data, listen_port: '51821' });
  });

  it('DELETE /api/<service>/config/{id}', async () => {
    await admin.post('/api/wireguard/config', { id: 'wg0' });
    expect((await admin.delete('/api/wireguard/config/wg0')).body).toEqual({ success: true, data: { id: 'wg0' } });
    expect((await admin.get('/api/wireguard/config')).body.data).toEqual([]);
  });

  it.each([
    ['openvpn', { id: 'v1', type: 'server' }],
    ['interfaces', { id: 'guest', proto: 'static', ipaddr: '10.1.0.1' }],
    ['wireless/interfaces', { id: 'guest', ssid: 'guest' }],
    ['firewall/traffic_rules', { name: 'ssh', dest_port: '22' }],
    ['dhcp/static_leases/ipv4', { mac: '02:00:00:00:00:01', ip: '192.168.1.9' }],
    ['ntp/servers', { hostname: 'time.example.net' }],
    ['snmp/users', { name: 'monitor' }],
  ])('the service %s creates, reads, changes and deletes', async (service, data) => {
    const base = `/api/${service}/config`;
    const { body } = await admin.post(base, data);
    expect(body).toMatchObject({ success: true, data });
    const one = `${base}/${body.data.id}`;
    expect((await admin.get(one)).body).toEqual(body);
    expect((await admin.put(one, {})).body).toEqual(body);
    expect((await admin.delete(one)).body.data).toEqual({ id: body.data.id });
    expect((await admin.get(one)).status).toBe(404);
  });

  it('POST /api/certificates/root_ca/config', async () => {
    const reply = await admin.upload('/api/certificates/root_ca/config', 'our-ca.pem', Buffer.from('a certificate'));
    expect(reply.body).toEqual({ success: true, data: { path: '/etc/certificates/our-ca.pem' } });
  });

  it('POST /api/certificates/actions/generate', async () => {
    expect((await admin.post('/api/certificates/actions/generate', { type: 'simple' })).status).toBe(200);
    expect(admin.device.ledger.summary(0).effects['generate']).toBe(1);
  });

  it('GET /api/certificates/config', async () => {
    expect((await admin.get('/api/certificates/config')).body.data).toEqual({ generated: [], generating: [] });
  });

  it('POST /api/bulk', async () => {
    const { status, body } = await admin.post('/api/bulk', [
      { endpoint: '/api/wireguard/config', method: 'POST', data: { id: 'wg0' } },
      { endpoint: '/api/wireguard/config/nowhere', method: 'GET' },
      { endpoint: '/api/wireguard/config', method: 'GET' },
    ]);
    expect(status).toBe(200);
    expect(body.success).toBe(true);
    expect(body.data.map((item: { success: boolean }) => item.success)).toEqual([true, false, true]);
    expect(body.data[1].errors[0].code).toBe(113);
    expect(body.data[2].data[0].id).toBe('wg0');
  });

  it('POST /api/users/config', async () => {
    const { body } = await admin.post('/api/users/config', { username: 'eve', password: 'Secret-12', group: 'user' });
    expect(body.data).toEqual({ id: expect.any(String), username: 'eve', '.type': 'login', group: 'user' });
  });

  it('GET /api/users/config/{id}', async () => {
    const { body } = await admin.post('/api/users/config', { username: 'eve', password: 'Secret-12', group: 'user' });
    expect((await admin.get(`/api/users/config/${body.data.id}`)).body).toEqual(body);
  });

  it('PUT /api/users/groups/config', async () => {
    const { body } = await admin.put('/api/users/groups/config', { id: 'user', api: { '/api/system/*': ['read'] } });
    expect(body.data).toEqual({ id: 'user', '.type': 'group', api: { '/api/system/*': ['read'] } });
  });

  it('GET /api/events_log/config/system', async () => {
    await admin.post('/api/backup/actions/generate');
    const all = (await admin.get('/api/events_log/config/system')).body.data;
    const latest = (await admin.get('/api/events_log/config/system?limit=1')).body.data;
    expect(all.length).toBeGreaterThan(1);
    expect(latest).toEqual([all[0]]);
    expect(latest[0].event_type).toBe('Backup');
  });
});

describe('states', () => {
  it('session token: none to valid by login', async () => {
    const stranger = new Caller(admin.device);
    expect((await stranger.get('/api/system/device/status')).status).toBe(401);
    await stranger.login();
    expect((await stranger.get('/api/system/device/status')).status).toBe(200);
  });

  it('session token: valid to expired by time', async () => {
    const { clock } = admin.device;
    clock.advance(299_000);
    expect((await admin.get('/api/system/device/status')).status).toBe(200);
    clock.advance(1_000);
    const reply = await admin.get('/api/system/device/status');
    expect([reply.status, reply.body.errors[0].code]).toEqual([401, 123]);
    await admin.login();
    expect((await admin.get('/api/system/device/status')).status).toBe(200);
  });

  it('certificate generation: none to generating', async () => {
    const slow = await fleets.caller({ timeScale: SLOW });
    await slow.post('/api/certificates/actions/generate', { type: 'simple' });
    const { generated, generating } = (await slow.get('/api/certificates/config')).body.data;
    expect(generated).toEqual([]);
    expect(generating.map(({ fullname }: { fullname: string }) => fullname)).toEqual([...SIMPLE_CERTIFICATE_FILES]);
    expect(generating.at(-1)).toEqual({ fullname: 'dh.pem', type: 'dh' });
  });

  it('certificate item: generating to generated', async () => {
    const steady = await fleets.caller({ timeScale: SLOW });
    await steady.post('/api/certificates/actions/generate', { type: 'simple' });
    const counts: number[] = [];
    for (let step = 0; step < 7; step++) {
      steady.device.clock.advance(120_000 / SLOW);
      await steady.login();
      counts.push((await steady.get('/api/certificates/config')).body.data.generated.length);
    }
    expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const { generated, generating } = (await steady.get('/api/certificates/config')).body.data;
    expect(generating).toEqual([]);
    expect(generated.at(-1)).toMatchObject({ fullname: 'dh.pem', type: 'key', timestamp: '-' });
    expect(generated.find(({ fullname }: { fullname: string }) => fullname === 'ca.cert.pem')).toMatchObject({
      type: 'cert',
      name: 'ca',
      cert_type: 'ca',
      key_size: '1024',
      timestamp: expect.stringMatching(/^\d+$/),
    });
  });

  it('instance flag enabled: 0 to 1 by PUT', async () => {
    expect((await admin.post('/api/wireguard/config', { id: 'wg0' })).body.data.enabled).toBe('0');
    expect((await admin.put('/api/wireguard/config/wg0', { enabled: '1' })).body.data.enabled).toBe('1');
  });
});

describe('rules', () => {
  it('limit: token lifetime of 5 minutes', async () => {
    // Use does not prolong a token in this profile.
    for (let minute = 1; minute < 5; minute++) {
      admin.device.clock.advance(60_000);
      expect((await admin.get('/api/system/device/status')).status).toBe(200);
    }
    admin.device.clock.advance(60_000);
    expect((await admin.get('/api/system/device/status')).status).toBe(401);
  });

  it('limit: the 3 latest API versions', async () => {
    const statuses = [];
    for (const version of ['v1', 'v2', 'v3', 'v4', 'v0'])
      statuses.push((await admin.get(`/api/${version}/system/device/status`)).status);
    expect(statuses).toEqual([200, 200, 200, 400, 400]);
  });

  it('versioning: a path without prefix is the latest version', async () => {
    const [plain, latest] = [
      await admin.get('/api/system/device/status'),
      await admin.get('/api/v3/system/device/status'),
    ];
    expect(plain.body).toEqual(latest.body);
  });

  it('upload: the stored path is used in a service configuration', async () => {
    const missing = await admin.post('/api/openvpn/config', { id: 'v1', ca: '/etc/certificates/our-ca.pem' });
    expect(missing.body.errors[0]).toMatchObject({ code: 115, source: 'ca', section: 'v1' });
    const { body } = await admin.upload('/api/certificates/root_ca/config', 'our-ca.pem', Buffer.from('a certificate'));
    expect((await admin.post('/api/openvpn/config', { id: 'v1', ca: body.data.path })).status).toBe(200);
  });

  const eve = async (api: Record<string, string[]>): Promise<Caller> => {
    await admin.post('/api/users/groups/config', { id: 'guests', api });
    await admin.post('/api/users/config', { username: 'eve', password: 'Secret-12', group: 'guests' });
    return new Caller(admin.device).login('eve', 'Secret-12');
  };

  it('acl: a path is allowed when an entry matches with the needed action', async () => {
    const guest = await eve({ '/api/wireguard/*': ['read', 'write'], '/api/interfaces/config': ['read'] });
    expect((await guest.get('/api/wireguard/config')).status).toBe(200);
    expect((await guest.get('/api/interfaces/config')).status).toBe(200);
    const refused = await guest.get('/api/interfaces/config/lan');
    expect([refused.status, refused.body.errors[0].code]).toEqual([403, 120]);
  });

  it('acl: GET needs read, POST PUT DELETE need write', async () => {
    const reader = await eve({ '/api/wireguard/*': ['read'] });
    await admin.post('/api/wireguard/config', { id: 'wg0' });
    const one = '/api/wireguard/config/wg0';
    const statuses = [
      await reader.get(one),
      await reader.post('/api/wireguard/config', { id: 'wg1' }),
      await reader.put(one, {}),
      await reader.delete(one),
    ];
    expect(statuses.map(({ status }) => status)).toEqual([200, 403, 403, 403]);
    const bulk = await reader.post('/api/bulk', [
      { endpoint: one, method: 'GET' },
      { endpoint: one, method: 'DELETE' },
    ]);
    expect(bulk.body.data.map((item: { success: boolean }) => item.success)).toEqual([true, false]);
  });

  it('acl: root may access all endpoints', async () => {
    expect((await admin.get('/api/users/config')).status).toBe(200);
    expect((await admin.delete('/api/users/config/root')).body.errors[0].code).toBe(113);
  });

  it('acl: a changed group counts from the next request', async () => {
    const guest = await eve({ '/api/wireguard/*': ['read'] });
    expect((await guest.get('/api/interfaces/config')).status).toBe(403);
    await admin.put('/api/users/groups/config', { id: 'guests', api: { '/api/*': ['read'] } });
    expect((await guest.get('/api/interfaces/config')).status).toBe(200);
  });

  it('query: an invalid parameter gives 116', async () => {
    for (const query of ['?limit=x', '?colour=red']) {
      const { status, body } = await admin.get(`/api/events_log/config/system${query}`);
      expect([status, body.errors[0].code]).toEqual([400, 116]);
    }
  });

  it('openapi: the interface is described with x- extensions', async () => {
    const { body } = await admin.get('/api/openapi.json');
    expect(body.openapi).toBe('3.0.3');
    expect(body.paths['/api/wireguard/config/{id}'].put).toMatchObject({
      'x-acl-action': 'write',
      'x-effect': 'update',
    });
    const operations = Object.values(body.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
      (path) => Object.values(path),
    );
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    expect(operations.length).toBeGreaterThan(100);
  });
});

it('the generated certificates are real: the server’s is signed by the authority, and its key is its own', async () => {
  const { X509Certificate, createPrivateKey } = await import('node:crypto');
  await admin.post('/api/certificates/actions/generate', { type: 'simple', key_size: '1024', days: '30' });
  await until(
    () => !admin.device.certificates.listing().generating.length && admin.device.certificates.has('dh.pem'),
    'generation ends',
  );
  const text = async (name: string): Promise<string> =>
    (await admin.post(`/api/certificates/${name}/actions/download`)).bytes.toString();
  const [authority, server] = [
    new X509Certificate(await text('ca.cert.pem')),
    new X509Certificate(await text('server.cert.pem')),
  ];
  expect(server.verify(authority.publicKey)).toBe(true);
  expect(server.checkPrivateKey(createPrivateKey(await text('server.key.pem')))).toBe(true);
  expect(await text('dh.pem')).toContain('BEGIN DH PARAMETERS');
});
