import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { AlertSweeper } from '../../src/monitoring/alerts/alert.sweeper.js';
import { AlertmanagerSweeper } from '../../src/monitoring/notifications/alertmanager.sweeper.js';
import { StatusSweeper } from '../../src/monitoring/status.sweeper.js';
import { type Fleet } from '../../src/simulator/fleet.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { Alertmanager } from '../support/servers/alertmanager.js';
import { until } from '../support/until.js';

/* Debian's Alertmanager beside a gateway with simulated routers. Time is real for it, so a test makes all passes due. */

describe.skipIf(Alertmanager.missing)(`a real Alertmanager${Alertmanager.missing ?? ''}`, () => {
  let alertmanager: Alertmanager;
  let world: TestGateway;
  let fleet: Fleet;
  let db: DataSource;

  beforeAll(async () => {
    alertmanager = await Alertmanager.start();
    fleet = await startOwnFleet({ devices: 2, profile: 'rutos', timeScale: 1 });
    world = await startTestGateway({
      ROLE: 'api',
      ALERTMANAGER_URL: alertmanager.url,
      PUBLIC_URL: 'https://gateway.example',
    });
    db = world.gateway.app.get(DataSource);
    Object.assign(world.gateway.app.get(StatusSweeper), { config: { STATUS_EVERY_SECONDS: 1 } });
    await db.query('delete from alert_rule'); // those of the set-up
    await world.api.post('/v1/monitoring/rules', {
      name: 'a "dead" router\\',
      selector: 'state:offline',
      forSeconds: 0,
      clearAfterSeconds: 0,
      severity: 'critical',
      note: 'Call site:\n“north”.',
    });
    for (const { index, baseUrl, username, password } of fleet.devices)
      await world.api.post('/v1/devices', {
        name: `router-${index}`,
        site: 'lt/north',
        baseUrl,
        credentials: { username, password },
      });
    await untilThere('online', 0, 1);
  });
  afterAll(async () => {
    await world.close();
    await fleet.close();
    await alertmanager.stop();
  });

  /** All that happens in some minutes: checks of the devices, a pass of the rules, and what is sent. */
  async function minutes(): Promise<void> {
    const { app } = world.gateway;
    await db.query(`update device set probe_at = now() - interval '1 second'`);
    await app.get(StatusSweeper).sweep();
    await db.query('update alert_rule set judged_at = null');
    await app.get(AlertSweeper).sweep();
    await db.query('update alert_rule set forwarded_at = null');
    await app.get(AlertmanagerSweeper).sweep();
  }

  async function untilThere(state: string, ...indices: number[]): Promise<void> {
    await until(async () => {
      await minutes();
      const names = indices.map((index) => `router-${index}`);
      const [row] = await db.query<[{ count: number }]>(
        'select count(*)::int as count from device where state = $1 and name = any($2)',
        [state, names],
      );
      return row.count === indices.length;
    });
  }

  const firing = async () => (await alertmanager.alerts()).map(({ labels }) => labels['device']);

  it('has a dead router, also an acknowledged one, until it is back', async () => {
    expect(await firing()).toEqual([]);
    await fleet.devices[0]!.stop();
    await untilThere('offline', 0);
    await until(async () => (await minutes().then(firing)).length > 0);
    const [alert, ...more] = await alertmanager.alerts();
    expect(more).toEqual([]);
    expect(alert).toMatchObject({
      labels: { alertname: 'a "dead" router\\', severity: 'critical', device: 'router-0', site: 'lt/north' },
      annotations: { summary: 'router-0: a "dead" router\\', note: 'Call site:\n“north”.' },
      status: { state: 'active' },
      generatorURL: expect.stringMatching(/^https:\/\/gateway\.example\/console\/monitoring\?rule=/) as string,
    });
    const { items } = await world.api.get<{ items: { id: string }[] }>('/v1/monitoring/alerts');
    await world.api.post(`/v1/monitoring/alerts/${items[0]!.id}/acknowledge`, { note: 'on my way' });
    await minutes();
    expect(await firing()).toEqual(['router-0']);
    await fleet.devices[0]!.start();
    await untilThere('online', 0);
    await until(async () => (await minutes().then(firing)).length === 0);
  });

  it('has no router of a mute, and has it when the mute is removed', async () => {
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const wish = { selector: 'name:router-1', until: end, reason: 'power works' };
    const mute = await world.api.post<{ id: string }>('/v1/monitoring/mutes', wish);
    await fleet.devices[1]!.stop();
    await untilThere('offline', 1);
    const open = () => world.api.get<{ items: unknown[] }>('/v1/monitoring/alerts');
    await until(async () => (await minutes().then(open)).items.length === 1);
    expect(await firing()).toEqual([]);
    await world.api.send('DELETE', `/v1/monitoring/mutes/${mute.id}`);
    await until(async () => (await minutes().then(firing)).length === 1);
    // It is sent again and again as the same one.
    await minutes();
    expect(await firing()).toEqual(['router-1']);
    await fleet.devices[1]!.start();
    await untilThere('online', 1);
    await until(async () => (await minutes().then(firing)).length === 0);
  });
});
