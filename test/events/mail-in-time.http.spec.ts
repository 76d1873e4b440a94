import { afterAll, beforeAll, expect, it } from 'vitest';
import { Notifications } from '../../src/events/notifications.sweeper.js';
import { WebhookDeliveries } from '../../src/events/webhook-deliveries.sweeper.js';
import { AlertSweeper } from '../../src/monitoring/alerts/alert.sweeper.js';
import { StatusSweeper } from '../../src/monitoring/status.sweeper.js';
import { ReachabilityWatch } from '../../src/proxy/connections/reachability-watch.js';
import { type Fleet } from '../../src/simulator/fleet.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';
import { FakeClock } from '../support/fake-clock.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { type MailServer, startMailServer } from '../support/servers/mail-server.js';

/* From the plug of a router to the mail, as docs/howto/be-told-of-dead-routers.md sets it up. All sweepers run by a clock that the test moves. */

const PASS_SECONDS = 60;
const FOR_SECONDS = 120;

/** A notification waits for others for 30 seconds; checks are spread by 5 %, and three sweepers come each ten seconds. */
const GATHER_SECONDS = 60;

let world: TestGateway;
let fleet: Fleet;
const clock = new FakeClock(Date.now());
let server: MailServer;

beforeAll(async () => {
  fleet = await startOwnFleet({ devices: 2, profile: 'rutos', seed: 5, timeScale: 1 });
  server = await startMailServer('gateway', 'password');
  const mail = { SMTP_URL: `smtp://gateway:password@127.0.0.1:${server.port}`, SMTP_FROM: 'gateway@fleet.example' };
  world = await startTestGateway({ ROLE: 'api', ...mail }, clock);
  Object.assign(world.gateway.app.get(StatusSweeper), { config: { STATUS_EVERY_SECONDS: PASS_SECONDS } });
  Object.assign(world.gateway.app.get(ReachabilityWatch), { wasLateSince: () => false });
  for (const { index, baseUrl, username, password } of fleet.devices)
    await world.api.post('/v1/devices', { name: `router-${index}`, baseUrl, credentials: { username, password } });
});
afterAll(async () => {
  await world.close();
  await fleet.close();
  await server.close();
});

/** Ten seconds of all sweepers. */
async function tenSeconds(): Promise<void> {
  clock.pass(10_000);
  for (const sweeper of [StatusSweeper, AlertSweeper, Notifications, WebhookDeliveries])
    await world.gateway.app.get<{ sweep(): Promise<unknown> }>(sweeper).sweep();
}

it('takes two checks, the time of the rule, and a minute', async () => {
  const rule = { name: 'offline 2 min', selector: 'state:offline', forSeconds: FOR_SECONDS, severity: 'critical' };
  await world.api.post('/v1/monitoring/rules', rule);
  const hook = { name: 'ada', url: 'mailto:ada@example.com', format: 'mail', types: ['rule.notified'] };
  const { id } = await world.api.post<{ id: string }>('/v1/webhooks', hook);
  const [code] = /\d{4} \d{4}/.exec(server.mails.pop()!.text)!;
  await world.api.post(`/v1/webhooks/${id}/confirm`, { code });
  for (let step = 0; step < 12; step++) await tenSeconds();
  expect(server.mails).toEqual([]);
  await fleet.devices[0]!.stop();
  const most = 2 * PASS_SECONDS + FOR_SECONDS + GATHER_SECONDS;
  let seconds = 0;
  for (; server.mails.length === 0 && seconds < most; seconds += 10) await tenSeconds();
  expect(server.mails.map(({ headers }) => headers['subject'])).toEqual(['Fleetgate critical: 1 new, now 1']);
  expect(server.mails[0]!.text).toContain('New: router-0');
  expect(seconds).toBeGreaterThan(FOR_SECONDS);
});
