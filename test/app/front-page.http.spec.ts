import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

  it('says with which path a request came that a proxy should have taken off', async () => {
    const answer = await fetch(new URL('/fleet/v1/devices', world.url));
    expect(await answer.json()).toMatchObject({ status: 404, code: 'route_not_found', prefix: '/fleet' });
  });

  it.each(['/console/', '/console/devices', '/docs'])(
    '%s runs the scripts of its own page and no others',
    async (at) => {
      const [one, other] = await Promise.all([pageAt(at), pageAt(at)]);
      const [, nonce] = /script-src 'nonce-([^']{22,})';/.exec(one.policy)!;
      expect(one.policy).toContain("default-src 'none'");
      expect(one.policy).toContain("frame-ancestors 'none'");
      expect(other.policy).not.toContain(nonce);
      const scripts = one.text.match(/<script[^>]*>/g)!;
      expect(scripts.length).toBeGreaterThan(0);
      expect(scripts.filter((script) => !script.includes(`nonce="${nonce}"`))).toEqual([]);
    },
  );

  async function pageAt(at: string) {
    const answer = await fetch(new URL(at, world.url));
    return { policy: answer.headers.get('content-security-policy')!, text: await answer.text() };
  }
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
