import { partsOf } from '../rule/conditions.js';

const BYTES: Readonly<Record<string, number>> = { MB: 1e6, GB: 1e9 };

/** The measure whose value in a chart is another one than its number in a rule: percent of the plan, and bytes. */
const ANOTHER = 'data.plan';

/** The number that a rule compares a value with, in the unit of the chart; undefined: it has none, or says more than one thing. */
export function limitOf(selector: string | null | undefined): number | undefined {
  const condition = partsOf(selector ?? '')?.condition;
  if (!condition?.measure.number || condition.measure.key === ANOTHER) return undefined;
  const limit = Number(condition.number) * (BYTES[condition.unit] ?? 1);
  return Number.isFinite(limit) ? limit : undefined;
}
