import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { Filters, SelectFilter } from '../../ui/filters.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { StateMark, stateText } from '../../ui/mark.js';
import { Empty } from '../../ui/messages.js';
import { Page } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import { To, useGo, useSearchText } from '../../ui/to.js';
import { kindTitle } from '../jobs/kinds.js';
import { CountBar } from './count-bar.js';

type Rollout = Schema<'Rollout'>;

const STATES = ['draft', 'awaiting_approval', 'scheduled', 'running', 'paused', 'aborting', 'finished', 'aborted'];

const COLUMNS: readonly Column<Rollout>[] = [
  {
    title: 'Rollout',
    cell: ({ id, name }) => (
      <To to={`/rollouts/${id}`} className="foreign cut" title={name}>
        {name}
      </To>
    ),
  },
  { title: 'Job', cell: ({ kind }) => kindTitle(kind) },
  { title: 'State', cell: ({ state }) => <StateMark state={state} /> },
  { title: 'Progress', cell: (rollout) => <CountBar counts={rollout.counts} /> },
  {
    title: 'Devices',
    cell: ({ selector, total }) => (
      <span className="foreign cut" title={selector ?? undefined}>
        {total.toLocaleString('en')} <span className="quiet">{selector ?? ''}</span>
      </span>
    ),
  },
  {
    title: 'Created by',
    cell: ({ createdByName, scheduleId }) => (
      <span className="foreign cut" title={createdByName}>
        {createdByName}
        {scheduleId && ', by a schedule'}
      </span>
    ),
  },
  { title: 'Created', cell: ({ createdAt }) => <Ago at={createdAt} /> },
];

/** All rollouts, newest first. */
export function Rollouts(): ReactNode {
  const [{ state }, change] = useSearchText();
  const go = useGo();
  const may = useMay('rollout.manage');
  const list = useList('/v1/rollouts', { key: ['rollouts'], query: { state } });
  return (
    <Page
      title="Rollouts"
      actions={
        may && (
          <Button kind="primary" icon="plus" onClick={() => go('/rollouts/new')}>
            Plan a rollout
          </Button>
        )
      }
    >
      <Filters>
        <SelectFilter label="State" param="state" options={STATES.map((one) => [one, stateText(one)] as const)} />
        {state && <Button onClick={() => change({ state: undefined, pages: undefined })}>Clear filters</Button>}
      </Filters>
      <ListTable
        label="Rollouts"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={<NoRollouts isNarrowed={state !== undefined} />}
      />
    </Page>
  );
}

function NoRollouts({ isNarrowed }: { isNarrowed: boolean }): ReactNode {
  if (isNarrowed) return <Empty title="No rollout has this state">Choose another, or clear the filter.</Empty>;
  return (
    <Empty title="No rollouts yet" command="fleetgate rollout apply -f rollout.yaml --watch">
      A rollout does one job on many devices: a canary first, then wave by wave, and it pauses when too many fail.
    </Empty>
  );
}
