import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { dashboards, expressions, monitoringFile, rules } from '../support/monitoring/monitoring-files.js';
import { installed } from '../support/servers/server-process.js';
import { promqlNames } from '../support/source/promql-names.js';

/* The files of docs/monitoring: Debian's own programs accept them, and what they name is there. */

const PROMTOOL = installed('promtool', '--version');
const AMTOOL = installed('amtool', '--version');
const missing = (program: string | null, debianPackage: string) =>
  program ? '' : `, skipped: it is not installed (apt-get install ${debianPackage})`;

/** What a program says of the shipped files; an error status fails. */
function said(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', cwd: 'docs/monitoring' });
  expect([status, stdout + stderr]).toEqual([0, stdout + stderr]);
  return stdout;
}

describe.skipIf(!PROMTOOL)(`promtool${missing(PROMTOOL, 'prometheus')}`, () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-promtool-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('accepts the configuration, with its rules', () => {
    expect(said(PROMTOOL!, 'check', 'config', '--syntax-only', 'prometheus.yml')).toContain('SUCCESS');
    expect(said(PROMTOOL!, 'check', 'rules', 'rules.yml')).toContain(`SUCCESS: ${rules().length} rules found`);
  });

  it('runs the tests of the rules', () => {
    expect(said(PROMTOOL!, 'test', 'rules', 'rules.test.yml', 'rules.days.test.yml')).toContain('SUCCESS');
  });

  it('reads each expression of the dashboards', async () => {
    const file = path.join(folder, 'expressions.yml');
    const asRules = expressions().map(({ text }, index) => ({ record: `expression:${index}`, expr: text }));
    await writeFile(file, stringify({ groups: [{ name: 'all', rules: asRules }] }));
    expect(said(PROMTOOL!, 'check', 'rules', file)).toContain(`SUCCESS: ${asRules.length} rules found`);
    await writeFile(file, (await readFile(file, 'utf8')).replace('count(', 'count('.repeat(2)));
    expect(spawnSync(PROMTOOL!, ['check', 'rules', file]).status).not.toBe(0);
  });
});

describe.skipIf(!AMTOOL)(`amtool${missing(AMTOOL, 'prometheus-alertmanager')}`, () => {
  it('accepts the example', () => {
    expect(said(AMTOOL!, 'check-config', 'alertmanager.yml')).toContain('SUCCESS');
  });

  it.each([
    ['critical', 'on-call'],
    ['warning', 'team'],
    ['info', 'nobody'],
  ])('sends what is %s to %s', (severity, receiver) => {
    const route = said(AMTOOL!, 'config', 'routes', 'test', '--config.file=alertmanager.yml', `severity=${severity}`);
    expect(route.trim()).toBe(receiver);
  });
});

describe('the alerts', () => {
  const alerts = rules().flatMap((rule) => (rule.alert === undefined ? [] : [{ ...rule, alert: rule.alert }]));
  const tests = monitoringFile('rules.test.yml') + monitoringFile('rules.days.test.yml');

  it.each(alerts)(
    '$alert says how bad it is and what to do, and has tests for both',
    ({ alert, labels, annotations }) => {
      expect(['info', 'warning', 'critical']).toContain(labels!['severity']);
      expect(['gateway', 'site', 'device']).toContain(labels!['scope']);
      expect(annotations!['summary']).toMatch(/ .*\.$/);
      expect(annotations!['runbook']).toBe(`docs/howto/react-to-an-alert.md#${alert.toLowerCase()}`);
      const [fires, doesNot] = [`alertname: ${alert}\n`, `alertname: ${alert}, `];
      expect(tests).toContain(fires);
      // Of these the same test has a series that is just below the limit.
      if (!['FleetgateDataUse', 'FleetgateManyLogins'].includes(alert)) expect(tests).toContain(doesNot);
    },
  );

  it('each have a section of the page that says what to do, and no other has one', async () => {
    const page = await readFile('docs/howto/react-to-an-alert.md', 'utf8');
    const sections = [...page.matchAll(/^### (\w+)$/gm)].map(([, title]) => title!);
    expect(sections.sort()).toEqual(alerts.map(({ alert }) => alert).sort());
  });

  it('are what the example of Alertmanager names', () => {
    const named = [...monitoringFile('alertmanager.yml').matchAll(/\bFleetgate[A-Z]\w+/g)].map(([name]) => name);
    expect(named.length).toBeGreaterThan(4);
    expect(named.filter((name) => !alerts.some(({ alert }) => alert === name))).toEqual([]);
  });
});

describe.each(dashboards())('the dashboard %s', (_file, { panels, templating, schemaVersion, uid }) => {
  it('has its place, its panels and their data where Grafana looks for them', () => {
    // 38 is that of Grafana 10.
    expect(schemaVersion).toBeGreaterThanOrEqual(38);
    expect(uid).toMatch(/^fleetgate-\w+$/);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const withData = panels.filter(({ type }) => type !== 'row');
    expect(withData.filter(({ targets }) => !targets?.length).map(({ title }) => title)).toEqual([]);
    expect(withData.filter(({ datasource }) => datasource?.uid !== '${datasource}')).toEqual([]);
  });

  it('has no panel over another one', () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_cell, index) => `${x + (index % w)}/${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
  });

  it('uses variables that it has', () => {
    const names = new Set(templating.list.map(({ name }) => name));
    const text = JSON.stringify([panels, templating]);
    const used = [...text.matchAll(/\$(?:\{(\w+)\}|(\w+))/g)].map(([, one, other]) => one ?? other!);
    expect([...new Set(used)].filter((name) => !name.startsWith('__') && !names.has(name))).toEqual([]);
    expect(names).toContain('datasource');
    expect(names).toContain('site');
  });
});

it.each([
  ['sum by (site) (rate(a_total{b="c",d!~"e(f"}[5m])) > 0', [{ name: 'a_total', labels: ['b', 'd'] }], ['site']],
  [
    'x unless on (device) y{z=""} offset 26h',
    [
      { name: 'x', labels: [] },
      { name: 'y', labels: ['z'] },
    ],
    ['device'],
  ],
  ['time() - a:b:c > 26 * 3600 or vector(0)', [{ name: 'a:b:c', labels: [] }], []],
  [
    'a * on (b) group_left (c) d',
    [
      { name: 'a', labels: [] },
      { name: 'd', labels: [] },
    ],
    ['b', 'c'],
  ],
])('reads the names of %s', (text, metrics, groups) => {
  expect(promqlNames(text)).toEqual({ metrics, groups });
});
