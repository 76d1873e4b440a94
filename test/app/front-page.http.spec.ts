import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
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

  it('is where an invitation leads to, and leads on to the documents', async () => {
    const { id } = await world.api.post<{ id: string }>('/v1/operators', { name: 'Bob', role: 'viewer' });
    const { url } = await world.api.post<{ url: string }>(`/v1/operators/${id}/invitation`);
    const answer = await fetch(url);
    expect(answer.status).toBe(200);
    const page = await answer.text();
    expect(page).toContain('/v1/invitations/accept');
    for (const [, address] of page.matchAll(/href="([^"]+)"/g)) {
      expect([address, (await fetch(new URL(address!, world.url))).status]).toEqual([address, 200]);
    }
  });

  it('has no document of every name below /docs', async () => {
    const answer = await fetch(new URL('/docs/operators', world.url));
    expect(await answer.json()).toMatchObject({ status: 404, code: 'route_not_found' });
  });

  it('runs its own script and no other', async () => {
    const answer = await fetch(world.url);
    const [, script] = (await answer.text()).match(/<script>(.*)<\/script>/s)!;
    const digest = createHash('sha256').update(script!).digest('base64');
    const policy = answer.headers.get('content-security-policy')!;
    expect(policy).toContain(`default-src 'none'; script-src 'sha256-${digest}';`);
    expect(policy).toContain("frame-ancestors 'none'");
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
