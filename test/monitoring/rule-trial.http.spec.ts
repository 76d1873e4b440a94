import { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AlertSweeper } from '../../src/monitoring/alerts/alert.sweeper.js';
import { SamplingPlanSweeper } from '../../src/monitoring/sampling-plan.sweeper.js';
import { FakeClock } from '../support/fake-clock.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson } from '../support/people.js';
import { type TestApi } from '../support/test-api.js';
import { until } from '../support/until.js';

interface Tried {
  readonly opened: number;
  readonly devices: number;
  readonly steps: readonly number[];
  readonly items: readonly { readonly deviceName: string; readonly opened: number; readonly lastOpenedAt: string }[];
}

/* Devices whose past is what a test writes: samples and events of states. */

const TRY = '/v1/monitoring/rules/try';
const STEP_S = 240;
const DAY_MS = 86_400_000;
const NAMES = ['one', 'two', 'three'];

let world: TestGateway;
let db: DataSource;
const ids: string[] = [];
const clock = new FakeClock(Math.floor(Date.now() / DAY_MS) * DAY_MS + 20 * DAY_MS);

const tried = (rule: object, api: TestApi = world.api) =>
  api.post<Tried>(TRY, { forSeconds: 0, clearAfterSeconds: 0, ...rule });
const openedBy = async (rule: object, api?: TestApi) =>
  (await tried(rule, api)).items.map(({ deviceName, opened }) => `${deviceName} ${opened}`);

/** A sample in the past; null: it gave no value. */
const sample = (index: number, at: Date, rsrp: number | null, dataMonth: number | null = null) =>
  db.query(
    `insert into device_sample_history (ring, device_id, at, rsrp, data_month)
     values (floor(extract(epoch from $2::timestamptz) / 86400)::bigint % 32, $1, $2, $3, $4)`,
    [ids[index], at, rsrp, dataMonth],
  );

/** Samples every four minutes up to now. */
async function samples(index: number, values: readonly (number | null)[]): Promise<void> {
  const end = clock.now().getTime();
  for (const [at, value] of values.entries())
    await sample(index, new Date(end - (values.length - 1 - at) * STEP_S * 1_000), value);
}

/** A change of the state so many minutes ago. */
const change = (index: number, minutes: number, before: string, state: string) =>
  db.query(
    `insert into event (at, type, subject, device_id, data)
     values ($1, 'device.' || $2::text, 'device:' || $3::text, $3::uuid, jsonb_build_object('before', $4::text))`,
    [new Date(clock.now().getTime() - minutes * 60_000), state, ids[index], before],
  );

const times = (count: number, value: number) => Array.from({ length: count }, () => value);

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' }, clock);
  db = world.gateway.app.get(DataSource);
  for (const [index, name] of NAMES.entries()) {
    const device = { name, baseUrl: `https://127.0.0.1:${index + 1}`, site: index === 0 ? 'a/x' : 'b' };
    ids.push((await world.api.post<{ id: string }>('/v1/devices', device)).id);
  }
  await db.query(
    `update device set state = 'online', probe_at = 'infinity', identify_at = 'infinity', created_at = $1`,
    [new Date(clock.now().getTime() - 30 * DAY_MS)],
  );
  await db.query('delete from alert_rule');
});
afterAll(() => world.close());
afterEach(async () => {
  for (let ring = 0; ring < 32; ring++)
    await db.query(`truncate device_sample_history_${String(ring).padStart(2, '0')}`);
  await db.query('delete from alert_rule; delete from device_sample; delete from event');
});

describe('a rule about samples, tried', () => {
  it('opens after its time, once until its condition is over', async () => {
    await samples(0, [...times(9, -115), ...times(3, -108), ...times(9, -115), ...times(3, -90), ...times(9, -115)]);
    await samples(1, [...times(5, -115), ...times(5, -90)]);
    const rule = { selector: 'rsrp<-110', clearSelector: 'rsrp>-105', forSeconds: 1_800, clearAfterSeconds: 600 };
    expect(await tried(rule)).toMatchObject({ opened: 2, devices: 1, items: [{ deviceName: 'one', opened: 2 }] });
    expect(await openedBy({ ...rule, clearSelector: null })).toEqual(['one 3']);
    expect(await openedBy({ ...rule, forSeconds: 0 })).toEqual(['one 2', 'two 1']);
  });

  it('takes no missing value for an end, and no older sample than seven days', async () => {
    await samples(0, [-115, null, -115, null, -115]);
    await sample(1, new Date(clock.now().getTime() - 7 * DAY_MS - 60_000), -120);
    expect(await openedBy({ selector: 'rsrp<-110' })).toEqual(['one 1']);
  });

  it('compares with the plan of a device', async () => {
    await world.api.send('PATCH', `/v1/devices/${ids[0]}`, { fields: { plan_mb: 1_000 } });
    for (const index of [0, 1]) await sample(index, clock.now(), -90, 900e6);
    expect(await openedBy({ selector: 'data.plan>80' })).toEqual(['one 1']);
    expect(await openedBy({ selector: 'data.plan>90' })).toEqual([]);
  });

  it('takes the state of that time', async () => {
    await samples(0, times(60, -115));
    await change(0, 100, 'new', 'online');
    expect(await openedBy({ selector: 'rsrp<-110 & state:new' })).toEqual(['one 1']);
    expect(await openedBy({ selector: 'rsrp<-110 & state:offline' })).toEqual([]);
  });
});

