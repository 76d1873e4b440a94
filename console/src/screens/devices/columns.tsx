import { type ReactNode } from 'react';
import { StateMark } from '../../ui/mark.js';
import { Ago } from '../../ui/time.js';
import { type DeviceRow } from './device-rows.js';

/* The columns that the table of devices can have. */

export interface DeviceColumn {
  readonly name: string;
  readonly title: string;
  /** A track of a CSS grid. */
  readonly width: string;
  /** The field of `sort`, where the list can be sorted by it. */
  readonly sort?: string;
  readonly cell: (row: DeviceRow) => ReactNode;
}

const text = (value: string | null | undefined) => (
  <span className="cut foreign" title={value ?? undefined}>
    {value || '–'}
  </span>
);

const tags = (row: DeviceRow) => (
  <span className="cut foreign" title={row.tags.join(', ')}>
    {row.tags.join(', ') || '–'}
  </span>
);

export const COLUMNS: readonly DeviceColumn[] = [
  { name: 'state', title: 'State', width: '148px', sort: 'state', cell: ({ state }) => <StateMark state={state} /> },
  { name: 'site', title: 'Site', width: 'minmax(102px, 1fr)', sort: 'site', cell: ({ site }) => text(site) },
  { name: 'model', title: 'Model', width: 'minmax(118px, 0.8fr)', sort: 'model', cell: ({ model }) => text(model) },
  {
    name: 'firmware',
    title: 'Firmware',
    width: 'minmax(146px, 1fr)',
    sort: 'firmware',
    cell: ({ firmware }) => text(firmware),
  },
  { name: 'tags', title: 'Tags', width: 'minmax(90px, 1fr)', cell: tags },
  { name: 'seen', title: 'Last answer', width: '96px', sort: 'seenAt', cell: ({ seenAt }) => <Ago at={seenAt} /> },
  { name: 'serial', title: 'Serial number', width: 'minmax(100px, 0.8fr)', cell: ({ serial }) => text(serial) },
  { name: 'mac', title: 'MAC', width: '140px', cell: ({ mac }) => text(mac) },
  { name: 'address', title: 'Address', width: 'minmax(150px, 1fr)', cell: ({ baseUrl }) => text(baseUrl) },
  { name: 'note', title: 'Note', width: 'minmax(120px, 1fr)', cell: ({ note }) => text(note) },
  {
    name: 'changed',
    title: 'Changed',
    width: '110px',
    sort: 'updatedAt',
    cell: ({ updatedAt }) => <Ago at={updatedAt} />,
  },
];

const SHOWN = 'state,site,model,firmware,seen,tags';

/** The columns of an address, in its order. */
export function shownColumns(names = SHOWN): DeviceColumn[] {
  return names.split(',').flatMap((name) => COLUMNS.find((column) => column.name === name) ?? []);
}
