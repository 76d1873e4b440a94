import { type ReactNode, useEffect } from 'react';
import { type List } from '../api/lists.js';
import { Button } from './button.js';
import { Failure } from './messages.js';
import { useNarrow } from './rows/narrow.js';
import { type NarrowPlace } from './rows/narrow-places.js';
import { NarrowRow } from './rows/narrow-row.js';
import { useSearchText } from './to.js';
import { AwaitedTable } from './rows/awaited.js';

export interface Column<Row> {
  /** Empty for actions. */
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  readonly isNumber?: boolean;
  /** A mark that stands below the middle of its title. */
  readonly isMiddle?: boolean;
  /** The part of the width that it has at most, in percent: what does not fit is cut, so that the columns beside it stay in sight. */
  readonly share?: number;
  /** Sorts the rows by it; the title is a button then. */
  readonly sort?: ColumnSort;
  /** Its place on narrow screens. */
  readonly narrow?: NarrowPlace;
  /** What stands there: it is understood without the title, as by a unit or a word. Null: nothing. Without a place it is in the grey line. */
  readonly brief?: (row: Row) => ReactNode;
}

interface ColumnSort {
  readonly direction: 'ascending' | 'descending' | 'none';
  readonly turn: () => void;
}

interface TableProps<Row> {
  /** What the table holds, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** The name of a row that has no screen of its own: on narrow screens it opens all its values. */
  details?: (row: Row) => string;
  /** Whether a row is what a panel beside the table shows. */
  isOpen?: (row: Row) => boolean;
}

/** A table; on narrow screens each row has two lines: its name and state, and what matters most of it. */
export function Table<Row>({ label, columns, rows, rowKey, details, isOpen }: TableProps<Row>): ReactNode {
  const isNarrow = useNarrow();
  const Row = isNarrow ? NarrowRow<Row> : WideRow<Row>;
  return (
    <div className="table-box" role="region" aria-label={label} tabIndex={0}>
      {/* Where each column has its share, tables below each other have common edges. */}
      <table className="table" data-fixed={columns.every(({ share }) => share !== undefined) || undefined}>
        <caption className="visually-hidden">{label}</caption>
        {!isNarrow && (
          <thead>
            <tr>
              {columns.map(({ title, isNumber, isMiddle, share, sort }, at) => (
                <th
                  key={at}
                  scope="col"
                  aria-sort={sort?.direction}
                  className={isNumber ? 'number' : isMiddle ? 'middle' : undefined}
                  style={share ? { width: `${share}%` } : undefined}
                >
                  {sort ? (
                    <SortButton {...sort}>{title}</SortButton>
                  ) : (
                    title || <span className="visually-hidden">Actions</span>
                  )}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row) => (
            <Row key={rowKey(row)} row={row} columns={columns} details={details} isOpen={isOpen?.(row)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const ARROWS = { ascending: ' ↑', descending: ' ↓', none: '' } as const;

const SortButton = ({ direction, turn, children }: ColumnSort & { children: ReactNode }): ReactNode => (
  <button type="button" className="sort" onClick={turn}>
    {children}
    {ARROWS[direction]}
  </button>
);

interface RowProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  details?: ((row: Row) => string) | undefined;
  isOpen?: boolean | undefined;
}

function WideRow<Row>({ row, columns, isOpen }: RowProps<Row>): ReactNode {
  return (
    <tr aria-current={isOpen || undefined}>
      {columns.map(({ title, cell, isNumber, isMiddle, share }, at) => (
        <td
          key={at}
          data-place={title === '' ? 'actions' : undefined}
          data-cut={share !== undefined || undefined}
          className={isNumber ? 'number' : isMiddle ? 'middle' : undefined}
        >
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}

interface ListTableProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  list: List<Row>;
  /** Shown where the list has no rows. */
  empty: ReactNode;
}

/** Pages that an address opens. A person may go on further, and a link then leads to so many. */
const PAGES_MAX = 20;

/** The address has the number of open pages, so that a reload and a pasted link show the same rows. @returns opens one more */
function usePages({ pages, hasMore, isLoadingMore, error, more }: Omit<List<unknown>, 'rows'>): () => void {
  const [search, change] = useSearchText();
  const wanted = Math.min(Number(search['pages']) || 1, PAGES_MAX);
  const isShort = pages > 0 && pages < wanted && hasMore && !isLoadingMore && !error;
  useEffect(() => {
    if (isShort) more();
  }, [isShort, more]);
  return () => {
    if (pages < PAGES_MAX) change({ pages: String(pages + 1) });
    if (error || pages >= PAGES_MAX) more();
  };
}

/** A list of the API as a table: its error, its waiting, its end and its next page. */
export function ListTable<Row>({ list, empty, ...table }: ListTableProps<Row>): ReactNode {
  const openMore = usePages(list);
  if (list.error && list.rows.length === 0) return <Failure error={list.error} onRetry={list.again} />;
  if (list.isLoading) return <AwaitedTable titles={table.columns.map(({ title }) => title)} />;
  if (list.rows.length === 0) return <div className="card">{empty}</div>;
  return (
    <div className="stack">
      {list.error ? <Failure error={list.error} onRetry={list.again} /> : null}
      <Table {...table} rows={list.rows} />
      {list.hasMore && (
        <div>
          <Button busy={list.isLoadingMore} onClick={openMore}>
            Show more
          </Button>
        </div>
      )}
    </div>
  );
}
