import { type ReactNode } from 'react';
import { type Column, Table } from '../../ui/list-table.js';
import { OptionTitle } from './option-field.js';
import { type OptionDifference } from './section-values.js';

const option = (row: OptionDifference) => <OptionTitle title={row.title} name={row.name} />;

const COLUMNS: readonly Column<OptionDifference>[] = [
  { title: 'Option', cell: option },
  { title: 'Before', narrow: 'block', cell: ({ before }) => <span className="foreign">{before}</span> },
  { title: 'After', narrow: 'block', cell: ({ after }) => <ins className="foreign">{after}</ins> },
];

const NEW: readonly Column<OptionDifference>[] = [
  { title: 'Option', cell: option },
  { title: 'Value', narrow: 'block', cell: ({ after }) => <ins className="foreign">{after}</ins> },
];

interface SectionDifferenceProps {
  rows: readonly OptionDifference[];
  /** There is nothing on the device yet. */
  isNew?: boolean;
}

/** What saving changes, before it is saved. */
export function SectionDifference({ rows, isNew = false }: SectionDifferenceProps): ReactNode {
  return (
    <Table
      label={isNew ? 'What is added' : 'What saving changes'}
      columns={isNew ? NEW : COLUMNS}
      rows={rows}
      rowKey={({ name }) => name}
    />
  );
}
