import { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RightsService } from '../../src/auth/rights/rights.service.js';
import { EventLog } from '../../src/events/event-log.js';
import { AlertSweeper } from '../../src/monitoring/alerts/alert.sweeper.js';
import { startGateway } from '../../src/gateway.js';
import { readConfig } from '../../src/platform/config.js';
import { FakeClock } from '../support/fake-clock.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson, type Person } from '../support/people.js';
import { type TestApi } from '../support/test-api.js';
import { until } from '../support/until.js';

interface Rule {
  readonly id: string;
  readonly name: string;
  readonly selector: string | null;
  readonly orphaned: boolean;
  readonly lastError: string | null;
  readonly open: number;
}

interface Alert {
  readonly id: string;
  readonly state: string;
  readonly deviceName: string;
  readonly ruleName: string;
  readonly acknowledgedByName: string | null;
  readonly acknowledgement: string | null;
}

interface Alerts {
  readonly items: readonly Alert[];
  readonly next: string | null;
}

/* Devices without an address that answers: their states are what a test writes, and time is what it moves. */

const RULES = '/v1/monitoring/rules';
const ALERTS = '/v1/monitoring/alerts';
const NAMES = ['one', 'two', 'three'];

let world: TestGateway;
let db: DataSource;
let vera: Person;
const ids: string[] = [];
const clock = new FakeClock(Date.now());

let count = 0;
const wish = (given: object) => ({
  name: `rule ${++count}`,
  selector: 'state:offline',
  forSeconds: 0,
  clearAfterSeconds: 0,
  ...given,
});
const create = (given: object = {}, api = world.api) => api.post<Rule>(RULES, wish(given));
const read = (id: string, api = world.api) => api.get<Rule>(`${RULES}/${id}`);
const alertsOf = async (query: string, api = world.api) => (await api.get<Alerts>(`${ALERTS}?${query}`)).items;
const openOf = async ({ id }: Pick<Rule, 'id'>, api?: TestApi) =>
  (await alertsOf(`rule=${id}`, api)).map(({ deviceName }) => deviceName).sort();

const become = (state: string, ...indices: number[]) =>
  db.query('update device set state = $2 where id = any($1)', [indices.map((index) => ids[index]), state]);

/** Moves time, and judges all rules at the new one; the gateway's own passes may be faster. */
async function pass(seconds = 10): Promise<void> {
  clock.pass(seconds * 1_000);
  await until(async () => {
    await world.gateway.app.get(AlertSweeper).sweep();
    const [row] = await db.query<[{ late: number }]>(
      `select count(*)::int as late from alert_rule
        where enabled and last_error is null and judged_at is distinct from $1`,
      [clock.now()],
    );
    return row.late === 0;
  });
}

const eventsOf = async (ruleName: string) =>
  (
    await db.query<{ type: string }[]>(
      `select type from event where type like 'alert.%' and data ->> 'rule' = $1 order by id`,
      [ruleName],
    )
  ).map(({ type }) => type);

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' }, clock);
  db = world.gateway.app.get(DataSource);
  for (const [index, name] of NAMES.entries()) {
    const device = { name, baseUrl: `https://127.0.0.1:${index + 1}`, site: index === 0 ? 'a/x' : 'b' };
    ids.push((await world.api.post<{ id: string }>('/v1/devices', device)).id);
  }
  const rules = [
    { effect: 'allow', permissions: ['monitoring.*'] },
    { effect: 'allow', permissions: ['device.read', 'alert.acknowledge'], selector: 'site:a/*' },
  ];
  await world.api.send('PUT', '/v1/roles/site-a', { rules });
  vera = await addPerson(world, 'Vera', [{ role: 'site-a' }]);
});
afterAll(() => world.close());
afterEach(async () => {
  await db.query('delete from alert_rule');
  await become('online', 0, 1, 2);
});

