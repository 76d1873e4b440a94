import { type components } from '../../../../src/api-client/openapi.js';

/* Schedules and backup policies as one list: both run by themselves. Pure. */

type Schedule = components['schemas']['Schedule'];
type Policy = components['schemas']['BackupPolicy'];

export interface Plan {
  readonly key: string;
  readonly name: string;
  /** Null: a backup policy. */
  readonly schedule: Schedule | null;
  readonly kind: string;
  readonly selector: string | null;
  readonly rhythm: Schedule['rhythm'];
  readonly isOn: boolean;
  /** It does not run until a person saves it again. */
  readonly isStopped: boolean;
  /** Empty where it does not run. */
  readonly nextRuns: readonly string[];
  readonly lastRunAt: string | null;
}

/** In the order of their next runs; those that do not run are last. */
export function plansOf(schedules: readonly Schedule[], policies: readonly Policy[]): readonly Plan[] {
  const plans = [
    ...schedules.map((one) => planOf(one, one, one.rollout.kind, one.rollout.selector)),
    ...policies.map((one) => planOf(one, null, 'backup', one.selector)),
  ];
  return plans.toSorted((a, b) => timeOf(a) - timeOf(b) || a.name.localeCompare(b.name));
}

const timeOf = ({ nextRuns: [next] }: Plan): number => (next === undefined ? Infinity : Date.parse(next));

function planOf(of: Schedule | Policy, schedule: Schedule | null, kind: string, selector: string | null): Plan {
  const { id, name, rhythm, enabled, orphaned, quarantinedAt, nextRuns, lastRunAt } = of;
  const isStopped = orphaned || quarantinedAt !== null;
  return {
    key: id,
    name,
    schedule,
    kind,
    selector,
    rhythm,
    isOn: enabled,
    isStopped,
    nextRuns: enabled && !isStopped ? nextRuns : [],
    lastRunAt,
  };
}

/** Runs that are listed. */
const SHOWN = 7;

/** The runs after the next one of each, the earliest first. */
export function laterRunsOf(plans: readonly Plan[]): readonly { readonly at: string; readonly plan: Plan }[] {
  const runs = plans.flatMap((plan) => plan.nextRuns.slice(1).map((at) => ({ at, plan })));
  return runs.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)).slice(0, SHOWN);
}
