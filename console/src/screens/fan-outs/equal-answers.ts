import { countText, numberText } from '../../api/amount-text.js';
import { type components } from '../../../../src/api-client/openapi.js';
import { CAUSES_SHOWN, others } from './requests.js';

/* Equal answers of a fan-out: in one line, and which of them are listed. */

type FanOut = components['schemas']['StoredFanOut'];
type Group = Pick<FanOut['groups'][number], 'outcome' | 'devices' | 'digest'>;

/** `2,981 the same, 14 others, 3 devices without an answer`: how alike the answers are. */
export function alikeText({ groups, counts }: { groups: readonly Group[]; counts: FanOut['counts'] }): string {
  const [largest, ...rest] = groups.filter(({ outcome }) => outcome === 'succeeded');
  if (!largest) return 'No device has answered';
  const missed = others(counts);
  return `${answersText(largest, rest, counts)}${missed === 0 ? '' : `, ${countText(missed, 'device')} without an answer`}`;
}

function answersText(largest: Group, rest: readonly Group[], counts: FanOut['counts']): string {
  const answered = counts['succeeded'] ?? 0;
  if (largest.devices === 1 && rest.length > 0) return countText(answered, 'different answer');
  const same = answered === 1 ? 'One answer' : `${numberText(largest.devices)} the same`;
  return answered === largest.devices ? same : `${same}, ${countText(answered - largest.devices, 'other')}`;
}

/** Those that the line above of devices without success does not name: answers, also of refusals, and its further causes. */
export function listedGroups<Of extends Group>({
  groups,
  state,
}: {
  groups: readonly Of[];
  state: string;
}): readonly Of[] {
  if (state === 'running') return groups;
  const named = groups.filter(({ outcome }) => outcome !== 'succeeded').slice(0, CAUSES_SHOWN);
  return groups.filter((group) => group.digest !== null || !named.includes(group));
}
