import { createHash, X509Certificate } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProxyWorld, type ProxyWorld } from '../proxy-world.js';
import { until } from '../../support/until.js';

/* The device is known by its key. Who shows another key gets no byte of HTTP, and a person decides. */

let proxy: ProxyWorld;
const STATUS = '/api/system/device/status';

beforeEach(async () => {
  proxy = await startProxyWorld({ devices: 1, profile: 'rutos' });
});
afterEach(async () => {
  await proxy.close();
});

type Device = {
  state: string;
  trust: { pin: string; offeredPin: string | null; offeredCertificate: Record<string, unknown> | null };
};
const read = () => proxy.world.api.get<Device>(`/v1/devices/${proxy.ids[0]}`);

describe('a device whose certificate changed', () => {
  it('gets no request, no login and no token; both fingerprints are shown', async () => {
    expect((await proxy.ask(0, 'GET', STATUS)).status).toBe(200);
    const { pin } = (await read()).trust;
    const before = proxy.fleet.ledger.summary(0).requests;
    proxy.fleet.devices[0]!.replaceCertificate();
    proxy.fleet.devices[0]!.dropConnections();

    const answers = await Promise.all(Array.from({ length: 20 }, () => proxy.ask(0, 'GET', STATUS)));

    for (const { json, status } of answers)
      expect({ status, code: json['code'] }).toEqual({ status: 502, code: 'device_trust_changed' });
    const { pinned, offered } = answers[0]!.json;
    expect(pinned).toBe(pin);
    expect(offered).toMatch(/^sha256\//);
    expect(offered).not.toBe(pin);
    expect(proxy.fleet.ledger.summary(0).requests).toBe(before);
    expect(await read()).toMatchObject({ state: 'trust_changed', trust: { pin, offeredPin: offered } });
  });

  it('tells who issued the offered certificate and until when, and forgets it with the decision', async () => {
    await proxy.ask(0, 'GET', STATUS);
    proxy.fleet.devices[0]!.replaceCertificate();
    proxy.fleet.devices[0]!.dropConnections();
    const { offered } = (await proxy.ask(0, 'GET', STATUS)).json;

    const { offeredCertificate } = (await read()).trust;
    const shown = new X509Certificate(proxy.fleet.devices[0]!.tls.certificatePem);
    expect(offeredCertificate).toEqual({
      subject: shown.subject.replaceAll('\n', ', '),
      issuer: shown.issuer.replaceAll('\n', ', '),
      keyType: shown.publicKey.asymmetricKeyType,
      keyBits: expect.any(Number),
      fingerprint: createHash('sha256').update(shown.raw).digest('hex'),
      notBefore: new Date(shown.validFrom).toISOString(),
      notAfter: new Date(shown.validTo).toISOString(),
    });

    await proxy.world.api.send('PUT', `/v1/devices/${proxy.ids[0]}/trust`, { mode: 'pin', pin: offered });
    expect((await read()).trust).toMatchObject({ pin: offered, offeredPin: null, offeredCertificate: null });
  });

  it('is called again once an operator accepted the new key, and not before', async () => {
    await proxy.ask(0, 'GET', STATUS);
    proxy.fleet.devices[0]!.replaceCertificate();
    proxy.fleet.devices[0]!.dropConnections();
    const { offered } = (await proxy.ask(0, 'GET', STATUS)).json;
    expect((await proxy.ask(0, 'POST', '/api/system/actions/reboot')).json).toMatchObject({
      code: 'device_trust_changed',
    });

    await proxy.world.api.send('PUT', `/v1/devices/${proxy.ids[0]}/trust`, { mode: 'pin', pin: offered });

    expect((await proxy.ask(0, 'GET', STATUS)).status).toBe(200);
    await until(async () => (await read()).state === 'online');
  });

  it('is met with a wrong pin from the start: nothing is said to it', async () => {
    await proxy.world.api.send('PUT', `/v1/devices/${proxy.ids[0]}/trust`, {
      mode: 'pin',
      pin: `sha256/${'A'.repeat(43)}=`,
    });

    const answer = await proxy.ask(0, 'GET', STATUS);

    expect(answer.json).toMatchObject({ code: 'device_trust_changed', pinned: `sha256/${'A'.repeat(43)}=` });
    expect(proxy.fleet.ledger.summary(0).requests).toBe(0);
  });
});
