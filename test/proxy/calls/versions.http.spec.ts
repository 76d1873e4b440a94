import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProxyWorld, type ProxyWorld } from '../proxy-world.js';

/* Versions of the device's API and `options` of a GET, as the specification has them, through the gateway. */

let proxy: ProxyWorld;
beforeAll(async () => {
  proxy = await startProxyWorld({ devices: 1, profile: 'spec' });
});
afterAll(() => proxy.close());

describe('a device of the specification, through the gateway', () => {
  it('answers in the version that the caller names', async () => {
    const statuses = [];
    for (const version of ['/v1', '/v2', '/v3', '']) {
      statuses.push((await proxy.ask(0, 'GET', `/api${version}/snmp/users/config`)).status);
    }
    expect(statuses).toEqual([400, 200, 200, 200]);
  });

  it('gets the options of each GET, also of equal paths at the same time', async () => {
    const path = '/api/interfaces/config';
    const limits = [1, 2, 3];
    const answers = await Promise.all(
      limits.map((limit) => {
        const body = JSON.stringify({ options: { limit } });
        const headers = {
          'content-type': 'application/json',
          'content-length': body.length, // Node sends no length with a GET by itself
        };
        return proxy.ask(0, 'GET', path, { headers, body });
      }),
    );
    expect(answers.map(({ json }) => (json['data'] as unknown[]).length)).toEqual(limits);
  });
});
