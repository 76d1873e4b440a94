import { countText, numberText } from '../../api/amount-text.js';
import { type components } from '../../../../src/api-client/openapi.js';
import { failedOf, takingPart } from '../rollouts/forecast.js';

/* How a rollout that has begun stands, in a colour and a few words. */

export type RunTone = 'good' | 'warn' | 'bad' | 'busy';

type Rollout = Pick<components['schemas']['Rollout'], 'state' | 'counts'>;

/** `20 of 20 succeeded`; of a reader who sees a part of its devices only the state is said. */
export function pastRun({ state, counts }: Rollout): { readonly tone: RunTone; readonly about: string } {
  const failed = failedOf(counts);
  const share = `${numberText(counts.succeeded)} of ${countText(takingPart(counts), 'device')} succeeded`;
  if (state === 'running') return { tone: 'busy', about: `runs: ${share}` };
  if (state === 'paused') return { tone: 'warn', about: `paused: ${share}` };
  if (state === 'aborted' || state === 'aborting') return { tone: 'bad', about: `aborted: ${share}` };
  return { tone: failed > 0 ? 'bad' : 'good', about: share };
}
