import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { useList } from '../../api/lists.js';
import { selfQuery, systemQuery } from '../../api/queries.js';
import { Mark, StateMark } from '../../ui/mark.js';
import { Card } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import {
  approvalAttention,
  type Attention,
  deviceAttention,
  jobAttention,
  rolloutAttention,
  warningAttention,
} from './attention.js';

const DEVICES_MAX = 20;
const SHOWN = 12;

/** What needs a person, worst first. */
export function AttentionList(): ReactNode {
  const items = useAttention();
  const shown = items.slice(0, SHOWN);
  return (
    <Card title="Needs attention" flush>
      {shown.length === 0 && (
        <p className="attention-none quiet" role="status">
          Nothing needs you now.
        </p>
      )}
      <ul className="attention">
        {shown.map(({ id, state, what, why, to, search, action, answeredAt }) => (
          <li key={id}>
            <span className="attention-state">
              {state === 'warning' ? <Mark tone="warn">Warning</Mark> : <StateMark state={state} />}
            </span>
            <span className="foreign attention-text">
              <strong>{what}</strong>
              <span className="quiet small">
                {why}
                {answeredAt && (
                  <>
                    , last answer <Ago at={answeredAt} />
                  </>
                )}
              </span>
            </span>
            <To to={to} search={search ?? {}} className="button">
              {action}
            </To>
          </li>
        ))}
      </ul>
      {items.length > SHOWN && (
        <p className="attention-none quiet">
          {items.length - SHOWN} more:{' '}
          <To to="/devices" search={{ selector: 'state:offline | state:trust_changed | state:credentials_refused' }}>
            all devices with a problem
          </To>
        </p>
      )}
    </Card>
  );
}

function useAttention(): Attention[] {
  const { data: self } = useQuery(selfQuery);
  const may = (permission: string) => self?.permissions.includes(permission) ?? false;
  const bad = useList('/v1/devices', {
    key: ['devices', 'attention'],
    query: {
      selector: 'state:trust_changed | state:credentials_refused | state:offline',
      sort: '-state',
      limit: DEVICES_MAX,
      fields: 'id,name,state,stateReason,seenAt,site',
    },
  });
  const jobs = useList('/v1/jobs', {
    key: ['jobs', 'attention'],
    query: { outcome: 'unknown', limit: 10 },
    enabled: may('job.read'),
  });
  const rollouts = useList('/v1/rollouts', {
    key: ['rollouts', 'attention'],
    query: { limit: 20 },
    enabled: may('rollout.read'),
  });
  const approvals = useList('/v1/approvals', {
    key: ['approvals', 'attention'],
    query: { state: 'pending', limit: 10 },
    enabled: may('approval.read'),
  });
  const system = useQuery({ ...systemQuery, enabled: may('system.read') });
  const all = [
    ...jobs.rows.flatMap((job) => jobAttention(job, undefined)),
    ...rollouts.rows.flatMap(rolloutAttention),
    ...approvals.rows.map(approvalAttention),
    ...bad.rows.flatMap((device) => deviceAttention(device as Parameters<typeof deviceAttention>[0])),
    ...(system.data?.warnings ?? []).map(warningAttention),
  ];
  return all.toSorted((one, other) => one.rank - other.rank);
}
