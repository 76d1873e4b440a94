import { countText } from '../../../api/amount-text.js';
import { type components } from '../../../../../src/api-client/openapi.js';
import { kindTitle } from '../../jobs/kinds.js';
import { takingPart } from '../forecast.js';
import { openAhead } from '../pictures/wave-times.js';

type Rollout = components['schemas']['RolloutWithWaves'];

/** What a start of a draft does: on how many devices, on which of them first, and when. @param now in milliseconds */
export function startText(
  { kind, counts, waves, policy, startsAt }: Pick<Rollout, 'kind' | 'counts' | 'waves' | 'policy' | 'startsAt'>,
  now: number,
): string {
  const devices = countText(takingPart(counts), 'device');
  const taking = waves.filter((one) => takingPart(one.counts) > 0);
  const [first] = taking;
  const inWaves =
    first && taking.length > 1
      ? `, in ${countText(taking.length, 'wave')}, first on ${countText(takingPart(first.counts), 'device')} (${first.name})`
      : '';
  const when = whenText(policy, Math.max(now, Date.parse(startsAt ?? '') || now), now);
  return `${kindTitle(kind).toLowerCase()} on ${devices}${inWaves}, ${when}. It can be paused and aborted.`;
}

/** At once, or from the first opening of a window on. */
function whenText(policy: Rollout['policy'], from: number, now: number): string {
  const opening = openAhead(policy, from)?.[0];
  if (policy.windows.length > 0 && !opening) return 'in its window, which does not open soon';
  const at = Math.max(from, opening?.from ?? from);
  return at <= now ? 'at once' : `from ${timeIn(policy.timeZone, at)} on`;
}

const timeIn = (timeZone: string, at: number): string =>
  `${new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', timeZone }).format(at)} ${timeZone}`;
