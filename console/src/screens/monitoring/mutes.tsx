import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { Empty, Failure } from '../../ui/messages.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { TabHead } from '../../ui/rows/tab-head.js';
import { exactText, momentText, useNow } from '../../ui/time.js';
import { selectorColumn } from './authored-rows.js';
import { MuteForm } from './mute-form.js';
import { useAddForm } from '../../ui/to.js';
import { AwaitedTable } from '../../ui/rows/awaited.js';

type Mute = Schema<'Mute'>;

/** Devices of which no receiver is told for a time. */
export function Mutes(): ReactNode {
  const mayManage = useMay('monitoring.manage');
  const [isNew, setNew] = useAddForm(mayManage);
  const [removed, setRemoved] = useState<Mute | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: KEYS.mutes.all,
    queryFn: ({ signal }) => api.get('/v1/monitoring/mutes', { signal }),
  });
  const rules = useQuery({
    queryKey: KEYS.alertRules.all,
    queryFn: ({ signal }) => api.get('/v1/monitoring/rules', { signal }),
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <AwaitedTable titles={columnsOf(new Map()).map(({ title }) => title)} />;
  const names = new Map(rules.data?.items.map(({ id, name }) => [id, name]));
  const add = mayManage && (
    <Button kind="primary" icon="plus" onClick={() => setNew(true)}>
      New mute
    </Button>
  );
  return (
    <div className="stack">
      {data.items.length === 0 ? (
        <div className="card">
          <Empty
            title="No device is muted"
            command="fleetgate mute add -l site:vilnius --until 8h --reason 'Power works'"
            action={add}
          >
            During known works, a mute keeps their devices out of notifications. It ends by itself.
          </Empty>
        </div>
      ) : (
        <>
          <TabHead text="A mute keeps its devices out of notifications until it ends.">{add}</TabHead>
          <Table
            label="Mutes"
            columns={[...columnsOf(names), ...(mayManage ? [removeColumn(setRemoved)] : [])]}
            rows={data.items}
            rowKey={({ id }) => id}
          />
        </>
      )}
      {isNew && <MuteForm alert={null} onClose={() => setNew(false)} />}
      {removed && <RemoveMute mute={removed} onClose={() => setRemoved(null)} />}
    </div>
  );
}

const columnsOf = (names: ReadonlyMap<string, string>): readonly Column<Mute>[] => [
  { ...selectorColumn('Devices'), narrow: 'heading' },
  {
    title: 'Rules',
    brief: ({ ruleId }) => (ruleId === null ? 'all rules' : (names.get(ruleId) ?? 'one rule')),
    cell: ({ ruleId }) => (
      <span className="foreign cut">{ruleId === null ? 'all' : (names.get(ruleId) ?? 'one rule')}</span>
    ),
  },
  {
    title: 'Ends',
    cell: ({ until }) => <End at={until} />,
    brief: ({ until }) => (
      <>
        ends <End at={until} />
      </>
    ),
  },
  {
    title: 'Reason',
    narrow: 'line',
    cell: ({ reason }) => (
      <span className="foreign cut" title={reason}>
        {reason}
      </span>
    ),
  },
  {
    title: 'By',
    cell: ({ createdByName, orphaned, unreadable }) => {
      if (orphaned) return <Mark tone="bad">{`${createdByName} may not act any more: it mutes nothing`}</Mark>;
      if (unreadable) return <Mark tone="bad">A saved selector in it is gone: it mutes nothing</Mark>;
      return <span className="foreign cut">{createdByName}</span>;
    },
  },
];

/** With its hour, however far it is. */
const End = ({ at }: { at: string }): ReactNode => (
  <time dateTime={at} title={exactText(at)}>
    {momentText(at, useNow())}
  </time>
);

const removeColumn = (remove: (mute: Mute) => void): Column<Mute> => ({
  title: '',
  cell: (mute) => (
    <RowActions
      of={mute.reason}
      actions={[{ text: 'End', label: `End the mute: ${mute.reason}`, onSelect: () => remove(mute) }]}
    />
  ),
});

function RemoveMute({ mute: { id, reason }, onClose }: { mute: Mute; onClose: () => void }): ReactNode {
  const remove = useAction({
    run: () => api.delete('/v1/monitoring/mutes/{muteId}', { params: { path: { muteId: id } } }),
    done: 'The mute has ended',
    refreshes: ['mutes'],
    after: onClose,
  });
  return (
    <Confirm
      title="End this mute"
      send="End"
      busy={remove.isPending}
      equivalent={{ command: `mute remove ${id} --yes`, method: 'DELETE', path: `/v1/monitoring/mutes/${id}` }}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <span className="foreign">{reason}</span>: the next notification says what is open and was not told.
    </Confirm>
  );
}