describe('the rules of the first start', () => {
  it('belong to the first administrator, and a removed one does not come back', async () => {
    const { items } = await world.api.get<{ items: (Rule & { enabled: boolean; createdByName: string })[] }>(RULES);
    const { name: administrator } = await world.api.get<{ name: string }>('/v1/self');
    expect(items.map(({ name, enabled }) => `${name}: ${enabled}`)).toEqual([
      'Backup overdue: false',
      'Certificate changed: true',
      'Certificate ends within 30 days: true',
      'Credentials refused: true',
      'Data plan at 80 percent: false',
      'Hot: false',
      'Offline for 15 minutes: true',
      'Weak signal for 30 minutes: false',
    ]);
    for (const item of items) expect(item).toMatchObject({ createdByName: administrator, orphaned: false });
    const changed = items.find(({ name }) => name === 'Certificate changed')!;
    await become('trust_changed', 0);
    await become('credentials_refused', 1);
    await become('offline', 2);
    await pass();
    expect((await alertsOf('')).map(({ ruleName, deviceName }) => `${deviceName}: ${ruleName}`).sort()).toEqual([
      'one: Certificate changed',
      'two: Credentials refused',
    ]);
    for (let seconds = 0; seconds < 900; seconds += 300) await pass(300);
    expect((await alertsOf('device=name:three')).map(({ ruleName }) => ruleName)).toEqual(['Offline for 15 minutes']);
    await world.api.send('DELETE', `${RULES}/${changed.id}`);
    const second = await startGateway({ config: readConfig({ ...world.env, LOG_LEVEL: 'silent' }), clock });
    await second.close();
    expect((await world.api.get<{ items: Rule[] }>(RULES)).items).toHaveLength(7);
  });
});

