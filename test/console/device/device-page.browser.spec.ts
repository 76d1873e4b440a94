import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startConsoleWorld, type ConsoleWorld } from '../../support/console/console-world.js';
import { addLatestSamples } from '../../support/monitoring/sampled-fleet.js';

/* The page of one device and its dialogs. */

let world: ConsoleWorld;
let db: pg.Client;
let ids: Readonly<Record<string, string>>;

const change = (name: string, set: string) => db.query(`update device set ${set} where name = $1`, [name]);

beforeAll(async () => {
  world = await startConsoleWorld({ ROLE: 'api' });
  db = new pg.Client({ connectionString: world.gateway.databaseUrl });
  await db.connect();
  for (const [at, name] of ['pump-1', 'pump-2', 'pump-3'].entries()) {
    await world.gateway.api.post('/v1/devices', {
      name,
      baseUrl: `https://192.0.2.${at + 1}`,
      credentials: { username: 'service', password: 'a password of a device' },
    });
  }
  const { rows } = await db.query<{ id: string; name: string }>('select id, name from device');
  ids = Object.fromEntries(rows.map(({ id, name }) => [name, id]));
  await change('pump-1', `state = 'online', seen_at = now()`);
  await change('pump-2', `state = 'offline', state_reason = 'timeout: connect', seen_at = now() - interval '3 hours'`);
  await change('pump-1', `firmware = 'RUTX_R_00.07.25.3'`);
  await addLatestSamples(db);
  await change('pump-3', `state = 'trust_changed', trust_pin = 'sha256/${'A'.repeat(43)}='`);
});
afterAll(async () => {
  await db.end();
  await world.close();
});

it('says that nothing is amiss of a device that is online alone', async () => {
  const page = await world.open('/no-such-screen');
  const last = page.waitForResponse((answer) => answer.url().includes('observed.changed'));
  await page.goto(`${world.gateway.url}/console/devices/${ids['pump-3']}`);
  await last;
  await page.getByRole('heading', { name: 'It shows another certificate' }).waitFor();
  await expect.poll(() => page.getByText('Nothing amiss').count()).toBe(0);
  await page.close();
});

it('moves a device to another address, with its login', async () => {
  const page = await world.open(`/devices/${ids['pump-1']}?act=edit`);
  const dialog = page.getByRole('dialog');
  const field = (name: string) => dialog.getByLabel(name, { exact: true });
  await dialog.getByText('Unchanged so far').waitFor();
  await field('Address').fill('192.0.2');
  await dialog.getByText('An IP address has four numbers, such as 192.0.2.7.').waitFor();
  await dialog.getByText('Still missing: an address that can be read').waitFor();
  await field('Address').fill('192.0.2.2');
  await dialog.getByText('pump-2 has this address already.').waitFor();
  await field('Address').fill('192.0.2.9');
  await dialog.getByText('The gateway reaches it at https://192.0.2.9').waitFor();
  await dialog.getByText('The gateway forgets the login of the old address: give it again.').waitFor();
  expect(await field('User name on the device').inputValue()).toBe('service');
  await field('Password on the device').fill('a new password');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The device is changed').waitFor();
  const { baseUrl, credentials } = await world.gateway.api.get<{ baseUrl: string; credentials: { username: string } }>(
    `/v1/devices/${ids['pump-1']}`,
  );
  expect({ baseUrl, username: credentials.username }).toEqual({ baseUrl: 'https://192.0.2.9', username: 'service' });
  await page.close();
});

it('shows the last values of a device that is offline as those of before', async () => {
  await change('pump-1', `state = 'online'`);
  const page = await world.open(`/devices/${ids['pump-2']}`);
  const last = page.getByRole('region', { name: 'Last values' });
  await last.getByText('none since then').waitFor();
  await last.getByText('Example Mobile').waitFor();
  await page.getByText('1 not checked or not trusted: pump-3.').waitFor();
  await page.getByLabel('Parts of the device').getByRole('link', { name: 'Live status' }).click();
  await page.getByText(/^Last values, \d\d:\d\d$/).waitFor();
  await page.getByText(/^No values since \d\d:\d\d\.$/).waitFor();
  await expect.poll(() => page.getByText('never').count()).toBe(0);
  await page.close();
});

it('says the version of its firmware at the top, and the whole name as a hint', async () => {
  const page = await world.open(`/devices/${ids['pump-1']}?tab=trust`);
  await page.getByTitle('RUTX_R_00.07.25.3').getByText('07.25.3', { exact: true }).waitFor();
  expect(await page.getByTitle('RUTX_R_00.07.25.3').innerText()).toBe('07.25.3');
  await page.close();
});

it('gives the login of new hardware the user of the old one, and says what is not copied', async () => {
  const page = await world.open(`/devices/${ids['pump-2']}?act=replace`);
  const dialog = page.getByRole('dialog');
  const field = (name: string) => dialog.getByLabel(name, { exact: true });
  await dialog.getByText('There is no backup of it that could be restored afterwards.').waitFor();
  expect(await field('User name on the device').inputValue()).toBe('service');
  await field('Password on the device').fill('seen');
  expect(await field('Password on the device').getAttribute('type')).toBe('password');
  await dialog.getByRole('button', { name: 'Show what is typed' }).click();
  expect(await field('Password on the device').getAttribute('type')).toBe('text');
  await page.close();
});

it('lists the jobs of one kind', async () => {
  for (const kind of ['backup', 'backup', 'reboot'])
    await world.gateway.api.post(`/v1/devices/${ids['pump-2']}/jobs`, { kind, spec: {} });
  const page = await world.open(`/devices/${ids['pump-2']}?tab=jobs`);
  const jobs = page.getByRole('table', { name: 'Jobs' });
  await jobs.getByRole('link', { name: 'Backup' }).nth(1).waitFor();
  await page.getByLabel('Kind', { exact: true }).selectOption({ label: 'Restart' });
  await page.waitForURL(/kind=reboot/);
  await expect.poll(() => jobs.getByRole('link').allInnerTexts()).toEqual(['Restart']);
  await page.close();
});
