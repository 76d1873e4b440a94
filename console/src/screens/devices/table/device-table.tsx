import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type MouseEvent as PointerPress,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react';
import { countText } from '../../../api/amount-text.js';
import { useGo } from '../../../ui/to.js';
import { layoutOf } from '../columns.js';
import { type DeviceColumn, type DeviceRows } from '../device-rows.js';
import { ColumnHeading } from './column-heading.js';
import { DeviceTableRow, useTick } from './device-table-row.js';
import styles from './device-table.module.css';
import { useColumnWidths } from './use-column-widths.js';

/* A table of any length: some thirty rows are in the page, and the list behind is as long as the fleet. */

interface DeviceTableProps {
  columns: readonly DeviceColumn[];
  rows: DeviceRows;
  sort: string;
  onSort: (sort: string) => void;
  isChecked: (id: string) => boolean;
  /** How many are checked. */
  checked: number;
  /** All that match are chosen, not those with a mark. */
  allChecked: boolean;
  onCheck: (id: string) => void;
  /** Checks the rows from one place to another. */
  onCheckRange: (from: number, to: number) => void;
  onCheckAll: () => void;
  /** Is told which places are on the screen. */
  onView: (first: number, last: number) => void;
  isDense: boolean;
  /** The row that is first on the screen when the table opens. */
  place: number;
  /** Is told the first row on the screen after a scroll. */
  onPlace: (first: number) => void;
}

const ROW_PX = 36;
const DENSE_ROW_PX = 30;
const NARROW_ROW_PX = 62;

export function DeviceTable(props: DeviceTableProps): ReactNode {
  const { columns, rows, allChecked, isChecked, checked, onCheckAll, onView, isDense } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const go = useGo();
  const isNarrow = matchMedia('(max-width: 700px)').matches;
  const rowPx = isNarrow ? NARROW_ROW_PX : isDense ? DENSE_ROW_PX : ROW_PX;
  const total = rows.count;
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 8,
  });
  useEffect(() => virtual.measure(), [rowPx, virtual]);
  const onScroll = useOpeningPlace(scroller, { total: rows.total, rowPx, ...props });
  const shown = virtual.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => onView(first, last), [first, last, onView]);
  /** One handler for all links: a router's link in each row doubles the time of a fast scroll. */
  const opened = (event: PointerPress) => {
    const link = event.target instanceof Element ? event.target.closest('a[data-id]') : null;
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go(`/devices/${link.getAttribute('data-id')}`);
  };
  const { widths, handleOf } = useColumnWidths();
  const { tracks, width } = layoutOf(columns, widths);
  const onTick = useTick(props);
  return (
    <div
      ref={scroller}
      className={styles['scroller']}
      data-windowed
      data-dense={isDense}
      data-chosen={checked > 0}
      role="region"
      aria-label="Devices"
      tabIndex={0}
      onClick={opened}
      onScroll={onScroll}
    >
      <div role="table" aria-label="Devices" aria-rowcount={total + 1} style={{ minWidth: width }}>
        <div role="rowgroup" className={styles['head']}>
          <div role="row" aria-rowindex={1} className={styles['row']} style={{ gridTemplateColumns: tracks }}>
            <span role="columnheader">
              <input
                type="checkbox"
                aria-label={`Select all ${countText(total, 'device')}`}
                checked={allChecked}
                ref={(box) => {
                  if (box) box.indeterminate = !allChecked && checked > 0;
                }}
                onChange={onCheckAll}
              />
            </span>
            <ColumnHeading title="Name" field="name" handle={handleOf('name', 'Name')} {...props} />
            {columns.map(({ name, title, about, sort: field }) => (
              <ColumnHeading
                key={name}
                title={title}
                about={about}
                field={field}
                handle={handleOf(name, title)}
                {...props}
              />
            ))}
          </div>
        </div>
        <div role="rowgroup" className={styles['body']} style={{ height: virtual.getTotalSize() }}>
          {shown.map(({ index, start, size }) => (
            <DeviceTableRow
              key={index}
              row={rows.rowAt(index)}
              place={index}
              top={start}
              height={size}
              tracks={tracks}
              columns={columns}
              isChecked={isChecked(rows.rowAt(index)?.id ?? '')}
              isLocked={rows.isLocked(rows.rowAt(index)?.id ?? '')}
              alert={rows.alertOf(rows.rowAt(index)?.id ?? '')}
              onTick={onTick}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

interface Opening extends Pick<DeviceTableProps, 'place' | 'onPlace'> {
  total: number | null;
  rowPx: number;
}

/** Goes to the row of the address once the length of the list is known, then to the first one whenever another list is asked for. */
function useOpeningPlace(
  scroller: RefObject<HTMLDivElement | null>,
  { total, rowPx, place, onPlace }: Opening,
): () => void {
  const isOpened = useRef(place === 0); // a person may scroll before the list was counted
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box || total === null) return;
    if (!isOpened.current) box.scrollTo({ top: place * rowPx });
    isOpened.current = true;
  }, [scroller, total, rowPx, place]);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box && isOpened.current && place === 0 && box.scrollTop >= rowPx) box.scrollTo({ top: 0 });
  }, [scroller, place, rowPx]);
  return () => {
    const box = scroller.current;
    if (!box) return;
    box.toggleAttribute('data-scrolled', box.scrollLeft > 0);
    if (isOpened.current) onPlace(Math.floor(box.scrollTop / rowPx));
  };
}
