import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { type Schema } from '../../api/client.js';
import { gatewayNow } from '../../api/clock.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { useList } from '../../api/lists.js';
import { Filters, SelectFilter } from '../../ui/filters.js';
import { SelectorChoice } from '../../ui/devices/selector-choice.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { Empty } from '../../ui/messages.js';
import { To, useAddressText, useSearchText } from '../../ui/to.js';
import { CHANGES, PathFilter } from './device-history.js';
import { watchesQuery } from './place.js';

const HOUR_MS = 3_600_000;

const SPANS = [
  ['24', 'Last 24 hours'],
  ['168', 'Last 7 days'],
  ['720', 'Last 30 days'],
] as const;

/** No event tells of a change that a pass has found. */
const READ_EVERY_MS = 30_000;

/** What changed on all devices, as watches have seen it, the newest first. */
export function FleetChanges(): ReactNode {
  const [search] = useSearchText();
  const { path, span } = search;
  const [typed, setSelector] = useAddressText('selector');
  const selector = search['selector']?.trim() || 'all';
  const since = useMemo(
    () => (span ? new Date(gatewayNow() - Number(span) * HOUR_MS).toISOString() : undefined),
    [span],
  );
  const watches = useQuery(watchesQuery);
  const paths = [...new Set(watches.data?.items.flatMap((watch) => watch.paths))];
  const list = useList('/v1/observed/changes', {
    key: KEYS.observed.fleetChanges,
    query: { selector, path, since },
    every: READ_EVERY_MS,
  });
  return (
    <div className="stack">
      <Filters>
        <PathFilter paths={paths} />
        <SelectFilter label="When" param="span" none="Any time" options={SPANS} />
      </Filters>
      <SelectorChoice emptyIsAll value={typed === 'all' ? '' : typed} onValue={setSelector} />
      <ListTable
        label="Changes on all devices"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={<NoChanges isNarrowed={selector !== 'all' || path !== undefined || span !== undefined} />}
      />
    </div>
  );
}

type FleetChange = Schema<'ObservedChange'>;

/** Those of one device, behind its name. */
const COLUMNS: readonly Column<FleetChange>[] = [
  {
    title: 'Device',
    narrow: 'heading',
    cell: ({ deviceId, deviceName }) => (
      <To to={`/devices/${deviceId}`} search={{ tab: 'history' }} className="foreign cut" title={deviceName}>
        {deviceName}
      </To>
    ),
  },
  ...CHANGES.map(besideDevice),
];

/** As a column of one device, with less room. */
function besideDevice(column: (typeof CHANGES)[number]): Column<FleetChange> {
  if (column.narrow === 'heading') return { ...column, narrow: 'line' };
  return column.share === undefined ? column : { ...column, share: 45 };
}

function NoChanges({ isNarrowed }: { isNarrowed: boolean }): ReactNode {
  if (isNarrowed) return <Empty title="No change matches">Choose other devices, another part or a longer time.</Empty>;
  return (
    <Empty
      title="No change was seen"
      action={
        <To to="/configuration" search={{ tab: 'watches' }}>
          Open the watches
        </To>
      }
    >
      Each pass of a watch compares what it reads with the pass before, and a change is then here: of a job, a call
      through the gateway, or on the device itself.
    </Empty>
  );
}
