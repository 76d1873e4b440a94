import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { countText, numberText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Empty, Failure } from '../../ui/messages.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { TabHead } from '../../ui/rows/tab-head.js';
import { Strip } from '../../ui/rows/strip.js';
import { Ago } from '../../ui/time.js';
import { To, useAddForm, useSearchText } from '../../ui/to.js';
import { RecurringState } from '../schedules/recurring-state.js';
import { LastBackups } from '../schedules/last-run.js';
import { rhythmText } from '../schedules/rhythm.js';
import { RemovePolicy, useSwitch } from './change-policy.js';
import { PolicyForm } from './policy-form.js';
import { AwaitedTable } from '../../ui/rows/awaited.js';

type Policy = Schema<'BackupPolicy'>;

/** Which devices are backed up, when, and how long backups are stored. */
export function Policies(): ReactNode {
  const mayManage = useMay('backup.manage');
  const [isNew, setNew] = useAddForm(mayManage);
  const [{ policy: opened }, setSearch] = useSearchText();
  const open = (policy: Policy | null) => setSearch({ policy: policy?.id });
  const [removed, setRemoved] = useState<Policy | null>(null);
  const columns = columnsOf(setRemoved, open, mayManage);
  const { data, error, refetch } = useQuery({
    queryKey: KEYS.backups.policies,
    queryFn: ({ signal }) => api.get('/v1/backups/policies', { signal }),
  });
  const add = mayManage && (
    <Button kind="primary" icon="plus" onClick={() => setNew(true)}>
      New policy
    </Button>
  );
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <AwaitedTable titles={columns.map(({ title }) => title)} />;
  const changed = mayManage && data.items.find(({ id, selector }) => id === opened && selector !== null);
  return (
    <div className="stack">
      {data.items.length === 0 ? (
        <div className="card">
          <Empty
            title="No device is backed up by itself"
            command="fleetgate backup-policy add nightly -f nightly.yaml"
            action={add}
          >
            A policy names devices by a selector, the times of their backups, and how many of each are stored.
          </Empty>
        </div>
      ) : (
        <>
          {data.items.length > 2 && <Figures of={data.items} />}
          <TabHead text="A policy says which devices are backed up, when, and how many backups are stored.">
            {add}
          </TabHead>
          <Table
            label="Backup policies"
            columns={columns}
            rows={data.items}
            rowKey={({ id }) => id}
            details={({ name }) => name}
          />
        </>
      )}
      {isNew && <PolicyForm policy={null} onClose={() => setNew(false)} />}
      {changed && <PolicyForm policy={changed} onClose={() => open(null)} />}
      {removed && <RemovePolicy policy={removed} onClose={() => setRemoved(null)} />}
    </div>
  );
}

/** How many are on, and which of them ran last and run next. */
function Figures({ of }: { of: readonly Policy[] }): ReactNode {
  const on = of.filter(({ enabled }) => enabled);
  const byTime = (time: (policy: Policy) => string | null) =>
    of.filter((one) => time(one) !== null).toSorted((a, b) => Date.parse(time(a)!) - Date.parse(time(b)!));
  const [next] = byTime(({ enabled, nextRunAt }) => (enabled ? nextRunAt : null));
  const last = byTime(({ lastRunAt }) => lastRunAt).at(-1);
  return (
    <Strip
      label="Policies in figures"
      of={[
        { title: 'On', value: numberText(on.length), note: `of ${countText(of.length, 'policy', 'policies')}` },
        { title: 'Last run', value: last ? <Ago at={last.lastRunAt} /> : 'none yet', note: last?.name },
        { title: 'Next run', value: next ? <Ago at={next.nextRunAt} /> : 'none', note: next?.name },
      ]}
    />
  );
}

const columnsOf = (
  remove: (policy: Policy) => void,
  change: (policy: Policy) => void,
  mayManage: boolean,
): readonly Column<Policy>[] => [
  {
    title: 'Policy',
    cell: ({ id, name, selector }) =>
      mayManage && selector !== null ? (
        <To to="/backups" search={{ tab: 'policies', policy: id }} className="foreign cut" title={name}>
          {name}
        </To>
      ) : (
        <span className="foreign cut" title={name}>
          {name}
        </span>
      ),
  },
  {
    title: 'Devices',
    narrow: 'line',
    cell: ({ selector }) => <PolicyDevices selector={selector} />,
  },
  {
    title: 'When',
    narrow: 'line',
    cell: ({ rhythm }) => <span className="foreign">{rhythmText(rhythm)}</span>,
  },
  { title: 'Retention', cell: (policy) => keptText(policy) },
  { title: 'State', cell: (policy) => <RecurringState of={policy} /> },
  { title: 'Last run', narrow: 'block', cell: (policy) => <LastBackups of={policy} /> },
  {
    title: 'Next run',
    cell: ({ nextRunAt }) => (nextRunAt ? <Ago at={nextRunAt} /> : '–'),
    brief: ({ nextRunAt }) =>
      nextRunAt && (
        <>
          next <Ago at={nextRunAt} />
        </>
      ),
  },
  ...(mayManage
    ? [
        {
          title: '',
          cell: (policy: Policy) => (
            <PolicyMenu policy={policy} change={() => change(policy)} remove={() => remove(policy)} />
          ),
        },
      ]
    : []),
];

interface PolicyMenuProps {
  policy: Policy;
  change: () => void;
  remove: () => void;
}

function PolicyMenu({ policy, change, remove }: PolicyMenuProps): ReactNode {
  const { name, enabled, selector } = policy;
  const turn = useSwitch(policy);
  return (
    <RowActions
      of={name}
      actions={[
        selector !== null && { text: 'Change', label: `Change ${name}`, onSelect: change },
        selector !== null && {
          text: enabled ? 'Pause' : 'Resume',
          title: 'From then on the policy acts in your name',
          onSelect: () => turn.mutate(),
        },
        { text: 'Remove', isDanger: true, onSelect: remove },
      ]}
    />
  );
}

function PolicyDevices({ selector }: Pick<Policy, 'selector'>): ReactNode {
  if (selector === null) return <span className="quiet">not shown to you</span>;
  return (
    <To to="/devices" search={{ selector }}>
      <code className="foreign cut">{selector}</code>
    </To>
  );
}

function keptText({ keepCount, keepDays, onlyChanges, encrypted }: Policy): string {
  const parts = [`At most ${numberText(keepCount)} per device`];
  parts.push(keepDays === null ? 'however old' : `none older than ${countText(keepDays, 'day')}`);
  if (encrypted) parts.push('encrypted');
  return `${parts.join(', ')}${onlyChanges ? '; stored only if it changed' : ''}`;
}
