import { type ReactNode, useState } from 'react';
import { numberText } from '../../api/amount-text.js';
import { Button } from '../../ui/button.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { type DeviceEvent } from './happened.js';

const SHOWN = 4;

/** What happened in the time of a chart, the latest first. */
export function EventList({ events }: { events: readonly DeviceEvent[] }): ReactNode {
  const [isAll, setAll] = useState(false);
  if (events.length === 0) return <p className="small quiet">Nothing else happened in this time.</p>;
  return (
    <div className="stack">
      <Table
        label="What happened in this time"
        columns={COLUMNS}
        rows={isAll ? events : events.slice(0, SHOWN)}
        rowKey={({ at, what, after }) => `${at} ${what} ${after}`}
      />
      {events.length > SHOWN && (
        <div>
          <Button kind="quiet" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? 'Show fewer' : `${numberText(events.length - SHOWN)} more`}
          </Button>
        </div>
      )}
    </div>
  );
}

const COLUMNS: readonly Column<DeviceEvent>[] = [
  { title: 'When', narrow: 'beside', share: 18, cell: ({ at }) => <Ago at={at} /> },
  {
    title: 'What',
    narrow: 'heading',
    share: 32,
    cell: ({ what, jobId }) => (
      <span className="foreign cut">{jobId ? <To to={`/jobs/${jobId}`}>{what}</To> : what}</span>
    ),
  },
  {
    title: 'Before',
    narrow: 'none',
    share: 25,
    cell: ({ before }) => <span className="foreign cut">{before ?? '–'}</span>,
  },
  {
    title: 'After',
    narrow: 'line',
    share: 25,
    brief: ({ before, after }) => (before === null ? after : `${before} → ${after}`),
    cell: ({ after }) => <span className="foreign cut">{after}</span>,
  },
];
