import { randomUUID, X509Certificate } from 'node:crypto';
import { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DevicesService } from '../../src/devices/registry/devices.service.js';
import { selfSigned } from '../../src/simulator/device/certificates.js';
import { addPerson } from '../support/people.js';
import { type TestApi } from '../support/test-api.js';
import { until } from '../support/until.js';
import { ProxyGateway, type ProxyWorld } from '../proxy/proxy-world.js';

/* The certificate that each device shows is read from the handshakes that are made anyway. */

interface Certificate {
  readonly deviceId: string;
  readonly file: string | null;
  readonly type: string;
  readonly fingerprint: string;
  readonly notAfter: string;
  readonly seenAt: string;
  readonly jobId: string | null;
}

const STATUS = '/api/system/device/status';

let gateway: ProxyGateway;
let proxy: ProxyWorld;
beforeAll(async () => {
  gateway = await ProxyGateway.start();
});
beforeEach(async () => {
  proxy = await gateway.connect({ devices: 2, profile: 'rutos' });
});
afterEach(() => proxy.close());
afterAll(() => gateway.close());

const db = () => proxy.world.gateway.app.get(DataSource);

async function listed(query = '', api: TestApi = proxy.world.api): Promise<Certificate[]> {
  return (await api.get<{ items: Certificate[] }>(`/v1/certificates${query}`)).items;
}

/** The certificate of a device once it is stored, as far as `isRight` says. */
const shown = (index: number, isRight: (one: Certificate) => boolean = () => true) =>
  until(async () => (await listed(`?device=${proxy.ids[index]}`)).find((one) => one.type === 'tls' && isRight(one)));

/** Waits until what was seen is in the database. */
const stored = () => proxy.world.gateway.app.get(DevicesService).drain();

async function callAgain(index: number): Promise<void> {
  proxy.fleet.devices[index]!.dropConnections();
  expect((await proxy.ask(index, 'GET', STATUS)).status).toBe(200);
}

/** By the selector. */
const named = async (selector: string, api: TestApi = proxy.world.api) => {
  const query = `fields=name&selector=${encodeURIComponent(selector)}`;
  const { items } = await api.get<{ items: { id: string }[] }>(`/v1/devices?${query}`);
  return proxy.ids.flatMap((id, index) => (items.some((item) => item.id === id) ? [index] : []));
};

