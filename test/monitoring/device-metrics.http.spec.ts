import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SamplingPlanSweeper } from '../../src/monitoring/sampling-plan.sweeper.js';
import { FakeClock } from '../support/fake-clock.js';
import { casesOf } from '../support/forms.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson, type Person } from '../support/people.js';

/* Devices as rows with a sample: what a scrape says of them. The reader of the text here is as strict as OpenMetrics 1.0. */

const PATH = '/v1/metrics/devices';
const HOSTILE = 'pump "1" \\ {x="y"} 9';

let world: TestGateway;
let db: DataSource;
let north: Person;
const clock = new FakeClock(Date.now());
const ids: string[] = [];

interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-z][a-z0-9_]*)\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)*)\} (-?[0-9.e+-]+)$/;
const SUFFIXES: Readonly<Record<string, string>> = { gauge: '', counter: '_total', info: '_info' };

/** @throws Error where the text is no OpenMetrics: a family twice, a sample outside of its family, a series twice, no end */
function read(text: string): readonly Series[] {
  const lines = text.split('\n');
  if (lines.pop() !== '' || lines.pop() !== '# EOF') throw new Error('no end');
  const families = new Set<string>();
  const seen = new Set<string>();
  let sample = '';
  return lines.flatMap((line) => {
    const [, family, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (family !== undefined) {
      if (families.has(family)) throw new Error(`twice: ${line}`);
      families.add(family);
      sample = family + SUFFIXES[type!]!;
      return [];
    }
    if (line.startsWith('# HELP ')) return [];
    const [, name, labels, value] = LINE.exec(line) ?? [];
    if (name === undefined || name !== sample) throw new Error(`not of ${sample}: ${line}`);
    if (seen.has(name + labels!)) throw new Error(`twice: ${line}`);
    seen.add(name + labels!);
    const pairs = [...labels!.matchAll(/([a-z_]+)="((?:[^"\\\n]|\\[\\"n])*)"/g)];
    const plain = (text: string) => text.replaceAll(/\\(.)/g, (_all, sign: string) => (sign === 'n' ? '\n' : sign));
    return [
      { name, labels: Object.fromEntries(pairs.map(([, key, one]) => [key!, plain(one!)])), value: Number(value) },
    ];
  });
}

async function scrape(query = '', key = world.keys.administrator): Promise<readonly Series[]> {
  const ask = () => fetch(`${world.url}${PATH}?${query}`, { headers: { authorization: `Bearer ${key}` } });
  let answer = await ask();
  while (answer.status === 503) answer = await ask(); // the statement of a busy machine takes longer than the gateway lets it
  const text = await answer.text();
  expect([answer.status, text.slice(0, 200)]).toEqual([200, text.slice(0, 200)]);
  const series = read(text);
  expect(Number(answer.headers.get('x-fleetgate-series'))).toBe(series.length);
  return series;
}

const of = (series: readonly Series[], device: string) => series.filter(({ labels }) => labels['device'] === device);
const valueOf = (series: readonly Series[], name: string, more: Readonly<Record<string, string>> = {}) =>
  series.find((one) => one.name === name && Object.entries(more).every(([key, value]) => one.labels[key] === value))
    ?.value;

const INTERFACES = [
  { name: 'wan', up: true, rxBytes: 7, txBytes: null },
  { name: 'wan', up: false, rxBytes: 8, txBytes: 9 },
];
const MODEMS = [{ id: '2-1', rsrp: -91, rssi: null, temperature: 44.5, rxBytes: 123, txBytes: 45 }];

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' }, clock);
  db = world.gateway.app.get(DataSource);
  for (const [index, [name, site]] of [
    ['north', 'a/1'],
    [HOSTILE, 'b'],
    ['silent', 'b'],
  ].entries()) {
    const device = { name, site, baseUrl: `https://127.0.0.1:${index + 1}` };
    ids.push((await world.api.post<{ id: string }>('/v1/devices', device)).id);
  }
  await db.query(`update device set state = case when id = $1 then 'online' else 'offline' end, firmware = 'R 07'`, [
    ids[0],
  ]);
  await world.api.post('/v1/monitoring/policies', { name: 'all', selector: '!name:silent' });
  await world.gateway.app.get(SamplingPlanSweeper).sweep();
  for (const id of ids.slice(0, 2)) {
    const extra = { uplinks: { path: '/failover/status', value: 2 } };
    await db.query(
      `insert into device_sample (device_id, sampled_at, paths, bytes, month, month_bytes, rsrp, load1, rest)
       values ($1, $2, '{}', 900, date_trunc('month', $2::timestamptz), 5000, -91, 0.25, $3)`,
      [id, clock.now(), { modems: MODEMS, interfaces: INTERFACES, extra }],
    );
  }
  north = await addPerson(world, 'Nora', [{ role: 'viewer', selector: 'site:a/*' }]);
});
afterAll(() => world.close());

