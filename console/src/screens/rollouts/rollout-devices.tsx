import { type ReactNode } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { LockReasons } from '../../ui/devices/lock-reasons.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { StateMark, stateText } from '../../ui/mark.js';
import { Empty } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import { To, useSearchText } from '../../ui/to.js';
import { isDiscarded } from '../../ui/words/rollout-state.js';
import { ReportLinks } from './causes.js';
import { reasonText } from './reasons.js';
import styles from './rollouts.module.css';

type Rollout = Schema<'RolloutWithWaves'>;
type Target = Schema<'RolloutTarget'>;

const ORDER = [
  'failed',
  'unknown',
  'running',
  'queued',
  'waiting',
  'offline',
  'skipped',
  'cancelled',
  'succeeded',
] as const;

/** The devices, narrowed by the state that the address names. */
export function RolloutDevices({ rollout }: { rollout: Rollout }): ReactNode {
  const [{ state, wave }] = useSearchText();
  const list = useList('/v1/rollouts/{rolloutId}/devices', {
    key: KEYS.rollout.devices(rollout.id),
    path: { rolloutId: rollout.id },
    query: { state, wave, limit: 50 },
  });
  return (
    <Card title="Devices" actions={rollout.startedAt && <ReportLinks rolloutId={rollout.id} />}>
      <div className="stack">
        <States rollout={rollout} current={state} />
        <ListTable
          label="Devices of the rollout"
          list={list}
          columns={columnsOf(rollout, list.rows)}
          rowKey={({ deviceId }) => deviceId}
          empty={<Empty title="No device has this state">Choose another state above.</Empty>}
        />
      </div>
    </Card>
  );
}

/** The states that some devices have; the head of the page has their counts. */
function States({ rollout, current }: { rollout: Rollout; current: string | undefined }): ReactNode {
  const states = ORDER.filter((state) => rollout.counts[state] > 0 || state === current);
  if (states.length < 2 && current === undefined) return null;
  return (
    <nav className={styles['stateCounts']} aria-label="Devices by state">
      <To to="." search={{}} className={current ? undefined : styles['current']}>
        All
      </To>
      {states.map((state) => (
        <To key={state} to="." search={{ state }} className={state === current ? styles['current'] : undefined}>
          {stateText(shownState(rollout, state))}
        </To>
      ))}
    </nav>
  );
}

/** Nothing of a draft waits already, and nothing of a discarded one was cancelled. */
function shownState(rollout: Rollout, state: Target['state']): string {
  if (isDiscarded(rollout) && state !== 'skipped') return 'discarded';
  return rollout.state === 'draft' && state === 'waiting' ? 'planned' : state;
}

const columnsOf = (rollout: Rollout, rows: readonly Target[]): readonly Column<Target>[] => [
  {
    title: 'Device',
    cell: ({ deviceId, deviceName }) => (
      <To to={`/devices/${deviceId}`} className="foreign cut" title={deviceName}>
        {deviceName}
      </To>
    ),
  },
  { title: 'Wave', narrow: 'line', cell: ({ wave }) => rollout.waves[wave]?.name ?? `wave ${wave + 1}` },
  { title: 'State', cell: ({ state }) => <StateMark state={shownState(rollout, state)} /> },
  ...(rollout.startedAt === null ? [] : rows.some(hasWhy) ? [WHY, ...COURSE] : COURSE),
  {
    title: '',
    cell: (target) => (
      <span className="row end">
        <Skip rollout={rollout} target={target} />
      </span>
    ),
  },
];

const hasWhy = ({ reason, tries }: Target): boolean => reason !== null || tries > 1;

const WHY: Column<Target> = {
  title: 'Why',
  cell: (target) => <Why target={target} />,
  brief: (target) => target.reason && <Why target={target} />,
};

/** How it went with each device; before the start there is nothing of it. */
const COURSE: readonly Column<Target>[] = [
  {
    title: 'Ended',
    brief: ({ endedAt }) => endedAt && <Ago at={endedAt} />,
    cell: ({ endedAt, beganAt }) => (endedAt ? <Ago at={endedAt} /> : beganAt ? 'not yet' : '–'),
  },
  { title: 'Job', cell: ({ jobId }) => (jobId ? <To to={`/jobs/${jobId}`}>Steps</To> : '–') },
];

function Why({ target: { deviceId, reason, tries, wakeAt, state } }: { target: Target }): ReactNode {
  const isWaiting = state === 'waiting' || state === 'offline';
  return (
    <span className="foreign quiet">
      {reason ? reasonText(reason) : '–'}
      {reason === 'locked' && <LockReasons devices={[deviceId]} />}
      {tries > 1 && `, ${tries} attempts`}
      {isWaiting && reason && (
        <>
          , again <Ago at={wakeAt} />
        </>
      )}
    </span>
  );
}

function Skip({ rollout, target }: { rollout: Rollout; target: Target }): ReactNode {
  const may = useMay('rollout.manage');
  const skip = useAction({
    run: () =>
      api.post('/v1/rollouts/{rolloutId}/devices/{deviceId}/skip', {
        params: { path: { rolloutId: rollout.id, deviceId: target.deviceId } },
      }),
    done: `${target.deviceName} is skipped`,
    refreshes: ['rollouts', 'rollout'],
  });
  if (!may || !['waiting', 'offline'].includes(target.state)) return null;
  return (
    <Button
      kind="quiet"
      busy={skip.isPending}
      aria-label={`Skip ${target.deviceName}`}
      title={`fleetgate rollout skip ${rollout.id} ${target.deviceId}`}
      onClick={() => skip.mutate()}
    >
      Skip
    </Button>
  );
}
