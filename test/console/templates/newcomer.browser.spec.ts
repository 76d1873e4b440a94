import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fleet } from '../../../src/simulator/fleet.js';
import { startConsoleWorld, type ConsoleWorld } from '../../support/console/console-world.js';
import { expectAtMost, expectTimeAtMost } from '../../support/console/figures.js';
import { ScreenUser } from '../../support/console/screen-user.js';
import { startOwnFleet } from '../../support/devices/own-fleet.js';
import { noteFigures } from '../../support/templates/figures.js';
import { until } from '../../support/until.js';
import { typeSelector } from '../../support/console/typed-selector.js';

/*
 * A newcomer with ten routers as the demo has them, registered and watched, goes through docs/howto/set-routers-alike.md in the console.
 * Typing and Enter are no clicks. Nothing is hurried: sweepers run when they do.
 */

const TIME = '/api/ntp/global';
const WANTED = '7200';

/** A name for each attempt. */
let attempts = 0;

let world: ConsoleWorld;
let fleet: Fleet;

beforeAll(async () => {
  fleet = await startOwnFleet({ devices: 10, profile: 'rutos', seed: 7, timeScale: 20, latencyMs: [5, 40] });
  world = await startConsoleWorld();
  const { api } = world.gateway;
  for (const { name, baseUrl, username, password } of fleet.devices)
    await api.post('/v1/devices', { name, baseUrl, tags: ['demo'], credentials: { username, password } });
  await api.post('/v1/watches', { name: 'time', selector: 'all', paths: [TIME] });
  await api.post('/v1/watches/time/run', {});
  await until(async () => (await api.get<{ devices: number }>(`/v1/observed?path=${TIME}`)).devices === 10);
});
afterAll(async () => {
  await fleet?.close();
  await world.close();
});

it('adopts ten routers, changes an option, publishes and closes the gap', async () => {
  const name = `alike-${++attempts}`;
  const user = new ScreenUser(await world.open('/'));
  const { page } = user;
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const startedAt = performance.now();
  const send = (name: string) => page.locator('dialog[open]').getByRole('button', { name, exact: true });
  await user.click(user.link('Templates'));
  await user.click(user.button('Copy from routers'));
  await page.getByLabel('Name', { exact: true }).fill(name);
  await typeSelector(page, 'tag:demo');
  await user.click(page.getByLabel('System › Clock'));
  await user.click(user.button('Preview the template'));
  await page.getByRole('heading', { name: 'What 10 devices have in common' }).waitFor();
  await user.click(user.button('Make the draft'));
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await user.click(user.button('Edit the draft'));
  await page.getByLabel(/^Set the clock every/).fill(WANTED);
  await user.click(user.button('Save the draft'));
  await user.click(user.button('Publish'));
  await page.getByLabel('Reason').fill('one time server');
  await user.click(send('Publish'));
  await user.click(user.button('Plan a rollout to 10 devices'));
  await user.click(send('Plan a rollout'));
  await user.click(page.getByRole('button', { name: 'Start', exact: true }));
  const sync = async () => (await world.gateway.api.get<{ sync: object }>(`/v1/templates/${name}`)).sync;
  await until(async () => JSON.stringify(await sync()) === '{"in_sync":10}');
  const seconds = (performance.now() - startedAt) / 1_000;
  await page.close();
  const servers = fleet.devices.map(({ configuration }) => JSON.stringify(configuration.peek('ntp')));
  expect(servers.filter((text) => text.includes(WANTED))).toHaveLength(10);
  noteFigures('D11', { clicks: user.clicks, seconds });
  expectAtMost('B11', 'clicks: adopt ten routers, change an option, close the gap', user.clicks, 12);
  expectTimeAtMost('B11', 'seconds: adopt ten routers, change an option, close the gap', seconds, 300);
});
