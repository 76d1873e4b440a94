import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

/* The files of docs/monitoring, as programs read them. */

const FOLDER = 'docs/monitoring';
const DASHBOARDS = `${FOLDER}/grafana/dashboards`;

export interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

interface Variable {
  readonly name: string;
  readonly type: string;
  readonly query: string | { readonly query: string };
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
  readonly datasource?: { readonly type: string; readonly uid: string };
  readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly legendFormat?: string }[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly Variable[] };
  readonly panels: readonly Panel[];
}

/** An expression of a file, with the place that it has there and the labels that are shown of it. */
export interface Expression {
  readonly at: string;
  readonly text: string;
  readonly shown: readonly string[];
}

export const monitoringFile = (name: string): string => readFileSync(`${FOLDER}/${name}`, 'utf8');

export const ruleFile = (): RuleFile => parse(monitoringFile('rules.yml')) as RuleFile;

export const rules = (): readonly Rule[] => ruleFile().groups.flatMap((group) => group.rules);

export const dashboards = (): readonly (readonly [string, Dashboard])[] =>
  readdirSync(DASHBOARDS).map((name) => [name, JSON.parse(readFileSync(`${DASHBOARDS}/${name}`, 'utf8')) as Dashboard]);

/** What Grafana writes in the place of its variables. */
const withValues = (text: string): string =>
  text.replaceAll('$__rate_interval', '10m').replaceAll('$site', '.*').replaceAll('$device', 'pump-1');

const labelsIn = (text: string | undefined, pattern: RegExp): readonly string[] =>
  [...(text ?? '').matchAll(pattern)].map(([, label]) => label!);

/** Everything that is PromQL: in rules, in panels, and in the queries of variables. */
export function expressions(): readonly Expression[] {
  const ofRules = rules().map(({ record, alert, expr, annotations }) => ({
    at: `rules.yml: ${record ?? alert}`,
    text: expr,
    shown: labelsIn(annotations?.['summary'], /\$labels\.(\w+)/g),
  }));
  const ofPanels = dashboards().flatMap(([file, { panels }]) =>
    panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr, legendFormat }) => ({
        at: `${file}: ${title}`,
        text: withValues(expr),
        shown: labelsIn(legendFormat, /\{\{(\w+)\}\}/g),
      })),
    ),
  );
  return [
    ...ofRules,
    ...ofPanels,
    ...dashboards().flatMap(([file, { templating }]) => variablesOf(file, templating.list)),
  ];
}

function variablesOf(file: string, list: readonly Variable[]): readonly Expression[] {
  return list
    .filter(({ type }) => type === 'query')
    .map(({ name, query }) => {
      const text = typeof query === 'string' ? query : query.query;
      const [, expression, label] = /^label_values\((.+), (\w+)\)$/.exec(text)!;
      return { at: `${file}: variable ${name}`, text: withValues(expression!), shown: [label!] };
    });
}
