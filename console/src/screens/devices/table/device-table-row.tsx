import { memo, type ReactNode, useCallback, useRef } from 'react';
import { type Schema } from '../../../api/client.js';
import { ownPath } from '../../../api/own-path.js';
import { AlertMark } from '../../../ui/devices/alert-mark.js';
import { LockMark } from '../../../ui/devices/lock-mark.js';
import { type DeviceColumn, type DeviceRow } from '../device-rows.js';
import styles from './device-table.module.css';

export type Tick = (id: string, place: number, isRange: boolean) => void;

interface Checks {
  onCheck: (id: string) => void;
  /** Checks the rows from one place to another. */
  onCheckRange: (from: number, to: number) => void;
}

/** One row, or with the shift key all from the one before. */
export function useTick({ onCheck, onCheckRange }: Checks): Tick {
  const before = useRef<number | null>(null);
  return useCallback(
    (id, place, isRange) => {
      const from = before.current;
      before.current = place;
      if (isRange && from !== null) onCheckRange(Math.min(from, place), Math.max(from, place));
      else onCheck(id);
    },
    [onCheck, onCheckRange],
  );
}

interface RowProps {
  row: DeviceRow | undefined;
  place: number;
  top: number;
  height: number;
  tracks: string;
  columns: readonly DeviceColumn[];
  isChecked: boolean;
  isLocked: boolean;
  alert: Schema<'Alert'> | undefined;
  onTick: Tick;
}

/** Plain HTML, and rendered again only when the row itself has changed. */
export const DeviceTableRow = memo(function DeviceTableRow({
  row,
  place,
  top,
  height,
  tracks,
  columns,
  isChecked,
  isLocked,
  alert,
  onTick,
}: RowProps): ReactNode {
  return (
    <div
      role="row"
      aria-rowindex={place + 2}
      className={styles['row']}
      data-checked={isChecked}
      style={{ transform: `translateY(${top}px)`, height, gridTemplateColumns: tracks }}
    >
      {row ? (
        <>
          <span role="cell">
            <input
              type="checkbox"
              aria-label={`Select ${row.name}`}
              checked={isChecked}
              onChange={({ nativeEvent }) => onTick(row.id, place, (nativeEvent as MouseEvent).shiftKey)}
            />
          </span>
          <span role="cell" className={styles['name']}>
            <a data-id={row.id} href={ownPath(`/console/devices/${row.id}`)} className="cut foreign" title={row.name}>
              {row.name}
            </a>
            {isLocked && <LockMark />}
            {alert && <AlertMark of={alert} />}
          </span>
          {columns.map(({ name, cell }) => (
            <span key={name} role="cell" data-column={name}>
              {cell(row)}
            </span>
          ))}
        </>
      ) : (
        <span role="cell" className={`quiet ${styles['waiting']}`}>
          …
        </span>
      )}
    </div>
  );
});
