import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import pg from 'pg';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Notifications } from '../../src/events/notifications.sweeper.js';
import { WebhookDeliveries } from '../../src/events/webhook-deliveries.sweeper.js';
import { AlertSweeper } from '../../src/monitoring/alerts/alert.sweeper.js';
import { type Notification } from '../../src/monitoring/notifications/notification.js';
import { ReachabilityWatch } from '../../src/proxy/connections/reachability-watch.js';
import { Processes } from '../../src/system/processes.sweeper.js';
import { FakeClock } from '../support/fake-clock.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson, type Person } from '../support/people.js';
import { until } from '../support/until.js';

/* What receivers are told about a fleet: by sockets, with the clock moved by the test. Devices are rows: their states are set. */

interface Hook {
  readonly id: string;
  readonly secret: string;
}
interface Received {
  readonly path: string;
  readonly id: string;
  readonly headers: Record<string, string>;
  readonly text: string;
  readonly data: Notification;
}

const NORTH = 200;
const SOUTH = 100;
const MINUTE = 60_000;

let world: TestGateway;
let db: pg.Pool;
let url: string;
let status = 204;
let named = 0;
/** Sees the devices of one site. */
let narrow: Person;
const clock = new FakeClock(Date.now());
const received: Received[] = [];
const receiver = createServer((request, response) => {
  let text = '';
  request.on('data', (part: Buffer) => (text += part.toString()));
  request.on('end', () => {
    const headers = request.headers as Record<string, string>;
    const { data } = (text.startsWith('{') ? JSON.parse(text) : {}) as { data: Notification };
    received.push({ path: request.url!, id: headers['webhook-id']!, headers, text, data });
    if (status === 0) request.socket.destroy();
    else response.writeHead(status).end();
  });
});

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' }, clock);
  Object.assign(world.gateway.app.get(Notifications), { config: { PUBLIC_URL: 'https://gateway.example' } });
  db = new pg.Pool({ connectionString: world.databaseUrl, max: 2 });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  await db.query(
    `insert into device (id, name, base_url, site, state, created_at, updated_at)
     select gen_random_uuid(), site || '-' || lpad(number::text, 3, '0'), 'https://' || site || number || '.example', site, 'online', now(), now()
       from (values ('north', $1::int), ('south', $2::int)) as of (site, devices), generate_series(1, devices) as number`,
    [NORTH, SOUTH],
  );
  await db.query('delete from alert_rule'); // those of the set-up
  await db.query(
    `insert into alert_rule (id, name, selector, for_seconds, clear_after_seconds, severity, note, enabled, operator_id, created_by,
                             created_by_name, created_at, version)
     select gen_random_uuid(), 'offline', 'state:offline', 0, 0, 'critical', 'Call them.', true, id, 'session:x', name, now(), 1
       from operator order by created_at limit 1`,
  );
  await world.api.send('PUT', '/v1/roles/told-of-north', {
    rules: [
      { effect: 'allow', permissions: ['webhook.manage'] },
      { effect: 'allow', permissions: ['device.read'], selector: 'site:north' },
    ],
  });
  narrow = await addPerson(world, 'Vera', [{ role: 'told-of-north' }]);
});
afterEach(async () => {
  status = 204;
  world.gateway.app.get(ReachabilityWatch).isDoubting = false;
  const { items } = await world.api.get<{ items: Hook[] }>('/v1/webhooks');
  for (const { id } of items) await world.api.send('DELETE', `/v1/webhooks/${id}`);
  await db.query('delete from mute; delete from job');
  await set('online', 'true');
  received.length = 0;
});
afterAll(async () => {
  receiver.close();
  await db.end();
  await world.close();
});

const hook = (more: object = {}, api = world.api) =>
  api.post<Hook>('/v1/webhooks', { name: `hook ${++named}`, url: `${url}/in`, types: ['rule.notified'], ...more });

