import { type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWatchedBrowser, type WatchedBrowser } from '../support/console/console-world.js';
import { settled } from '../support/console/in-page.js';
import { addWithPassword, PASSWORD } from '../support/people.js';
import { register } from '../proxy/proxy-world.js';
import { type BelowAPath, startBelowAPath, WAYS } from '../support/servers/below-a-path.js';
import { Nginx } from '../support/servers/nginx.js';

/* The console below a path of its host, as a person uses it behind a proxy. */

describe.skipIf(Nginx.missing).each(WAYS)(`the console below a path that the proxy %s${Nginx.missing ?? ''}`, (way) => {
  let below: BelowAPath;
  let browser: WatchedBrowser;
  let page: Page;

  beforeAll(async () => {
    below = await startBelowAPath(way);
    await register(below.world, 'pump-1', 'https://192.0.2.7');
    browser = await startWatchedBrowser([below.url, `${below.direct}/fleet`, below.direct]);
    page = await (await browser.context()).newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await below?.close();
    browser?.check();
  });

  const isAt = (screen: string) => page.waitForURL((url) => url.href.startsWith(`${below.url}/console${screen}`));
  const linksOutside = () => page.locator('a[href^="/"]:not([href^="/fleet/"])').count();

  it('leads from the front page through the sign-in to a device, and survives a reload', async () => {
    const { name } = await addWithPassword(below.world, 'Grace', 'administrator');
    await page.goto(`${below.url}/`);
    await isAt('/sign-in');
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await settled(page);
    await expect.poll(() => linksOutside()).toBe(0);
    await page.getByRole('link', { name: 'Devices', exact: true }).first().click();
    await page.getByRole('row').getByRole('link', { name: 'pump-1', exact: true }).click();
    await isAt('/devices/');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'pump-1' }).waitFor();
    await settled(page);
    await expect.poll(() => linksOutside()).toBe(0);
  });

  it('goes below the path when it was opened past the proxy', async () => {
    const other = await (await browser.context()).newPage();
    await other.goto(`${below.direct}/console/sign-in?setup=yes`);
    await other.waitForURL(`${below.direct}/fleet/console/sign-in?setup=yes`);
    await other.getByLabel('Set-up token').waitFor();
    await expect.poll(() => other.locator('main').count()).toBe(1);
    await other.close();
  });

  it('leads back to the sign-in, and on to the screen, when the session has ended', async () => {
    await page.goto(`${below.url}/console/devices?q=pump`);
    await settled(page);
    await page.context().clearCookies();
    await page.reload();
    await isAt('/sign-in');
    expect(new URL(page.url()).searchParams.get('next')).toBe('/devices?q=pump');
  });
});