describe('a rule about states, tried', () => {
  it('opens for each state that lasted', async () => {
    await change(0, 300, 'online', 'offline');
    await change(0, 280, 'offline', 'online');
    await change(0, 200, 'online', 'offline');
    await change(0, 190, 'offline', 'online');
    await change(0, 90, 'online', 'offline');
    await change(1, 2_000, 'offline', 'online');
    const rule = { selector: 'state:offline', forSeconds: 900 };
    expect(await openedBy(rule)).toEqual(['one 2', 'two 1']);
    const { steps } = await tried(rule);
    expect(steps).toEqual([1, ...times(26, 0), 2]); // “two” was offline from the begin of the time on
    expect((await tried({ ...rule, selector: 'state:trust_changed' })).steps).toEqual(times(28, 0));
    expect(await openedBy({ ...rule, selector: 'state:offline & site:b' })).toEqual(['two 1']);
    expect(await openedBy({ ...rule, forSeconds: 6 * 3_600 })).toEqual(['two 1']);
  });

  it('shows a narrowed caller their own devices alone', async () => {
    for (const index of [0, 1]) await change(index, 60, 'online', 'offline');
    const rules = [
      { effect: 'allow', permissions: ['monitoring.*'] },
      { effect: 'allow', permissions: ['device.read'], selector: 'site:a/*' },
    ];
    await world.api.send('PUT', '/v1/roles/site-a', { rules });
    const vera = await addPerson(world, 'Vera', [{ role: 'site-a' }]);
    expect(await tried({ selector: 'state:offline' }, vera.api)).toMatchObject({ opened: 1, devices: 1 });
    await samples(0, [-115]);
    expect(await openedBy({ selector: 'rsrp<-110' }, vera.api)).toEqual([]);
  });
});

describe('a rule that cannot be tried', () => {
  it.each([
    ['site:b & backup>26h', 9],
    ['!seen<2h', 0],
    ['state:offline | sample>30m', 16],
    ['job:failed & rsrp<-110', 0],
    ['site:b', 0],
    ['rsrp<', 5],
  ])('%s is refused with its position', async (selector, position) => {
    await expect(tried({ selector })).rejects.toMatchObject({ code: 'invalid_selector', problem: { position } });
  });
});

describe('a trial', () => {
  it('opens what the passes open', async () => {
    const rule = { selector: 'rsrp<-110', clearSelector: 'rsrp>-105', forSeconds: 600, clearAfterSeconds: 300 };
    await world.api.post('/v1/monitoring/rules', { name: 'weak', ...rule });
    await world.api.post('/v1/monitoring/policies', { name: 'all', selector: 'all', everySeconds: STEP_S });
    await until(async () => {
      await world.gateway.app.get(SamplingPlanSweeper).sweep();
      const [, planned] = await db.query<[unknown, number]>(`update monitored_device set due_at = 'infinity'`);
      return planned === ids.length;
    });
    let seed = 20_261_127;
    const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    const levels = NAMES.map(() => -90);
    for (let step = 0; step < 80; step++) {
      for (const [index, id] of ids.entries()) {
        if (random() < 0.35) levels[index] = [-90, -108, -115][Math.floor(random() * 3)]!;
        await sample(index, clock.now(), levels[index]!);
        await db.query(
          `insert into device_sample (device_id, sampled_at, paths, bytes, month, month_bytes, rsrp, rest)
           values ($1, $2, '{}', 1, '2026-11-01', 1, $3, '{}')
           on conflict (device_id) do update set sampled_at = excluded.sampled_at, rsrp = excluded.rsrp`,
          [id, clock.now(), levels[index]],
        );
      }
      await pass(5);
      await pass(STEP_S - 6);
      clock.pass(1_000);
    }
    const rows = await db.query<{ name: string; opened: number }[]>(
      `select device.name, count(*)::int as opened from alert join device on device.id = alert.device_id
        where alert.state <> 'pending' group by device.name order by 2 desc, 1`,
    );
    expect(rows.length).toBeGreaterThan(1);
    expect(await openedBy(rule)).toEqual(rows.map(({ name, opened }) => `${name} ${opened}`));
  });
});

/** Moves time, and judges all rules at the new one; the gateway's own passes may be faster. */
async function pass(seconds: number): Promise<void> {
  clock.pass(seconds * 1_000);
  await until(async () => {
    await world.gateway.app.get(AlertSweeper).sweep();
    const [row] = await db.query<[{ late: number }]>(
      'select count(*)::int as late from alert_rule where judged_at is distinct from $1',
      [clock.now()],
    );
    return row.late === 0;
  });
}
