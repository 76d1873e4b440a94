import { countText, numberText, pluralText } from '../../api/amount-text.js';
import { type components } from '../../../../src/api-client/openapi.js';

type Schemas = components['schemas'];
type Counts = Schemas['TargetCounts'];

export const failedOf = ({ failed, unknown }: Counts): number => failed + unknown;
/** Of the devices that take part. */
export const endedOf = (counts: Counts): number => counts.succeeded + failedOf(counts) + counts.cancelled;

/** Devices that the plan took; others of the selector were left out, and are never done. */
export const takingPart = (counts: Counts): number =>
  Object.values(counts).reduce((all, one) => all + one, 0) - counts.skipped;

/** A rollout that has not begun has ended nowhere. */
export function progressText({ counts, startedAt }: Pick<Schemas['Rollout'], 'counts' | 'startedAt'>): string {
  const total = takingPart(counts);
  const ended = endedOf(counts);
  if (startedAt === null && ended === 0)
    return `${countText(total, 'device')} ${pluralText(total, 'takes', 'take')} part`;
  return `${numberText(ended)} of ${countText(total, 'device')} ${pluralText(total, 'has', 'have')} ended`;
}
