import { Agent, fetch, type RequestInit } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ApiClient } from '../../src/api-client/api-client.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addWithPassword, PASSWORD } from '../support/people.js';
import {
  belowAPath,
  DOCUMENTED_PROXIES,
  filesOf,
  HOST,
  type StartedProxy,
} from '../support/servers/documented-proxies.js';
import { freePort } from '../support/servers/free-port.js';
import { until } from '../support/until.js';

/* The files of docs/howto/run-behind-a-proxy.md in front of a real gateway, at a host of its own and below a path. */

/** A caller that is not the proxy's own address. */
const CALLER = '127.0.0.2';

const PLACES = [
  ['', '__Host-fleetgate', '/'],
  ['/fleet', '__Secure-fleetgate', '/fleet'],
] as const;

const CASES = DOCUMENTED_PROXIES.flatMap((proxy) =>
  PLACES.map(([path, cookie, cookiePath]) => ({ ...proxy, path, cookie, cookiePath })),
);

for (const proxy of CASES) {
  const { name: server, missing, language, path, cookie, cookiePath } = proxy;
  describe.skipIf(missing)(`${server} with its file of the how-to, at ${cookiePath}${missing ?? ''}`, () => {
    let front: StartedProxy;
    let world: TestGateway;
    let agent: Agent;
    let url: string;

    const ask = (address: string, init: RequestInit = {}) =>
      fetch(url + address, { dispatcher: agent, redirect: 'manual', ...init });
    const client = () =>
      new ApiClient({
        url,
        key: world.keys.administrator,
        attempts: 1,
        fetch: async ({ method, headers, url: address }, { signal }) => {
          const answer = await fetch(address, { method, headers: [...headers], dispatcher: agent, signal: signal! });
          // The client asks for a Response of the platform.
          return new Response(answer.body as ReadableStream, { status: answer.status, headers: [...answer.headers] });
        },
      });

    beforeAll(async () => {
      const gatewayPort = await freePort();
      const file = filesOf(language)[0]!;
      const whole = path === '' ? file : belowAPath(server, file);
      front = await proxy.start(whole.replaceAll('127.0.0.1:8080', `127.0.0.1:${gatewayPort}`));
      url = `https://${HOST}:${front.port}${path}`;
      world = await startTestGateway({
        ROLE: 'api',
        PORT: String(gatewayPort),
        PUBLIC_URL: url,
        TRUSTED_PROXIES: '127.0.0.1/32',
      });
      agent = new Agent({
        localAddress: CALLER,
        connect: {
          ca: front.certificate,
          lookup: (_host, { all }, done) =>
            all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4),
        },
      });
    });
    afterAll(async () => {
      await agent?.destroy();
      await world?.close();
      await front?.stop();
    });

    it('a person signs in over TLS, and their own address is known whatever they claim', async () => {
      const front = await ask('/');
      expect([front.status, front.headers.get('location')]).toEqual([302, `${path}/console/`]);
      expect(front.headers.get('strict-transport-security')).toContain('max-age=');
      const { name } = await addWithPassword(world, 'Grace');
      const json = { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.9' };
      const signIn = { method: 'POST', headers: json, body: JSON.stringify({ name, password: PASSWORD }) };
      const [set] = (await ask('/v1/login', signIn)).headers.getSetCookie();
      expect(set).toMatch(new RegExp(`^${cookie}=.*; Path=${cookiePath};.*; Secure`));
      const sessions = await ask('/v1/self/sessions', { headers: { cookie: set!.split(';', 1)[0]! } });
      const { items } = (await sessions.json()) as { items: { address: string }[] };
      expect(items.map(({ address }) => address)).toEqual([CALLER]);
    });

    it('an upload of 3 MB comes through, and a refused one says why', async () => {
      const upload = async (key: string) => {
        const answer = await ask('/v1/artifacts?kind=firmware', {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' },
          body: Buffer.alloc(3_000_000, 7),
        });
        return [answer.status, ((await answer.json()) as { code?: string }).code];
      };
      expect(await upload(world.keys.administrator)).toEqual([201, undefined]);
      expect(await upload(world.keys.viewer)).toEqual([403, 'forbidden']);
    });

    it('an event comes as it happens', async () => {
      const end = new AbortController();
      let isOpen = false;
      const events = client().events({ types: ['device.*'], signal: end.signal, onOpen: () => (isOpen = true) });
      const first = events.next();
      await until(() => isOpen);
      await world.api.post('/v1/devices', { name: 'late', baseUrl: 'https://192.0.2.7' });
      expect((await first).value).toMatchObject({ type: 'device.registered' });
      end.abort();
    });

    it('a path of a device arrives as it was sent', async () => {
      const headers = { authorization: `Bearer ${world.keys.administrator}` };
      const asked = async (at: string, address: string) => {
        const answer = await fetch(at + address, { headers, redirect: 'manual', dispatcher: agent });
        return [answer.status, ((await answer.json()) as { code?: string }).code];
      };
      for (const odd of ['/v1/devices/name:a%2Fb', '/v1/devices/name:a%20b', '/v1/devices/name:%C3%BC+x'])
        expect([odd, await asked(url, odd)]).toEqual([odd, await asked(world.gateway.listenerUrl, odd)]);
    });

    it('plain http leads to https', async () => {
      const address = `http://${HOST}:${front.plainPort}${path}/console/`;
      const { status, headers } = await fetch(address, { redirect: 'manual', dispatcher: agent });
      expect([301, 308]).toContain(status);
      expect(headers.get('location')).toMatch(/^https:\/\/fleet\.example(?::\d+)?\/.*console\/$/);
    });
  });
}

/*
 * Traefik is no package of Debian, so it is not run: its files are read as YAML, and each name in them leads to what it names. Whether Traefik
 * itself takes them is not shown here.
 */
describe('Traefik', () => {
  interface Static {
    readonly entryPoints: Record<string, { address: string; http?: { redirections: { entryPoint: { to: string } } } }>;
    readonly providers: { readonly file: { readonly filename: string } };
  }
  interface Dynamic {
    readonly http: {
      readonly routers: Record<string, { rule: string; entryPoints: string[]; service: string }>;
      readonly services: Record<string, { loadBalancer: { servers: { url: string }[] } }>;
    };
    readonly tls: { readonly certificates: { certFile: string; keyFile: string }[] };
  }

  it.each([
    ['at a host of its own', (file: string) => file, 'Host(`fleet.example`)'],
    ['below a path', (file: string) => belowAPath('Traefik', file), 'Host(`fleet.example`) && PathPrefix(`/fleet/`)'],
  ])('has files whose names fit together, %s', (_where, change, rule) => {
    const [first, second] = filesOf('yaml');
    const { entryPoints, providers } = parse(first!) as Static;
    const { http, tls } = parse(change(second!)) as Dynamic;
    const router = http.routers['fleetgate']!;
    expect(router.rule).toBe(rule);
    expect(router.entryPoints.map((name) => entryPoints[name]?.address)).toEqual([':443']);
    expect(entryPoints[entryPoints['web']!.http!.redirections.entryPoint.to]?.address).toBe(':443');
    expect(http.services[router.service]!.loadBalancer.servers).toEqual([{ url: 'http://127.0.0.1:8080' }]);
    expect([providers.file.filename, tls.certificates.length]).toEqual(['/etc/traefik/fleetgate.yml', 1]);
  });
});
