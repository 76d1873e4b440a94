import { type KeyboardEvent, type ReactNode, type ToggleEvent, useId, useRef, useState } from 'react';
import { Icon } from '../icons.js';
import styles from './row-menu.module.css';

export interface MenuAction {
  readonly title: string;
  readonly run: () => void;
  /** Stands last, in the colour of danger. */
  readonly isDanger?: boolean;
}

/** The other actions of a row or an object, behind three dots. @param label what they are about, such as `lab-21` */
export function RowMenu({ label, actions }: { label: string; actions: readonly MenuAction[] }): ReactNode {
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ top: 0, right: 0 });
  if (actions.length === 0) return null;
  const toggled = ({ newState }: ToggleEvent) => {
    if (newState === 'open') box.current?.querySelector('button')?.focus();
  };
  const opens = ({ newState }: ToggleEvent) => {
    if (newState !== 'open') return;
    const { bottom, top, right } = opener.current!.getBoundingClientRect();
    const height = ITEM_PX * actions.length + EDGE_PX;
    const below = bottom + height < innerHeight ? bottom + 4 : Math.max(4, top - height - 4);
    setPlace({ top: below, right: Math.max(4, document.documentElement.clientWidth - right) });
  };
  const ordered = [...actions.filter(({ isDanger }) => !isDanger), ...actions.filter(({ isDanger }) => isDanger)];
  return (
    <>
      <button
        ref={opener}
        type="button"
        className="button icon-button"
        data-kind="quiet"
        aria-label={`More actions: ${label}`}
        title="More actions"
        popoverTarget={id}
        data-opens-menu
      >
        <Icon name="more" />
      </button>
      <div
        ref={box}
        id={id}
        popover="auto"
        data-row-menu
        role="group"
        aria-label={`Actions: ${label}`}
        className={styles['menu']}
        style={place}
        onBeforeToggle={opens}
        onToggle={toggled}
        onKeyDown={byArrows}
      >
        {ordered.map(({ title, run, isDanger = false }) => (
          <button
            key={title}
            type="button"
            data-danger={isDanger}
            onClick={() => {
              box.current?.hidePopover();
              run();
            }}
          >
            {title}
          </button>
        ))}
      </div>
    </>
  );
}

/** Of an item, and of the edges of the menu. */
const [ITEM_PX, EDGE_PX] = [34, 12];

function byArrows(event: KeyboardEvent<HTMLDivElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const items = [...event.currentTarget.querySelectorAll('button')];
  const at = items.indexOf(document.activeElement as HTMLButtonElement);
  items[(at + step + items.length) % items.length]?.focus();
}
