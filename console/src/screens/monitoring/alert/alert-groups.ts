import { type components } from '../../../../../src/api-client/openapi.js';
import { grouped } from '../../rollouts/reasons.js';

/* Alerts of one rule as one row: a fault of many devices is one thing to take care of. Pure. */

type Alert = components['schemas']['Alert'];

/** Fewer stay rows of their own. */
const TOGETHER = 4;

export interface AlertGroup {
  /** That of its rule. */
  readonly key: string;
  readonly alerts: readonly [Alert, ...Alert[]];
}

/** A row of the list: an alert, or several of one rule. */
export interface AlertLine {
  readonly key: string;
  /** Of a group, its first one. */
  readonly alert: Alert;
  readonly group: AlertGroup | null;
  /** It belongs to the group above it. */
  readonly isInside: boolean;
}

/** Alerts in their order, those of a rule with several where its first one is. @param open keys of groups that show their alerts */
export function alertLines(alerts: readonly Alert[], open: ReadonlySet<string>): readonly AlertLine[] {
  return grouped(alerts, ({ ruleId }) => ruleId).flatMap(([key, same]): readonly AlertLine[] => {
    const isTogether = same.length >= TOGETHER;
    const rows = same.map((alert) => ({ key: alert.id, alert, group: null, isInside: isTogether }));
    if (!isTogether) return rows;
    const group = { key, alerts: same as [Alert, ...Alert[]] };
    const head: AlertLine = { key: `rule ${key}`, alert: group.alerts[0], group, isInside: false };
    return open.has(key) ? [head, ...rows] : [head];
  });
}

/** Those that nobody takes care of yet. */
export const untakenOf = ({ alerts }: AlertGroup): readonly Alert[] =>
  alerts.filter(({ state, acknowledgedAt }) => state === 'open' && acknowledgedAt === null);
