import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAction } from '../../../api/action.js';
import { countText } from '../../../api/amount-text.js';
import { api, type Schema } from '../../../api/client.js';
import { useMay } from '../../../api/may.js';
import { Confirm } from '../../../ui/confirm.js';
import { type Column, Table } from '../../../ui/list-table.js';
import { Mark } from '../../../ui/mark.js';
import { Failure } from '../../../ui/messages.js';
import { Card } from '../../../ui/page.js';
import { RowActions } from '../../../ui/rows/row-actions.js';
import { Ago } from '../../../ui/time.js';
import { To } from '../../../ui/to.js';
import { titleOf, tokensOf } from '../item-words.js';
import { ignoredQuery } from '../template-queries.js';

type IgnoredOption = Schema<'IgnoredOption'>;

/** What is let be for a time: where, why, by whom and until when. Without any, nothing is shown. */
export function IgnoredOptions({ template }: { template: string }): ReactNode {
  const { data, error, refetch } = useQuery(ignoredQuery(template));
  const [ended, setEnded] = useState<IgnoredOption | null>(null);
  const mayEnd = useMay('template.publish');
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data || data.items.length === 0) return null;
  return (
    <Card title={`${countText(data.items.length, 'option')} ignored for a time`} flush>
      <Table
        label="Ignored options"
        columns={mayEnd ? [...COLUMNS, endColumn(setEnded)] : COLUMNS}
        rows={data.items}
        rowKey={({ id }) => id}
      />
      {ended && <EndIgnored template={template} option={ended} onClose={() => setEnded(null)} />}
    </Card>
  );
}

const COLUMNS: readonly Column<IgnoredOption>[] = [
  {
    title: 'Setting',
    narrow: 'heading',
    cell: (row) => (
      <span className="foreign" title={tokensOf(row)}>
        {titleOf(row)}
      </span>
    ),
  },
  {
    title: 'Ends',
    narrow: 'line',
    cell: ({ until }) => <Ago at={until} />,
    brief: ({ until }) => (
      <>
        ends <Ago at={until} />
      </>
    ),
  },
  { title: 'Devices', narrow: 'line', cell: ({ selector }) => <Devices selector={selector} /> },
  {
    title: 'Reason',
    narrow: 'block',
    cell: ({ reason }) => <span className="foreign">{reason}</span>,
  },
  {
    title: 'By',
    narrow: 'line',
    cell: ({ createdByName, orphaned, unreadable }) => {
      if (orphaned) return <Mark tone="bad">{`${createdByName} may not act any more: nothing is ignored`}</Mark>;
      if (unreadable) return <Mark tone="bad">A saved selector in it is gone: nothing is ignored</Mark>;
      return <span className="foreign cut">{createdByName}</span>;
    },
    brief: ({ createdByName, orphaned, unreadable }) =>
      orphaned || unreadable ? <Mark tone="bad">ignores nothing</Mark> : `by ${createdByName}`,
  },
];

/** The selectors that the console makes are in words. */
function Devices({ selector }: Pick<IgnoredOption, 'selector'>): ReactNode {
  if (selector === null) return <span className="quiet">not shown to you</span>;
  if (selector === 'all') return 'All of the template';
  const terms = selector.split(' | ');
  const areIds = terms.every((term) => /^id:[0-9a-f-]{36}$/.test(term));
  return (
    <To to="/devices" search={{ selector }} title={selector}>
      {areIds ? countText(terms.length, 'device') : <code className="foreign cut">{selector}</code>}
    </To>
  );
}

const endColumn = (end: (option: IgnoredOption) => void): Column<IgnoredOption> => ({
  title: '',
  cell: (row) => (
    <RowActions
      of={titleOf(row)}
      actions={[{ text: 'End now', label: `End now: ${titleOf(row)}`, onSelect: () => end(row) }]}
    />
  ),
});

interface EndProps {
  readonly template: string;
  readonly option: IgnoredOption;
  readonly onClose: () => void;
}

function EndIgnored({ template, option, onClose }: EndProps): ReactNode {
  const { id, reason } = option;
  const path = { templateName: template, ignoredId: id };
  const end = useAction({
    run: () => api.delete('/v1/templates/{templateName}/ignored/{ignoredId}', { params: { path } }),
    done: 'The option counts again; the states follow in a moment',
    refreshes: ['templates'],
    after: onClose,
  });
  return (
    <Confirm
      title="End now: ignore this option no more"
      send="End now"
      busy={end.isPending}
      equivalent={{
        command: `template ignore-end ${template} ${id} --yes`,
        method: 'DELETE',
        path: `/v1/templates/${template}/ignored/${id}`,
      }}
      onConfirm={() => end.mutate()}
      onClose={onClose}
    >
      <span className="foreign">
        {titleOf(option)} ({reason})
      </span>
      : changes no router. From now on it differs where a device has another value, and jobs set it.
    </Confirm>
  );
}
