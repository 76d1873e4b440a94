import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProxyWorld, type ProxyWorld } from './proxy-world.js';

/* What an operator sees of the way to a device, and how it is started anew. */

let proxy: ProxyWorld;
const STATUS = '/api/system/device/status';
const session = (index: number) => proxy.world.api.get(`/v1/devices/${proxy.ids[index]}/session`);
const reset = (index: number) => proxy.world.api.post(`/v1/devices/${proxy.ids[index]}/session/reset`);

beforeAll(async () => {
  proxy = await startProxyWorld({ devices: 3, profile: 'rutos' });
});
afterAll(async () => {
  await proxy.close();
});

describe('the session of a device', () => {
  it('is shown without its token', async () => {
    expect(await session(0)).toMatchObject({
      sessions: [{ account: 'main', phase: 'none', loginsToday: 0 }],
      breaker: { state: 'closed' },
    });
    await proxy.ask(0, 'GET', STATUS);

    const view = await session(0);

    expect(view).toMatchObject({
      sessions: [
        { phase: 'valid', loginsToday: 1, failedLogins: 0, ageSeconds: expect.any(Number), endsAt: expect.any(String) },
      ],
      slots: { read: { taken: 0, waiting: 0 }, write: { taken: 0, waiting: 0 } },
    });
    expect(JSON.stringify(view)).not.toContain('token');
  });

  it('is ended on the device by a reset', async () => {
    await proxy.ask(0, 'GET', STATUS);
    expect(proxy.fleet.ledger.summary(0).openSessions).toBe(1);

    expect(await reset(0)).toMatchObject({ sessions: [{ phase: 'none' }] });

    expect(proxy.fleet.ledger.summary(0).openSessions).toBe(0);
    expect((await proxy.ask(0, 'GET', STATUS)).status).toBe(200);
  });

  it('lets a refused password be tried once more for each reset, and counts anew', async () => {
    proxy.fleet.devices[1]!.setPassword('Changed-by-1-somebody');
    for (let round = 1; round <= 4; round++) {
      for (let call = 0; call < 5; call++) {
        expect((await proxy.ask(1, 'GET', STATUS)).json).toMatchObject({ code: 'device_credentials_refused' });
      }
      expect(proxy.fleet.ledger.summary(1).failedLogins).toBe(round);
      expect(await session(1)).toMatchObject({ sessions: [{ phase: 'refused', failedLogins: 1 }] });
      expect(await reset(1)).toMatchObject({ sessions: [{ phase: 'none', failedLogins: 0 }] });
    }
  });

  it('shows the open breaker, and a reset closes it', async () => {
    const rule = proxy.fleet.devices[2]!.faults.add({ kind: 'refuse' });
    for (let call = 0; call < 3; call++) await proxy.ask(2, 'GET', STATUS);
    expect(await session(2)).toMatchObject({ breaker: { state: 'open', trialAt: expect.any(String) } });
    proxy.fleet.devices[2]!.faults.remove(rule);

    expect(await reset(2)).toMatchObject({ breaker: { state: 'closed', trialAt: null } });

    expect((await proxy.ask(2, 'GET', STATUS)).status).toBe(200);
  });

  it('is reset by those who manage devices, and by no viewer', async () => {
    const asViewer = proxy.world.as('viewer');
    expect(await asViewer.get(`/v1/devices/${proxy.ids[0]}/session`)).toMatchObject({ breaker: { state: 'closed' } });
    await expect(asViewer.post(`/v1/devices/${proxy.ids[0]}/session/reset`)).rejects.toMatchObject({
      code: 'forbidden',
    });
  });
});
