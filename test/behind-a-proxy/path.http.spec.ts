import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../src/api-client/api-client.js';
import { type Fleet } from '../../src/simulator/fleet.js';
import { register } from '../proxy/proxy-world.js';
import { Browser } from '../support/browser.js';
import { commandLine } from '../support/cli/command-line.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';
import { CLIENT_ID, CLIENT_SECRET, OpenidProvider } from '../support/openid-provider.js';
import { addWithPassword, PASSWORD } from '../support/people.js';
import { type BelowAPath, PREFIX, startBelowAPath, WAYS } from '../support/servers/below-a-path.js';
import { Nginx } from '../support/servers/nginx.js';

/* PUBLIC_URL with a path: https://example.org/fleet, beside other applications of the same host. */

describe.skipIf(Nginx.missing).each(WAYS)(`below a path that the proxy %s${Nginx.missing ?? ''}`, (way) => {
  let provider: OpenidProvider;
  let below: BelowAPath;
  let fleet: Fleet;

  beforeAll(async () => {
    provider = await OpenidProvider.listen();
    const { issuer } = provider;
    const roles = { admins: ['administrator'] };
    const corp = { id: 'corp', name: 'Corp', issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, roles };
    [below, fleet] = await Promise.all([
      startBelowAPath(way, () => ({ OIDC_PROVIDERS: JSON.stringify([corp]) })),
      startOwnFleet({ devices: 1, profile: 'rutos', timeScale: 200 }),
    ]);
    provider.open(`${below.url}/v1/oidc/corp/callback`);
    const { name, baseUrl, username, password } = fleet.devices[0]!;
    await register(below.world, name, baseUrl, username, password);
  });
  afterAll(async () => {
    await below?.close();
    await fleet?.close();
    await provider?.close();
  });

  const path = (address: string) => new URL(address, below.url).pathname;

  it('the front page leads to the console, whose page, scripts and styles are there', async () => {
    const front = await fetch(`${below.url}/`, { redirect: 'manual' });
    expect([front.status, path(front.headers.get('location')!)]).toEqual([302, `${PREFIX}/console/`]);
    for (const screen of ['/console/', '/console/devices/some/deep', '/docs']) {
      const page = await (await fetch(below.url + screen)).text();
      const files = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address]) => address!);
      expect(files.length).toBeGreaterThan(2);
      for (const file of files) {
        expect(file).toMatch(new RegExp(`^${PREFIX}/`));
        expect([file, (await fetch(new URL(file, below.url))).status]).toEqual([file, 200]);
      }
    }
  });

  it('a person signs in with a password; the cookie goes to no other application of the host', async () => {
    const { name } = await addWithPassword(below.world, 'Grace', 'administrator');
    const at = new Browser(below.url);
    const { status, headers } = await at.send('POST', `${below.url}/v1/login`, { name, password: PASSWORD });
    expect([status, headers.getSetCookie()[0]]).toEqual([200, expect.stringContaining(`; Path=${PREFIX};`)]);
    expect((await at.get(`${below.url}/v1/self`)).body).toMatchObject({ name });
    const out = await at.send('POST', `${below.url}/v1/logout`);
    expect(out.headers.getSetCookie()[0]).toContain(`; Path=${PREFIX}; Max-Age=0;`);
  });

  it('a person signs in through a provider, and comes back to the console', async () => {
    provider.people.set('sub-1', { preferred_username: 'linus', groups: ['admins'] });
    const at = new Browser(below.url);
    const left = await at.get(`${below.url}/v1/oidc/corp/login?returnTo=/console/devices`);
    const back = await provider.signIn(left.headers.get('location')!, 'sub-1');
    expect(back).toMatch(`${below.url}/v1/oidc/corp/callback?`);
    const { status, body } = await at.get(back);
    expect([status, body['text']]).toEqual([200, expect.stringContaining(`url=${PREFIX}/console/devices"`)]);
    expect((await at.get(`${below.url}/v1/self`)).body).toMatchObject({ name: 'linus' });
  });

  it('Location, the link of an invitation and the type of a problem lead below the path', async () => {
    const { api, keys } = below.world;
    const device = await fetch(`${below.url}/v1/devices`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.administrator}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'pump-9', baseUrl: 'https://192.0.2.9' }),
    });
    const { id } = (await device.json()) as { id: string };
    expect(device.headers.get('location')).toBe(`${PREFIX}/v1/devices/${id}`);
    const person = await api.post<{ id: string }>('/v1/operators', { name: 'Bob', role: 'viewer' });
    const { url } = await api.post<{ url: string }>(`/v1/operators/${person.id}/invitation`);
    expect(url).toMatch(`${below.url}/console/invitation#invitation=`);
    expect((await fetch(url)).status).toBe(200);
    const { type } = (await (await fetch(`${below.url}/v1/nothing`)).json()) as { type: string };
    expect((await fetch(new URL(type, below.url))).status).toBe(200);
  });

  it('the OpenAPI document says where its operations are', async () => {
    const { servers } = (await (await fetch(`${below.url}/openapi.json`)).json()) as { servers: { url: string }[] };
    const { href } = new URL(servers[0]!.url, `${below.url}/openapi.json`);
    expect(href).toBe(below.url);
    expect(await (await fetch(`${below.url}/docs`)).text()).toContain(`href="${PREFIX}/docs/`);
  });

  it('a client of the device works at the façade', async () => {
    const base = `${below.url}/d/name:${fleet.devices[0]!.name}`;
    const login = await fetch(`${base}/api/login`, {
      method: 'POST',
      body: JSON.stringify({ username: 'admin', password: below.world.keys.operator }),
    });
    const { data } = (await login.json()) as { data: { token: string } };
    const headers = { authorization: `Bearer ${data.token}` };
    const status = await fetch(`${base}/api/system/device/status`, { headers });
    expect(await status.json()).toMatchObject({ success: true });
  });

  it('the typed client and the command line take an address with a path', async () => {
    const names = [];
    const client = new ApiClient({ url: `${below.url}/`, key: below.world.keys.viewer });
    for await (const { name } of client.items('/v1/devices')) names.push(name);
    expect(names).toContain(fleet.devices[0]!.name);
    const environment = { FLEETGATE_URL: `${below.url}/`, FLEETGATE_API_KEY: below.world.keys.operator };
    const name = fleet.devices[0]!.name;
    expect(await commandLine(environment, ['device', 'show', name, '--json'])).toMatchObject({ code: 0 });
    const call = await commandLine(environment, ['call', 'get', name, '/api/system/device/status']);
    expect([call.code, call.err]).toEqual([0, '']);
    expect((await commandLine(environment, ['open', '--print'])).out).toBe(`${below.url}/console\n`);
  });

  it('the gateway itself answers without the path, too', async () => {
    for (const address of [below.direct, below.direct + PREFIX]) {
      expect([address, (await fetch(`${address}/health/live`)).status]).toEqual([address, 200]);
      expect([address, (await fetch(`${address}/console/`)).status]).toEqual([address, 200]);
    }
    for (const other of ['/fleetx/health/live', `${PREFIX}${PREFIX}/health/live`, `/x${PREFIX}/health/live`])
      expect([other, (await fetch(below.direct + other)).status]).toEqual([other, 404]);
  });
});
