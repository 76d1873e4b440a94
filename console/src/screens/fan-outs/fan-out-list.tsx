import { type ReactNode } from 'react';
import { numberText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { SelectFilter } from '../../ui/filters.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { StateMark } from '../../ui/mark.js';
import { Empty } from '../../ui/messages.js';
import { Page } from '../../ui/page.js';
import { ListHead } from '../../ui/rows/list-head.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { Ago } from '../../ui/time.js';
import { To, useGo, useSearchText } from '../../ui/to.js';
import { actTitle } from '../access/approving/act-words.js';
import { againSearch, others, OUTCOMES, requestText } from './requests.js';
import styles from './fan-outs.module.css';

type Item = Schema<'StoredFanOutItem'>;

const STATES = [
  ['running', 'Running'],
  ['ended', 'Ended'],
  ['interrupted', 'Interrupted'],
] as const;

const COLUMNS: readonly Column<Item>[] = [
  {
    title: 'Query',
    cell: ({ id, requests, devices }) => (
      <To to={`/fan-outs/${id}`} className="foreign cut" title={requestText(requests)}>
        {actTitle(requests, devices)}
      </To>
    ),
  },
  {
    title: 'Devices',
    cell: ({ selector }) =>
      selector === null ? (
        <span className="quiet">a choice that you see only in part</span>
      ) : (
        <To to="/devices" search={{ selector }} className="foreign cut mono" title={selector}>
          {selector}
        </To>
      ),
  },
  {
    title: 'Answered',
    cell: (item) => <Answered item={item} />,
    brief: (item) => answeredText(item) && `${answeredText(item)} answered`,
  },
  { title: 'State', narrow: 'beside', cell: ({ state }) => <StateMark state={state} /> },
  { title: 'Started by', narrow: 'line', cell: ({ startedBy }) => <span className="foreign cut">{startedBy}</span> },
  { title: 'Started', narrow: 'line', cell: ({ startedAt }) => <Ago at={startedAt} /> },
  { title: '', cell: (item) => <Again item={item} /> },
];

function Again({ item }: { item: Item }): ReactNode {
  const search = againSearch(item);
  return (
    <RowActions
      of={actTitle(item.requests, item.devices)}
      actions={[search && { text: 'Ask again', to: '/fan-outs/new', search }]}
    />
  );
}

/** Fan-outs whose outcomes are stored, newest first. */
export function FanOuts(): ReactNode {
  const [{ state }, change] = useSearchText();
  const go = useGo();
  const list = useList('/v1/fan-outs', { key: KEYS.fanOuts.all, query: { state } });
  return (
    <Page
      title="Bulk query"
      actions={
        <Button kind="primary" icon="share" onClick={() => go('/fan-outs/new')}>
          New bulk query
        </Button>
      }
    >
      <p className="quiet">One call to many devices at once, and their answers side by side.</p>
      <ListHead list={list} isNarrowed={state !== undefined}>
        <SelectFilter label="State" param="state" options={STATES} />
        {state && <Button onClick={() => change({ state: undefined, pages: undefined })}>Clear filters</Button>}
      </ListHead>
      <ListTable
        label="Stored bulk queries"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={
          state ? (
            <Empty title="No bulk query has this state">Choose another, or clear the filter.</Empty>
          ) : (
            <Empty
              title="No bulk queries are stored"
              command="fleetgate fan-out get /system/device/status -l tag:pump --keep"
            >
              A bulk query sends one call to all devices of a selector, and shows equal answers together.
            </Empty>
          )
        }
      />
    </Page>
  );
}

/** `all 25`, or `24 of 25`; null: the reader sees a part of them. */
function answeredText({ counts, devices }: Item): string | null {
  if (counts === null) return null;
  const [good, rest] = [counts['succeeded'] ?? 0, others(counts)];
  const all = Math.max(devices ?? 0, good + rest);
  return good === all ? `all ${numberText(all)}` : `${numberText(good)} of ${numberText(all)}`;
}

/** How many have answered and how many have not, in words and as a bar. */
function Answered({ item }: { item: Item }): ReactNode {
  const { counts, devices } = item;
  if (counts === null) return <span className="quiet">open it to see your devices</span>;
  const [good, rest] = [counts['succeeded'] ?? 0, others(counts)];
  const all = Math.max(devices ?? 0, good + rest);
  const missed = OUTCOMES.filter(([outcome]) => outcome !== 'succeeded' && (counts[outcome] ?? 0) > 0);
  return (
    <span className={styles['answered']}>
      <span>
        {answeredText(item)}
        {missed.length > 0 && (
          <span className="quiet">
            {': '}
            {missed.map(([outcome, , title]) => `${numberText(counts[outcome]!)} ${title.toLowerCase()}`).join(', ')}
          </span>
        )}
      </span>
      {all > 0 && (
        <span className="bar" aria-hidden="true">
          <i data-tone="good" style={{ width: `${(100 * good) / all}%` }} />
          {missed.map(([outcome, tone]) => (
            <i key={outcome} data-tone={tone} style={{ width: `${(100 * counts[outcome]!) / all}%` }} />
          ))}
        </span>
      )}
    </span>
  );
}
