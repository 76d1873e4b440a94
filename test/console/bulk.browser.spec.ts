import { readFileSync } from 'node:fs';
import { type Page } from 'playwright-core';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConsoleWorld, type ConsoleWorld } from '../support/console/console-world.js';
import { expectNone } from '../support/console/figures.js';
import { addWithPassword, sessionOf } from '../support/people.js';
import { addDevices } from '../support/console/large-fleet.js';
import { typeSelector } from '../support/console/typed-selector.js';

/* What bulk actions take: the devices that were shown, or none. */

/** Five devices of each site. */
const DEVICES = 2_000;

let world: ConsoleWorld;
let db: pg.Client;

beforeAll(async () => {
  world = await startConsoleWorld({ ROLE: 'api' });
  db = new pg.Client({ connectionString: world.gateway.databaseUrl });
  await db.connect();
  await addDevices(db, DEVICES);
});
afterAll(async () => {
  await db.end();
  await world.close();
});

describe('a bulk action', () => {
  const tagged = async (tag: string) =>
    (await db.query<{ name: string }>('select name from device where $1 = any(tags) order by name', [tag])).rows.map(
      ({ name }) => name,
    );
  const move = (site: string, count: number) =>
    db.query(
      `update device set site = 'elsewhere' where id in (select id from device where site = $1 order by name limit $2)`,
      [site, count],
    );

  /** Chooses all devices of a site in the table. */
  async function chosen(site: string): Promise<Page> {
    const page = await world.open(`/devices?selector=site%3D${site}`);
    await page.locator('[data-windowed] [role="cell"] a').first().waitFor();
    await page.getByRole('checkbox', { name: /Select all/ }).check();
    return page;
  }

  it('takes exactly the devices that were shown, or none', async () => {
    const page = await chosen('site-7');
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
    await page.getByText('5 devices', { exact: true }).waitFor();
    await page.getByLabel('Add tags').fill('chosen');

    await move('site-7', 3);
    await page.getByRole('button', { name: 'Save tags' }).click();
    await page.locator('[data-code=selection_changed]').waitFor();
    expectNone('B8', 'devices that an action took after the selection had changed', await tagged('chosen'));

    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('2 devices', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save tags' }).click();
    await page.getByText('Tags of 2 devices changed').waitFor();
    const wanted = (await db.query<{ name: string }>(`select name from device where site = 'site-7'`)).rows;
    const taken = new Set(await tagged('chosen'));
    expectNone(
      'B8',
      'devices that the action left out',
      wanted.map(({ name }) => name).filter((name) => !taken.delete(name)),
    );
    expectNone('B8', 'devices that it took besides', [...taken]);
    await page.close();
  });

  it('locks none and removes none after the selection has changed', async () => {
    const counts = async () =>
      (
        await db.query<Record<string, number>>(
          `select (select count(*)::int from lock) as locks, (select count(*)::int from device) as devices`,
        )
      ).rows[0];
    const before = await counts();
    const refused = async (page: Page) => {
      await page.locator('[data-code=selection_changed]').waitFor();
      await page.close();
    };

    const locking = await chosen('site-8');
    await locking.getByRole('button', { name: 'Lock', exact: true }).click();
    await locking.getByText('5 devices', { exact: true }).waitFor();
    await locking.getByLabel('Reason').fill('a storm');
    await move('site-8', 1);
    await locking.getByRole('dialog').getByRole('button', { name: 'Lock', exact: true }).click();
    await refused(locking);

    const removing = await chosen('site-9');
    await removing.getByRole('button', { name: 'Remove', exact: true }).click();
    await removing.getByText('5 devices', { exact: true }).waitFor();
    await removing.getByLabel(/Type remove 5 devices/).fill('remove 5 devices');
    await move('site-9', 1);
    await removing.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await refused(removing);

    expectNone(
      'B8',
      'locks and removals after the selection had changed',
      JSON.stringify(await counts()) === JSON.stringify(before) ? [] : [JSON.stringify([before, await counts()])],
    );
  });

  it('takes what a search found, one by one', async () => {
    const page = await world.open('/devices?q=router-0012');
    await page.getByRole('link', { name: 'router-00120', exact: true }).waitFor();
    await page.getByRole('checkbox', { name: /Select all/ }).click();
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
    await page.getByText('10 devices', { exact: true }).waitFor();
    await page.getByLabel('Add tags').fill('found');
    await page.getByRole('button', { name: 'Save tags' }).click();
    await page.getByText('Tags of 10 devices changed').waitFor();
    const names = Array.from({ length: 10 }, (_, at) => `router-0012${at}`);
    expectNone(
      'B8',
      'devices of a search that the action missed',
      (await tagged('found')).join() === names.join() ? [] : names,
    );
    await page.close();
  });

  it('exports exactly the devices that are chosen', async () => {
    const page = await chosen('site-11');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByText('5 devices', { exact: true }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Save the file' }).click(),
    ]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    expect(
      lines
        .slice(1)
        .map((line) => line.split(',')[0])
        .toSorted((one = '', other = '') => one.localeCompare(other)),
    ).toEqual([11, 411, 811, 1211, 1611].map((n) => `router-${String(n).padStart(5, '0')}`));
    await page.close();
  });

  it('takes all devices but those that were left out one by one', async () => {
    const page = await chosen('site-11');
    const left = await page.locator('[data-windowed] [role="cell"] a').first().innerText();
    await page.getByRole('checkbox', { name: `Select ${left}`, exact: true }).uncheck();
    await page.getByText('4 chosen, without 1').waitFor();
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
    await page.getByText('4 devices', { exact: true }).waitFor();
    await page.getByLabel('Add tags').fill('all-but-one');
    await page.getByRole('button', { name: 'Save tags' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    const names = await tagged('all-but-one');
    expect([names.length, names.includes(left)]).toEqual([4, false]);
    await page.close();
  });
});

describe('an action', () => {
  it('is sent once by a double click', async () => {
    const { rows } = await db.query<{ name: string }>('select name from device order by name limit 1');
    const page = await world.open('/access?tab=locks');
    await page.getByRole('button', { name: 'Set a lock' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Device', { exact: true }).fill(rows[0]!.name);
    await dialog.getByLabel('Reason', { exact: true }).fill('clicked twice');
    await dialog.getByRole('button', { name: 'Lock', exact: true }).dblclick();
    await dialog.waitFor({ state: 'hidden' });
    expect((await db.query(`select from lock where reason = 'clicked twice'`)).rowCount).toBe(1);
    await page.close();
  });
});

describe('what a person is told', () => {
  it('is the author and the reason of a freeze, that rollouts stay paused after it, and which devices are unchecked', async () => {
    const page = await world.open('/');
    await page.getByRole('link', { name: /^Not checked yet/ }).waitFor();
    await page.goto(`${world.gateway.url}/console/access?tab=locks`);
    await page.getByRole('button', { name: 'Set a lock' }).waitFor();
    const reason = 'storm at noon';
    const { id } = await world.gateway.api.post<{ id: string }>('/v1/locks', { kind: 'writes', reason });
    await page.getByRole('button', { name: 'Lift' }).first().click();
    await page.getByRole('dialog').getByText('stay paused until a person resumes them').waitFor();
    await page.goto(`${world.gateway.url}/console/backups?tab=policies`);
    await page
      .getByRole('button', { name: /policy/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('frozen');
    await typeSelector(dialog, 'site=site-12');
    await dialog.getByRole('button', { name: 'Create policy' }).and(page.locator(':enabled')).click();
    await expect
      .poll(() => dialog.getByText(/^Frozen by /).innerText())
      .toMatch(/^Frozen by Ada, .*(ago|now): storm at noon/);
    await expect
      .poll(() => dialog.getByRole('link', { name: 'Open the lock' }).getAttribute('href'))
      .toMatch(/access\?tab=locks$/);
    await world.gateway.api.send('DELETE', `/v1/locks/${id}`);
    await page.close();
  });

  it('is who froze all writes and why, also without the right to see locks', async () => {
    const viewer = await sessionOf(world.gateway, await addWithPassword(world.gateway, 'Vera'));
    const context = await world.stranger();
    await context.addCookies([{ ...viewer.cookie, url: world.gateway.url }]);
    const { id } = await world.gateway.api.post<{ id: string }>('/v1/locks', { kind: 'writes', reason: 'stocktaking' });
    const page = await context.newPage();
    await page.goto(`${world.gateway.url}/console/devices`);
    const banner = page.getByRole('status').filter({ hasText: 'Writes frozen' });
    await banner.waitFor();
    expect((await viewer.get('/v1/locks')).status).toBe(403);
    await expect.poll(() => banner.innerText()).toMatch(/by Ada: stocktaking/);
    await world.gateway.api.send('DELETE', `/v1/locks/${id}`);
    await page.close();
  });

  it('is a refusal, and not that there is nothing', async () => {
    const page = await world.open('/jobs');
    const problem = {
      type: 'about:blank',
      title: 'Not allowed',
      status: 403,
      code: 'forbidden',
      permission: 'artifact.read',
    };
    const refusal = { status: 403, contentType: 'application/problem+json', body: JSON.stringify(problem) };
    await page.route('**/v1/artifacts?*', (route) => route.fulfill(refusal));
    await page.goto(`${world.gateway.url}/console/rollouts/new`);
    await page.getByText('You need “see and download artifacts”', { exact: false }).first().waitFor();
    await expect.poll(() => page.getByText('No firmware is stored').count()).toBe(0);
    await page.close();
  });
});

describe('the plan of a rollout', () => {
  it('names a field whose text is no number, and sends nothing', async () => {
    const page = await world.open('/rollouts/new?kind=backup&selector=site%3Dsite-12');
    const draft = page.getByRole('button', { name: 'Create a draft' });
    await draft.waitFor();
    await page.getByText('Thresholds').click();
    const field = page.getByLabel('Pause at failures', { exact: true });
    await field.fill('10%');
    await page.getByText('Pause at failures: “10%” is not a number', { exact: false }).waitFor();
    expect([await draft.isEnabled(), await field.getAttribute('aria-invalid')]).toEqual([false, 'true']);
    await field.fill('3');
    await draft.and(page.locator(':enabled')).waitFor();
    await page.close();
  });
});

describe('Ctrl-K', () => {
  it('takes each key that follows at once, and none acts on the page', async () => {
    const page = await world.open('/jobs');
    await page.getByRole('heading', { name: 'Jobs', exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('gdansk-pump-04');
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Device, screen or action' }).inputValue())
      .toBe('gdansk-pump-04');
    expect(page.url()).toContain('/console/jobs');
    await page.close();
  });

  it('opens the form that an action names, forgives a slip, and leads to the documents', async () => {
    const page = await world.open('/jobs');
    const box = page.getByRole('combobox', { name: 'Device, screen or action' });
    const find = async (text: string) => {
      await page.keyboard.press('Control+k');
      await box.fill(text);
    };
    await page.getByRole('heading', { name: 'Jobs', exact: true }).waitFor();
    const forms = [
      ['start job', 'Start a job'],
      ['nightly policy', 'New backup policy'],
      ['nightly schedule', 'Add a schedule'],
      ['silence', 'New mute'],
      ['new rule', 'New rule'],
      ['invite', 'Add a person'],
      ['uplaod firmware', 'Upload firmware'],
      ['block', 'Set a lock'],
    ] as const;
    for (const [text, action] of forms) {
      await find(text);
      await page.getByRole('group', { name: 'Actions' }).getByRole('option', { name: action, exact: true }).click();
      await page
        .getByRole('dialog')
        .and(page.locator(':not(:has([role=combobox][aria-label^="Device, screen"]))'))
        .waitFor();
      expect(page.url()).toContain('add=yes');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(page.url()).not.toContain('add=yes');
    }
    await find('ruoter-00007');
    await page
      .getByRole('group', { name: 'Devices' })
      .getByRole('option', { name: /^router-00007/ })
      .waitFor();
    const documents = page.getByRole('link', { name: 'Search the documents for “ruoter-00007”' });
    expect(await documents.getAttribute('href')).toMatch(/\/docs\/search\?q=ruoter-00007$/);
    await page.close();
  });

  it('finds a device by its address, a site, what the screen can do, and where the person was', async () => {
    const page = await world.open('/devices');
    const box = page.getByRole('combobox', { name: 'Device, screen or action' });
    const find = async (text: string) => {
      await page.keyboard.press('Control+k');
      await box.fill(text);
    };
    await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor();
    await find('10.0.0.7');
    const devices = page.getByRole('group', { name: 'Devices' });
    await expect.poll(() => devices.getByRole('option').first().innerText()).toMatch(/^router-00007\n.*10\.0\.0\.7/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'router-00007' }).waitFor();
    await find('> edit');
    await page.getByRole('group', { name: 'On this screen' }).getByRole('option', { name: 'Edit' }).waitFor();
    await expect.poll(() => page.getByRole('group', { name: 'Devices' }).count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: /Edit/ }).waitFor();
    await page.keyboard.press('Escape');
    await find('site-12');
    await page
      .getByRole('group', { name: 'Sites' })
      .getByRole('option', { name: 'site-12', exact: false })
      .first()
      .click();
    await page.waitForURL((url) => url.searchParams.get('selector') === 'site="site-12"');
    await find('');
    await page.getByRole('group', { name: 'Recent' }).getByRole('option', { name: 'router-00007' }).waitFor();
    await expect
      .poll(() => page.getByRole('listbox').getByRole('group').first().getAttribute('aria-label'))
      .toBe('On this screen');
    await box.fill('restart router-00007');
    await page
      .getByRole('group', { name: 'With a device' })
      .getByRole('option', { name: 'Restart router-00007' })
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Restart router-00007' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1, name: 'router-00007' }).waitFor();
    await find('');
    await expect.poll(() => page.getByRole('option', { name: 'router-00007' }).count()).toBe(0); // it is open
    await page.close();
  });

  it('freezes a part of the fleet from any screen', async () => {
    const page = await world.open('/jobs');
    await page.getByRole('button', { name: 'Freeze writes' }).click();
    await page.getByLabel('Type freeze to confirm').fill('freeze');
    await typeSelector(page.getByRole('dialog'), 'site=site-12');
    await page
      .getByRole('dialog')
      .getByText(/^\d+ devices/)
      .waitFor();
    await page.getByRole('button', { name: 'Freeze', exact: true }).click();
    await page.getByText('These devices are frozen').waitFor();
    const { items } = await world.gateway.api.get<{ items: { id: string; kind: string }[] }>('/v1/locks');
    const lock = items.find(({ kind }) => kind === 'selector');
    expect(lock).toMatchObject({ target: 'site=site-12', endsAt: null });
    await world.gateway.api.send('DELETE', `/v1/locks/${lock!.id}`);
    await page.close();
  });
});
