import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText, numberText } from '../../../api/amount-text.js';
import { api, type Schema } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { DeviceLink } from '../../../ui/devices/device-link.js';
import { type Column, Table } from '../../../ui/list-table.js';
import { Mark, StateMark } from '../../../ui/mark.js';
import { Card } from '../../../ui/page.js';
import { Ago } from '../../../ui/time.js';
import { To } from '../../../ui/to.js';
import { unsampledSelector } from './collection-figures.js';

type Policy = Schema<'ListedMonitoringPolicy'>;

interface Row {
  readonly id: string;
  readonly state: string;
  readonly seenAt: string | null;
  readonly isLocked: boolean;
}

const SHOWN = 25;

/** Which devices of the collections give no sample now, and why. */
export function Unsampled({ policies }: { policies: readonly Policy[] }): ReactNode {
  const selector = unsampledSelector(policies);
  const { data } = useQuery({
    queryKey: KEYS.monitoring.unsampled(selector),
    queryFn: ({ signal }) => readRows(selector, signal),
    enabled: selector !== '',
    refetchInterval: 30_000, // no event tells of a sample
  });
  if (!data || data.rows.length === 0) return null;
  return (
    <Card title={`${countText(data.devices, 'device')} without a sample now`} flush>
      <Table label="Devices without a sample now" columns={COLUMNS} rows={data.rows} rowKey={({ id }) => id} />
      {data.devices > data.rows.length && (
        <p className="small quiet">
          <To to="/devices" search={{ selector }}>
            All {numberText(data.devices)}
          </To>
        </p>
      )}
    </Card>
  );
}

async function readRows(selector: string, signal: AbortSignal) {
  const names = (of: string) =>
    api.get('/v1/devices', {
      params: { query: { selector: of, fields: 'id,name,state,seenAt', limit: SHOWN } },
      signal,
    });
  const [summary, { items }, locked] = await Promise.all([
    api.get('/v1/devices/summary', { params: { query: { selector, by: 'state' } }, signal }),
    names(selector),
    names(`(${selector}) & lock:any`),
  ]);
  const lockedIds = new Set(locked.items.map(({ id }) => id));
  const rows = items.flatMap(({ id, state, seenAt }): Row[] =>
    id === undefined || state === undefined ? [] : [{ id, state, seenAt: seenAt ?? null, isLocked: lockedIds.has(id) }],
  );
  // A sample that is only due says least.
  const isDue = ({ state, isLocked }: Row) => state === 'online' && !isLocked;
  return { devices: summary.devices, rows: rows.toSorted((a, b) => Number(isDue(a)) - Number(isDue(b))) };
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'Device', cell: ({ id }) => <DeviceLink id={id} /> },
  {
    title: 'Why',
    narrow: 'beside',
    cell: (row) => <Why of={row} locked="Locked: its values are not read" />,
    brief: (row) => <Why of={row} locked="Locked" />,
  },
  { title: 'Last answer', narrow: 'line', cell: ({ seenAt }) => <Ago at={seenAt} /> },
];

function Why({ of: { state, isLocked }, locked }: { of: Row; locked: string }): ReactNode {
  if (isLocked) return <Mark tone="warn">{locked}</Mark>;
  return state === 'online' ? <Mark tone="busy">Its next sample is due</Mark> : <StateMark state={state} />;
}
