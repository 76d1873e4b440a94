import { type RiskyChange } from '../../jobs/kinds/configure/configure-risks.js';
import { type DesiredPlan, type ItemDifference } from '../desired/desired-plan.js';
import { type TemplateItem } from '../desired/template-item.js';
import { type TemplatePlanView } from './templates.contract.js';

/* What a plan says of many devices: counts, a few of them option by option, and which are left out and why. Pure. */

const OPTIONS_MAX = 100;
const LEFT_OUT_SAMPLES = 5;
const DIFFERENCES_MAX = 100;

/** Why a device is left out, or its plan. */
export type DeviceOutcome =
  | { readonly reason: string; readonly path: string | null }
  | { readonly plan: DesiredPlan; readonly risks: readonly RiskyChange[] };

interface DeviceName {
  readonly id: string;
  readonly name: string;
}

type Mutable<Row> = { -readonly [Key in keyof Row]: Row[Key] };
type LeftOut = Mutable<TemplatePlanView['leftOut'][number]>;

export class PlanSummary {
  private readonly counts = { devices: 0, inSync: 0, changed: 0, newSections: 0 };
  private readonly options = new Map<string, Mutable<TemplatePlanView['options'][number]>>();
  private readonly risks = new Map<string, Mutable<TemplatePlanView['risks'][number]>>();
  private readonly leftOut = new Map<string, LeftOut>();
  private readonly samples: TemplatePlanView['samples'][number][] = [];
  private readonly shown: (difference: ItemDifference) => ItemDifference;

  /** @param hidden a value of a secret option as a fingerprint */
  constructor(
    private readonly items: readonly TemplateItem[],
    private readonly samplesMax: number,
    hidden: (value: unknown) => unknown,
  ) {
    this.shown = withoutSecrets(items, hidden);
  }

  add(device: DeviceName, outcome: DeviceOutcome): void {
    this.counts.devices++;
    if ('reason' in outcome) return this.leaveOut(device, outcome.reason, outcome.path);
    const { plan, risks } = outcome;
    if (plan.changes.length === 0) this.counts.inSync++;
    else this.change(plan, risks);
    const isShown = this.samples.length < this.samplesMax && plan.differences.length > 0;
    if (isShown) this.samples.push(this.sampleOf(device, plan, risks));
  }

  view(): Omit<TemplatePlanView, 'template' | 'overlaps'> {
    const secrets = this.items.flatMap(({ path, key, sealed }) =>
      sealed.map((one) => ({ path, key, option: one.option, isGenerated: 'generate' in one })),
    );
    return {
      ...this.counts,
      options: mostFirst(this.options.values()).slice(0, OPTIONS_MAX),
      samples: this.samples,
      risks: mostFirst(this.risks.values()),
      leftOut: mostFirst(this.leftOut.values()),
      secrets,
    };
  }

  private leaveOut({ id, name }: DeviceName, reason: string, path: string | null): void {
    const row = rowOf(this.leftOut, `${reason} ${path}`, () => ({ reason, path, devices: 0, samples: [] }));
    row.devices++;
    if (row.samples.length < LEFT_OUT_SAMPLES) row.samples.push({ deviceId: id, name });
  }

  private change({ differences }: DesiredPlan, risks: readonly RiskyChange[]): void {
    this.counts.changed++;
    if (differences.some(({ is }) => is === 'missing')) this.counts.newSections++;
    const named = new Map(differences.map(({ path, option, is }) => [`${path} ${option} ${is}`, { path, option, is }]));
    for (const [name, one] of named) rowOf(this.options, name, () => ({ ...one, devices: 0 })).devices++;
    const services = new Map(
      risks.map(({ path, reason }) => [`${serviceOf(path)} ${reason}`, { path: serviceOf(path), reason }]),
    );
    for (const [name, one] of services) rowOf(this.risks, name, () => ({ ...one, devices: 0 })).devices++;
  }

  private sampleOf({ id, name }: DeviceName, { changes, differences }: DesiredPlan, risks: readonly RiskyChange[]) {
    return {
      deviceId: id,
      name,
      changes: changes.length,
      differences: differences.slice(0, DIFFERENCES_MAX).map((one) => this.shown(one)),
      risks: risks.map(({ path, reason }) => ({ path, reason })),
    };
  }
}

/** Shows differences of some items with their secrets as fingerprints, whatever the options are called. */
export function withoutSecrets(
  items: readonly { readonly path: string; readonly sealed: readonly { readonly option: string }[] }[],
  hidden: (value: unknown) => unknown,
): (difference: ItemDifference) => ItemDifference {
  const secrets = new Set(items.flatMap(({ path, sealed }) => sealed.map(({ option }) => `${path} ${option}`)));
  return ({ wanted, seen, ...difference }) => {
    const { path, option } = difference;
    const clean = (name: string, value: unknown) => (secrets.has(`${path} ${name}`) ? hidden(value) : value);
    const shown = (value: unknown) => {
      if (option !== null) return clean(option, value);
      const options = Object.entries(value ?? {}).map(([name, one]) => [name, clean(name, one)]);
      return value === undefined ? undefined : Object.fromEntries(options);
    };
    return { ...difference, wanted: shown(wanted), seen: shown(seen) };
  };
}

/** The ids of sections differ between devices. */
const serviceOf = (path: string): string => path.replace(/\/config\/[^/]+$/, '/config');

function rowOf<Row>(rows: Map<string, Row>, name: string, make: () => Row): Row {
  const row = rows.get(name) ?? make();
  rows.set(name, row);
  return row;
}

const mostFirst = <Row extends { readonly devices: number }>(rows: Iterable<Row>): Row[] =>
  [...rows].toSorted((one, other) => other.devices - one.devices);
