import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { Button, IconButton } from '../../ui/button.js';
import { CheckField } from '../../ui/field.js';
import { placeAt } from '../../ui/row-menu.js';
import { useSearchText } from '../../ui/to.js';
import { COLUMNS, customColumn, fieldsQuery } from './columns.js';
import { type DeviceColumn } from './device-rows.js';
import styles from './devices.module.css';
import { SAMPLE_COLUMNS } from './sample-columns.js';
import { useShownColumns } from './table/use-shown-columns.js';

/** Which columns the table has, in which order, and how dense its rows are. All of it stands in the address. */
export function ColumnChoice(): ReactNode {
  const [{ columns, density }, change] = useSearchText();
  const { data: fields } = useQuery(fieldsQuery);
  const shown = useShownColumns();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const names = shown.map(({ name }) => name);
  const groups = [
    ['Of the device', COLUMNS.filter((column) => !SAMPLE_COLUMNS.includes(column))],
    ['Values', SAMPLE_COLUMNS],
    ['Your fields', fields?.items.map(({ key }) => customColumn(key)) ?? []],
  ] as const;
  const show = (next: readonly string[]) => change({ columns: next.join(',') || 'none' });
  return (
    <>
      <Button ref={button} icon="columns" popoverTarget="device-columns">
        Columns
      </Button>
      <div
        ref={panel}
        id="device-columns"
        popover="auto"
        className={`popover ${styles['column-choice']}`}
        role="group"
        aria-label="Columns"
        onBeforeToggle={({ newState }) => newState === 'open' && placeBelow(panel.current, button.current)}
      >
        <h3 className="small quiet">Shown</h3>
        {shown.map((column, at) => (
          <ShownColumn
            key={column.name}
            column={column}
            onHide={() => show(names.filter((name) => name !== column.name))}
            onUp={at === 0 ? null : () => show(moved(names, at, at - 1))}
            onDown={at === names.length - 1 ? null : () => show(moved(names, at, at + 1))}
          />
        ))}
        {groups.map(([title, all]) => {
          const hidden = all.filter(({ name }) => !names.includes(name));
          return (
            hidden.length > 0 && (
              <section key={title}>
                <h3 className="small quiet">{title}</h3>
                {hidden.map((column) => (
                  <CheckField
                    key={column.name}
                    label={column.title}
                    checked={false}
                    onChange={() => show([...names, column.name])}
                  />
                ))}
              </section>
            )
          );
        })}
        <hr />
        <CheckField
          label="Compact rows"
          checked={density === 'compact'}
          onChange={() => change({ density: density === 'compact' ? undefined : 'compact' })}
        />
        {columns !== undefined && (
          <Button kind="quiet" onClick={() => change({ columns: undefined })}>
            Back to the usual ones
          </Button>
        )}
      </div>
    </>
  );
}

/** As high as fits below its button. */
function placeBelow(panel: HTMLElement | null, button: HTMLElement | null): void {
  if (!panel || !button) return;
  placeAt(panel, button);
  panel.style.maxHeight = `${innerHeight - button.getBoundingClientRect().bottom - 16}px`;
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
