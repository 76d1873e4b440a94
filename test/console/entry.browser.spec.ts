import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Secret, TOTP } from 'otpauth';
import { type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type Gateway } from '../../src/gateway.js';
import { readConfig } from '../../src/platform/config.js';
import { sharedChromium } from '../support/console/chromium.js';
import { startWatchedBrowser, type WatchedBrowser } from '../support/console/console-world.js';
import { faultsOf } from '../support/console/faults.js';
import { expectNone } from '../support/console/figures.js';
import { settled } from '../support/console/in-page.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { CLIENT_ID, CLIENT_SECRET, OpenidProvider } from '../support/openid-provider.js';

/* The pages of people who are not signed in: set-up, sign-in, second factor, invitation, OpenID provider. */

const TOKEN = 'setup-token-of-the-first-run';
const PASSWORD = 'a lighthouse at noon';

let database: TestDatabase;
let dataDir: string;
let provider: OpenidProvider;
let gateway: Gateway;
let browser: WatchedBrowser;
let page: Page;
let recoveryCodes: string[] = [];
let invitation = '';
const faults: string[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-test-'));
  provider = await OpenidProvider.listen();
  const { issuer } = provider;
  const corp = { id: 'corp', name: 'Example Corp', issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET };
  gateway = await startGateway({
    config: readConfig({
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      PORT: '0',
      ROLE: 'api',
      LOG_LEVEL: 'error',
      FLEETGATE_SETUP_TOKEN: TOKEN,
      OIDC_PROVIDERS: JSON.stringify([{ ...corp, roles: { admins: ['administrator'] } }]),
    }),
  });
  provider.open(`${gateway.url}/v1/oidc/corp/callback`);
  browser = await startWatchedBrowser([gateway.url], [issuer]);
  page = await (await browser.context()).newPage();
});
afterAll(async () => {
  await browser.close();
  await gateway.close();
  await provider.close();
  await database.drop();
  await rm(dataDir, { recursive: true });
  browser.check();
});

/** The one page of this file, without any cookie. */
async function stranger(address: string): Promise<Page> {
  await page.goto('about:blank'); // an address that differs in its hash alone would not be loaded
  await page.context().clearCookies();
  await page.goto(address.startsWith('http') ? address : `${gateway.url}/console${address}`);
  await settled(page);
  return page;
}

