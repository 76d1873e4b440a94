import { readFileSync } from 'node:fs';
import { type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { Browser } from '../support/browser.js';
import { startConsoleWorld, type ConsoleWorld } from '../support/console/console-world.js';
import { faultsOf } from '../support/console/faults.js';
import { expectNone } from '../support/console/figures.js';
import { goTo, settled } from '../support/console/in-page.js';
import { zoomFaultsOf } from '../support/console/zoom.js';
import { isLongForm, itInFull } from '../support/forms.js';
import { fillScreens, type Places, startRealFleet, type RealFleet } from '../support/console/real-fleet.js';

/*
 * Every screen in every theme and width: full, empty, and while the gateway answers with errors; and the dialogs of the
 * full ones. The screens of a group are shown one after the other in one page: a load costs more than the look. The pages
 * before the sign-in are in entry.browser.spec.ts.
 */

const LISTS = [
  '/',
  '/devices',
  '/devices?add=one',
  '/devices?add=import',
  '/devices?add=search',
  '/monitoring',
  '/monitoring?tab=rules',
  '/monitoring?tab=mutes',
  '/monitoring?tab=policies',
  '/monitoring?tab=receivers',
  '/configuration?path=/api/users/config',
  '/configuration?tab=table&path=/api/users/config',
  '/configuration?tab=changes',
  '/configuration?tab=watches',
  '/templates',
  '/templates?make=yes',
  '/templates?make=adopt',
  '/fan-outs',
  '/fan-outs/new',
  '/rollouts',
  '/rollouts/new',
  '/schedules',
  '/schedules?tab=calendar',
  '/schedules?schedule=none',
  '/jobs',
  '/backups',
  '/backups?tab=files',
  '/backups?tab=policies',
  '/backups?tab=compare',
  '/artifacts',
  '/artifacts?tab=files',
  '/certificates',
  '/certificates?tab=expiring',
  '/audit',
  '/audit?verify=yes',
  '/audit?export=yes',
  '/access',
  '/access?tab=roles',
  '/access?tab=roles&make=yes',
  '/access?tab=explain',
  '/access?tab=explain&operator=everyone&action=audit.read',
  '/access?tab=keys',
  '/access?tab=sessions',
  '/access?tab=account',
  '/access?tab=approvals',
  '/access?tab=locks',
  '/access?tab=locks&freeze=yes',
  '/system',
  '/system?tab=settings',
  '/system?tab=webhooks',
];

const DEVICE_TABS = [
  'overview',
  'values',
  'status',
  'configuration',
  'templates',
  'history',
  'alerts',
  'jobs',
  'backups',
  'trust',
  'sessions',
  'audit',
  'api',
];

/** Their ids are those of the fleet. */
const OBJECTS = [
  ...DEVICE_TABS.map((tab) => `/devices/$ref?tab=${tab}`),
  '/jobs/$jobId',
  '/rollouts/$rolloutId',
  '/fan-outs/$fanOutId',
  '/fan-outs/$fanOutId?view=table',
  '/monitoring/alerts/$alertId',
  '/audit?entry=$entryId',
  '/access/people/$operatorId',
  '/templates/$templateName',
  '/templates/$templateName?tab=draft',
  '/templates/$templateName?tab=plan',
  '/templates/$templateName?tab=versions&version=1',
  '/templates/$templateName?tab=edit',
  '/system?tab=webhooks&webhook=$webhookId',
];

/** Dialogs that a button opens: the screen, the name of the button, and of the menu that it is in. */
const DIALOGS: readonly (readonly [path: string, button: RegExp, menu?: RegExp])[] = [
  ['/', /^Go to/],
  ['/', /^Help$/],
  ['/', /^Grace$/],
  ['/jobs', /^Start a job$/],
  ['/devices/$ref', /^Start a job$/],
  ['/devices/$ref', /^Edit$/],
  ['/devices/$ref', /^Actions for /],
  ['/devices/$ref', /^Lock$/, /^Actions for /],
  ['/devices/$ref', /^Replace hardware$/, /^Actions for /],
  ['/devices/$ref', /^Remove$/, /^Actions for /],
  ['/monitoring', /^Acknowledge .*/],
  ['/monitoring', /^Mute …$/, /^Actions for /],
  ['/monitoring?tab=mutes', /^New mute$/],
  ['/monitoring?tab=rules', /^New rule$/],
  ['/monitoring?tab=rules', /^Change alarms$/],
  ['/monitoring?tab=rules', /^Remove$/, /^Actions for alarms$/],
  ['/monitoring?tab=policies', /^New collection$/],
  ['/monitoring?tab=policies', /^Change /],
  ['/monitoring?tab=policies', /^Remove$/, /^Actions for /],
  ['/configuration?tab=watches', /^New watch$/],
  ['/configuration?tab=watches', /^Change accounts$/],
  ['/configuration?tab=watches', /^Remove$/, /^Actions for accounts$/],
  ['/templates?make=yes', /^Add settings$/],
  ['/templates/$templateName', /^Publish$/],
  ['/templates/$templateName', /^Plan a rollout to \d+ devices?$/],
  ['/templates/$templateName', /^(?:Put back|Apply|Plan a rollout): /],
  ['/templates/$templateName', /^Accept: /],
  ['/templates/$templateName', /^Ignore: /],
  ['/templates/$templateName', /^(?:Put .* back to base|Apply base to .*)$/],
  ['/templates/$templateName', /^Remove$/, /^Actions for base$/],
  ['/certificates?tab=expiring', /^Reissue for many$/],
  ['/certificates?tab=expiring', /^Reissue .*cert/],
  ['/access', /^Add a person$/],
  ['/access', /^Roles$/],
  ['/access', /^(?:Invite|New password)$/, /^Actions for /],
  ['/access', /^Disable$/, /^Actions for /],
  ['/access', /^Reset second factor$/, /^Actions for Grace$/],
  ['/access?tab=roles', /^Show$/, /^Actions for /],
  ['/access?tab=keys', /^Issue a key$/],
  ['/access?tab=keys', /^Replace the key/],
  ['/access?tab=keys', /^Revoke$/, /^Actions for /],
  ['/access?tab=locks', /^Set a lock$/],
  ['/access?tab=locks', /^Lift$/],
  ['/access?tab=sessions', /^End$/],
  ['/system?tab=webhooks', /^Add a webhook$/],
  ['/system?tab=webhooks&webhook=$webhookId', /^Send a test$/],
  ['/system?tab=webhooks&webhook=$webhookId', /^Change$/],
  ['/system?tab=webhooks&webhook=$webhookId', /^Remove$/, /^Actions for /],
];

/** Dialogs that read something of their own, with what their screen needs, and what is chosen in which of their fields. */
const READING_DIALOGS: readonly {
  readonly path: string;
  readonly button: RegExp;
  readonly menu?: RegExp;
  readonly needs: string;
  readonly choice?: readonly [field: string, option: string];
}[] = [
  { path: '/devices/$ref', button: /^Edit$/, needs: 'devices/' },
  { path: '/devices/$ref', menu: /^Actions for /, button: /^Lock$/, needs: 'devices/[^p]' },
  { path: '/certificates?tab=expiring', button: /^Reissue .*cert/, needs: 'certificates' },
  { path: '/access', button: /^Add a person$/, needs: 'operators' },
  { path: '/access', button: /^Roles$/, needs: 'operators' },
  { path: '/access?tab=keys', button: /^Issue a key$/, needs: '(self/)?api-keys' },
  { path: '/access?tab=locks', button: /^Set a lock$/, needs: '$', choice: ['What is locked', 'operator'] },
  { path: '/access?tab=locks', button: /^Set a lock$/, needs: '$', choice: ['What is locked', 'key'] },
  { path: '/schedules', button: /^Add a schedule$/, needs: 'schedules', choice: ['What to do', 'firmware'] },
];

const PROBLEM = { code: 'forbidden', title: 'You lack a permission', status: 403, requestId: 'r-1' };

/** Refuses all that a screen reads but the person and, where it shows one object, this object. */
async function refuseReads(page: Page, except = '$'): Promise<void> {
  await page.route(new RegExp(`/v1/(?!self$|events|${except})`), (route) =>
    route.fulfill({ status: 403, contentType: 'application/problem+json', body: JSON.stringify(PROBLEM) }),
  );
}

/** What a screen says where there is nothing. It must not say so where a list was refused. */
const NOTHING =
  /\b(nothing|no [a-z ]+ (yet|stored|known|here|matches|run|set up|found)|has no|is stored|there (is|are) no|none)\b/i;

async function expectRefusals(page: Page, path: string): Promise<void> {
  await settled(page);
  const main = page.locator('main');
  const said = (await main.innerText()).split('\n').filter((line) => NOTHING.test(line));
  const empty = (await main.locator('.empty h2').allInnerTexts()).filter((title) => !title.startsWith('Choose '));
  expectNone(
    'B4',
    'screens that show a refused list as empty',
    [...said, ...empty].map((text) => `${path}: ${text}`),
  );
}

/** A page that shows one screen after the other. A test that fails takes its page with it. */
class Walk {
  private page: Promise<Page> | null = null;

  constructor(private readonly open: () => Promise<Page>) {}

  async to(path: string): Promise<Page> {
    this.page ??= this.open();
    const page = await this.page;
    onTestFailed(async () => {
      this.page = null;
      await page.close();
    });
    await goTo(page, path);
    return page;
  }
}

async function expectAccessible(page: Page, path: string, what: string, isBrief = false): Promise<void> {
  await settled(page);
  const faults = await faultsOf(page, path, isBrief);
  expectNone(
    'B4',
    `what axe finds on ${what} × ${isBrief && !isLongForm ? 'one look' : '3 themes × 2 widths'}`,
    faults,
  );
}

it('has all screens of the console in its lists', () => {
  const router = readFileSync('console/src/router.tsx', 'utf8');
  const routes = [...router.matchAll(/^ {2}screen\('([^']+)'/gm)].map(([, path]) => path!);
  const looked = new Set([...LISTS, ...OBJECTS].map((path) => path.split('?')[0]));
  expect(routes.length).toBeGreaterThan(10);
  expectNone(
    'B4',
    'screens that no test looks at',
    routes.filter((path) => !looked.has(path)),
  );
});

describe('a screen of a gateway without devices', () => {
  let world: ConsoleWorld;
  beforeAll(async () => (world = await startConsoleWorld({ ROLE: 'api' })));
  afterAll(() => world.close());

  const empty = new Walk(() => world.open('/'));
  const refused = new Walk(async () => {
    const page = await world.open('/no-such-screen'); // it reads nothing, so no screen has an answer of before
    await refuseReads(page);
    return page;
  });

  it.each(LISTS)('is accessible when it is empty: %s', async (path) => {
    await expectAccessible(await empty.to(path), path, `${LISTS.length} empty screens`, true);
  });

  it.each(LISTS)('is accessible, and does not look empty, while the gateway refuses all it reads: %s', async (path) => {
    const page = await refused.to(path);
    await expectAccessible(page, path, `${LISTS.length} screens with an error`, true);
    await expectRefusals(page, path);
  });
});

describe('a screen of a fleet', () => {
  let world: ConsoleWorld;
  let real: RealFleet;
  let places: Places;
  beforeAll(async () => {
    world = await startConsoleWorld();
    real = await startRealFleet(world.gateway);
    places = await fillScreens(world.gateway, real);
    await new Browser(world.gateway.url).login(world.name, world.password, world.code()); // a session to end
  });
  afterAll(async () => {
    await real?.fleet.close();
    await world.close();
  });

  const walk = new Walk(() => world.open('/'));
  const open = (path: string) => walk.to(path.replace(/\$(\w+)/, (_, name: keyof Places) => places[name]));

  it.each([...LISTS, ...OBJECTS])('is accessible: %s', async (path) => {
    await expectAccessible(await open(path), path, `${LISTS.length + OBJECTS.length} full screens`);
  });

  itInFull.each([...LISTS, ...OBJECTS])('can be used at a zoom of 200 %: %s', async (path) => {
    const page = await open(path);
    await settled(page);
    expectNone(
      'B4',
      `what is out of reach on ${LISTS.length + OBJECTS.length} screens at 200 %`,
      await zoomFaultsOf(page, path),
    );
  });

  const refusedDevice = new Walk(async () => {
    const page = await world.open('/no-such-screen');
    await refuseReads(page, `devices/${places.ref}$`);
    return page;
  });
  it.each(DEVICE_TABS)('of a device does not look empty when what it reads is refused: %s', async (tab) => {
    await expectRefusals(await refusedDevice.to(`/devices/${places.ref}?tab=${tab}`), tab);
  });

  const dialogs = DIALOGS.map(([path, button, menu]) => ({ path, button, menu }));
  it.each(dialogs)('has an accessible dialog: $path $button', async ({ path, button, menu }) => {
    const page = await open(path);
    if (menu) await page.getByRole('button', { name: menu }).first().click();
    await page
      .getByRole(menu ? 'menuitem' : 'button', { name: button })
      .first()
      .click();
    await page.locator('dialog[open], :popover-open').first().waitFor();
    await expectAccessible(page, `${path} ${button.source}`, `${DIALOGS.length} dialogs`);
  });

  it.each(['Keys', 'What the marks mean'])('has an accessible dialog of the help: %s', async (name) => {
    const page = await open('/');
    await page.getByRole('button', { name: 'Help', exact: true }).click();
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('dialog', { name, exact: true }).waitFor();
    await expect.poll(() => page.locator(':popover-open').count()).toBe(0);
    await expectAccessible(page, name, 'the help');
  });

  it.each(READING_DIALOGS)(
    'has a dialog that says what it may not read: $path $button $choice',
    async ({ path, button, menu, needs, choice }) => {
      const page = await world.open('/no-such-screen');
      await refuseReads(page, needs);
      await goTo(
        page,
        path.replace(/\$(\w+)/, (_, name: keyof Places) => places[name]),
      );
      if (menu) await page.getByRole('button', { name: menu }).first().click();
      await page
        .getByRole(menu ? 'menuitem' : 'button', { name: button })
        .first()
        .click();
      const dialog = page.locator('dialog[open]').first();
      if (choice) await dialog.getByLabel(choice[0]).selectOption(choice[1]);
      await dialog.getByText(PROBLEM.title).first().waitFor();
      const said = (await dialog.innerText()).split('\n').filter((line) => NOTHING.test(line));
      expectNone('B4', 'dialogs that show what was refused as empty', said);
      await page.close();
    },
  );
});
