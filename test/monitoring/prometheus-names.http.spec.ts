import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AlertSweeper } from '../../src/monitoring/alerts/alert.sweeper.js';
import { Metrics } from '../../src/platform/metrics.js';
import { startMonitoredWorld, type MonitoredWorld } from '../support/monitoring/monitored-world.js';
import { type Expression, expressions, rules } from '../support/monitoring/monitoring-files.js';
import { promqlNames } from '../support/source/promql-names.js';
import { until } from '../support/until.js';

/* Rules and dashboards of docs/monitoring name what the gateway has: series with these labels in a real scrape. */

/** Labels that Prometheus adds to each series. */
const OF_PROMETHEUS = ['job', 'instance'];

let world: MonitoredWorld;
/** The labels of each series. */
let known: ReadonlyMap<string, ReadonlySet<string>>;

beforeAll(async () => {
  world = await startMonitoredWorld(['a/1']);
  await world.db.query(
    `insert into artifact (id, sha256, bytes, kind, name, device_id, created_at, confirmed_at)
     values ($1, repeat('a', 64), 1, 'backup', 'backup.tar.gz', $2, now(), now())`,
    [randomUUID(), world.ids[0]],
  );
  await world.api.post('/v1/monitoring/rules', { name: 'any', selector: 'all', forSeconds: 0 });
  const text = await until(async () => {
    await world.gateway.app.get(AlertSweeper).sweep();
    const scraped = await scrape();
    return hasAll(scraped) && scraped;
  });
  known = united([...seriesIn(text), ...declared(), ...recorded(), ['up', []]]);
});
afterAll(() => world.close());

async function scrape(): Promise<string> {
  const headers = { authorization: `Bearer ${world.keys.administrator}` };
  return (await fetch(`${world.url}/v1/metrics/devices`, { headers })).text();
}

/** Whether each family has a series: the gateway stores some values a moment later. */
const hasAll = (text: string): boolean =>
  [...text.matchAll(/^# TYPE (\S+) /gm)].every(([, family]) =>
    new RegExp(`^${family}(_total|_info)?\\{`, 'm').test(text),
  );

type Named = readonly [name: string, labels: readonly string[]];

const seriesIn = (text: string): Named[] =>
  [...text.matchAll(/^([a-z]\w*)\{(.*)\} \S+$/gm)].map(([, name, labels]) => [
    name!,
    [...labels!.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)].map(([, label]) => label!),
  ]);

/** What a process says of itself: a counter has no series before its first event. */
function declared(): Named[] {
  return world.gateway.app
    .get(Metrics)
    .registry.getMetricsAsArray()
    .flatMap((metric): Named[] => {
      const { name, labelNames = [], constructor } = metric as typeof metric & { labelNames?: string[] };
      if (constructor.name !== 'Histogram') return [[name, labelNames]];
      return [
        [`${name}_bucket`, [...labelNames, 'le']],
        [`${name}_sum`, labelNames],
        [`${name}_count`, labelNames],
      ];
    });
}

/** A recording has the labels of its `by`. */
const recorded = (): Named[] =>
  rules().flatMap(({ record, expr }): Named[] => (record === undefined ? [] : [[record, promqlNames(expr).groups]]));

function united(all: readonly Named[]): Map<string, Set<string>> {
  const byName = new Map<string, Set<string>>();
  for (const [name, labels] of all)
    byName.set(name, new Set([...OF_PROMETHEUS, ...(byName.get(name) ?? []), ...labels]));
  return byName;
}

/** What an expression names and the gateway does not have. */
function unknownIn({ text, shown }: Expression): readonly string[] {
  const { metrics, groups } = promqlNames(text);
  const missing = metrics.flatMap(({ name, labels }) => {
    const own = known.get(name);
    return own ? labels.filter((label) => !own.has(label)).map((label) => `${name}{${label}}`) : [name];
  });
  const all = new Set(metrics.flatMap(({ name }) => [...(known.get(name) ?? [])]));
  return [...missing, ...[...groups, ...shown].filter((label) => !all.has(label))];
}

it.each(expressions())('$at', (expression) => {
  expect(promqlNames(expression.text).metrics.length).toBeGreaterThan(0);
  expect(unknownIn(expression)).toEqual([]);
});

it('every metric of a device is on a dashboard or in a rule, but its position', () => {
  const used = new Set(expressions().flatMap(({ text }) => promqlNames(text).metrics.map(({ name }) => name)));
  const ofDevices = [...known.keys()].filter((name) => /^fleetgate_(device|modem|interface)_/.test(name));
  const unused = ofDevices.filter((name) => !used.has(name) && !name.startsWith('fleetgate_device_call_'));
  expect(unused.sort()).toEqual(['fleetgate_device_latitude_degrees', 'fleetgate_device_longitude_degrees']);
});

it.each([
  ['fleetgate_no_such_metric > 0', ['fleetgate_no_such_metric']],
  ['fleetgate_device_up{modem="1"}', ['fleetgate_device_up{modem}']],
  ['sum by (colour) (fleetgate_device_up)', ['colour']],
  ['fleetgate_http_request_seconds_count{le="1"}', ['fleetgate_http_request_seconds_count{le}']],
])('finds what is wrong in %s', (text, expected) => {
  expect(unknownIn({ at: '', text, shown: [] })).toEqual(expected);
});