describe('a scrape of devices', () => {
  it('has what the gateway knows of each, and no series for what it does not know', async () => {
    const series = await scrape();
    const own = of(series, 'north');
    expect(valueOf(own, 'fleetgate_device_up')).toBe(1);
    expect(valueOf(own, 'fleetgate_device_info', { id: ids[0]!, firmware: 'R 07' })).toBe(1);
    expect(valueOf(own, 'fleetgate_modem_rsrp_dbm', { modem: '2-1' })).toBe(-91);
    expect(valueOf(own, 'fleetgate_modem_receive_bytes_total')).toBe(123);
    expect(valueOf(own, 'fleetgate_modem_rssi_dbm')).toBeUndefined();
    expect(valueOf(own, 'fleetgate_device_load1')).toBe(0.25);
    expect(valueOf(own, 'fleetgate_device_extra', { name: 'uplinks' })).toBe(2);
    expect(valueOf(own, 'fleetgate_device_sample_bytes_total')).toBe(5_000);
    expect(valueOf(own, 'fleetgate_device_temperature_celsius')).toBeUndefined();
    // Of two interfaces with one name the first one.
    expect(valueOf(own, 'fleetgate_interface_up', { interface: 'wan' })).toBe(1);
    expect(new Set(own.flatMap(({ labels }) => Object.keys(labels)))).toEqual(
      new Set(['device', 'site', 'id', 'model', 'firmware', 'operator', 'name', 'modem', 'interface']),
    );
    expect(of(series, 'silent').map(({ name }) => name)).toEqual([
      'fleetgate_device_up',
      'fleetgate_device_info',
      'fleetgate_device_logins_total',
    ]);
  });

  it('reads hostile names back as they are', async () => {
    expect(valueOf(of(await scrape(), HOSTILE), 'fleetgate_device_up')).toBe(0);
  });

  it('has the same text as gzip', async () => {
    const headers = { authorization: `Bearer ${world.keys.administrator}`, 'accept-encoding': 'gzip' };
    const answer = await fetch(world.url + PATH, { headers });
    expect([answer.headers.get('content-encoding'), answer.headers.get('content-type')]).toEqual([
      'gzip',
      'application/openmetrics-text; version=1.0.0; charset=utf-8',
    ]);
    expect(read(await answer.text())).toEqual(await scrape());
  });

  it('is the sum of its shards, and of a selector what it names', async () => {
    const whole = (await scrape()).map((one) => JSON.stringify(one));
    const parts = await Promise.all(['1/3', '2/3', '3/3'].map((shard) => scrape(`shard=${shard}`)));
    expect(
      parts
        .flat()
        .map((one) => JSON.stringify(one))
        .sort(),
    ).toEqual(whole.sort());
    expect(new Set((await scrape('selector=site:b')).map(({ labels }) => labels['device']))).toEqual(
      new Set([HOSTILE, 'silent']),
    );
  });

  it.each(casesOf(['gzip', 'identity'], 1))(
    'ends when its reader leaves in the middle, and others go on: %s',
    async (encoding) => {
      await db.query(
        `insert into device (id, name, base_url, site, created_at, updated_at)
       select gen_random_uuid(), 'many-' || n || repeat(md5(n::text), 2), 'https://10.1.' || n / 250 || '.' || n % 250, 'c', date_trunc('milliseconds', now()), now()
         from generate_series(1, 4000) n`,
      );
      try {
        for (const query of ['', 'selector=site:c']) {
          const leaves = new AbortController();
          const headers = { authorization: `Bearer ${world.keys.administrator}`, 'accept-encoding': encoding };
          const answer = await fetch(`${world.url}${PATH}?${query}`, { headers, signal: leaves.signal });
          leaves.abort();
          await expect(answer.text()).rejects.toThrow('aborted');
        }
        expect((await scrape('selector=site:c')).length).toBe(4_000 * 2);
      } finally {
        await db.query(`delete from device where site = 'c'`);
      }
    },
  );

  it.each(['shard=3/2', 'shard=0/2', 'shard=x', 'selector=tagg:x'])('refuses %s', async (query) => {
    await expect(world.api.get(`${PATH}?${query}`)).rejects.toThrow(/invalid_(input|selector)/);
  });

  it('shows a narrowed key its own devices and alerts only', async () => {
    await world.api.post('/v1/monitoring/rules', { name: 'away', selector: 'state:offline', forSeconds: 0 });
    await db.query(
      `insert into alert (rule_id, device_id, state, matched_at, opened_at)
       select rule.id, device.id, 'open', now(), now() from alert_rule rule, device
        where rule.name = 'away' and device.id = any($1) on conflict do nothing`,
      [ids],
    );
    const all = await scrape();
    expect(valueOf(all, 'fleetgate_alerts', { rule: 'away', severity: 'warning' })).toBe(3);
    const seen = await scrape('', north.key);
    expect(valueOf(seen, 'fleetgate_alerts', { rule: 'away' })).toBe(1);
    expect(new Set(seen.map(({ labels }) => labels['device']).filter(Boolean))).toEqual(new Set(['north']));
  });

  it('keeps of an old sample its time alone', async () => {
    clock.pass(3 * 240_000 + 1_000);
    const own = of(await scrape(), 'north').map(({ name }) => name);
    expect(own).toContain('fleetgate_device_sample_timestamp_seconds');
    expect(own).toContain('fleetgate_device_up');
    expect(own).not.toContain('fleetgate_device_load1');
    expect(own.filter((name) => /modem|interface|extra/.test(name))).toEqual([]);
  });
});
