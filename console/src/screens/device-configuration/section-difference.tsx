import { type ReactNode } from 'react';
import { type Column, Table } from '../../ui/list-table.js';
import { type OptionDifference } from './section-values.js';

const COLUMNS: readonly Column<OptionDifference>[] = [
  { title: 'Option', cell: ({ name }) => <span className="foreign">{name}</span> },
  { title: 'On the device', cell: ({ before }) => <del className="foreign quiet">{before}</del> },
  { title: 'After saving', cell: ({ after }) => <ins className="foreign">{after}</ins> },
];

/** What saving changes, before it is saved. */
export function SectionDifference({ rows }: { rows: readonly OptionDifference[] }): ReactNode {
  return <Table label="What saving changes" columns={COLUMNS} rows={rows} rowKey={({ name }) => name} />;
}
