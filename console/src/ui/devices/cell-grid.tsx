import { memo, type MouseEvent, type ReactNode } from 'react';
import { useGo } from '../to.js';
import styles from './cell-grid.module.css';

export interface Cell {
  readonly deviceId: string;
  /** Its name and what it is, shown on hover. */
  readonly title: string;
  /** `none` for a device without an outcome yet. */
  readonly tone: string;
  readonly isDim: boolean;
}

interface CellGridProps {
  cells: readonly Cell[];
  /** What the cells say together, for screen readers. */
  label: string;
}

/** Of more devices the cells are smaller. */
const MANY = 200;
const VERY_MANY = 1_500;

/** A cell for each device, with one handler: there are thousands. A table beside them says the same in words. */
export const CellGrid = memo(function CellGrid({ cells, label }: CellGridProps): ReactNode {
  const go = useGo();
  const opened = ({ target }: MouseEvent) => {
    const id = target instanceof HTMLElement ? target.dataset['id'] : undefined;
    if (id) go(`/devices/${id}`);
  };
  return (
    <div
      className={styles['grid']}
      data-size={cells.length <= MANY ? 'large' : cells.length <= VERY_MANY ? 'normal' : 'small'}
      role="img"
      aria-label={label}
      onClick={opened}
    >
      {cells.map(({ deviceId, title, tone, isDim }) => (
        <i key={deviceId} data-id={deviceId} data-tone={tone} data-dim={isDim} title={title} />
      ))}
    </div>
  );
});
