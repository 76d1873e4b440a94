import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startConsoleWorld, type ConsoleWorld } from '../support/console/console-world.js';
import { expectNone } from '../support/console/figures.js';
import { Keyboard } from '../support/console/keyboard.js';

/* Six tasks of operators without a mouse. The pages get keys only: no click, and no focus that a script sets. */

const OFFERED = `sha256/${'B'.repeat(43)}=`;

let world: ConsoleWorld;
let db: pg.Client;
let keyboard: Keyboard;

beforeAll(async () => {
  world = await startConsoleWorld({ ROLE: 'api' });
  db = new pg.Client({ connectionString: world.gateway.databaseUrl });
  await db.connect();
  for (const [at, name] of ['pump-1', 'pump-2', 'pump-3'].entries()) {
    await world.gateway.api.post('/v1/devices', {
      name,
      baseUrl: `https://127.0.0.${at + 1}:1`,
      tags: ['pump'],
      credentials: { username: 'admin', password: 'a password of a device' },
    });
  }
  await db.query(`update device set state = 'offline', state_reason = 'refused: ECONNREFUSED' where name = 'pump-2'`);
  await db.query(`update device set state = 'trust_changed', trust_pin = $1, offered_pin = $2 where name = 'pump-3'`, [
    `sha256/${'A'.repeat(43)}=`,
    OFFERED,
  ]);
});
afterAll(async () => {
  await db.end();
  await world.close();
});
afterEach(() => keyboard.page.close());

async function at(path: string): Promise<Keyboard> {
  const page = await world.open(path);
  await page.locator('main h1').first().waitFor();
  keyboard = new Keyboard(page);
  return keyboard;
}

/** A task counts where its focus could be seen all the way. A task that is not finished fails its test. */
function expectSeen(task: string): void {
  expectNone('B4', `stops that one cannot see, of a keyboard that ${task}`, [...keyboard.hidden]);
}

const one = async <Row extends pg.QueryResultRow>(query: string) => (await db.query<Row>(query)).rows[0];

it('signs in with a second factor', async () => {
  const context = await world.stranger();
  keyboard = new Keyboard(await context.newPage());
  const { page } = keyboard;
  await page.goto(`${world.gateway.url}/console/`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await keyboard.reach(/^Name$/);
  await keyboard.type(world.name);
  await keyboard.reach(/^Password$/);
  await keyboard.type(world.password);
  await keyboard.press('Enter');
  await page.getByLabel('Code').waitFor();
  await keyboard.reach(/^Code$/);
  await keyboard.type(world.code());
  await keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  expectSeen('signs in with a second factor');
});

it('opens a device by its name, and reads why it is offline', async () => {
  const { page } = await at('/');
  await keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').waitFor();
  await keyboard.type('pump-2');
  await page.getByRole('option', { name: /pump-2/ }).waitFor();
  await keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'pump-2' }).waitFor();
  await page.getByText('It does not answer').waitFor();
  expectSeen('opens a device by its name');
});

it('finds devices by a search, and tags one of them', async () => {
  const { page } = await at('/devices');
  await page.getByRole('link', { name: 'pump-3' }).waitFor();
  await keyboard.press('/');
  await keyboard.type('pump-1');
  await page.getByRole('link', { name: 'pump-3' }).waitFor({ state: 'detached' });
  await keyboard.reach(/^Select pump-1$/);
  await keyboard.press('Space');
  await page.getByText('1 chosen').waitFor();
  await page.keyboard.press('Shift+Tab');
  await keyboard.use(/^Tag$/, 'button'); // the facet has the same name
  await keyboard.reach(/^Add tags$/);
  await keyboard.type('night');
  await page.getByRole('dialog').getByText('1 device').waitFor();
  await keyboard.use(/^Save tags$/);
  await page.getByText('Tags of 1 device').waitFor();
  await expect.poll(() => one(`select name from device where 'night' = any (tags)`)).toEqual({ name: 'pump-1' });
  expectSeen('finds and tags a device');
});

it('accepts a changed certificate', async () => {
  const { page } = await at('/');
  await keyboard.press('g', 'c');
  await page.getByRole('heading', { level: 1, name: 'Certificates' }).waitFor();
  await page.getByRole('cell', { name: OFFERED }).waitFor();
  await keyboard.use(/^Compare and accept the certificate of pump-3$/);
  await keyboard.reach(/^Type pump-3 to confirm$/);
  await keyboard.type('pump-3');
  await keyboard.press('Enter');
  await page.getByText('The certificate is accepted').waitFor();
  await expect.poll(() => one(`select trust_pin as pin from device where name = 'pump-3'`)).toEqual({ pin: OFFERED });
  expectSeen('accepts a changed certificate');
});

it('starts a job on a device', async () => {
  const { page } = await at('/devices');
  await page.getByRole('link', { name: 'pump-1' }).waitFor();
  await keyboard.use(/^pump-1$/);
  await page.getByRole('heading', { level: 1, name: 'pump-1' }).waitFor();
  await keyboard.use(/^Start a job$/);
  await page.getByRole('dialog').waitFor();
  await keyboard.use(/^Start job$/);
  await expect.poll(async () => await one('select kind from job')).toEqual({ kind: 'backup' });
  expectSeen('starts a job');
});

it('freezes all writes, and lifts the lock again', async () => {
  const { page } = await at('/');
  await keyboard.press('g', 'p');
  await page.getByRole('heading', { level: 1, name: 'Access' }).waitFor();
  await keyboard.use(/^Locks$/);
  await keyboard.use(/^Freeze all writes$/);
  await keyboard.reach(/^Type freeze to confirm$/);
  await keyboard.type('freeze');
  await keyboard.press('Enter');
  await page.getByRole('cell', { name: 'All writes' }).waitFor();
  await keyboard.use(/^Lift$/);
  await page.getByRole('dialog').waitFor();
  await keyboard.use(/^Lift lock$/);
  await page.getByText('Nothing is locked').waitFor();
  await expect.poll(() => one('select count(*)::int as locks from lock where lifted_at is null')).toEqual({ locks: 0 });
  expectSeen('freezes all writes');
});