async function look(page: Page, what: string): Promise<void> {
  await settled(page);
  faults.push(...(await faultsOf(page, what)));
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

describe('a page of the console', () => {
  it('runs no answer of a device as a script, though both have one origin', async () => {
    // Not watched: the report of the content policy is what the test waits for.
    const context = await (await sharedChromium()).newContext();
    const page = await context.newPage();
    await page.goto(`${gateway.url}/console/sign-in`);
    const end = await page.evaluate(`new Promise((resolve) => {
      document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective));
      import('/v1/devices/name:x/api/y').then(() => resolve('ran'), () => setTimeout(() => resolve('was asked for'), 5_000));
    })`);
    expect(end).toMatch(/^script-src/);
    await context.close();
  });
});

describe('a new gateway', () => {
  it('leads from its set-up token to a second factor with recovery codes', async () => {
    await stranger('/devices');
    await look(page, 'sign-in');
    // One sees at which gateway one is about to type a password.
    await page.getByText(new URL(gateway.url).host, { exact: true }).waitFor();
    await page.getByRole('link', { name: 'set it up' }).click();
    await page.getByLabel('Set-up token').fill('a token that is not the right one');
    await page.getByLabel('Your name').fill('Grace');
    await page.getByLabel('Password').fill(PASSWORD);
    await press(page, 'Create the first administrator');
    await page.getByText('The set-up token is not valid').waitFor();
    await look(page, 'first run with an error');
    await page.getByLabel('Set-up token').fill(TOKEN);
    await press(page, 'Create the first administrator');
    await heading(page, 'The gateway is set up');
    await look(page, 'first run, done');
    await press(page, 'Set up a second factor');
    await page.getByLabel('Your password').fill(PASSWORD);
    await press(page, 'Set up an authenticator');
    await page.getByRole('img', { name: /QR code/ }).waitFor();
    await look(page, 'QR code');
    const secret = await page.locator('.code-line code').first().innerText();
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    await page.getByLabel('Code of the authenticator').fill(totp.generate());
    await press(page, 'Confirm');
    const shown = await page.locator('main pre').innerText();
    recoveryCodes = shown.split('\n');
    expect(recoveryCodes).toHaveLength(10);
    await look(page, 'recovery codes');
    await press(page, 'I stored them');
    await page.getByText('An authenticator is set up').waitFor();
    await look(page, 'account with a second factor');
  });

  it('is not set up twice', async () => {
    await stranger('/sign-in?setup=yes');
    await page.getByLabel('Set-up token').fill(TOKEN);
    await page.getByLabel('Your name').fill('Mallory');
    await page.getByLabel('Password').fill(PASSWORD);
    await press(page, 'Create the first administrator');
    await page.locator('[data-code=setup_finished]').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Set up a second factor' }).count()).toBe(0);
    await press(page, 'Back to the sign-in');
    await page.getByText('Forgotten your password?').waitFor();
    await expect.poll(() => page.getByText(/set it up/i).count()).toBe(0);
  });
});

describe('people', () => {
  it('sign in with a recovery code, go where they wanted, and sign out', async () => {
    await stranger('/jobs?outcome=failed');
    await page.getByLabel('Name').fill('Grace');
    await page.getByLabel('Password').fill('not the password');
    await press(page, 'Sign in');
    await page.getByText('Wrong name or password').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await press(page, 'Sign in');
    await page.getByLabel('Code').waitFor();
    await look(page, 'sign-in with a code');
    await page.getByLabel('Code').fill(recoveryCodes[0]!);
    await press(page, 'Sign in');
    await heading(page, 'Jobs');
    expect(new URL(page.url()).search).toBe('?outcome=failed');
    await press(page, 'Grace');
    await press(page, 'Sign out');
    await heading(page, 'Sign in');
  });

  it('invite a person', async () => {
    await stranger('/access?tab=people');
    await page.getByLabel('Name').fill('Grace');
    await page.getByLabel('Password').fill(PASSWORD);
    await press(page, 'Sign in');
    await page.getByLabel('Code').fill(recoveryCodes[1]!);
    await press(page, 'Sign in');
    await heading(page, 'Access');
    await press(page, 'Add a person');
    await page.getByRole('dialog').getByLabel('Name').fill('Ada');
    await press(page, 'Add');
    await page.getByRole('heading', { name: 'Invitation for Ada' }).waitFor();
    invitation = await page.getByRole('dialog').locator('code').first().innerText();
    expect(new URL(invitation).hash).toMatch(/^#invitation=./);
    await look(page, 'made invitation');
  });

  it('accept an invitation, and sign in', async () => {
    await stranger(invitation);
    await look(page, 'invitation');
    expect(page.url()).not.toContain('#');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByLabel('Once more').fill(`${PASSWORD}!`);
    await page.getByText('The two passwords are not the same').waitFor();
    await page.getByLabel('Once more').fill(PASSWORD);
    await press(page, 'Set the password');
    await heading(page, 'Your password is set');
    await look(page, 'accepted invitation');
    await press(page, 'Sign in');
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Password').fill(PASSWORD);
    await press(page, 'Sign in');
    await page.getByRole('button', { name: 'Ada', exact: true }).waitFor();
    await page.context().clearCookies(); // as when the session ends
    await page.getByRole('link', { name: 'Jobs', exact: true }).click();
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    await look(page, 'sign-in over a screen');
    await page.getByLabel('Password').fill(PASSWORD);
    await press(page, 'Sign in');
    await heading(page, 'Jobs');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await stranger('/jobs?outcome=failed');
    await page.getByText('Your session has ended').waitFor();
    await look(page, 'sign-in after the end of a session');
    await stranger(invitation);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByLabel('Once more').fill(PASSWORD);
    await press(page, 'Set the password');
    await page.getByRole('alert').waitFor();
  });

  it('are not asked twice where the first answer is slow', async () => {
    const slow = await (await browser.context()).newPage();
    await slow.route('**/v1/self', async (route) => {
      await slow.locator('.shell').waitFor(); // the frame stands before the answer
      await route.continue();
    });
    await slow.goto(`${gateway.url}/console/jobs`);
    await slow.getByLabel('Name').fill('Ada');
    await slow.getByLabel('Password').fill(PASSWORD);
    await press(slow, 'Sign in');
    await heading(slow, 'Jobs');
    await settled(slow);
    await expect.poll(() => slow.getByRole('dialog').count()).toBe(0);
    await slow.close();
  });

  it('are told of a link without a token', async () => {
    await stranger('/invitation');
    await heading(page, 'This link is not complete');
    await expect.poll(() => page.getByLabel('Password').count()).toBe(0);
    await look(page, 'no invitation');
  });

  it('sign in through an OpenID provider, and go where they wanted', async () => {
    provider.people.set('sub-1', { preferred_username: 'edith', groups: ['admins'] });
    await stranger('/audit?outcome=failed');
    await page.getByRole('link', { name: 'Sign in with Example Corp' }).click();
    await page.locator('[name=login]').fill('sub-1');
    await page.locator('[name=password]').fill('any');
    await page.locator('[type=submit]').click();
    await page.getByText('Continue').click();
    await heading(page, 'Audit');
    expect(new URL(page.url()).search).toBe('?outcome=failed');
    await page.getByRole('button', { name: 'edith' }).waitFor();
  });
});

it('are accessible pages', () => expectNone('B4', 'what axe finds on the pages before the sign-in', faults));
