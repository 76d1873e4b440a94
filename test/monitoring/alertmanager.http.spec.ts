import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AlertSweeper } from '../../src/monitoring/alerts/alert.sweeper.js';
import { AlertmanagerSweeper } from '../../src/monitoring/notifications/alertmanager.sweeper.js';
import { Metrics } from '../../src/platform/metrics.js';
import { Processes } from '../../src/system/processes.sweeper.js';
import { FakeClock } from '../support/fake-clock.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { holdEnds } from '../support/jobs/held-ends.js';
import { until } from '../support/until.js';

/* What two Alertmanagers get, by sockets, with the clock moved by the test. Devices are rows: their states are set. */

interface SentAlert {
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly generatorURL?: string;
}

/** A server in the place of an Alertmanager. */
class Receiver {
  readonly requests: {
    readonly headers: IncomingMessage['headers'];
    readonly path: string;
    readonly alerts: SentAlert[];
  }[] = [];
  /** 0: it never answers. */
  status = 200;
  private readonly server: Server = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      const alerts = JSON.parse(text) as SentAlert[];
      this.requests.push({ headers: request.headers, path: request.url!, alerts });
      if (this.status !== 0) response.writeHead(this.status).end('{}');
    });
  });

  async open(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get alerts(): SentAlert[] {
    return this.requests.flatMap(({ alerts }) => alerts);
  }

  hangUp(): void {
    this.server.closeAllConnections();
  }

  close(): void {
    this.hangUp();
    this.server.close();
  }
}

const PASSWORD = 'p@ss word-of-the-alertmanager';
const MINUTE = 60_000;
const FLEET = 2_500;

let world: TestGateway;
let db: pg.Pool;
let ends: ReturnType<typeof holdEnds>;
const clock = new FakeClock(Date.now());
const [first, second] = [new Receiver(), new Receiver()];

beforeAll(async () => {
  ends = holdEnds(10_000);
  const [one, two] = [await first.open(), await second.open()];
  const ALERTMANAGER_URL = `http://gate:${encodeURIComponent(PASSWORD)}@${one}/, http://${two}/below`;
  world = await startTestGateway({ ROLE: 'api', PUBLIC_URL: 'https://gateway.example', ALERTMANAGER_URL }, clock);
  db = new pg.Pool({ connectionString: world.databaseUrl, max: 2 });
  await db.query(
    `insert into device (id, name, base_url, site, state, created_at, updated_at)
     select gen_random_uuid(), 'd-' || lpad(number::text, 4, '0'), 'https://d' || number || '.example', 'north', 'online', now(), now()
       from generate_series(1, $1::int) as number`,
    [FLEET],
  );
});
beforeEach(async () => {
  await db.query('delete from alert_rule');
  await db.query(`update device set state = 'online'`);
  await db.query(
    `insert into alert_rule (id, name, selector, for_seconds, clear_after_seconds, severity, note, enabled, operator_id, created_by,
                             created_by_name, created_at, version)
     select gen_random_uuid(), 'offline', 'state:offline', 0, 0, 'critical', 'Call them.', true, id, 'session:x', name, now(), 1
       from operator where name = 'Ada'`,
  );
  clear();
});
afterEach(async () => {
  first.status = second.status = 200;
  await doubt(false);
  await db.query('delete from mute; delete from job');
  await db.query('update operator set disabled_at = null');
});
afterAll(async () => {
  ends.restore();
  first.close();
  second.close();
  await db.end();
  await world.close();
});

function clear(): void {
  first.requests.length = second.requests.length = 0;
}

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

/** What the status sweep of another process finds. It lives for ever: the clock of this test jumps. */
async function doubt(is: boolean): Promise<void> {
  await db.query(`delete from gateway_process where host = 'doubting'`);
  if (is)
    await db.query(
      `insert into gateway_process (id, role, host, version, node, checks, sweepers, warnings, started_at, alive_at)
       values (gen_random_uuid(), 'api', 'doubting', 'x', 'x', '{}', '{}', '{many_devices_away}', now(), 'infinity')`,
    );
  await world.gateway.app.get(Processes).sweep();
}

const upTo = (count: number) => `name <= 'd-${String(count).padStart(4, '0')}'`;
const pass = () => world.gateway.app.get(AlertmanagerSweeper).sweep();

