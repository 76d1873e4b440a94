import { queryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { useAction } from '../../api/action.js';
import { countText, numberText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { exclusionText, lockedIn, usePreview } from '../../ui/devices/selection-preview.js';
import { useUnreachable } from '../../ui/devices/unreachable.js';
import { To, useGo } from '../../ui/to.js';
import { takingPart } from '../rollouts/forecast.js';
import { createRollout } from '../rollouts/plan/create-rollout.js';

const MISSING = 'backup:none';

const NAME = 'Backup of devices without one';

/** Those that were started here and have not ended. */
const underWayQuery = queryOptions({
  queryKey: KEYS.rollouts.ofMissing,
  queryFn: async ({ signal }) => {
    const query = { name: NAME, kind: 'backup', state: 'running', limit: 1 } as const;
    return (await api.get('/v1/rollouts', { params: { query }, signal })).items;
  },
});

/** How many are backed up now, and what keeps the others from it. */
function effectText({ count, excluded }: Schema<'DevicesPreview'>, away: number): string {
  const left = [
    ...(away > 0 ? [`${numberText(away)} when it answers again`] : []),
    ...excluded.map(({ reason, count: some }) =>
      reason === 'locked'
        ? `${numberText(some)} when the lock has ended`
        : `${numberText(some)} left out: ${exclusionText(reason, some)}`,
    ),
  ];
  return left.length === 0 ? '' : [`${numberText(Math.max(0, count - away))} at once`, ...left].join('; ');
}

/** Backs up all devices that have no backup, in one wave. It asks nothing: a backup changes nothing on a device. */
export function BackUpMissing({ devices, within }: { devices: number; within: string | undefined }): ReactNode {
  const may = useMay('rollout.manage');
  const go = useGo();
  const body: Schema<'CreateRollout'> = {
    name: NAME,
    kind: 'backup',
    spec: {},
    selector: within ? `(${within}) & ${MISSING}` : MISSING,
    policy: { waves: [{ name: 'all', take: 'rest' }] },
  };
  const start = useAction({
    run: () => createRollout(body, () => true),
    done: 'The backups are started',
    refreshes: ['rollouts', 'backups'],
    after: ({ id }) => go(`/rollouts/${id}`),
  });
  const selector = may && devices > 0 ? body.selector : null;
  const { data: preview, isPending: isLooking } = usePreview(selector, 'job.start');
  const away = useUnreachable(selector) ?? 0;
  const [underWay] = useQuery({ ...underWayQuery, enabled: useMay('rollout.read') && devices > 0 }).data ?? [];
  // The rollout takes locked devices, too, and waits for the end of the lock.
  const taken = preview && preview.count + lockedIn(preview);
  if (!may || devices === 0) return null;
  if (underWay)
    return (
      <p>
        Their first backups are under way: {numberText(underWay.counts.succeeded)} of{' '}
        {countText(takingPart(underWay.counts), 'device')} so far.{' '}
        <To to={`/rollouts/${underWay.id}`}>Open the rollout</To>
      </p>
    );
  return (
    <div className="row">
      <Button
        kind="primary"
        icon="archive"
        busy={start.isPending}
        disabled={isLooking}
        title="A rollout of one wave; it can be paused and aborted"
        onClick={() => start.mutate()}
      >
        Back up{' '}
        {taken !== undefined && taken < devices
          ? `${numberText(taken)} of ${countText(devices, 'device')}`
          : countText(devices, 'device')}{' '}
        without a backup
      </Button>
      <span className="small quiet" role="status">
        {isLooking ? 'Looking how the devices are …' : preview && effectText(preview, away)}
      </span>
    </div>
  );
}
