import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWatchedBrowser, type WatchedBrowser } from '../support/console/console-world.js';
import { expectNone } from '../support/console/figures.js';
import { settled } from '../support/console/in-page.js';
import { PROJECT } from '../support/source/project.js';

/* `npm run demo`, as a newcomer meets it: what it prints opens the console, and each screen has something to show. */

const MAIN = fileURLToPath(new URL('dist/src/demo/main.js', PROJECT));

let dataDir: string;
let demo: ChildProcess;
let printed = '';
let browser: WatchedBrowser;
let page: Page;

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-demo-test-'));
  await chmod(dataDir, 0o711); // as root Postgres runs as another user
  demo = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env['PATH'], PORT: '0', DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve) => {
    demo.stdout!.on('data', (part: Buffer) => {
      printed += part.toString();
      if (printed.includes('keep running')) resolve();
    });
    demo.once('exit', () => resolve());
  });
});
afterAll(async () => {
  await browser?.close();
  if (demo.exitCode === null) {
    demo.kill('SIGINT');
    await once(demo, 'exit');
  }
  await rm(dataDir, { recursive: true, force: true });
  browser?.check();
});

const found = (pattern: RegExp) => pattern.exec(printed)?.[1] ?? '';

async function open(address: string): Promise<void> {
  await page.goto(`${new URL(found(/console +(\S+)/)).origin}/console${address}`);
  await settled(page);
}

it('prints an address and a sign-in that works', async () => {
  expect(printed).toContain('All checks passed.');
  const address = found(/console +(\S+)/);
  browser = await startWatchedBrowser([new URL(address).origin]);
  page = await (await browser.context({ viewport: { width: 1280, height: 800 } })).newPage();
  await page.goto(address);
  await page.getByLabel('Name').fill(found(/sign in as (\S+)/));
  await page.getByLabel('Password').fill(found(/with the password (\S+)/));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
});

/** A screen, and texts of which each has to be on it. */
const SHOWN: readonly (readonly [screen: string, texts: readonly RegExp[]])[] = [
  ['/', [/25\s*Devices|Devices\s*25/, /Certificate changed/, /Offline/, /Firmware of autumn/]],
  ['/devices?columns=state,site,tags', [/vilnius\s*\/plant-1/, /kiosk/, /Certificate changed/]],
  ['/devices/name:vilnius-pump-01', [/RUTX/, /Online\s+(?:for|since) \d/]],
  ['/rollouts', [/Firmware of autumn/, /Running/, /Finished/]],
  ['/schedules', [/Restart the kiosks/]],
  ['/jobs?outcome=failed', [/Failed/]],
  ['/backups?tab=policies', [/Nightly/]],
  ['/monitoring?tab=rules', [/Offline for 15 minutes/]],
  ['/monitoring?tab=policies', [/All routers/]],
  [
    '/configuration?path=/api/ntp/servers/config',
    [/\d+ the same, \d+ in \d other groups/, /0\.pool\.ntp\.org\s+Here:\s+time\.kiosks/],
  ],
  ['/configuration?tab=table&path=/api/users/config', [/service/]],
  ['/configuration?tab=watches', [/accounts/, /25 of 25/]],
  ['/templates', [/base/, /Version 1/, /1 drifted/]],
  ['/templates/base', [/0\.pool\.ntp\.org\s*time\.plant\.example/, /8 devices/]],
  ['/fan-outs', [/Read .* of \d+ devices/]],
  ['/certificates', [/lab-23/]],
  ['/certificates?tab=expiring', [/web\.cert\.pem/]],
  ['/audit', [/All \d+ lines until .* are unaltered/]],
  ['/access', [/Ada/]],
  ['/access?tab=roles', [/night-shift/]],
  ['/access?tab=approvals', [/Ada/]],
  ['/access?tab=locks', [/trade fair/]],
  ['/system', [/Ready/]],
];

it.each(SHOWN)('has something to show on %s', async (screen, texts) => {
  await open(screen);
  const missing = async () => {
    const shown = await page.locator('main').innerText();
    return texts.filter((text) => !text.test(shown)).map((text) => `${screen}: ${text.source}`);
  };
  await expect
    .poll(missing, { timeout: 60_000 })
    .toEqual([])
    .catch(() => undefined); // what is missing is counted below
  expectNone('B12', 'what the demo has not to show', await missing());
});

it('has a week of history', async () => {
  await open('/devices/name:vilnius-pump-01?tab=jobs');
  const times = await page.locator('main time').evaluateAll((all) => all.map((one) => one.getAttribute('datetime')));
  const days = times.map((at) => (Date.now() - Date.parse(at ?? '')) / 86_400_000);
  await open('/');
  const share = /([\d.]+) % online on average/;
  const average = Number(share.exec(await page.getByText(share).first().innerText())?.[1]);
  const missing = [...(Math.max(...days) > 6 ? [] : ['jobs of a week']), ...(average < 100 ? [] : ['an outage'])];
  expectNone('B12', 'history that the demo has not to show', missing);
});

it('has its screenshots in the README', () => {
  const readme = readFileSync('README.md', 'utf8');
  const files = [...readme.matchAll(/\((docs\/images\/[^)]+)\)/g)].map(([, file]) => file!);
  expect(files.length).toBeGreaterThan(2);
  expectNone(
    'B12',
    'screenshots of the README that are missing',
    files.filter((file) => !existsSync(file)),
  );
});
