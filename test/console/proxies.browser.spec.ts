import { type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConsoleWorld, type ConsoleWorld } from '../support/console/console-world.js';
import { settled } from '../support/console/in-page.js';
import { freePort } from '../support/servers/free-port.js';
import { Nginx } from '../support/servers/nginx.js';

/*
 * What a person reads when a proxy answers in place of the gateway: its page about a body that is too large or a gateway
 * that is away, or the page of a sign-in with status 200. nginx has its defaults: it takes bodies of at most 1 MB.
 */

/** More than nginx takes, and more than the sockets between browser and proxy hold. */
const TOO_LARGE = 6_000_000;

describe.skipIf(Nginx.missing)(`behind nginx with its defaults${Nginx.missing ?? ''}`, () => {
  let world: ConsoleWorld;
  let nginx: Nginx;
  const open = (path: string): Promise<Page> => world.open(path, { origin: nginx.url });

  beforeAll(async () => {
    const port = await freePort();
    const closed = await freePort();
    nginx = await Nginx.start(
      (listen) => `server { listen 127.0.0.1:${listen}; default_type text/html;
        location / { proxy_pass http://127.0.0.1:${port}; }
        location = /v1/jobs { proxy_pass http://127.0.0.1:${closed}; }
        location = /v1/rollouts { return 200 "<!doctype html><title>Sign in to the guest network</title>"; } }`,
    );
    world = await startConsoleWorld({ ROLE: 'api', PORT: String(port) }, [nginx.url]);
  });
  afterAll(async () => {
    await world?.close();
    await nginx?.stop();
  });

  it('an import that is too large says what to raise, and the file stays chosen', async () => {
    const page = await open('/devices?add=import');
    const input = page.getByLabel('File with devices');
    const lines = Buffer.from(`name,base_url\n${'x'.repeat(TOO_LARGE)},https://192.0.2.7\n`);
    await input.setInputFiles({ name: 'fleet.csv', mimeType: 'text/csv', buffer: lines });
    await page.getByRole('button', { name: 'Check the file' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'status 413' });
    await expect.poll(() => alert.innerText()).toMatch(/client_max_body_size/);
    await expect.poll(() => input.inputValue()).toMatch(/fleet\.csv$/);
    await expect.poll(() => page.getByRole('button', { name: 'Check the file' }).isEnabled()).toBe(true);
    await page.close();
  });

  it('an upload that is too large says what to raise, and the form stays as it is', async () => {
    const page = await open('/artifacts');
    await page.getByRole('button', { name: 'Upload' }).first().click();
    const dialog = page.locator('dialog[open]');
    await dialog.getByLabel('File').setInputFiles({
      name: 'image.bin',
      mimeType: 'application/octet-stream',
      buffer: Buffer.alloc(TOO_LARGE, 'firmware'),
    });
    await dialog.getByText('It has a signature').click();
    await dialog.getByLabel('Signature').fill('c2lnbmF0dXJl');
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    await expect.poll(() => dialog.getByRole('alert').innerText()).toMatch(/status 413.*client_max_body_size/s);
    await expect.poll(() => dialog.getByLabel('Signature').inputValue()).toBe('c2lnbmF0dXJl');
    await expect.poll(() => dialog.getByRole('button', { name: 'Upload', exact: true }).isEnabled()).toBe(true);
    await page.close();
  });

  it('a page in place of a list is named as that of another server', async () => {
    const page = await open('/rollouts');
    await settled(page);
    await expect.poll(() => page.locator('main').innerText()).toMatch(/A server on the way answered with status 200/);
    await page.close();
  });

  it('a gateway that is away is named as such', async () => {
    const page = await open('/jobs');
    await settled(page);
    await expect.poll(() => page.locator('main').innerText()).toMatch(/status 502.*Start the gateway/s);
    await page.close();
  });
});
