import { useQuery } from '@tanstack/react-query';
import { api, type Schema } from '../../../api/client.js';
import { type Cell } from '../../../ui/devices/cell-grid.js';
import { stateText } from '../../../ui/mark.js';
import { useSearchText } from '../../../ui/to.js';
import { reasonText } from '../reasons.js';
import { KEYS } from '../../../api/keys/query-keys.js';

type Target = Schema<'RolloutTarget'>;

/** More devices are in the table below. */
const CELLS_MAX = 1_000;
const EVERY_MS = 3_000;

const TONES: Readonly<Record<string, string>> = {
  succeeded: 'good',
  failed: 'bad',
  unknown: 'strange',
  running: 'busy',
  queued: 'busy',
  offline: 'warn',
  skipped: 'plain',
  cancelled: 'plain',
};

/** A cell for each device of a wave, by the number of the wave; null while they are not known, or are too many. */
export function useWaveCells({ id, state }: Schema<'RolloutWithWaves'>): ((wave: number) => readonly Cell[]) | null {
  const [{ state: chosen }] = useSearchText();
  const { data } = useQuery({
    queryKey: KEYS.rollout.cells(id, state),
    queryFn: ({ signal }) =>
      api.get('/v1/rollouts/{rolloutId}/devices', {
        params: { path: { rolloutId: id }, query: { limit: CELLS_MAX } },
        signal,
      }),
    placeholderData: (before) => before,
    refetchInterval: ['running', 'aborting'].includes(state) ? EVERY_MS : false,
  });
  if (!data || data.next !== null) return null;
  return (wave) => data.items.filter((one) => one.wave === wave).map((one) => cellOf(one, chosen));
}

const cellOf = ({ deviceId, deviceName, state, reason }: Target, chosen: string | undefined): Cell => ({
  deviceId,
  title: `${deviceName}: ${stateText(state).toLowerCase()}${reason ? ` (${reasonText(reason)})` : ''}`,
  tone: TONES[state] ?? 'none',
  isDim: chosen !== undefined && chosen !== state,
});