/** The pass of the next minute. @returns what the first Alertmanager got in it */
async function next(ms = MINUTE): Promise<SentAlert[]> {
  clear();
  clock.pass(ms);
  await pass();
  return first.alerts;
}
const devicesOf = (alerts: readonly SentAlert[]) => alerts.map(({ labels }) => labels['device'] ?? '').toSorted();
const inMs = ({ endsAt }: SentAlert) => Date.parse(endsAt) - clock.nowMs();
const failures = async () =>
  Number(/^fleetgate_alertmanager_failures_total (\d+)$/m.exec(await world.gateway.app.get(Metrics).text())![1]);
const warnings = () =>
  world
    .log()
    .split('\n')
    .filter((line) => line.includes('An Alertmanager did not take'));

describe('an Alertmanager', () => {
  it('gets open alerts each minute with an end five minutes ahead, and the end of a closed one for five minutes', async () => {
    await set('offline', upTo(2));
    const openedAt = clock.now().toISOString();
    const sent = await next();
    const rule = (await db.query<{ id: string }>('select id from alert_rule')).rows[0]!.id;
    expect(sent.find(({ labels }) => labels['device'] === 'd-0001')).toEqual({
      labels: { alertname: 'offline', severity: 'critical', device: 'd-0001', site: 'north' },
      annotations: { summary: 'd-0001: offline', note: 'Call them.' },
      startsAt: openedAt,
      endsAt: new Date(clock.nowMs() + 5 * MINUTE).toISOString(),
      generatorURL: `https://gateway.example/console/monitoring?rule=${rule}`,
    });
    expect([first, second].map(({ requests }) => requests.map(({ path }) => path))).toEqual([
      ['/api/v2/alerts'],
      ['/below/api/v2/alerts'],
    ]);
    expect((await next()).map(inMs)).toEqual([5 * MINUTE, 5 * MINUTE]);
    await set('online', upTo(1));
    const closedAt = clock.now().toISOString();
    for (let minute = 1; minute < 5; minute++) {
      const all = await next();
      expect(all.filter(({ endsAt }) => endsAt === closedAt).map(({ labels }) => labels['device'])).toEqual(['d-0001']);
      expect(devicesOf(all)).toEqual(['d-0001', 'd-0002']);
    }
    expect(devicesOf(await next())).toEqual(['d-0002']);
  });

  it('goes on to get an alert that was taken before the clock was set back', async () => {
    await set('offline', upTo(1));
    expect(await next()).toHaveLength(1);
    expect((await next(-60 * MINUTE)).map(inMs)).toEqual([5 * MINUTE]);
    expect((await next()).map(inMs)).toEqual([5 * MINUTE]);
  });

  it('gets no request while nothing is open, and one pass from several processes', async () => {
    expect(await next()).toEqual([]);
    expect(first.requests).toEqual([]);
    await set('offline', upTo(1));
    clock.pass(MINUTE);
    await Promise.all([pass(), pass(), pass()]);
    expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
  });

  it('gets 2,500 alerts in batches, and those that another one does not take', async () => {
    await set('offline', 'true');
    const before = await failures();
    second.status = 503;
    expect(new Set(devicesOf(await next())).size).toBe(FLEET);
    expect(Math.max(...first.requests.map(({ alerts }) => alerts.length))).toBeLessThanOrEqual(500);
    expect(second.alerts).toHaveLength(FLEET); // a refused batch stops no other one
    expect(await failures()).toBe(before + 1);
    expect(warnings().at(-1)).toContain('"status":503');
    second.status = 200;
    await next();
    expect(second.alerts).toHaveLength(FLEET);
    expect(await failures()).toBe(before + 1);
  });

  it('ends a pass whose answers take too long, and is not delayed by one that never answers', async () => {
    await set('offline', upTo(3));
    const before = await failures();
    first.status = second.status = 0;
    const late = next();
    await until(() => first.requests.length + second.requests.length === 2);
    ends.come();
    await late;
    expect(await failures()).toBe(before + 2);
    second.status = 200;
    const half = next();
    await until(() => first.requests.length === 1 && second.alerts.length === 3);
    first.hangUp();
    await half;
    expect(await failures()).toBe(before + 3);
  });

  it('may ask for a login, which is shown nowhere', async () => {
    await set('offline', upTo(1));
    first.status = 401;
    await next();
    const login = Buffer.from(`gate:${PASSWORD}`).toString('base64');
    expect(first.requests[0]!.headers.authorization).toBe(`Basic ${login}`);
    expect(second.requests[0]!.headers.authorization).toBeUndefined();
    const { items } = await world.api.get<{ items: { name: string; value: string }[] }>('/v1/system/settings');
    const shown = items.find(({ name }) => name === 'ALERTMANAGER_URL')!.value;
    expect(shown).toMatch(/^http:\/\/127\.0\.0\.1:\d+ http:\/\/127\.0\.0\.1:\d+\/below$/);
    expect(warnings().at(-1)).toContain('/api/v2/alerts"');
    const everything = world.log() + JSON.stringify(items);
    for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), login]) expect(everything).not.toContain(secret);
  });

  it('is told nothing of a rule that is disabled, removed or an orphan’s but that its alerts closed', async () => {
    await set('offline', upTo(2));
    expect(await next()).toHaveLength(2);
    await db.query('update operator set disabled_at = now()');
    expect(await next()).toEqual([]);
    await db.query('update operator set disabled_at = null');
    expect(await next()).toHaveLength(2);
    const { items } = await world.api.get<{ items: (Record<string, unknown> & { id: string })[] }>(
      '/v1/monitoring/rules',
    );
    const { name, selector, forSeconds, clearAfterSeconds, clearSelector, severity, note, id } = items[0]!;
    const wish = { name, selector, forSeconds, clearAfterSeconds, clearSelector, severity, note, enabled: false };
    await world.api.send('PUT', `/v1/monitoring/rules/${id}`, wish);
    expect((await next()).map((alert) => inMs(alert) <= 0)).toEqual([true, true]);
    await world.api.send('DELETE', `/v1/monitoring/rules/${id}`);
    expect(await next()).toEqual([]);
  });
});

