import { countText } from '../../../api/amount-text.js';
import { type components } from '../../../../../src/api-client/openapi.js';
import { kindTitle } from '../../jobs/kinds.js';
import { takingPart } from '../forecast.js';
import { windowText } from './policy-words.js';

type Rollout = components['schemas']['RolloutWithWaves'];

/** What a start of a draft does: on how many devices, on which of them first, and when. */
export function startText({
  kind,
  counts,
  waves,
  policy,
  startsAt,
}: Pick<Rollout, 'kind' | 'counts' | 'waves' | 'policy' | 'startsAt'>): string {
  const devices = countText(takingPart(counts), 'device');
  const [first] = waves;
  const inWaves =
    first && waves.length > 1
      ? `, in ${countText(waves.length, 'wave')}, first on ${countText(takingPart(first.counts), 'device')} (${first.name})`
      : '';
  const when =
    policy.windows.length === 0
      ? startsAt === null
        ? 'at once'
        : 'at its time'
      : windowText(policy.windows, policy.timeZone);
  return `${kindTitle(kind).toLowerCase()} on ${devices}${inWaves}, ${when}. It can be paused and aborted.`;
}
