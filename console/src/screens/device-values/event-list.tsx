import { type ReactNode, useState } from 'react';
import { numberText } from '../../api/amount-text.js';
import { Button } from '../../ui/button.js';
import { type Column, Table } from '../../ui/list-table.js';
import { StateMark } from '../../ui/mark.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { type DeviceEvent } from './events.js';

const SHOWN = 5;

interface EventListProps {
  readonly label: string;
  readonly events: readonly DeviceEvent[];
}

/** What happened to a device, the latest first. */
export function EventList({ label, events }: EventListProps): ReactNode {
  const [isAll, setAll] = useState(false);
  if (events.length === 0) return <p className="small quiet">Nothing happened in this time.</p>;
  return (
    <div className="stack">
      <Table label={label} columns={COLUMNS} rows={isAll ? events : events.slice(0, SHOWN)} rowKey={({ key }) => key} />
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
  { title: 'When', narrow: 'beside', share: 20, cell: ({ at }) => <Ago at={at} /> },
  {
    title: 'What',
    narrow: 'heading',
    share: 30,
    cell: ({ what, jobId }) => (
      <span className="foreign cut">{jobId ? <To to={`/jobs/${jobId}`}>{what}</To> : what}</span>
    ),
  },
  {
    title: 'How',
    narrow: 'line',
    share: 50,
    cell: ({ how, state }) => (state ? <StateMark state={state} /> : <span className="foreign cut">{how}</span>),
  },
];
