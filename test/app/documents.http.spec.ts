import { once } from 'node:events';
import { get, type IncomingHttpHeaders } from 'node:http';
import net from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { declaredRoutes } from '../../src/http/http-server.js';
import { PER_SOURCE_MAX } from '../../src/auth/limits/anonymous-requests.js';
import { Browser } from '../support/browser.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { until } from '../support/until.js';

/* What everybody may read costs next to nothing, and there is no route that the gateway did not declare. */

let world: TestGateway;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
});
afterAll(() => world.close());

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Without the decompression of `fetch`. */
function ask(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(world.url + path, { headers }, (answer) => {
      buffer(answer).then((body) => resolve({ status: answer.statusCode!, headers: answer.headers, body }), reject);
    }).on('error', reject);
  });
}

const DOCUMENTS: [path: string, type: string][] = [
  ['/openapi.json', 'application/json; charset=utf-8'],
  ['/docs/page.js', 'text/javascript; charset=utf-8'],
  ['/docs/page.css', 'text/css; charset=utf-8'],
  ['/docs/images/console-devices.png', 'image/png'],
  ['/docs/monitoring/rules.yml', 'text/plain; charset=utf-8'],
  ['/docs/verify-export.sh', 'text/plain; charset=utf-8'],
];

it('has the font of the console, from the same file', async () => {
  const { body } = await ask('/docs/page.css');
  const [, file] = /url\('\.\.(\/console\/assets\/inter-latin-[^']+)'\)/.exec(String(body)) ?? [];
  const font = await ask(file!);
  expect([font.status, font.headers['content-type']]).toEqual([200, 'font/woff2']);
  expect((await ask('/docs')).headers['content-security-policy']).toContain("font-src 'self'");
});

describe('a document', () => {
  it.each(DOCUMENTS)('%s is the same for all, with a tag, and compressed for those who want it', async (path, type) => {
    const plain = await ask(path);
    expect([plain.status, plain.headers['content-type']]).toEqual([200, type]);
    expect(plain.headers).toMatchObject({ vary: 'accept-encoding', 'cache-control': 'no-cache' });
    const gzip = await ask(path, { 'accept-encoding': 'gzip' });
    const brotli = await ask(path, { 'accept-encoding': 'gzip, br' });
    expect([gzip.headers['content-encoding'], brotli.headers['content-encoding']]).toEqual(['gzip', 'br']);
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
    const tags = [plain, gzip, brotli].map(({ headers }) => headers.etag!);
    expect(new Set(tags).size).toBe(3);
    const known = await ask(path, { 'if-none-match': tags[2]!, 'accept-encoding': 'br' });
    expect([known.status, known.body.length, known.headers.etag]).toEqual([304, 0, tags[2]]);
  });
});

/** Of a page: where its links lead, and the places that a link can name. */
const linksOf = (page: string) => [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address]) => address!);
const anchorsOf = (page: string) => new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!));

describe('the pages', () => {
  it('lead somewhere by each of their links, and hold nothing that is inline', async () => {
    const pages = new Map<string, Promise<Answer>>();
    const read = (path: string) => pages.get(path) ?? pages.set(path, ask(path)).get(path)!;
    const broken: string[] = [];
    const open = ['/docs'];
    const seen = new Set(open);
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const page = (await read(at)).body.toString();
      if (/<script[^>]*>[^<]|<style|<[^>]*\s(?:on\w+|style)=/.test(page)) broken.push(`${at} has something inline`);
      for (const link of linksOf(page).filter((one) => !/^https?:/.test(one) && !one.startsWith('/console'))) {
        const [path = '', anchor] = new URL(link, world.url + at).href.slice(world.url.length).split('#');
        const { status, headers, body } = await read(path);
        const isPage = headers['content-type']?.startsWith('text/html') === true;
        if (status !== 200) broken.push(`${at} leads to ${link}: ${status}`);
        else if (anchor !== undefined && isPage && !anchorsOf(body.toString()).has(anchor))
          broken.push(`${at} leads to ${link}, which has no such part`);
        if (isPage && !seen.has(path)) open.push(path);
        seen.add(path);
      }
    }
    expect(broken).toEqual([]);
    expect(seen.size).toBeGreaterThan(250);
    expect([...seen]).toEqual(expect.arrayContaining(['/docs/README', '/docs/reference/jobs', '/docs/errors']));
  });

  it('list the documents by their titles, in the text and at the side, and mark the one that is shown', async () => {
    const index = (await ask('/docs/README')).body.toString();
    expect(index).toMatch(/<td><a href="[^"]*\/docs\/howto\/register-devices">Register devices<\/a><\/td>/);
    expect(index).not.toMatch(/>[\w/-]+\.md<\/a>/);
    const page = (await ask('/docs/howto/register-devices')).body.toString();
    expect(page).toMatch(/<nav class="side"[^>]*>.*aria-current="page">Register devices<\/a>/s);
    expect((await ask('/docs')).body.toString()).toMatch(
      /<nav class="side"[^>]*>.*<a href="\/docs#devices">Devices<\/a>/s,
    );
  });

  it('find the parts that have all words, and show what was asked as text', async () => {
    const search = async (q: string) => (await ask(`/docs/search?q=${encodeURIComponent(q)}`)).body.toString();
    const page = await search('Restore BACKUP');
    expect(page).toMatch(/<ol class="found"><li><a href="[^"]*\/docs\/[\w/-]+#[\w-]+">[^<]*restore/i);
    expect(page).toMatch(/<mark>restore<\/mark>/i);
    expect(page).toContain('value="Restore BACKUP"');
    expect(await search('restore zzzz')).toContain('No part of the documents has all of these words.');
    const hostile = await search(`"><script>alert('${'x'.repeat(3_000)}')</script>`);
    expect(hostile).not.toContain('<script>alert');
    expect((await ask('/docs/search?q=a&q=b')).status).toBe(200);
    expect((await ask('/docs/search')).body.toString()).toContain('Type a word');
  });

  it('show an operation with what it takes, what it answers and how it is called', async () => {
    const page = (await ask('/docs/operations/devices_register')).body.toString();
    for (const said of ['/v1/devices', 'device.manage', 'baseUrl', 'required', 'curl -X POST', 'device_exists'])
      expect(page).toContain(said);
    const login = (await ask('/docs/operations/signin_login')).body.toString();
    expect(login).toContain('Needs no sign-in.');
    expect(login).not.toContain('Bearer');
  });
});