describe('quiet', () => {
  it('holds back new alerts of a mute, and lets those go on that were sent', async () => {
    await set('offline', upTo(1));
    expect(await next()).toHaveLength(1);
    const until = new Date(clock.nowMs() + 10 * MINUTE).toISOString();
    await world.api.post('/v1/monitoring/mutes', { selector: 'site:north', until, reason: 'power works' });
    await set('offline', upTo(2));
    expect(devicesOf(await next())).toEqual(['d-0001']);
    expect(devicesOf(await next(10 * MINUTE))).toEqual(['d-0001', 'd-0002']);
  });

  it('holds back a device that restarts by its own job, and says nothing of it when it is back', async () => {
    await db.query(
      `insert into job (id, device_id, kind, phase, cursor, wake_at, deadline_at, intent, started_by, started_by_name, created_at,
                        started_at)
       select gen_random_uuid(), id, 'reboot', 'queued', '{"at":"restart"}', 'infinity', 'infinity', '{"state":"sent"}', 'session:x',
              'x', now(), now() from device where name = 'd-0001'`,
    );
    await set('offline', upTo(2));
    expect(devicesOf(await next())).toEqual(['d-0002']);
    await set('online', upTo(1));
    expect(devicesOf(await next())).toEqual(['d-0002']);
  });

  it('is all that is new while the gateway doubts itself, which is an alert of its own; nothing that was sent ends', async () => {
    await set('offline', upTo(1));
    expect(await next()).toHaveLength(1);
    await doubt(true);
    await set('offline', 'true');
    for (let minute = 0; minute < 15; minute++) {
      const all = await next();
      expect(devicesOf(all)).toEqual(['', 'd-0001']);
      expect(all.map(inMs)).toEqual([5 * MINUTE, 5 * MINUTE]);
      expect(all[0]!.labels).toEqual({ alertname: "The gateway's own connection", severity: 'critical' });
    }
    await doubt(false);
    await set('online', `not (${upTo(4)})`);
    expect(devicesOf(await next())).toEqual(['d-0001', 'd-0002', 'd-0003', 'd-0004']);
  });

  it('is a restored alert until its device was checked again: one that closes before was never there', async () => {
    await set('offline', upTo(2));
    await db.query('update alert set forwarded_at = $1', [new Date(clock.nowMs() + 15 * MINUTE)]); // as a restore does
    expect(await next()).toEqual([]);
    await set('online', upTo(1));
    expect(await next(13 * MINUTE)).toEqual([]);
    expect(devicesOf(await next())).toEqual(['d-0002']);
    expect(devicesOf(await next())).toEqual(['d-0002']);
  });
});