describe('an alert', () => {
  it('opens and closes after its time again when the clock was set back', async () => {
    const rule = await create({ forSeconds: 60, clearAfterSeconds: 60 });
    await become('offline', 0);
    await pass();
    await pass(-3_600);
    await pass(60);
    expect(await openOf(rule)).toEqual(['one']);
    await become('online', 0);
    await pass();
    await pass(-3_600);
    await pass(60);
    expect(await openOf(rule)).toEqual([]);
  });

  it('opens, is acknowledged once, and closes, each with an event', async () => {
    const rule = await create({ forSeconds: 60, clearAfterSeconds: 30, note: 'Look at the power' });
    await become('offline', 0);
    await pass();
    expect(await openOf(rule)).toEqual([]);
    const [pending] = await alertsOf(`rule=${rule.id}&state=pending`);
    await expect(world.api.post(`${ALERTS}/${pending!.id}/acknowledge`, {})).rejects.toMatchObject({
      code: 'alert_not_open',
    });
    await pass(60);
    const [open] = await alertsOf('device=name:one');
    expect(open).toMatchObject({
      id: pending!.id,
      state: 'open',
      ruleName: rule.name,
      ruleNote: 'Look at the power',
      openedAt: clock.now().toISOString(),
      acknowledgedByName: null,
    });
    const acknowledge = (api: TestApi, note: string) => api.post<Alert>(`${ALERTS}/${open!.id}/acknowledge`, { note });
    expect(await acknowledge(vera.api, 'I go there')).toMatchObject({
      acknowledgedByName: vera.name,
      acknowledgement: 'I go there',
      acknowledgedAt: clock.now().toISOString(),
    });
    expect(await acknowledge(world.api, 'Me too')).toMatchObject({ acknowledgement: 'I go there' });
    const { items: entries } = await world.api.get<{ items: object[] }>(
      `/v1/audit?action=alert.acknowledge&deviceId=${ids[0]}`,
    );
    expect(entries).toHaveLength(1);
    await become('online', 0);
    await pass();
    expect(await openOf(rule)).toEqual(['one']);
    await pass(30);
    expect(await world.api.get(`${ALERTS}/${open!.id}`)).toMatchObject({
      state: 'closed',
      acknowledgement: 'I go there',
    });
    expect(await eventsOf(rule.name)).toEqual(['alert.opened', 'alert.acknowledged', 'alert.closed']);
  });

  it('is listed by state, severity, selector and device, page by page', async () => {
    const rule = await create({ severity: 'critical' });
    await become('offline', 0, 1, 2);
    await pass();
    await become('online', 2);
    await pass();
    const devices = async (query: string) =>
      (await alertsOf(`rule=${rule.id}&${query}`)).map(({ deviceName }) => deviceName).sort();
    expect(await devices('')).toEqual(['one', 'two']);
    expect(await devices('state=closed')).toEqual(['three']);
    expect(await devices('state=all&severity=critical')).toEqual(['one', 'three', 'two']);
    expect(await devices('severity=info')).toEqual([]);
    expect(await devices(`selector=${encodeURIComponent('site:b')}`)).toEqual(['two']);
    const first = await world.api.get<Alerts>(`${ALERTS}?limit=1`);
    const second = await world.api.get<Alerts>(`${ALERTS}?limit=1&cursor=${first.next}`);
    expect([...first.items, ...second.items].map(({ deviceName }) => deviceName).sort()).toEqual(['one', 'two']);
    expect(second.next).toBeNull();
    await expect(world.api.get(`${ALERTS}?cursor=x`)).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  it('goes with its device', async () => {
    const rule = await create();
    const { id } = await world.api.post<{ id: string }>('/v1/devices', {
      name: 'brief',
      baseUrl: 'https://127.0.0.1:9',
    });
    await db.query(`update device set state = 'offline' where id = $1`, [id]);
    await pass();
    expect(await openOf(rule)).toEqual(['brief']);
    await world.api.send('DELETE', `/v1/devices/${id}`);
    await pass();
    expect(await alertsOf(`rule=${rule.id}&state=all`)).toEqual([]);
  });

  it('begins its time again after a break of the passes', async () => {
    const rule = await create({ forSeconds: 900, clearAfterSeconds: 900 });
    await become('offline', 0, 1);
    await pass();
    await pass(7_200);
    expect(await openOf(rule)).toEqual([]);
    for (let seconds = 0; seconds < 900; seconds += 300) await pass(300);
    expect(await openOf(rule)).toEqual(['one', 'two']);
    await become('online', 0);
    await pass();
    await pass(7_200);
    expect(await openOf(rule)).toEqual(['one', 'two']);
    for (let seconds = 0; seconds < 900; seconds += 300) await pass(300);
    expect(await openOf(rule)).toEqual(['two']);
  });

  it('opens once, and is judged once in a pass, whatever number of processes judges at the same time', async () => {
    const rule = await create();
    await become('offline', 0, 1, 2);
    clock.pass(10_000);
    const sweeper = world.gateway.app.get(AlertSweeper);
    let judged = 0;
    const sweepAtOnce = async () => {
      const passes = await Promise.all(Array.from({ length: 4 }, () => sweeper.sweep()));
      judged += passes.reduce((sum, counts) => sum + counts['judged']!, 0);
    };
    await until(async () => {
      await sweepAtOnce();
      return (await openOf(rule)).length === 3;
    });
    await sweepAtOnce();
    expect(judged).toBeLessThanOrEqual(1); // 0: the gateway's own pass was first
    expect(await eventsOf(rule.name)).toEqual(['alert.opened', 'alert.opened', 'alert.opened']);
  });
});

describe('a rule', () => {
  it('is created, read, replaced with its version, and removed', async () => {
    const rule = await create({ clearSelector: 'state:online', severity: 'info' });
    const { headers, body } = await world.api.send<Rule>('GET', `${RULES}/${rule.id}`);
    expect(body).toMatchObject({ name: rule.name, orphaned: false, open: 0, lastError: null, judgedAt: null });
    const edit = (tag: string) =>
      world.api.send<Rule>('PUT', `${RULES}/${rule.id}`, wish({ selector: 'site:b' }), { 'if-match': tag });
    expect((await edit(headers['etag']!)).body).toMatchObject({ selector: 'site:b', clearSelector: null });
    await expect(edit(headers['etag']!)).rejects.toMatchObject({ code: 'version_changed' });
    await expect(create({ name: (await read(rule.id)).name })).rejects.toMatchObject({ code: 'alert_rule_exists' });
    await expect(create({ selector: 'rsrp<' })).rejects.toMatchObject({ code: 'invalid_selector' });
    await expect(create({ clearSelector: 'nonsense' })).rejects.toMatchObject({ code: 'invalid_selector' });
    await world.api.send('DELETE', `${RULES}/${rule.id}`);
    await expect(read(rule.id)).rejects.toMatchObject({ code: 'alert_rule_not_found' });
  });

  it('that is disabled or removed closes its alerts', async () => {
    const rule = await create();
    await become('offline', 0);
    await pass();
    await world.api.send('PUT', `${RULES}/${rule.id}`, wish({ name: rule.name, enabled: false }));
    await pass();
    expect(await openOf(rule)).toEqual([]);
    await world.api.send('PUT', `${RULES}/${rule.id}`, wish({ name: rule.name }));
    await pass();
    expect(await openOf(rule)).toEqual(['one']);
    await world.api.send('DELETE', `${RULES}/${rule.id}`);
    expect(await eventsOf(rule.name)).toEqual(['alert.opened', 'alert.closed', 'alert.opened', 'alert.closed']);
  });

  it('whose author is disabled leaves its alerts as they are until a person saves it', async () => {
    const max = await addPerson(world, 'Max', [{ role: 'operator' }]);
    const rule = await create({}, max.api);
    await become('offline', 0);
    await pass();
    await world.api.send('PATCH', `/v1/operators/${max.operatorId}`, { disabled: true });
    await become('online', 0);
    await become('offline', 1);
    await pass();
    expect(await read(rule.id)).toMatchObject({ orphaned: true, lastError: 'author_gone', open: 1 });
    expect(await openOf(rule)).toEqual(['one']);
    await world.api.send('PUT', `${RULES}/${rule.id}`, wish({ name: rule.name }));
    await pass();
    expect(await openOf(rule)).toEqual(['two']);
    expect(await read(rule.id)).toMatchObject({ orphaned: false, lastError: null });
  });

  it('that cannot be read says why, and leaves its alerts as they are', async () => {
    await world.api.send('PUT', '/v1/selectors/dead', { selector: 'state:offline' });
    const rule = await create({ selector: '@dead' });
    await become('offline', 0);
    await pass();
    await db.query(`update alert_rule set selector = '@gone' where id = $1`, [rule.id]);
    await become('online', 0);
    await pass();
    expect(await read(rule.id)).toMatchObject({ lastError: 'invalid_selector', open: 1 });
  });

  it('that waits for rows of another transaction gives up, and the others are judged', async () => {
    const rules = [await create(), await create()];
    await become('offline', 0);
    await pass();
    const [first, second] = rules.sort((one, other) => (one.id < other.id ? -1 : 1));
    await become('online', 0);
    clock.pass(10_000);
    await db.transaction(async (tx) => {
      await tx.query('select from alert where rule_id = $1 for update', [first!.id]);
      await until(async () => {
        await expect(world.gateway.app.get(AlertSweeper).sweep()).resolves.toBeDefined();
        return (await openOf(second!)).length === 0;
      });
      expect(await openOf(first!)).toEqual(['one']);
    });
    await pass();
    expect(await openOf(first!)).toEqual([]);
  });

  it('sees what its author may see, at each pass', async () => {
    const rule = await create({}, vera.api);
    await become('offline', 0, 1, 2);
    await pass();
    expect(await openOf(rule)).toEqual(['one']);
    await world.api.send('PUT', `/v1/operators/${vera.operatorId}/roles`, {
      roles: [{ role: 'viewer', selector: 'site:b' }],
    });
    await pass();
    expect(await openOf(rule)).toEqual(['three', 'two']);
    await world.api.send('PUT', `/v1/operators/${vera.operatorId}/roles`, { roles: [{ role: 'site-a' }] });
  });
});

describe('a reader of some devices', () => {
  it('sees alerts, counts and events of these, and acknowledges no others', async () => {
    const rule = await create({ selector: 'state:offline & !name:three', clearSelector: 'site:b' });
    await become('offline', 0, 1);
    await pass();
    expect(await openOf(rule)).toEqual(['one', 'two']);
    expect(await read(rule.id)).toMatchObject({ open: 2, selector: 'state:offline & !name:three' });
    expect(await openOf(rule, vera.api)).toEqual(['one']);
    expect(await read(rule.id, vera.api)).toMatchObject({ open: 1, selector: null, clearSelector: 'site:b' });
    const [foreign] = await alertsOf('device=name:two');
    const foreignPath = `${ALERTS}/${foreign!.id}`;
    await expect(vera.api.get(foreignPath)).rejects.toMatchObject({ code: 'alert_not_found' });
    await expect(vera.api.post(`${foreignPath}/acknowledge`, {})).rejects.toMatchObject({ code: 'alert_not_found' });
    await expect(vera.api.get(`${ALERTS}?device=name:two`)).rejects.toMatchObject({ code: 'device_not_found' });
    const [own] = await alertsOf('device=name:one');
    const viewer = await addPerson(world, 'Vic', [{ role: 'viewer' }]);
    await expect(viewer.api.post(`${ALERTS}/${own!.id}/acknowledge`, {})).rejects.toMatchObject({ code: 'forbidden' });
    const rights = await world.gateway.app.get(RightsService).of(vera.operatorId, null);
    const seen = await until(async () => {
      const filter = { types: ['alert.*'], rights, operatorId: vera.operatorId };
      const events = await world.gateway.app.get(EventLog).after({ tx: '0', id: '0' }, filter, 1_000);
      return events.some(({ data }) => data['rule'] === rule.name) && events;
    });
    expect(new Set(seen.map(({ deviceId }) => deviceId))).toEqual(new Set([ids[0]]));
  });
});
