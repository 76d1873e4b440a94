import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { useAction } from '../../api/action.js';
import { countText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { Filters, SelectFilter } from '../../ui/filters.js';
import { type Column, ListTable, Table } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { Empty, Failure } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { CHANGED } from '../../ui/sides/side-by-side.js';
import { Ago, momentText } from '../../ui/time.js';
import { To, useSearchText } from '../../ui/to.js';
import { actorText, entryQuery } from '../audit/actor.js';
import { ChangeLines } from './change-lines.js';
import { missingText, pathTitle, shortTitle } from './path-words.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { AwaitedCards } from '../../ui/rows/awaited.js';

type Change = Schema<'ObservedChange'>;
type Reading = Schema<'DeviceObserved'>['items'][number];

/** What watches have read of a device, and how it changed: by us, or behind our back. */
export function DeviceHistory({ device }: { device: Schema<'Device'> }): ReactNode {
  const path = { ref: device.id };
  const key = KEYS.observed.ofDevice(device.id);
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => api.get('/v1/devices/{ref}/observed', { params: { path }, signal }),
  });
  const read = useAction({
    run: () => api.get('/v1/devices/{ref}/observed', { params: { path, query: { fresh: 'true' } } }),
    done: 'The device was read',
    refreshes: ['observed', 'watches'],
  });
  const mayRead = useMay('device.call_read');
  if (query.error) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <AwaitedCards />;
  const { items } = query.data;
  if (items.length === 0) return <NotWatched mayRead={mayRead} onRead={() => read.mutate()} busy={read.isPending} />;
  return (
    <div className="stack">
      <Changes device={device} paths={items.map((item) => item.path)} />
      <Card
        title={`${countText(items.length, 'part')} watched`}
        flush
        actions={
          mayRead && (
            <Button icon="refresh" busy={read.isPending} onClick={() => read.mutate()}>
              Read now
            </Button>
          )
        }
      >
        <Table label="What watches have read" columns={READINGS} rows={items} rowKey={(item) => item.path} />
      </Card>
    </div>
  );
}

/** Narrows changes to one of the paths that watches read. */
export function PathFilter({ paths }: { paths: readonly string[] }): ReactNode {
  return (
    <SelectFilter
      label="What"
      param="path"
      none="All that is watched"
      options={paths.map((one) => [one, shortTitle(one)])}
    />
  );
}

function Changes({ device: { id }, paths }: { device: Schema<'Device'>; paths: readonly string[] }): ReactNode {
  const [{ path }] = useSearchText();
  const list = useList('/v1/devices/{ref}/observed/changes', {
    key: KEYS.observed.changes(id),
    path: { ref: id },
    query: { path },
  });
  return (
    <>
      <Filters>
        <PathFilter paths={paths} />
      </Filters>
      <ListTable
        label="Changes of the configuration"
        list={list}
        columns={CHANGES}
        rowKey={(change) => change.id}
        empty={
          <Empty title="No change was seen">
            Each pass of a watch compares what it reads with the pass before. The first one has nothing to compare with.
          </Empty>
        }
      />
    </>
  );
}

/** Who changed it through the gateway, as the audit has it. */
function ChangedBy({ entryId, isBrief = false }: { entryId: string; isBrief?: boolean }): ReactNode {
  const { data } = useQuery({ ...entryQuery(entryId), enabled: useMay('audit.read') });
  return (
    <To to="/audit" search={{ entry: entryId }} className="foreign" title="Through the gateway; opens the audit entry">
      {data ? `${actorText(data)}${isBrief ? '' : ', through the gateway'}` : 'through the gateway'}
    </To>
  );
}

/** At its own page, by its own API, or by another program: no call of the gateway. */
const ByOthers = (): ReactNode => (
  <span title="No call of the gateway made it">
    <Mark tone="warn">On the device itself</Mark>
  </span>
);

/** Two readings that are so near say one time. */
const NEAR_MS = 60_000;

/** When it was seen, and between which readings it happened; the date of the later one is with the first line. */
function Seen({ of: { at, since } }: { of: Change }): ReactNode {
  const atMs = Date.parse(at);
  return (
    <>
      <Ago at={at} />
      {atMs - Date.parse(since) > NEAR_MS && (
        <div className="small quiet cut">{`between ${momentText(since, atMs)} and ${momentText(at, atMs)}`}</div>
      )}
    </>
  );
}

/** Of a device, and behind its name of all of them. */
export const CHANGES: readonly Column<Change>[] = [
  {
    title: 'Seen',
    cell: (change) => <Seen of={change} />,
    brief: ({ at }) => (
      <>
        seen <Ago at={at} />
      </>
    ),
  },
  { title: 'What', narrow: 'heading', cell: ({ path }) => <span title={path}>{pathTitle(path)}</span> },
  {
    title: 'What changed',
    narrow: 'block',
    share: 50,
    cell: ({ path, from, to, options }) => (
      <ChangeLines path={path} one={from} other={to} heads={CHANGED} otherwise={options.join(', ')} />
    ),
  },
  {
    title: 'By',
    narrow: 'beside',
    cell: ({ auditEntryId }) => (auditEntryId ? <ChangedBy entryId={auditEntryId} /> : <ByOthers />),
    brief: ({ auditEntryId }) => (auditEntryId ? <ChangedBy entryId={auditEntryId} isBrief /> : <ByOthers />),
  },
  {
    title: '',
    cell: ({ path, from, to }) => (
      <RowActions
        of={pathTitle(path)}
        actions={[{ text: 'Compare', label: 'Compare', to: '/configuration', search: { path, one: from, other: to } }]}
      />
    ),
  },
];

const READINGS: readonly Column<Reading>[] = [
  { title: 'What', cell: ({ path }) => <span title={path}>{pathTitle(path)}</span> },
  {
    title: 'Read',
    cell: ({ readAt }) => <Ago at={readAt} />,
    brief: ({ readAt }) =>
      readAt && (
        <>
          read <Ago at={readAt} />
        </>
      ),
  },
  {
    title: 'Changed',
    brief: ({ changedAt }) =>
      changedAt && (
        <>
          changed <Ago at={changedAt} />
        </>
      ),
    cell: ({ changedAt }) =>
      changedAt ? <Ago at={changedAt} /> : <span className="quiet">not since the first pass</span>,
  },
  {
    title: 'State',
    cell: ({ error }) =>
      error === null ? <Mark tone="set">Read completely</Mark> : <Mark tone="warn">{missingText(error)}</Mark>,
  },
  {
    title: '',
    cell: ({ path }) => (
      <RowActions
        of={pathTitle(path)}
        actions={[
          { text: 'Compare with the fleet', label: 'Compare with the fleet', to: '/configuration', search: { path } },
        ]}
      />
    ),
  },
];

interface NotWatchedProps {
  readonly mayRead: boolean;
  readonly onRead: () => void;
  readonly busy: boolean;
}

function NotWatched({ mayRead, onRead, busy }: NotWatchedProps): ReactNode {
  return (
    <div className="card">
      <Empty
        title="No watch has read this device"
        action={
          <div className="row">
            {mayRead && (
              <Button icon="refresh" busy={busy} onClick={onRead}>
                Read now
              </Button>
            )}
            <To to="/configuration" search={{ tab: 'watches' }}>
              Open the watches
            </To>
          </div>
        }
      >
        A watch reads the configuration on a rhythm. Then this tab shows each change, and whether the gateway made it.
      </Empty>
    </div>
  );
}
