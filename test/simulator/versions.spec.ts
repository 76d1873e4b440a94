/* What the specification says of versions, DEPRECATED things, `options` and accounts, in its own profile. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startControl } from '../../src/simulator/control.js';
import { Caller, Fleets, type Reply } from './caller.js';

const fleets = new Fleets();
let admin: Caller;
beforeEach(async () => {
  admin = await fleets.caller({ profile: 'spec' });
});
afterEach(() => fleets.close());

const told = ({ status, body }: Reply): [number, number] => [status, body.errors?.[0]?.code];
const STRONG = 'Secret-12';

describe('versions', () => {
  it('versioning: what a later version brought is not in an earlier one', async () => {
    expect(told(await admin.get('/api/v1/snmp/users/config'))).toEqual([400, 122]);
    for (const version of ['/v2', '/v3', '']) {
      expect((await admin.get(`/api${version}/snmp/users/config`)).status).toBe(200);
    }
    const made = await admin.post('/api/wireguard/config', { id: 'wg0', mtu: '1400' });
    expect(made.body.data.mtu).toBe('1400');
    expect(told(await admin.put('/api/v2/wireguard/config/wg0', { mtu: '1300' }))).toEqual([422, 103]);
    expect((await admin.get('/api/v2/wireguard/config/wg0')).body.data).not.toHaveProperty('mtu');
    expect((await admin.get('/api/v3/wireguard/config/wg0')).body.data.mtu).toBe('1400');
    expect((await admin.put('/api/v2/wireguard/config/wg0', { enabled: '1' })).status).toBe(200);
    expect((await admin.get('/api/wireguard/config/wg0')).body.data.mtu).toBe('1400');
  });

  it('versioning: each item of a bulk request has a version of its own', async () => {
    const { body } = await admin.post('/api/bulk', [
      { endpoint: '/api/v1/snmp/users/config', method: 'GET' },
      { endpoint: '/api/v2/snmp/users/config', method: 'GET' },
      { endpoint: '/api/snmp/users/config', method: 'GET' },
    ]);
    expect(body.data.map(({ success }: { success: boolean }) => success)).toEqual([false, true, true]);
  });

  it('versioning: a DEPRECATED property is taken without effect and is not answered', async () => {
    await admin.post('/api/v2/openvpn/config', { id: 'v1', comp_lzo: 'yes' });
    expect((await admin.get('/api/v2/openvpn/config/v1')).body.data.comp_lzo).toBe('yes');
    expect((await admin.get('/api/v3/openvpn/config/v1')).body.data).not.toHaveProperty('comp_lzo');
    expect((await admin.put('/api/openvpn/config/v1', { comp_lzo: 'no', port: '1195' })).status).toBe(200);
    expect((await admin.get('/api/v1/openvpn/config/v1')).body.data).toMatchObject({ comp_lzo: 'yes', port: '1195' });
  });

  it('versioning: a DEPRECATED endpoint still answers', async () => {
    await admin.post('/api/v1/snmp/communities/config', { name: 'public' });
    for (const version of ['/v1', '/v2', '']) {
      expect((await admin.get(`/api${version}/snmp/communities/config`)).body.data).toHaveLength(1);
    }
  });

  it('versioning: each version describes itself, with what is DEPRECATED in it', async () => {
    const documents = [];
    for (const version of ['/v1', '/v2', '/v3', '']) {
      documents.push((await admin.get(`/api${version}/openapi.json`)).body);
    }
    const communities = documents.map(({ paths }) => paths['/api/snmp/communities/config'].get.deprecated ?? false);
    expect(communities).toEqual([false, true, true, true]);
    expect(documents.map(({ paths }) => '/api/snmp/users/config' in paths)).toEqual([false, true, true, true]);
    const options = documents.map(({ paths }) => {
      const { schema } = paths['/api/openvpn/config/{id}'].put.requestBody.content['application/json'];
      return schema.properties.data.properties.comp_lzo.description ?? null;
    });
    expect(options).toEqual([null, null, 'DEPRECATED', 'DEPRECATED']);
    expect(documents.map((document) => document['x-api-version'])).toEqual([1, 2, 3, 3]);
    expect(documents[3]).toEqual(documents[2]);
  });
});

describe('requests', () => {
  it('options: on GET they are what the query can say', async () => {
    const path = '/api/interfaces/config';
    const all = (await admin.get(path)).body.data;
    const some = await admin.get(path, { body: { options: { limit: 1, offset: '1' } } });
    expect([some.status, some.body.data]).toEqual([200, [all[1]]]);
    expect((await admin.get('/api/events_log/config/system', { body: { options: { limit: 0 } } })).body.data).toEqual(
      (await admin.get('/api/events_log/config/system?limit=0')).body.data,
    );
  });

  it('options: wrong ones are refused with 103', async () => {
    for (const options of [{ colour: 'red' }, { limit: 'x' }, { limit: { a: 1 } }]) {
      const reply = await admin.get('/api/interfaces/config', { body: { options } });
      expect(told(reply)).toEqual([422, 103]);
      expect(reply.body.errors[0].source).toBe(Object.keys(options)[0]);
    }
    expect(told(await admin.get('/api/interfaces/config', { body: { options: 'all' } }))).toEqual([400, 107]);
    // A query parameter that is wrong keeps its own code.
    expect(told(await admin.get('/api/interfaces/config?limit=x'))).toEqual([400, 116]);
  });
});

describe('accounts', () => {
  it('accounts: root cannot be changed or removed', async () => {
    const refused = [
      await admin.put('/api/users/config/root', { password: STRONG }),
      await admin.put('/api/users/config', [{ id: 'root', group: 'user' }]),
      await admin.delete('/api/users/config/root'),
      await admin.put('/api/users/groups/config', { id: 'root', api: {} }),
      await admin.put('/api/users/groups/config/root', { api: {} }),
    ];
    expect(refused.map(told)).toEqual(refused.map(() => [404, 113]));
    expect(refused[0]!.body.errors[0].error).toBe('root cannot be changed');
    expect(told(await admin.delete('/api/users/groups/config/root'))).toEqual([405, 111]);
  });

  it('accounts: a weak password is refused', async () => {
    for (const password of ['', 'pw', 'secret-12', 'SECRET-12', 'Secret-ab', 'Secret123', 'Sec-12']) {
      const reply = await admin.post('/api/users/config', { username: 'eve', password, group: 'user' });
      expect([password, ...told(reply), reply.body.errors[0].source]).toEqual([password, 422, 103, 'password']);
    }
    const { body } = await admin.post('/api/users/config', { username: 'eve', password: STRONG, group: 'user' });
    expect(told(await admin.put(`/api/users/config/${body.data.id}`, { password: 'pw' }))).toEqual([422, 103]);
    await new Caller(admin.device).login('eve', STRONG);
  });

  it.each([
    [{}, 'Secret-12', 'Secret12'],
    [{ special: false }, 'Secret12', 'secret12'],
    [{ special: false }, 'Passw0rd', 'Passw0r'],
    [{ upperAndLower: false }, 'secret-12', 'secret-ab'],
    [{ digits: false }, 'Secret-ab', 'secret-ab'],
    [{ digits: false, special: false }, 'Secretab', 'secretab'],
    [{ digits: false, special: false, upperAndLower: false }, 'secretab', 'secreta'],
    [{ minLength: 8 }, 'Abcde-12', 'Abcd-12'],
    [{ minLength: 12 }, 'Secret-12345', 'Secret-1234'],
    [{ minLength: 64, special: false }, `Aa1${'a'.repeat(61)}`, `Aa1${'a'.repeat(60)}`],
  ])('accounts: with the rules %j a password is %s, and not %s', async (passwordRules, good, weak) => {
    const caller = await fleets.caller({ profile: 'rutos', passwordRules });
    expect(told(await caller.post('/api/users/config', { username: 'eve', password: weak }))).toEqual([422, 103]);
    expect((await caller.post('/api/users/config', { username: 'eve', password: good })).status).toBe(201);
  });
});

describe('codes from outside', () => {
  it('codes: 104, 105, 106, 115, 117 and 151 come by the API and the control API alone', async () => {
    const fleet = await fleets.start({ profile: 'spec', family: 'RUT241' });
    const control = await startControl(fleet);
    try {
      const caller = await new Caller(fleet.devices[0]!).login();
      const damage = async (service: string) =>
        (
          await fetch(`${control.url}/devices/0/actions/damage-service`, {
            method: 'POST',
            body: JSON.stringify({ service }),
          })
        ).status;
      expect([await damage('nowhere'), await damage('ntp/servers')]).toEqual([400, 200]);
      const replies = [
        await caller.get('/api/ntp/servers/config'),
        await caller.delete('/api/interfaces/config/lan'),
        await fill(caller),
        await caller.post('/api/openvpn/config', { id: 'v1', ca: '/etc/certificates/nowhere.pem' }),
        await caller.post('/api/ntp/servers/config', { hostname: 'a.example' }),
        await caller.upload('/api/firmware/actions/upload_device_firmware', 'fw.bin', Buffer.alloc(25 * 1024 * 1024)),
      ];
      expect(replies.map(told)).toEqual([104, 105, 106, 115, 117, 151].map((code) => [422, code]));
    } finally {
      await control.close();
    }
  });
});

/** One section more than the device takes. */
async function fill(caller: Caller): Promise<Reply> {
  const created = Array.from({ length: 16 }, (_, index) => caller.post('/api/wireguard/config', { id: `wg${index}` }));
  await Promise.all(created);
  return caller.post('/api/wireguard/config', { id: 'wg16' });
}
