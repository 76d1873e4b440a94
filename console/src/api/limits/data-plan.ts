import { bytesText } from '../amount-text.js';

/* How much of its data plan a device has used in the month: the same words and colours on every screen. Pure. */

/** The custom field with the megabytes of a month. */
export const PLAN_FIELD = 'plan_mb';

/** The rule `Data plan at 80 percent` has it, too. */
const WARN_PERCENT = 80;

const MB = 1_000_000;

interface PlanUse {
  readonly percent: number;
  readonly planBytes: number;
  /** Above the plan is bad: it costs money, or the network stops. */
  readonly tone: 'plain' | 'warn' | 'bad';
}

/** Null without a plan. @param planMb as the device has it, of any type */
export function planUse(bytes: number, planMb: unknown): PlanUse | null {
  if (typeof planMb !== 'number' || planMb <= 0) return null;
  const percent = (bytes / (planMb * MB)) * 100;
  const tone = percent > 100 ? 'bad' : percent >= WARN_PERCENT ? 'warn' : 'plain';
  return { percent, planBytes: planMb * MB, tone };
}

/** `62 % of 20.0 GB`. */
export const planText = ({ percent, planBytes }: PlanUse): string =>
  `${Math.round(percent).toLocaleString('en')} % of ${bytesText(planBytes)}`;
