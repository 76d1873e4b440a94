import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { Empty, Failure, Loading } from '../../ui/messages.js';
import { To } from '../../ui/to.js';
import { PolicyForm } from './policy-form.js';
import { RemovePolicy } from './remove-policy.js';
import { timeText, METRIC_WORDS } from './words.js';

type Policy = Schema<'ListedMonitoringPolicy'>;

/** Which devices are sampled, how often, and what of them. */
export function Policies(): ReactNode {
  const mayManage = useMay('monitoring.manage');
  const [edited, setEdited] = useState<Policy | 'new' | null>(null);
  const [removed, setRemoved] = useState<Policy | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: ['monitoring', 'policies'],
    queryFn: ({ signal }) => api.get('/v1/monitoring/policies', { signal }),
  });
  const add = mayManage && (
    <Button kind="primary" icon="plus" onClick={() => setEdited('new')}>
      New policy
    </Button>
  );
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  return (
    <div className="stack">
      {data.items.length === 0 ? (
        <div className="card">
          <Empty
            title="No device is sampled"
            command="fleetgate monitoring add everything -l all --every-seconds 240"
            action={add}
          >
            A policy names devices and says how often their signal, temperature, data use and load are read. It says
            what that costs before it is saved.
          </Empty>
        </div>
      ) : (
        <>
          <div>{add}</div>
          <Table
            label="Policies of monitoring"
            columns={columnsOf(mayManage, setEdited, setRemoved)}
            rows={data.items}
            rowKey={({ id }) => id}
          />
        </>
      )}
      {edited && <PolicyForm policy={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
      {removed && <RemovePolicy policy={removed} onClose={() => setRemoved(null)} />}
    </div>
  );
}

const columnsOf = (
  mayManage: boolean,
  edit: (policy: Policy) => void,
  remove: (policy: Policy) => void,
): readonly Column<Policy>[] => [
  {
    title: 'Policy',
    cell: ({ name }) => (
      <span className="foreign cut" title={name}>
        {name}
      </span>
    ),
  },
  {
    title: 'Devices',
    cell: ({ selector }) =>
      selector === null ? (
        <span className="quiet">not shown to you</span>
      ) : (
        <To to="/devices" search={{ selector }}>
          <code className="foreign cut">{selector}</code>
        </To>
      ),
  },
  { title: 'Every', cell: ({ everySeconds }) => timeText(everySeconds) },
  { title: 'Reads', cell: (policy) => readsText(policy) },
  { title: 'Sampled now', cell: ({ devices }) => devices.toLocaleString('en'), isNumber: true },
  {
    title: 'Budget for each month',
    cell: ({ budgetMb, slowedDevices }) => (
      <>
        {budgetMb === null ? 'no limit' : `${budgetMb.toLocaleString('en')} MB`}
        {slowedDevices > 0 && <Mark tone="warn">{`${slowedDevices.toLocaleString('en')} sampled less often`}</Mark>}
      </>
    ),
  },
  { title: 'State', cell: (policy) => <PolicyState policy={policy} /> },
  ...(mayManage
    ? [
        {
          title: '',
          cell: (policy: Policy) => (
            <span className="row end">
              {policy.selector !== null && (
                <Button aria-label={`Change ${policy.name}`} onClick={() => edit(policy)}>
                  Change
                </Button>
              )}
              <Button aria-label={`Remove ${policy.name}`} onClick={() => remove(policy)}>
                Remove
              </Button>
            </span>
          ),
        },
      ]
    : []),
];

function readsText({ metrics, extra }: Policy): string {
  const words = metrics.map((metric) => METRIC_WORDS[metric].toLowerCase());
  if (extra.length > 0) words.push(extra.map(({ name }) => name).join(', '));
  return words.join(', ');
}

function PolicyState({ policy: { enabled, orphaned, lastError } }: { policy: Policy }): ReactNode {
  if (orphaned) return <Mark tone="bad">Its author may not act any more</Mark>;
  if (!enabled) return <Mark tone="plain">Off</Mark>;
  if (lastError) return <Mark tone="warn">{`Names no devices now: ${lastError.replaceAll('_', ' ')}`}</Mark>;
  return <Mark tone="good">On</Mark>;
}
