import { type components } from '../../../../../src/api-client/openapi.js';
import { countText, numberText, pluralText } from '../../../api/amount-text.js';
import { sentence } from '../../../api/device-texts.js';
import { grouped, reasonText } from '../reasons.js';

/* How many devices of a plan get it now, as a sum: those that match, without those that it leaves out or that wait. Pure. */

type Plan = Pick<
  components['schemas']['RolloutPlan'],
  'total' | 'ready' | 'notReady' | 'skipped' | 'skippedTotal' | 'heldBy'
>;

interface PlanLine {
  readonly text: string;
  /** It is taken away from the line before. */
  readonly isLess: boolean;
  /** It goes on only when a person does something. */
  readonly needsAct: boolean;
  /** Of the devices, the first. */
  readonly names: readonly string[];
  readonly devices: number;
}

export interface PlanSums {
  /** Those that do not have it already. */
  readonly gets: number;
  /** A start does something, at once or when what is away is there again. */
  readonly isWork: boolean;
  readonly headline: string;
  /** Empty: each device that matches starts now. */
  readonly lines: readonly PlanLine[];
}

/** These go on by themselves, or as another rollout does. */
const WAITS = new Set(['offline', 'locked', 'held_by_rollout', 'offline_too_long']);
/** And these are as somebody wants it. */
const MEANT = new Set(['forbidden', 'operator']);

/** @param same how many have what they would get @param isVendor the vendor's image: its job looks for a backup before it asks */
export function planSums(plan: Plan, same: number, isVendor = false): PlanSums {
  const { total, ready, notReady } = plan;
  const gets = total - same;
  const now = Math.max(0, ready - same);
  // A device that has the version may be offline, too: then more than so many start.
  const isExact = same === 0 || notReady.every(({ reason }) => reason === 'backup_missing' && !isVendor);
  const isAway = notReady.some(({ reason }) => WAITS.has(reason));
  const start = isExact ? numberText(now) : now > 0 ? `at least ${numberText(now)}` : 'perhaps none';
  return {
    gets,
    isWork: gets > 0 && (now > 0 || isAway || (!isExact && ready > 0)),
    headline: headlineOf(plan, same, start),
    lines: [...leftOut(plan), ...waiting(plan, same, start)],
  };
}

/** @param start how many can start now */
function headlineOf({ total, notReady }: Plan, same: number, start: string): string {
  const gets = total - same;
  if (gets === 0 && same > 0) return `Nothing to do: ${countText(same, 'device')} ${have(same)} it already`;
  if (notReady.length === 0 && same > 0) return `${numberText(gets)} of ${countText(total, 'device')} will be updated`;
  if (notReady.length === 0) return takePart(total);
  const why = notReady.map(({ reason, devices }) => `${numberText(devices)} ${reasonText(reason)}`).join(', ');
  return sentence(`${start} of ${countText(gets, 'device')} can start now: ${why}`);
}

const have = (count: number): string => pluralText(count, 'has', 'have');
const takePart = (count: number): string => `${countText(count, 'device')} ${pluralText(count, 'takes', 'take')} part`;

const sum = (text: string, devices: number): PlanLine => ({
  text,
  isLess: false,
  needsAct: false,
  names: [],
  devices,
});

function leftOut({ total, skipped, skippedTotal }: Plan): readonly PlanLine[] {
  if (skippedTotal === 0) return [];
  const all = total + skippedTotal;
  const unnamed = skippedTotal - skipped.length;
  return [
    sum(`${countText(all, 'device')} ${pluralText(all, 'matches', 'match')}`, all),
    ...grouped(skipped, ({ reason }) => reason).map(([reason, devices]) => ({
      text: `${numberText(devices.length)} ${pluralText(devices.length, 'is', 'are')} left out, ${reasonText(reason)}`,
      isLess: true,
      needsAct: !WAITS.has(reason) && !MEANT.has(reason),
      names: devices.map(({ name }) => name),
      devices: devices.length,
    })),
    ...(unnamed > 0 ? [{ ...sum(`${numberText(unnamed)} more are left out`, unnamed), isLess: true }] : []),
  ];
}

function waiting({ total, ready, notReady }: Plan, same: number, start: string): readonly PlanLine[] {
  if (same === 0 && notReady.length === 0) return [];
  const isTwice = notReady.reduce((all, { devices }) => all + devices, 0) > total - ready;
  return [
    sum(takePart(total), total),
    ...(same > 0 ? [{ ...sum(`${numberText(same)} ${have(same)} this version already`, same), isLess: true }] : []),
    ...notReady.map(({ reason, devices, first }) => ({
      text: `${numberText(devices)} ${reasonText(reason)}`,
      isLess: true,
      needsAct: !WAITS.has(reason),
      names: first,
      devices,
    })),
    sum(`${start} can start now${isTwice ? '; some of the others have more than one reason' : ''}`, ready),
  ];
}
