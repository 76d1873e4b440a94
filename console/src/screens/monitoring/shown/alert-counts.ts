import { numberText } from '../../../api/amount-text.js';
import { type components } from '../../../../../src/api-client/openapi.js';

/* What alerts are open, in words. Pure. */

const SEVERITIES = [
  ['critical', 'critical'],
  ['warning', 'warning'],
  ['info', 'information'],
] as const;

/** `1 critical, 1 warning; 2 not acknowledged`. */
export function openWords(
  alerts: readonly Pick<components['schemas']['Alert'], 'severity' | 'acknowledgedAt'>[],
): string {
  if (alerts.length === 0) return 'no device meets a rule';
  const kinds = SEVERITIES.flatMap(([severity, word]) => {
    const count = alerts.filter((alert) => alert.severity === severity).length;
    return count === 0 ? [] : [`${numberText(count)} ${word}`];
  });
  const untaken = alerts.filter(({ acknowledgedAt }) => acknowledgedAt === null).length;
  return `${kinds.join(', ')}; ${untaken === 0 ? 'all' : `${numberText(untaken)} not`} acknowledged`;
}
