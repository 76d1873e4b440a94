import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { Button, IconButton } from '../../ui/button.js';
import { CheckField } from '../../ui/field.js';
import { useSearchText } from '../../ui/to.js';
import { COLUMNS, customColumn, fieldsQuery, shownColumns } from './columns.js';
import { type DeviceColumn } from './device-rows.js';
import styles from './devices.module.css';

/** Which columns the table has, in which order, and how dense its rows are. All of it stands in the address. */
export function ColumnChoice(): ReactNode {
  const [{ columns, density }, change] = useSearchText();
  const { data: fields } = useQuery(fieldsQuery);
  const shown = shownColumns(columns);
  const names = shown.map(({ name }) => name);
  const all = [...COLUMNS, ...(fields?.items.map(({ key }) => customColumn(key)) ?? [])];
  const hidden = all.filter(({ name }) => !names.includes(name));
  const show = (next: readonly string[]) => change({ columns: next.join(',') || 'none' });
  return (
    <>
      <Button icon="columns" popoverTarget="device-columns">
        Columns
      </Button>
      <div
        id="device-columns"
        popover="auto"
        className={`popover ${styles['column-choice']}`}
        role="group"
        aria-label="Columns"
      >
        {shown.map((column, at) => (
          <ShownColumn
            key={column.name}
            column={column}
            onHide={() => show(names.filter((name) => name !== column.name))}
            onUp={at === 0 ? null : () => show(moved(names, at, at - 1))}
            onDown={at === names.length - 1 ? null : () => show(moved(names, at, at + 1))}
          />
        ))}
        {shown.length > 0 && hidden.length > 0 && <hr />}
        {hidden.map(({ name, title }) => (
          <CheckField key={name} label={title} checked={false} onChange={() => show([...names, name])} />
        ))}
        <hr />
        <CheckField
          label="Compact rows"
          checked={density === 'compact'}
          onChange={() => change({ density: density === 'compact' ? undefined : 'compact' })}
        />
        {columns !== undefined && (
          <Button kind="quiet" onClick={() => change({ columns: undefined })}>
            As at first
          </Button>
        )}
      </div>
    </>
  );
}

interface ShownColumnProps {
  column: DeviceColumn;
  onHide: () => void;
  /** Null at the end of the list. */
  onUp: (() => void) | null;
  onDown: (() => void) | null;
}

function ShownColumn({ column: { title }, onHide, onUp, onDown }: ShownColumnProps): ReactNode {
  return (
    <div className="row spread">
      <CheckField label={title} checked onChange={onHide} />
      <span className="row">
        <IconButton icon="up" label={`Move ${title} to the left`} disabled={!onUp} onClick={() => onUp?.()} />
        <IconButton icon="down" label={`Move ${title} to the right`} disabled={!onDown} onClick={() => onDown?.()} />
      </span>
    </div>
  );
}

function moved(names: readonly string[], from: number, to: number): readonly string[] {
  const next = names.filter((_, at) => at !== from);
  next.splice(to, 0, names[from] ?? '');
  return next;
}