/** Sets states, and lets the rules judge them. */
async function set(state: string, where: string): Promise<void> {
  await db.query(`update device set state = '${state}' where ${where}`);
  await until(async () => {
    await db.query('update alert_rule set judged_at = null'); // the clock stands still
    await world.gateway.app.get(AlertSweeper).sweep();
    const { rows } = await db.query<{ is: boolean }>(
      `select (select count(*) from device where state = 'offline') = (select count(*) from alert where state = 'open') as is`,
    );
    return rows[0]!.is;
  });
}
const first = (site: string, count: number) =>
  `name <= '${site}-${String(count).padStart(3, '0')}' and site = '${site}'`;
const make = () => world.gateway.app.get(Notifications).sweep();
const send = () => world.gateway.app.get(WebhookDeliveries).sweep();

/** A pass after a time. @returns what came in it */
async function after(ms: number): Promise<Received[]> {
  const before = received.length;
  clock.pass(ms);
  await make();
  await send();
  return received.slice(before);
}
const said = (all: readonly Received[]) => all.map(({ data: { opened, closed, open } }) => ({ opened, closed, open }));

describe('a receiver', () => {
  it('is told once of 300 devices, and once of three that came back', async () => {
    const { secret } = await hook();
    await set('offline', first('north', 12));
    expect(await after(10_000)).toEqual([]); // others may follow
    await set('offline', 'true');
    const [told, ...more] = await after(MINUTE);
    expect(more).toEqual([]);
    expect(told!.data).toMatchObject({
      rule: 'offline',
      severity: 'critical',
      opened: 300,
      closed: 0,
      open: 300,
      sites: [
        { site: 'north', open: NORTH },
        { site: 'south', open: SOUTH },
      ],
      moreDevices: 280,
      link: `https://gateway.example/console/monitoring?rule=${told!.data.ruleId}`,
    });
    expect(told!.data.devices[0]).toEqual({ name: 'north-001', site: 'north', change: 'opened' });
    expect(new Verifier(secret).verify(told!.text, told!.headers)).toMatchObject({ id: told!.id });
    await set('online', first('south', 3));
    expect(await after(MINUTE)).toEqual([]);
    expect(said(await after(5 * MINUTE))).toEqual([{ opened: 0, closed: 3, open: 297 }]);
    expect(await after(5 * MINUTE)).toEqual([]);
  });

  it('is told once of devices that come back as the checks find them', async () => {
    await hook();
    await set('offline', first('south', 9));
    expect(said(await after(MINUTE))).toEqual([{ opened: 9, closed: 0, open: 9 }]);
    clock.pass(10 * MINUTE);
    for (const count of [3, 6, 9]) {
      await set('online', first('south', count));
      expect(await after(1.5 * MINUTE)).toEqual([]);
    }
    expect(await after(3 * MINUTE)).toEqual([]); // five minutes after the first, while others were found
    expect(said(await after(2 * MINUTE))).toEqual([{ opened: 0, closed: 9, open: 0 }]);
  });

  it('is told in time when the clock was set back, of what changed before it and after', async () => {
    await hook();
    await set('offline', first('north', 2));
    expect(said(await after(MINUTE))).toEqual([{ opened: 2, closed: 0, open: 2 }]);
    await set('offline', first('north', 3));
    expect(said(await after(-60 * MINUTE))).toEqual([{ opened: 1, closed: 0, open: 3 }]);
    await set('online', first('north', 3));
    expect(said(await after(-60 * MINUTE))).toEqual([{ opened: 0, closed: 3, open: 0 }]);
  });

  it('is not told of a device that was away and back between two notifications', async () => {
    await hook();
    await set('offline', first('north', 2));
    expect(said(await after(MINUTE))).toEqual([{ opened: 2, closed: 0, open: 2 }]);
    await set('offline', first('north', 3));
    await set('online', first('north', 1));
    await set('online', "name = 'north-003'");
    await set('offline', first('north', 1));
    expect(await after(10 * MINUTE)).toEqual([]);
  });

  it('sees what its author may see, counts included, and only the author reads what it was told', async () => {
    const own = await hook({ url: `${url}/north` }, narrow.api);
    const all = await hook({ url: `${url}/all` });
    await set('offline', `${first('north', 2)} or ${first('south', 5)}`);
    const came = await after(MINUTE);
    const north = came.find(({ path }) => path === '/north')!.data;
    expect(north).toMatchObject({ opened: 2, open: 2, sites: [{ site: 'north', open: 2 }], moreDevices: 0, note: '' });
    expect(north.devices.map(({ name }) => name)).toEqual(['north-001', 'north-002']);
    expect(north.link).toBe(`https://gateway.example/console/monitoring?rule=${north.ruleId}`);
    expect(came.find(({ path }) => path === '/all')!.data).toMatchObject({ opened: 7, open: 7, note: 'Call them.' });
    const log = async (api: Person['api'], { id }: Hook) =>
      (await api.get<{ items: { id: string }[] }>(`/v1/webhooks/${id}/deliveries`)).items;
    const mine = await log(narrow.api, own);
    const others = await log(world.api, all);
    expect([mine.length, others.length]).toEqual([1, 1]);
    expect(await log(narrow.api, all)).toEqual([]);
    await expect(
      narrow.api.post(`/v1/webhooks/${all.id}/deliveries/${others[0]!.id}/replay`, {}),
    ).rejects.toMatchObject({ code: 'webhook_delivery_not_found' });
  });

  it('of an author who sees no devices is told nothing', async () => {
    await world.api.send('PUT', '/v1/roles/hooks-only', {
      rules: [{ effect: 'allow', permissions: ['webhook.manage', 'monitoring.read', 'system.read'] }],
    });
    const other = await addPerson(world, 'Gus', [{ role: 'hooks-only' }]);
    await hook({}, other.api);
    await set('offline', first('north', 2));
    expect(await after(MINUTE)).toEqual([]);
  });

  it('is not told of old news when a device comes back into its sight', async () => {
    await hook({}, narrow.api);
    await set('offline', first('north', 2));
    expect(said(await after(MINUTE))).toEqual([{ opened: 2, closed: 0, open: 2 }]);
    await db.query(`update device set site = 'east' where site = 'north' and name <= 'north-002'`);
    try {
      expect(await after(6 * MINUTE)).toEqual([]);
      await set('online', "name = 'north-001'");
      expect(await after(6 * MINUTE)).toEqual([]);
    } finally {
      await db.query(`update device set site = 'north' where site = 'east'`);
    }
    // The other one is open, and is told as to a new receiver.
    const [told, ...more] = await after(6 * MINUTE);
    expect(more).toEqual([]);
    expect(said([told!])).toEqual([{ opened: 1, closed: 0, open: 1 }]);
    expect(told!.data.devices.map(({ name }) => name)).toEqual(['north-002']);
  });

  it('gets a notification again after a lost answer, with the same id, and never one that was made twice', async () => {
    await hook();
    await set('offline', first('north', 2));
    status = 0;
    const [lost] = await after(MINUTE);
    status = 204;
    const [again, ...more] = await after(10_000);
    expect(more).toEqual([]);
    expect(again).toMatchObject({ id: lost!.id, text: lost!.text });
    expect(await after(10 * MINUTE)).toEqual([]);
  });

  it('gets what was made before its process died', async () => {
    await hook();
    await set('offline', first('north', 2));
    clock.pass(MINUTE);
    await make();
    // The process took the delivery in hand, and died.
    await db.query(`update webhook_delivery set due_at = $1, attempts = 1`, [new Date(clock.nowMs() + MINUTE)]);
    await make();
    await send();
    expect(received).toEqual([]);
    expect(said(await after(MINUTE + 1_000))).toEqual([{ opened: 2, closed: 0, open: 2 }]);
    expect(await after(10 * MINUTE)).toEqual([]);
  });

  it('is told nothing when its transaction fails, and all in the next one', async () => {
    await hook();
    await set('offline', first('north', 2));
    clock.pass(MINUTE);
    await db.query('alter table rule_told add constraint refuse check (false)');
    await expect(make()).rejects.toThrow('refuse');
    await db.query('alter table rule_told drop constraint refuse');
    expect((await db.query('select from webhook_delivery')).rowCount).toBe(0);
    expect(said(await after(1_000))).toEqual([{ opened: 2, closed: 0, open: 2 }]);
  });

  it('is told once by two processes', async () => {
    await hook();
    await set('offline', first('north', 2));
    clock.pass(MINUTE);
    await Promise.all([make(), make(), make()]);
    await send();
    expect(said(received)).toEqual([{ opened: 2, closed: 0, open: 2 }]);
  });
});

