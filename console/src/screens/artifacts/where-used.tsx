import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api, type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { DeviceLink } from '../../ui/devices/device-link.js';
import { type Column, Table } from '../../ui/list-table.js';
import { StateMark } from '../../ui/mark.js';
import { Failure } from '../../ui/messages.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { shownRollout } from '../../ui/words/rollout-state.js';
import { kindTitle } from '../jobs/kinds.js';
import styles from './artifacts.module.css';

type ArtifactWithUses = Schema<'ArtifactWithUses'>;

/** Rollouts, schedules and jobs that name a file, and the devices that run its version. */
export function WhereUsed({ artifact }: { artifact: ArtifactWithUses }): ReactNode {
  const mayReadRollouts = useMay('rollout.read');
  return (
    <>
      <h3>Where it is used</h3>
      {artifact.kind === 'firmware' && artifact.version !== null && (
        <p>
          <To to="/devices" search={{ selector: `firmware=${quoted(artifact.version)}` }}>
            Devices that run {artifact.version}
          </To>
        </p>
      )}
      {mayReadRollouts && <Planned id={artifact.id} />}
      {artifact.uses.length === 0 ? (
        <p className="quiet">No job uses it.</p>
      ) : (
        <Table label="Jobs that use this file" columns={USES} rows={artifact.uses} rowKey={({ jobId }) => jobId} />
      )}
    </>
  );
}

/** A value of a selector; one with other characters stands in quotation marks. */
const quoted = (text: string): string => (/^[\w.-]+$/.test(text) ? text : JSON.stringify(text));

function Planned({ id }: { id: string }): ReactNode {
  const rollouts = useList('/v1/rollouts', { key: KEYS.rollouts.ofArtifact, query: { artifact: id, limit: 20 } });
  const schedules = useQuery({
    queryKey: KEYS.schedules.all,
    queryFn: ({ signal }) => api.get('/v1/schedules', { signal }),
  });
  const own = (schedules.data?.items ?? []).filter(({ rollout: { spec } }) => isOf(spec, id));
  if (rollouts.error) return <Failure error={rollouts.error} onRetry={rollouts.again} />;
  if (schedules.error) return <Failure error={schedules.error} onRetry={() => void schedules.refetch()} />;
  if (rollouts.rows.length + own.length === 0) return null;
  return (
    <ul className={styles['usedBy']}>
      {rollouts.rows.map((rollout) => (
        <li key={rollout.id} className="row">
          <To to={`/rollouts/${rollout.id}`} className="foreign">
            {rollout.name}
          </To>
          <StateMark state={shownRollout(rollout)} />
          <span className="small quiet">
            rollout, created <Ago at={rollout.createdAt} />
          </span>
        </li>
      ))}
      {rollouts.hasMore && <li className="small quiet">and older rollouts</li>}
      {own.map(({ id: scheduleId, name }) => (
        <li key={scheduleId} className="row">
          <To to="/schedules" className="foreign">
            {name}
          </To>
          <span className="small quiet">schedule</span>
        </li>
      ))}
    </ul>
  );
}

const isOf = (spec: unknown, id: string): boolean =>
  typeof spec === 'object' && spec !== null && 'artifactId' in spec && spec.artifactId === id;

const USES: readonly Column<ArtifactWithUses['uses'][number]>[] = [
  { title: 'Job', cell: ({ jobId, kind }) => <To to={`/jobs/${jobId}`}>{kindTitle(kind)}</To> },
  { title: 'Device', cell: ({ deviceId }) => <DeviceLink id={deviceId} /> },
  { title: 'State', cell: ({ phase, outcome }) => <StateMark state={outcome ?? phase} /> },
  { title: 'Created', cell: ({ createdAt }) => <Ago at={createdAt} /> },
];
