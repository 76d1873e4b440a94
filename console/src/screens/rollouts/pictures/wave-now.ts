import { type components } from '../../../../../src/api-client/openapi.js';
import { countText, numberText } from '../../../api/amount-text.js';
import { endedOf, takingPart } from '../forecast.js';

type Rollout = Pick<components['schemas']['RolloutWithWaves'], 'waves'>;

/** The wave that is under way, and the one that a person must let begin after it. */
function wavesNow({ waves }: Rollout) {
  const taking = waves.filter(({ counts }) => takingPart(counts) > 0);
  const at = taking.findLastIndex(({ state }) => state === 'running' || state === 'soaking');
  const next = taking.slice(at + 1).find(({ state }) => state === 'waiting');
  const waits = next !== undefined && next.gate === 'manual' && !next.promoted;
  return { current: taking[at], held: waits ? next : undefined };
}

/** `wave rest`, and `wave 3` as it is. */
export const waveName = (name: string): string => (name.startsWith('wave ') ? name : `wave ${name}`);

const sizeOf = ({ name, counts }: Rollout['waves'][number]): string =>
  `${waveName(name)}, ${countText(takingPart(counts), 'device')}`;

/** `wave rest, 8 devices`: nothing goes on until a person lets it begin; empty: the rollout goes on by itself, or has no more. */
export function heldWaveText(rollout: Rollout & { readonly state: string }): string {
  const { current, held } = wavesNow(rollout);
  return rollout.state === 'running' && !current && held ? sizeOf(held) : '';
}

/** `wave half, 4 of 10 · then waits for you`; empty: no wave is under way or to be let go on. @param you who lets a wave begin */
export function waveNowText(rollout: Rollout, you: string): string {
  const { current, held } = wavesNow(rollout);
  if (!current) return held ? `${sizeOf(held)}, waits for ${you}` : '';
  const { name, counts, state } = current;
  return [
    `${waveName(name)}, ${numberText(endedOf(counts))} of ${numberText(takingPart(counts))}`,
    state === 'soaking' && 'soaks',
    held && `then waits for ${you}`,
  ]
    .filter(Boolean)
    .join(' · ');
}
