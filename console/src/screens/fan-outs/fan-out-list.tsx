import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { Filters, SelectFilter } from '../../ui/filters.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { StateMark } from '../../ui/mark.js';
import { Empty } from '../../ui/messages.js';
import { Page } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import { To, useGo, useSearchText } from '../../ui/to.js';
import { others, requestText } from './requests.js';

type Item = Schema<'StoredFanOutItem'>;

const STATES = [
  ['running', 'Running'],
  ['ended', 'Ended'],
  ['interrupted', 'Interrupted'],
] as const;

const COLUMNS: readonly Column<Item>[] = [
  {
    title: 'Call',
    cell: ({ id, requests }) => (
      <To to={`/fan-outs/${id}`} className="foreign cut mono" title={requestText(requests)}>
        {requestText(requests)}
      </To>
    ),
  },
  { title: 'State', cell: ({ state }) => <StateMark state={state} /> },
  {
    title: 'Devices',
    cell: ({ devices, selector }) => (
      <span className="foreign cut" title={selector ?? undefined}>
        {devices?.toLocaleString('en') ?? 'some'} <span className="quiet">{selector ?? ''}</span>
      </span>
    ),
  },
  { title: 'Outcome', cell: (item) => <Outcome item={item} /> },
  { title: 'Started by', cell: ({ startedBy }) => <span className="foreign cut">{startedBy}</span> },
  { title: 'Started', cell: ({ startedAt }) => <Ago at={startedAt} /> },
];

/** Fan-outs whose outcomes are stored, newest first. */
export function FanOuts(): ReactNode {
  const [{ state }, change] = useSearchText();
  const go = useGo();
  const list = useList('/v1/fan-outs', { key: KEYS.fanOuts.all, query: { state } });
  return (
    <Page
      title="Fan-out"
      actions={
        <Button kind="primary" icon="share" onClick={() => go('/fan-outs/new')}>
          Call many devices
        </Button>
      }
    >
      <Filters>
        <SelectFilter label="State" param="state" options={STATES} />
        {state && <Button onClick={() => change({ state: undefined, pages: undefined })}>Clear filters</Button>}
      </Filters>
      <ListTable
        label="Stored fan-outs"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={
          state ? (
            <Empty title="No fan-out has this state">Choose another, or clear the filter.</Empty>
          ) : (
            <Empty
              title="No fan-outs are stored"
              command="fleetgate fan-out get /system/device/status -l tag:pump --keep"
            >
              A fan-out sends one call to all devices of a selector, and shows equal answers together.
            </Empty>
          )
        }
      />
    </Page>
  );
}

function Outcome({ item: { counts } }: { item: Item }): ReactNode {
  if (counts === null) return <span className="quiet">open it to see your devices</span>;
  const rest = others(counts);
  return (
    <span>
      {(counts['succeeded'] ?? 0).toLocaleString('en')} succeeded
      {rest > 0 && <strong>, {rest.toLocaleString('en')} did not</strong>}
    </span>
  );
}
