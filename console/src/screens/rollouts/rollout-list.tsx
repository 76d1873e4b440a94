import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText, numberText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { TextField } from '../../ui/field.js';
import { SelectFilter } from '../../ui/filters.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { stateText } from '../../ui/mark.js';
import { Empty } from '../../ui/messages.js';
import { ListHead } from '../../ui/rows/list-head.js';
import { Page } from '../../ui/page.js';
import { Ago, durationText, useNow } from '../../ui/time.js';
import { To, useAddressText, useGo, useSearchText } from '../../ui/to.js';
import { isDiscarded } from '../../ui/words/rollout-state.js';
import { KINDS, kindTitle } from '../jobs/kinds.js';
import { CountBar, countsText } from './count-bar.js';
import { failedOf, takingPart } from './forecast.js';
import { waveNowText } from './pictures/wave-now.js';
import { rolloutQuery } from './plan/rollout-query.js';
import { RolloutMark } from './rollout-mark.js';

type Rollout = Schema<'Rollout'>;

const STATES = ['draft', 'awaiting_approval', 'scheduled', 'running', 'paused', 'aborting', 'finished', 'aborted'];

const COLUMNS: readonly Column<Rollout>[] = [
  {
    title: 'Rollout',
    cell: (rollout) => <Named rollout={rollout} />,
    brief: ({ id, name }) => (
      <To to={`/rollouts/${id}`} className="foreign">
        {name}
      </To>
    ),
  },
  { title: 'Job', narrow: 'line', cell: ({ kind }) => kindTitle(kind) },
  { title: 'State', cell: (rollout) => <RolloutMark rollout={rollout} /> },
  {
    title: 'Progress',
    cell: (rollout) =>
      rollout.startedAt === null ? (
        <span className="quiet">{notStarted(rollout)}</span>
      ) : (
        <>
          <CountBar counts={rollout.counts} />
          {rollout.state === 'running' && <WaveNow id={rollout.id} />}
        </>
      ),
    brief: (rollout) => (rollout.startedAt === null ? notStarted(rollout) : countsText(rollout.counts)),
  },
  { title: 'Failures', cell: ({ counts }) => <Failures count={failedOf(counts)} />, isNumber: true },
  {
    title: 'Created by',
    cell: ({ createdByName, scheduleId }) => (
      <span className="foreign cut" title={createdByName}>
        {createdByName}
        {scheduleId && ', by a schedule'}
      </span>
    ),
  },
  { title: 'Created', narrow: 'line', cell: ({ createdAt }) => <Ago at={createdAt} /> },
  { title: 'Ended', cell: ({ endedAt }) => (endedAt ? <Ago at={endedAt} /> : <span className="quiet">–</span>) },
  { title: 'Duration', cell: ({ startedAt, endedAt }) => <Took from={startedAt} to={endedAt} />, isNumber: true },
];

const notStarted = (rollout: Rollout): string =>
  `${countText(takingPart(rollout.counts), 'device')}, ${isDiscarded(rollout) ? 'nothing was sent' : 'not started'}`;

/** The wave that runs, and whether a person lets the next one begin: the list has no waves. */
function WaveNow({ id }: { id: string }): ReactNode {
  const may = useMay('rollout.manage');
  const { data } = useQuery({ ...rolloutQuery(id), refetchInterval: 15_000 });
  const text = data ? waveNowText(data, may ? 'you' : 'a person') : '';
  return text && <span className="small quiet foreign cut">{text}</span>;
}

/** Its name and its devices; two drafts may have one name, so the id is the tooltip. */
function Named({ rollout: { id, name, selector } }: { rollout: Rollout }): ReactNode {
  return (
    <div className="foreign cut">
      <To to={`/rollouts/${id}`} className="foreign cut" title={name}>
        {name}
      </To>
      <span className="foreign cut small quiet" title={`${selector ?? ''} (${id})`}>
        {selector ?? 'devices that you see in part'}
      </span>
    </div>
  );
}

const Failures = ({ count }: { count: number }): ReactNode =>
  count === 0 ? <span className="quiet">0</span> : <strong>{numberText(count)}</strong>;

/** How long it ran, or runs. */
function Took({ from, to }: { from: string | null; to: string | null }): ReactNode {
  const now = useNow();
  if (from === null) return <span className="quiet">–</span>;
  return durationText(Math.max(0, (to ? Date.parse(to) : now) - Date.parse(from)));
}

/** All rollouts, newest first. */
export function Rollouts(): ReactNode {
  const [{ state, kind, name, createdBy }, change] = useSearchText();
  const go = useGo();
  const may = useMay('rollout.manage');
  const list = useList('/v1/rollouts', { key: KEYS.rollouts.all, query: { state, kind, name, createdBy } });
  const isNarrowed = Boolean(state ?? kind ?? name ?? createdBy);
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
      <ListHead list={list} isNarrowed={isNarrowed}>
        <SelectFilter label="State" param="state" options={STATES.map((one) => [one, stateText(one)] as const)} />
        <SelectFilter label="Job" param="kind" options={KINDS} />
        <TextFilter label="Name" param="name" />
        <TextFilter label="Created by" param="createdBy" />
        {isNarrowed && (
          <Button
            onClick={() =>
              change({ state: undefined, kind: undefined, name: undefined, createdBy: undefined, pages: undefined })
            }
          >
            Clear filters
          </Button>
        )}
      </ListHead>
      <ListTable
        label="Rollouts"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={<NoRollouts isNarrowed={isNarrowed} />}
      />
    </Page>
  );
}

/** Any part of a text, applied while it is typed. */
function TextFilter({ label, param }: { label: string; param: string }): ReactNode {
  const [text, setText] = useAddressText(param);
  return (
    <TextField
      label={label}
      type="search"
      autoComplete="off"
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}

function NoRollouts({ isNarrowed }: { isNarrowed: boolean }): ReactNode {
  if (isNarrowed) return <Empty title="No rollout matches these filters">Choose others, or clear them.</Empty>;
  return (
    <Empty title="No rollouts yet" command="fleetgate rollout apply -f rollout.yaml --watch">
      A rollout does one job on many devices: a canary first, then wave by wave, and it pauses when too many fail.
    </Empty>
  );
}