describe('the certificate that a device shows', () => {
  it('is listed after the first contact, once for all its connections', async () => {
    await proxy.ask(0, 'GET', STATUS);
    const first = await shown(0);
    expect(first).toMatchObject({ deviceId: proxy.ids[0], file: null, jobId: null });
    // The first contact changes the device, so its certificate is written again. Then no more for an hour.
    const again = async () => {
      proxy.clock.pass(60_000);
      await callAgain(0);
      await stored();
      return listed(`?device=${proxy.ids[0]}`);
    };
    const known = await again();
    expect(await again()).toEqual(known);
    expect(await listed(`?device=${proxy.ids[1]}`)).toEqual([]);
    proxy.clock.pass(3_700_000);
    await callAgain(0);
    expect(await shown(0, ({ seenAt }) => seenAt > first.seenAt)).toMatchObject({ fingerprint: first.fingerprint });
  });

  it('is another one only after a person has accepted its key', async () => {
    await proxy.ask(0, 'GET', STATUS);
    const { fingerprint } = await shown(0);
    proxy.fleet.devices[0]!.replaceCertificate();
    proxy.fleet.devices[0]!.dropConnections();
    const { offered } = (await proxy.ask(0, 'GET', STATUS)).json;
    await stored();
    expect(await shown(0)).toMatchObject({ fingerprint });
    await proxy.world.api.send('PUT', `/v1/devices/${proxy.ids[0]}/trust`, { mode: 'pin', pin: offered });
    expect((await proxy.ask(0, 'GET', STATUS)).status).toBe(200);
    await shown(0, (one) => one.fingerprint !== fingerprint);
  });

  it('is forgotten with the hardware that showed it, and read again from the same one', async () => {
    await proxy.ask(0, 'GET', STATUS);
    const { fingerprint } = await shown(0);
    await proxy.world.api.send('POST', `/v1/devices/${proxy.ids[0]}/replace`, { serial: 'NEW-1' });
    expect(await listed(`?device=${proxy.ids[0]}`)).toEqual([]);
    await proxy.ask(0, 'GET', STATUS); // refused without credentials, but the handshake comes first
    await proxy.world.api.send('PATCH', `/v1/devices/${proxy.ids[0]}`, {
      credentials: { username: proxy.fleet.devices[0]!.username, password: proxy.fleet.devices[0]!.password },
    });
    await proxy.ask(0, 'GET', STATUS);
    expect(await shown(0)).toMatchObject({ fingerprint });
  });

  it('is written again after another process has changed the device', async () => {
    await proxy.ask(0, 'GET', STATUS);
    await shown(0);
    await db().query('delete from device_shown_certificate');
    await db().query(`update device set note = 'changed' where id = $1`, [proxy.ids[0]]);
    const again = await until(async () => {
      await callAgain(0);
      await stored();
      const now = await listed(`?device=${proxy.ids[0]}`);
      return now.length > 0 && now;
    });
    expect(again).toHaveLength(1);
  });

  it('is in lists of devices where the fields name it, with its key', async () => {
    await proxy.ask(0, 'GET', STATUS);
    const { fingerprint, notAfter } = await shown(0);
    const list = await proxy.world.api.get<{ items: object[] }>('/v1/devices?fields=certificate');
    expect(list.items).toContainEqual({
      id: proxy.ids[0],
      certificate: expect.objectContaining({ fingerprint, notAfter, keyType: 'ec', keyBits: 256 }),
    });
    expect(list.items).toContainEqual({ id: proxy.ids[1], certificate: null });
    const whole = await proxy.world.api.get<{ items: object[] }>('/v1/devices');
    expect(JSON.stringify(whole)).not.toContain(fingerprint);
  });

  it('is named by the time that is left of it', async () => {
    await Promise.all([proxy.ask(0, 'GET', STATUS), proxy.ask(1, 'GET', STATUS)]);
    await Promise.all([shown(0), shown(1)]);
    const end = (index: number, days: number) =>
      db().query('update device_shown_certificate set not_after = $2 where device_id = $1', [
        proxy.ids[index],
        new Date(proxy.clock.nowMs() + days * 86_400_000),
      ]);
    await end(0, 29);
    await end(1, 31);
    expect(await named('certificate<30d')).toEqual([0]);
    expect(await named('!certificate<30d')).toEqual([1]);
    await end(1, -1);
    expect(await named('certificate<0s')).toEqual([1]);
    expect((await listed('?limit=1'))[0]).toMatchObject({ deviceId: proxy.ids[1] });
    await db().query('delete from device_shown_certificate where device_id = $1', [proxy.ids[0]]);
    expect(await named('certificate<9999d')).toEqual([1]);
  });

  it('is judged with those that jobs saw: the first to end counts', async () => {
    await Promise.all([proxy.ask(0, 'GET', STATUS), proxy.ask(1, 'GET', STATUS)]);
    await Promise.all([shown(0), shown(1)]);
    const inDays = (days: number) => new Date(proxy.clock.nowMs() + days * 86_400_000);
    await db().query('update device_shown_certificate set not_after = $1', [inDays(400)]);
    for (const [file, days] of [
      ['web.cert.pem', 11],
      ['ca.cert.pem', 900],
    ] as const)
      await db().query(
        `insert into device_certificate values
           ($1, $2, 'server', 'CN=a', 'CN=a', '2026-01-01', $3, repeat('ab', 32), '2026-01-01', gen_random_uuid())`,
        [proxy.ids[0], file, inDays(days)],
      );
    expect(await named('certificate<30d')).toEqual([0]);
    expect(await named('certificate>30d')).toEqual([1]);
    expect(await named('!certificate<30d')).toEqual([1]);
  });

  it('is shown to readers of the device alone', async () => {
    await Promise.all([proxy.ask(0, 'GET', STATUS), proxy.ask(1, 'GET', STATUS)]);
    await Promise.all([shown(0), shown(1)]);
    const role = { role: 'viewer', selector: `id:${proxy.ids[1]}` };
    const { api } = await addPerson(proxy.world, 'Nora', [role]);
    expect((await listed('', api)).map(({ deviceId }) => deviceId)).toEqual([proxy.ids[1]]);
    expect(await named('certificate<9999d', api)).toEqual([1]);
  });

  it('is stored beside that of a device that is gone', async () => {
    const notBefore = new Date('2026-01-01T00:00:00Z');
    const { certificatePem } = selfSigned({
      commonName: 'router',
      notBefore,
      notAfter: new Date('2030-01-01T00:00:00Z'),
    });
    const der = new X509Certificate(certificatePem).raw;
    const devices = proxy.world.gateway.app.get(DevicesService);
    devices.noteCertificate(randomUUID(), der);
    devices.noteCertificate(proxy.ids[1]!, der);
    devices.noteCertificate(proxy.ids[0]!, Buffer.from('no certificate'));
    await devices.drain();
    expect(await listed()).toMatchObject([
      { deviceId: proxy.ids[1], type: 'tls', subject: 'CN=router', notAfter: '2030-01-01T00:00:00.000Z' },
    ]);
  });

  it('costs no request to the device', async () => {
    await proxy.ask(0, 'GET', STATUS);
    const { requests } = proxy.fleet.ledger.summary(0);
    await shown(0);
    await named('certificate<30d');
    await proxy.world.api.get('/v1/devices?fields=certificate');
    expect(proxy.fleet.ledger.summary(0).requests).toBe(requests);
  });
});

describe('the list of certificates', () => {
  it('comes in pages that have each one once, those of jobs and of handshakes alike', async () => {
    await Promise.all([proxy.ask(0, 'GET', STATUS), proxy.ask(1, 'GET', STATUS)]);
    await Promise.all([shown(0), shown(1)]);
    const at = '2031-01-01T00:00:00Z';
    await db().query('update device_shown_certificate set not_after = $1', [at]);
    for (const file of ['a.cert.pem', 'b.cert.pem'])
      await db().query(
        `insert into device_certificate
           select id, $1, 'server', 'CN=a', 'CN=a', '2026-01-01', $2, repeat('ab', 32), '2026-01-01', gen_random_uuid()
             from unnest($3::uuid[]) as id`,
        [file, at, proxy.ids],
      );
    const all = await listed();
    expect(all).toHaveLength(6);
    expect(all.filter(({ jobId }) => jobId === null).map(({ file }) => file)).toEqual([null, null]);
    const paged: Certificate[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { items: Certificate[]; next: string | null } = await proxy.world.api.get(
        `/v1/certificates?limit=1${cursor ? `&cursor=${cursor}` : ''}`,
      );
      paged.push(...page.items);
      cursor = page.next;
    }
    expect(paged).toEqual(all);
  });
});
