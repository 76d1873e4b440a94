import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../src/api-client/api-client.js';
import { type ProxyWorld, startProxyWorld } from '../proxy/proxy-world.js';
import { Nginx } from '../support/servers/nginx.js';
import { until } from '../support/until.js';

/*
 * nginx with nothing but `proxy_pass`: it talks HTTP/1.0 to the gateway, rewrites Host, keeps answers in memory, and takes
 * bodies of at most 1 MB. What the gateway sends has to come through one by one all the same.
 */

describe.skipIf(Nginx.missing)(`behind nginx with its defaults${Nginx.missing ?? ''}`, () => {
  let proxy: ProxyWorld;
  let nginx: Nginx;
  let api: ApiClient;

  beforeAll(async () => {
    proxy = await startProxyWorld(
      { devices: 2, profile: 'rutos', timeScale: 200 },
      { TRUSTED_PROXIES: '127.0.0.1/32' },
    );
    const { url, keys } = proxy.world;
    nginx = await Nginx.start((port) => `server { listen 127.0.0.1:${port}; location / { proxy_pass ${url}; } }`);
    api = new ApiClient({ url: nginx.url, key: keys.administrator, attempts: 1 });
  });
  afterAll(async () => {
    await nginx?.stop();
    await proxy.close();
  });

  it('an event comes as it happens', async () => {
    const end = new AbortController();
    let isOpen = false;
    const events = api.events({ types: ['device.*'], signal: end.signal, onOpen: () => (isOpen = true) });
    const first = events.next();
    await until(() => isOpen);
    await proxy.world.api.post('/v1/devices', { name: 'late', baseUrl: 'https://192.0.2.7' });
    expect((await first).value).toMatchObject({ type: 'device.registered' });
    end.abort();
  });

  it('a fan-out gives the first answer while another device still thinks', async () => {
    const slow = proxy.fleet.devices[1]!;
    const ruleId = slow.faults.add({ kind: 'latency', path: '/api/system/device/status', ms: 600_000 * 200 });
    const request = { method: 'GET' as const, path: '/api/system/device/status' };
    const end = new AbortController();
    const selector = proxy.fleet.devices.map(({ name }) => `name:${name}`).join(' | ');
    const lines = api.fanOut({ selector, request, policy: { timeoutMs: 120_000 } }, { signal: end.signal });
    expect((await lines.next()).value).toMatchObject({ deviceId: proxy.ids[0] });
    end.abort();
    slow.faults.remove(ruleId);
  });
});
