import pg from 'pg';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConsoleWorld, type ConsoleWorld } from '../../support/console/console-world.js';
import { violationsOf } from '../../support/console/axe.js';
import { faultsOf } from '../../support/console/faults.js';
import { expectTimeAtMost } from '../../support/console/figures.js';
import { isWaitedFor } from '../../support/devices/early-leaver.js';
import { until } from '../../support/until.js';

/* What the console says: in the words of its person, and what goes on without its page. */

let world: ConsoleWorld;
let db: pg.Client;

beforeAll(async () => {
  world = await startConsoleWorld({ ROLE: 'api' });
  db = new pg.Client({ connectionString: world.gateway.databaseUrl });
  await db.connect();
});
afterAll(async () => {
  await db.end();
  await world.close();
});

const fileOf = (lines: readonly string[]) => ({
  name: 'fleet.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(['name,base_url,username,password,tags', ...lines].join('\n')),
});

describe('an import', () => {
  const count = async (names: string) =>
    Number((await db.query<{ n: string }>('select count(*) as n from device where name like $1', [names])).rows[0]!.n);

  it('shows the file before it is sent, and each bad cell in its own column and in plain words', async () => {
    const page = await world.open('/devices?add=import');
    const lines = [
      'w-1,https://10.9.0.1,admin,s3cret,pump',
      'w-2,,,,pump',
      'w-3,https://10.9.0.3,,,Not Allowed',
      'w-4,"htt',
    ];
    await page.getByLabel('File with devices').setInputFiles(fileOf(lines));
    const preview = page.getByRole('region', { name: 'The first lines of the file' });
    await preview.getByText('https://10.9.0.1').waitFor();
    await expect.poll(() => preview.innerText()).not.toContain('s3cret');

    await page.getByRole('button', { name: 'Check the file' }).click();
    const table = page.getByRole('region', { name: 'Lines with errors' });
    await table.waitFor();
    const rows = (await table.locator('tbody tr').allInnerTexts()).map((row) => row.split(/\s*\t\s*/));
    expect(rows).toEqual([
      ['3', 'base_url', 'empty', 'is missing'],
      ['4', 'tags', 'Not Allowed', expect.stringContaining('lower-case letters')],
      ['5', '–', '–', 'a quote is opened and not closed'],
    ]);
    expect(await faultsOf(page, '/devices?add=import')).toEqual([]);

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the 3 bad lines' }).click();
    const saved = readFileSync(await (await download).path(), 'utf8');
    expect(saved.split('\r\n').slice(-5)).toEqual([
      'name,base_url,username,password,tags',
      'w-2,,,,pump',
      'w-3,https://10.9.0.3,,,Not Allowed',
      'w-4,"htt',
      '',
    ]);
    await page.getByLabel('Leave out 3 lines with errors').check();
    await page.getByRole('button', { name: 'Import 1 device', exact: true }).click();
    await page.getByText('1 registered').waitFor();
    await expect.poll(() => count('w-%')).toBe(1);
    await page.close();
  });

  it('shows how far it is, and goes on without its page', async () => {
    const page = await world.open('/devices?add=import');
    await page.getByRole('button', { name: 'Import another file' }).click();
    const lines = Array.from({ length: 1_001 }, (_, n) => `l-${n},https://10.8.${n >> 8}.${n & 255},,,`);
    await page.getByLabel('File with devices').setInputFiles(fileOf(lines));
    await page.getByRole('button', { name: 'Check the file' }).click();
    const start = page.getByRole('button', { name: 'Import 1,001 devices' });
    await start.waitFor();

    await db.query('begin');
    await db.query('lock table device in access exclusive mode');
    await start.click();
    await until(() => isWaitedFor(db));
    await page.getByText('Importing: 0 of 1,001 lines').waitFor();
    const bar = page.getByRole('progressbar', { name: 'Lines that are imported' });
    await expect.poll(() => bar.getAttribute('aria-valuemax')).toBe('1001');
    await page.close();
    await db.query('commit');

    await until(async () => (await count('l-%')) === 1_001);
    const again = await world.open('/devices?add=import');
    await again.getByText('1,001 registered').waitFor();
    await again.close();
  });
});

describe('the pages of the API and the documents', () => {
  it('open at once, find an operation, and have the theme of the console', async () => {
    const page = await world.open('/system?tab=settings');
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'What each means' }).click();
    await (await opened).getByRole('heading', { level: 1 }).waitFor();
    await (await opened).close();

    await page.goto(`${world.gateway.url}/docs`);
    const drawnMs = await page.evaluate<number>(
      `new Promise((resolve) => new PerformanceObserver((list) => {
        for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime);
      }).observe({ type: 'paint', buffered: true }))`,
    );
    expect(drawnMs).toBeGreaterThan(0);
    expectTimeAtMost('B1', 'the reference of the API is drawn, after ms', drawnMs, 1_000);
    await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('light');
    await page.getByRole('searchbox', { name: 'Search operations' }).fill('devices/import');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('link', { name: /devices.import/ }).click();
    await page.getByRole('heading', { name: 'Parameters' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'Documents' }).click();
    await page
      .getByRole('link', { name: 'jobs.md' })
      .or(page.getByRole('link', { name: /jobs/i }))
      .first()
      .click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.close();
  });
});
