import { type components } from '../../../../../src/api-client/openapi.js';
import { countText, numberText } from '../../../api/amount-text.js';
import { endedOf, takingPart } from '../forecast.js';

type Rollout = Pick<components['schemas']['RolloutWithWaves'], 'waves'>;

/** `wave half, 4 of 10 · then waits for you`; empty: no wave is under way or to be let go on. @param you who lets a wave begin */
export function waveNowText({ waves }: Rollout, you: string): string {
  const taking = waves.filter(({ counts }) => takingPart(counts) > 0);
  const at = taking.findLastIndex(({ state }) => state === 'running' || state === 'soaking');
  const next = taking.slice(at + 1).find(({ state }) => state === 'waiting');
  const waits = next !== undefined && next.gate === 'manual' && !next.promoted;
  const current = taking[at];
  if (!current)
    return waits ? `wave ${next.name}, ${countText(takingPart(next.counts), 'device')}, waits for ${you}` : '';
  const { name, counts, state } = current;
  return [
    `wave ${name}, ${numberText(endedOf(counts))} of ${numberText(takingPart(counts))}`,
    state === 'soaking' && 'soaks',
    waits && `then waits for ${you}`,
  ]
    .filter(Boolean)
    .join(' · ');
}
