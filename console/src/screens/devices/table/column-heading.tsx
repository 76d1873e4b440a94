import { type ReactNode } from 'react';
import styles from './device-table.module.css';
import { type useColumnWidths } from './use-column-widths.js';

interface ColumnHeadingProps {
  sort: string;
  onSort: (sort: string) => void;
  title: string;
  /** The hint of the title. */
  about?: string | undefined;
  field?: string | undefined;
  /** What its right edge does. */
  handle: ReturnType<ReturnType<typeof useColumnWidths>['handleOf']>;
}

/** The title of a column, by which the table is sorted where it has a field. */
export function ColumnHeading({ title, about, field, handle, sort, onSort }: ColumnHeadingProps): ReactNode {
  const edge = <span className={styles['handle']} {...handle} />;
  if (field === undefined)
    return (
      <span role="columnheader" title={about}>
        {title}
        {edge}
      </span>
    );
  const direction = sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : 'none';
  return (
    <span role="columnheader" aria-sort={direction} title={about}>
      <button type="button" onClick={() => onSort(direction === 'ascending' ? `-${field}` : field)}>
        {title}
        {direction === 'none' ? '' : direction === 'ascending' ? ' ↑' : ' ↓'}
      </button>
      {edge}
    </span>
  );
}