describe('quiet', () => {
  const job = (name: string, kind: string, intent: string, endedAt: Date | null) =>
    db.query(
      `insert into job (id, device_id, kind, phase, outcome, cursor, wake_at, deadline_at, intent, started_by, started_by_name,
                        created_at, started_at, ended_at)
       select gen_random_uuid(), id, $2, case when $4::timestamptz is null then 'queued' else 'ended' end,
              case when $4::timestamptz is null then null else 'succeeded' end, '{"at":"restart"}', 'infinity', 'infinity',
              jsonb_build_object('state', $3::text), 'session:x', 'x', now(), now(), $4 from device where name = $1`,
      [name, kind, intent, endedAt],
    );

  /** What the status sweep finds, as all processes read it. */
  async function doubt(is: boolean): Promise<void> {
    world.gateway.app.get(ReachabilityWatch).isDoubting = is;
    await world.gateway.app.get(Processes).sweep();
  }

  it('are devices that restart by their own job, and for five minutes after it', async () => {
    await hook();
    await job('north-001', 'reboot', 'sent', null);
    await job('north-002', 'firmware', 'executed', clock.now());
    await job('north-003', 'firmware', 'open', null); // it waits for a device that is away
    await job('north-004', 'backup', 'sent', null);
    await set('offline', first('north', 4));
    const [told] = await after(MINUTE);
    expect(told!.data.devices.map(({ name }) => name)).toEqual(['north-003', 'north-004']);
    expect(said(await after(5 * MINUTE))).toEqual([{ opened: 1, closed: 0, open: 3 }]);
    // Back from its restart before anybody was told: no news.
    await set('online', "name = 'north-001'");
    await db.query(`update job set phase = 'ended', outcome = 'succeeded', ended_at = now()`);
    expect(await after(10 * MINUTE)).toEqual([]);
  });

  it('are devices of a mute, as far as its author sees them, until it ends', async () => {
    await hook();
    const muter = await world.api.send('PUT', '/v1/roles/mutes-north', {
      rules: [
        { effect: 'allow', permissions: ['monitoring.manage', 'monitoring.read'] },
        { effect: 'allow', permissions: ['device.read'], selector: 'site:north' },
      ],
    });
    expect(muter.status).toBeLessThan(300);
    const person = await addPerson(world, 'Mona', [{ role: 'mutes-north' }]);
    const until = new Date(clock.nowMs() + 60 * MINUTE).toISOString();
    const wish = { selector: 'all', until, reason: 'power works' };
    const { id } = await person.api.post<{ id: string }>('/v1/monitoring/mutes', wish);
    expect(await world.api.get('/v1/monitoring/mutes')).toMatchObject({ items: [{ id, ...wish, ruleId: null }] });
    await set('offline', `${first('north', 5)} or ${first('south', 2)}`);
    expect(said(await after(MINUTE))).toEqual([{ opened: 2, closed: 0, open: 2 }]);
    await set('online', first('north', 1));
    expect(await after(6 * MINUTE)).toEqual([]);
    expect(said(await after(60 * MINUTE))).toEqual([{ opened: 4, closed: 0, open: 6 }]);
    expect(await world.api.get('/v1/monitoring/mutes')).toEqual({ items: [] });
  });

  it('is one rule alone where the mute names it, and ends with the mute', async () => {
    await hook();
    const { rows } = await db.query<{ id: string }>('select id from alert_rule');
    const other = '00000000-0000-4000-8000-0000000000aa';
    await db.query(
      `insert into alert_rule (id, name, selector, for_seconds, clear_after_seconds, severity, enabled, operator_id, created_by,
                               created_by_name, created_at, version)
       select $1, 'other', selector, 86400, 0, 'info', false, operator_id, created_by, created_by_name, now(), 1 from alert_rule`,
      [other],
    );
    const until = new Date(clock.nowMs() + 60 * MINUTE).toISOString();
    const mute = (ruleId: string) =>
      world.api.post<{ id: string }>('/v1/monitoring/mutes', { selector: 'site:north', ruleId, until, reason: 'x' });
    const [own] = [await mute(rows[0]!.id), await mute(other)];
    await set('offline', first('north', 2));
    expect(await after(MINUTE)).toEqual([]);
    await world.api.send('DELETE', `/v1/monitoring/mutes/${own.id}`);
    expect(said(await after(MINUTE))).toEqual([{ opened: 2, closed: 0, open: 2 }]);
    await db.query('delete from alert_rule where id = $1', [other]);
    const { items } = await world.api.get<{ items: { action: string; subject: string }[] }>('/v1/audit?action=mute.*');
    expect(items.filter(({ subject }) => subject === `mute:${own.id}`).map(({ action }) => action)).toEqual([
      'mute.remove',
      'mute.create',
    ]);
  });

  it('is not what a mute names that cannot be applied; the others hold, and nothing stops', async () => {
    await hook();
    const until = new Date(clock.nowMs() + 60 * MINUTE).toISOString();
    for (const selector of ['backup:none', 'site:south'])
      await world.api.post('/v1/monitoring/mutes', { selector, until, reason: 'x' });
    await set('offline', `${first('north', 2)} or ${first('south', 3)}`);
    await db.query('alter table artifact rename to hidden');
    try {
      expect(said(await after(MINUTE))).toEqual([{ opened: 2, closed: 0, open: 2 }]);
    } finally {
      await db.query('alter table hidden rename to artifact');
    }
    expect(world.log()).toContain('A mute cannot be applied');
  });

  it('is not what a mute names whose author cannot read it any more, and the list says so', async () => {
    await hook();
    const until = new Date(clock.nowMs() + 60 * MINUTE).toISOString();
    await world.api.send('PUT', '/v1/selectors/works', { selector: 'site:north' });
    const wish = { selector: '@works', until, reason: 'x' };
    expect(await world.api.post('/v1/monitoring/mutes', wish)).toMatchObject({ unreadable: false });
    await set('offline', first('north', 2));
    expect(await after(MINUTE)).toEqual([]);
    await world.api.send('DELETE', '/v1/selectors/works');
    expect(said(await after(MINUTE))).toEqual([{ opened: 2, closed: 0, open: 2 }]);
    const { items } = await world.api.get<{ items: object[] }>('/v1/monitoring/mutes');
    expect(items).toMatchObject([{ ...wish, unreadable: true, orphaned: false }]);
  });

  it.each([
    ['in the past', -1],
    ['in more than 30 days', 31 * 24 * 60],
  ])('cannot end %s', async (_what, minutes) => {
    const until = new Date(clock.nowMs() + minutes * MINUTE).toISOString();
    const wish = { selector: 'all', until, reason: 'x' };
    await expect(world.api.post('/v1/monitoring/mutes', wish)).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('is of a rule that exists, and is removed once', async () => {
    const nothing = '00000000-0000-4000-8000-0000000000ff';
    const until = new Date(clock.nowMs() + MINUTE).toISOString();
    const wish = { selector: 'all', until, reason: 'x', ruleId: nothing };
    await expect(world.api.post('/v1/monitoring/mutes', wish)).rejects.toMatchObject({ code: 'alert_rule_not_found' });
    await expect(world.api.send('DELETE', `/v1/monitoring/mutes/${nothing}`)).rejects.toMatchObject({
      code: 'mute_not_found',
    });
    await expect(world.as('viewer').post('/v1/monitoring/mutes', wish)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('are all while the gateway doubts itself: one notification says so, and the others wait for it', async () => {
    await hook();
    await hook({ url: `${url}/narrow` }, narrow.api);
    await doubt(true);
    await set('offline', 'true');
    const doubted = await after(MINUTE);
    expect(doubted.map(({ path }) => path)).toEqual(['/in']); // Vera may not read the state of the gateway
    expect(doubted[0]!.data).toMatchObject({ ruleId: null, severity: 'critical', opened: 1, closed: 0, devices: [] });
    expect(await after(10 * MINUTE)).toEqual([]);
    await doubt(false);
    const told = (await after(MINUTE)).toSorted((a, b) => a.data.opened - b.data.opened);
    expect(said(told)).toEqual([
      { opened: 0, closed: 1, open: 0 },
      { opened: NORTH, closed: 0, open: NORTH },
      { opened: 300, closed: 0, open: 300 },
    ]);
    expect(await after(10 * MINUTE)).toEqual([]);
  });

  it('end without a notification of their own when the devices do not answer: their alerts say so', async () => {
    await hook();
    await doubt(true);
    expect(said(await after(MINUTE))).toEqual([{ opened: 1, closed: 0, open: 1 }]);
    await db.query('update device set failed_checks = 2, seen_at = $1', [clock.now()]);
    await set('offline', 'true');
    await after(6 * MINUTE);
    await doubt(false);
    expect(said(await after(5 * MINUTE))).toEqual([{ opened: 300, closed: 0, open: 300 }]);
    await db.query('update device set failed_checks = 0');
    await set('online', 'true');
    expect(said(await after(12 * MINUTE))).toEqual([{ opened: 0, closed: 300, open: 0 }]);
  });

  it('has one notification after it for devices that open one after the other', async () => {
    await hook();
    await doubt(true);
    expect(said(await after(MINUTE))).toEqual([{ opened: 1, closed: 0, open: 1 }]);
    await doubt(false);
    expect(said(await after(6 * MINUTE))).toEqual([{ opened: 0, closed: 1, open: 0 }]);
    await set('offline', first('north', 2));
    expect(await after(20_000)).toEqual([]);
    await set('offline', first('north', 4));
    expect(await after(20_000)).toEqual([]); // the first two are older than the half minute of others
    expect(said(await after(MINUTE))).toEqual([{ opened: 4, closed: 0, open: 4 }]);
    // It does not wait for longer than five minutes.
    await after(5 * MINUTE);
    for (let wave = 1; wave <= 15; wave++) {
      await set('offline', first('south', wave));
      expect(await after(20_000)).toHaveLength(wave === 15 ? 1 : 0);
    }
  });

  it('begins again for a receiver whose author lost the right to it in between', async () => {
    const rules = (...more: string[]) => ({
      rules: [{ effect: 'allow', permissions: ['webhook.manage', 'device.read', ...more] }],
    });
    await world.api.send('PUT', '/v1/roles/sees-the-gateway', rules('system.read'));
    const person = await addPerson(world, 'Sid', [{ role: 'sees-the-gateway' }]);
    await hook({}, person.api);
    await doubt(true);
    expect(said(await after(MINUTE))).toEqual([{ opened: 1, closed: 0, open: 1 }]);
    await world.api.send('PUT', '/v1/roles/sees-the-gateway', rules());
    await doubt(false);
    expect(await after(6 * MINUTE)).toEqual([]);
    await world.api.send('PUT', '/v1/roles/sees-the-gateway', rules('system.read'));
    expect(await after(6 * MINUTE)).toEqual([]); // no end of which it saw no begin
    await doubt(true);
    expect(said(await after(MINUTE))).toEqual([{ opened: 1, closed: 0, open: 1 }]);
    await doubt(false);
    expect(said(await after(6 * MINUTE))).toEqual([{ opened: 0, closed: 1, open: 0 }]);
  });
});

describe('a chat', () => {
  const PATH = '/services/T0000/B0000/token-of-the-chat';

  it('gets notifications in its own form, and its path is shown nowhere', async () => {
    const slack = await hook({ format: 'slack', url: `${url}${PATH}` });
    expect(slack).toMatchObject({ format: 'slack', url: `${url}/`, urlHidesSome: true });
    await world.api.post('/v1/devices', { name: `new-${++named}`, baseUrl: `https://new-${named}.example` });
    await set('offline', first('north', 2));
    const [told, ...more] = await after(MINUTE);
    expect(more).toEqual([]);
    expect(told).toMatchObject({ path: PATH, headers: { 'content-type': 'application/json' } });
    const { text } = JSON.parse(told!.text) as { text: string };
    expect(text).toContain('critical: 2 new, now 2\n`offline`\nSites: `north` 2\nNew: `north-001`, `north-002`\n');
    status = 404;
    const { id } = slack;
    await world.api.post(`/v1/webhooks/${id}/test`);
    expect(JSON.parse(received.at(-1)!.text)).toEqual({ text: expect.stringContaining('This is a test') as string });
    const shown = [
      await world.api.get('/v1/webhooks'),
      await world.api.get(`/v1/webhooks/${id}/deliveries`),
      await world.api.get('/v1/audit?action=webhook.*'),
      world.log(),
    ];
    expect(JSON.stringify(shown)).not.toContain('token-of-the-chat');
    await db.query("delete from device where name like 'new-%'");
  });

  it('keeps its path when its address comes back as it is shown, and a change of its form does not reveal it', async () => {
    const { id } = await hook({ format: 'discord', url: `${url}${PATH}` });
    const stored = async () => (await db.query<{ url: string }>('select url from webhook')).rows[0]!.url;
    const wish = { name: `hook ${++named}`, url: `${url}/`, types: ['rule.notified'] };
    await world.api.send('PUT', `/v1/webhooks/${id}`, { ...wish, format: 'slack' });
    expect(await stored()).toBe(`${url}${PATH}`);
    await world.api.send('PUT', `/v1/webhooks/${id}`, wish);
    expect(await stored()).toBe(`${url}/`);
  });

  it('gets nothing that waited for a program before it', async () => {
    const { id } = await hook({ types: ['device.registered', 'rule.notified'] });
    await db.query(
      `insert into webhook_delivery (webhook_id, event_tx, event_id, type, message, due_at, created_at)
       values ($1, '1', 1, 'device.registered', '{"data":{}}', $2, $2)`,
      [id, clock.now()],
    );
    const wish = { name: `hook ${++named}`, url: `${url}/`, format: 'ntfy', types: ['rule.notified'] };
    await world.api.send('PUT', `/v1/webhooks/${id}`, wish);
    await set('offline', first('north', 1));
    const [told, ...more] = await after(MINUTE);
    expect(more).toEqual([]);
    expect(told).toMatchObject({ text: 'offline\nSites: north 1\nNew: north-001\nCall them.' });
  });

  it('wants no events, and no stream has notifications', async () => {
    const wish = { format: 'teams', types: ['job.*', 'rule.notified'] };
    await expect(hook(wish)).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(world.api.get('/v1/events?types=rule.notified')).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('of another person begins with what that person sees', async () => {
    const { id } = await hook();
    await set('offline', `${first('north', 2)} or ${first('south', 3)}`);
    expect(said(await after(MINUTE))).toEqual([{ opened: 5, closed: 0, open: 5 }]);
    const wish = { name: `hook ${++named}`, url: `${url}/mine`, types: ['rule.notified'] };
    await narrow.api.send('PUT', `/v1/webhooks/${id}`, wish);
    const { items } = await narrow.api.get<{ items: object[] }>(`/v1/webhooks/${id}/deliveries`);
    expect(items).toEqual([]);
    expect(said(await after(MINUTE))).toEqual([{ opened: 2, closed: 0, open: 2 }]);
  });
});
