import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText, numberText } from '../../../api/amount-text.js';
import { api, type Schema } from '../../../api/client.js';
import { type Cell, CellGrid } from '../../../ui/devices/cell-grid.js';
import { Failure, Loading } from '../../../ui/messages.js';
import { stateText } from '../../../ui/mark.js';
import { useSearchText } from '../../../ui/to.js';
import { reasonText } from '../reasons.js';
import styles from './pictures.module.css';

type Rollout = Schema<'RolloutWithWaves'>;
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

/** A cell for each device, by its wave: filled as devices end. */
export function WaveGrid({ rollout }: { rollout: Rollout }): ReactNode {
  const [{ state }] = useSearchText();
  const { data, error } = useQuery({
    queryKey: ['rollout', rollout.id, 'cells', rollout.state],
    queryFn: ({ signal }) =>
      api.get('/v1/rollouts/{rolloutId}/devices', {
        params: { path: { rolloutId: rollout.id }, query: { limit: CELLS_MAX } },
        signal,
      }),
    placeholderData: (before) => before,
    refetchInterval: ['running', 'aborting'].includes(rollout.state) ? EVERY_MS : false,
  });
  if (error) return <Failure error={error} />;
  if (!data) return <Loading />;
  const waves = rollout.waves.map(({ ordinal, name }) => ({
    name,
    targets: data.items.filter((one) => one.wave === ordinal),
  }));
  return (
    <>
      <ol className={styles['waveGrid']} aria-label="Devices by wave">
        {waves.map(({ name, targets }, at) => (
          <li key={at}>
            <span className="foreign cut" title={name}>
              {name}
            </span>
            <CellGrid cells={targets.map((one) => cellOf(one, state))} label={labelOf(targets)} />
          </li>
        ))}
      </ol>
      {data.next !== null && <p className="small quiet">The first {countText(CELLS_MAX, 'device')} are shown.</p>}
    </>
  );
}

const cellOf = ({ deviceId, deviceName, state, reason }: Target, chosen: string | undefined): Cell => ({
  deviceId,
  title: `${deviceName}: ${stateText(state).toLowerCase()}${reason ? ` (${reasonText(reason)})` : ''}`,
  tone: TONES[state] ?? 'none',
  isDim: chosen !== undefined && chosen !== state,
});

const ENDED = new Set(['succeeded', 'failed', 'unknown', 'skipped', 'cancelled']);

const labelOf = (targets: readonly Target[]): string =>
  `${numberText(targets.filter(({ state }) => ENDED.has(state)).length)} of ${countText(targets.length, 'device')} at their end`;