it.each(['/docs/gone', '/docs/howto/gone', '/docs/operations/gone'])(
  'shows a page to people where there is none: %s',
  async (path) => {
    const { status, headers, body } = await ask(path, { accept: 'text/html,application/xhtml+xml' });
    expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(body.toString()).toContain('No such page');
    expect(body.toString()).toMatch(
      /popovertarget="pages".*<nav class="side" id="pages"[^>]*>.*\/docs\/howto\/find-devices"/s,
    );
    expect(JSON.parse((await ask(path)).body.toString())).toMatchObject({ code: 'route_not_found' });
  },
);

describe('a path that a library used to add', () => {
  it.each([
    '/docs-yaml',
    '/docs-json',
    '/docs/index.html',
    '/docs/docs',
    '/docs/docs/swagger-ui-init.js',
    '/docs/swagger-ui-init.js',
    '/docs/LICENSE',
    '/docs/package.json',
    '/docs/swagger-ui-bundle.js.map',
    '/docs/swagger-initializer.js',
    '/docs/oauth2-redirect.html',
    '/docs/..%2f..%2fpackage.json',
    '/openapi.yaml',
  ])('is not found: %s', async (path) => {
    const { status, body } = await ask(path);
    expect([status, JSON.parse(body.toString())]).toEqual([404, expect.objectContaining({ code: 'route_not_found' })]);
  });
});

describe('every route of the router', () => {
  it('is declared: as an endpoint, as a page, or as a way to a device', () => {
    const server: FastifyInstance = world.gateway.app.getHttpAdapter().getInstance();
    const declared = declaredRoutes(server);
    const silent = declared.filter(
      ({ config: { endpoint, page, callsDevice } }) => [endpoint, page, callsDevice].filter(Boolean).length !== 1,
    );
    expect(silent.map(({ method, url }) => `${method} ${url}`)).toEqual([]);
    // The router's own table has no route that the hook did not see. It prints only the end of a path with a wildcard.
    const isKnown = ({ method, url }: RegisteredRoute) =>
      declared.some(
        (one) =>
          one.method === method &&
          (one.url === url || (isWild(url) && isWild(one.url) && one.url.startsWith(url.slice(0, -1)))),
      );
    const routed = routesOf(server.printRoutes({ commonPrefix: false }));
    expect(routed.length).toBeGreaterThan(200);
    expect(routed.filter((route) => !isKnown(route))).toEqual([]);
  });
});

interface RegisteredRoute {
  readonly method: string;
  readonly url: string;
}

const isWild = (url: string) => url.endsWith('*');

/** The routes of a printed table: each line has the rest of the address after that of the line above it. */
function routesOf(printed: string): RegisteredRoute[] {
  const parts: string[] = [];
  return printed.split('\n').flatMap((line) => {
    const [, indent, part, methods] = /^((?:[│ ] {3})*)(?:├── |└── )(.*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
    if (indent === undefined) return [];
    parts.length = indent.length / 4;
    parts.push(part!);
    const url = parts.join('');
    return (methods?.split(', ') ?? []).map((method) => ({ method, url }));
  });
}

describe('a connection that asks for many documents and reads none', () => {
  it('gets its answers one by one, and holds up no other caller', async () => {
    const { hostname, port } = new URL(world.url);
    const socket = net.connect(Number(port), hostname);
    await once(socket, 'connect');
    const head = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n';
    socket.on('error', () => undefined);
    socket.write(head.repeat(1_500));
    expect((await ask('/health/live')).status).toBe(200);
    let received = '';
    socket.on('data', (chunk) => (received = received.slice(-5_000) + chunk.toString('latin1')));
    await until(() => received.includes('too_many_requests_at_once'));
    socket.destroy();
  });
});

describe('requests whose body does not arrive', () => {
  it('keep no other caller of their address out, neither from documents nor from sign-in', async () => {
    const { hostname, port } = new URL(world.url);
    const head =
      'POST /v1/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n';
    const sockets = Array.from({ length: PER_SOURCE_MAX }, () => net.connect(Number(port), hostname));
    const asked = sockets.map(async (socket) => {
      socket.write(head);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      socket.write('{');
      return answer.toString();
    });
    for (const answer of await Promise.all(asked)) expect(answer).toMatch(/^HTTP\/1\.1 100 /);
    expect((await ask('/docs')).status).toBe(200);
    expect((await new Browser(world.url).login('no such person', 'no such password')).status).toBe(401);
    for (const socket of sockets) socket.destroy();
  });

  it('are bounded: one without a caller that is too large is refused', async () => {
    const answer = await new Browser(world.url).login('no such person', 'x'.repeat(17_000));
    expect(answer.body).toMatchObject({ code: 'body_too_large', limitBytes: 16_384 });
  });

  it('are answered before it when their address is unknown', async () => {
    const { hostname, port } = new URL(world.url);
    const socket = net.connect(Number(port), hostname);
    socket.write(
      'POST /nothing/there HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 404 /);
    socket.destroy();
  });
});
