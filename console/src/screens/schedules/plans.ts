import { type components } from '../../../../src/api-client/openapi.js';

/* Schedules and backup policies as one list: both run by themselves. Pure. */

type Schedule = components['schemas']['Schedule'];
type Policy = components['schemas']['BackupPolicy'];

export interface Plan {
  readonly key: string;
  readonly name: string;
  /** One of the two is not null. */
  readonly schedule: Schedule | null;
  readonly policy: Policy | null;
  readonly kind: string;
  readonly selector: string | null;
  readonly rhythm: Schedule['rhythm'];
  readonly isOn: boolean;
  /** It does not run until a person saves it again. */
  readonly isStopped: boolean;
  /** Empty where it does not run. */
  readonly nextRuns: readonly string[];
}

/** In the order of their next runs; those that do not run are last. */
export function plansOf(schedules: readonly Schedule[], policies: readonly Policy[]): readonly Plan[] {
  const plans = [
    ...schedules.map((one) => ({ ...planOf(one, one.rollout.kind, one.rollout.selector), schedule: one })),
    ...policies.map((one) => ({ ...planOf(one, 'backup', one.selector), policy: one })),
  ];
  return plans.toSorted((a, b) => timeOf(a) - timeOf(b) || a.name.localeCompare(b.name));
}

const timeOf = ({ nextRuns: [next] }: Plan): number => (next === undefined ? Infinity : Date.parse(next));

function planOf(of: Schedule | Policy, kind: string, selector: string | null): Plan {
  const { id, name, rhythm, enabled, orphaned, quarantinedAt, nextRuns } = of;
  const isStopped = orphaned || quarantinedAt !== null;
  return {
    key: id,
    name,
    schedule: null,
    policy: null,
    kind,
    selector,
    rhythm,
    isOn: enabled,
    isStopped,
    nextRuns: enabled && !isStopped ? nextRuns : [],
  };
}
