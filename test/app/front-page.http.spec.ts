import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptSources } from '../../src/script-sources.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { PROJECT } from '../support/source/project.js';

/* What a person meets first: the address in a browser, and the arguments that they try. */

describe('the page at the address of the gateway', () => {
  let world: TestGateway;
  beforeAll(async () => {
    world = await startTestGateway({ ROLE: 'api' });
  });
  afterAll(() => world.close());

  it('leads to the console, and so does an invitation', async () => {
    const front = await fetch(world.url, { redirect: 'manual' });
    expect([front.status, front.headers.get('location')]).toEqual([302, '/console/']);
    const { id } = await world.api.post<{ id: string }>('/v1/operators', { name: 'Bob', role: 'viewer' });
    const { url } = await world.api.post<{ url: string }>(`/v1/operators/${id}/invitation`);
    const answer = await fetch(url);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    const page = await answer.text();
    for (const [, address] of page.matchAll(/(?:href|src)="([^"]+)"/g)) {
      expect([address, (await fetch(new URL(address!, world.url))).status]).toEqual([address, 200]);
    }
  });

  it('serves a chunk with its type, compressed and for a year, and no page in the place of a missing one', async () => {
    const page = await (await fetch(new URL('/console/devices', world.url))).text();
    const [, script] = page.match(/<script type="module"[^>]* src="([^"]+)"/)!;
    const chunk = await fetch(new URL(script!, world.url), { headers: { 'accept-encoding': 'br' } });
    expect(chunk.status).toBe(200);
    expect(chunk.headers.get('content-type')).toContain('javascript');
    expect(chunk.headers.get('content-encoding')).toBe('br');
    expect(chunk.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    for (const missing of ['/console/assets/missing.js', '/console/assets/../../src/main.js', '/console/assets/']) {
      expect([missing, (await fetch(new URL(missing, world.url))).headers.get('content-type')]).not.toEqual([
        missing,
        expect.stringContaining('javascript'),
      ]);
    }
    expect((await fetch(new URL('/console/assets/missing.js', world.url))).status).toBe(404);
  });

  it('has no document of every name below /docs', async () => {
    const answer = await fetch(new URL('/docs/operators', world.url));
    expect(await answer.json()).toMatchObject({ status: 404, code: 'route_not_found' });
  });

  it('runs its own scripts and no others', async () => {
    const policy = (await fetch(new URL('/console/', world.url))).headers.get('content-security-policy')!;
    const { host } = new URL(world.url);
    const scripts = `${host}/console/assets/ ${host}/console/theme.js`;
    expect(policy).toContain(`default-src 'none'; script-src ${scripts}; style-src 'self';`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
  });
});

describe('npm start', () => {
  const main = fileURLToPath(new URL('dist/src/main.js', PROJECT));
  const start = (...args: string[]) => spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });

  it('tells how it is used, and starts nothing', () => {
    expect(start('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('DATA_DIR') });
  });

  it('refuses an argument, which it would not mind', () => {
    const refused = start('--port', '9000');
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('remove --port') });
  });
});

/** The host, the public address, and the sources of scripts of a page below /a/. */
const SOURCES: readonly [host: string, publicUrl: string | undefined, sources: string][] = [
  ['gateway.example', undefined, 'gateway.example/a/'],
  ['gateway.example:8080', undefined, 'gateway.example:8080/a/'],
  ['localhost:8080', undefined, 'localhost:8080/a/'],
  ['127.0.0.1:8080', undefined, '127.0.0.1:8080/a/'],
  ['inside:8080', 'https://gateway.example/', 'inside:8080/a/ gateway.example/a/'],
  ['gateway.example', 'https://gateway.example', 'gateway.example/a/'],
  ['a_b.example', undefined, 'a_b.example/a/'],
  // No source can name these.
  ['192.0.2.7', undefined, "'self'"],
  ['192.0.2.7:8443', undefined, "'self'"],
  ['[::1]:8080', undefined, "'self'"],
  ['inside', 'https://192.0.2.7', "'self'"],
  ['', undefined, "'self'"],
  // X-Forwarded-Host of a careless proxy.
  ["x; script-src 'unsafe-inline'", undefined, "'self'"],
  ['x *', undefined, "'self'"],
  ['*', undefined, "'self'"],
  ['https:', undefined, "'self'"],
  ['x/y', undefined, "'self'"],
];

describe('the sources of scripts', () => {
  it.each(SOURCES)('of a request to %j, with the public address %s, are %s', (host, publicUrl, sources) =>
    expect(scriptSources({ host }, publicUrl, ['/a/'])).toBe(sources),
  );
});
