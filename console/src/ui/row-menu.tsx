import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Icon } from './icons.js';
import { type SearchText, To } from './to.js';

/** One line of the menu: it does something, opens a screen, or downloads from an address. */
export type RowAction = {
  readonly text: string;
  /** It destroys or stops something: it stands last, apart from the others. */
  readonly isDanger?: boolean;
  /** A hint, such as what the action needs. */
  readonly title?: string;
} & (
  { readonly onSelect: () => void } | { readonly to: string; readonly search?: SearchText } | { readonly href: string }
);

/** What a screen has for a caller without the permission. */
type MaybeAction = RowAction | false | null | undefined;

interface RowMenuProps {
  /** Whose actions these are, for screen readers: the name of the row. */
  of: string;
  actions: readonly MaybeAction[];
}

/**
 * The actions of a row behind one button (⋯). It opens over everything, at the button, and closes with Escape, a click elsewhere
 * and a scroll. Arrows, Home and End go through it; the focus returns to the button. Without actions there is no button. “Go to” finds those of the head of a page.
 */
export function RowMenu({ of, actions }: RowMenuProps): ReactNode {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useClosingScroll(isOpen, menu);
  const present = actions.filter((action) => Boolean(action)) as RowAction[];
  if (present.length === 0) return null;
  const close = () => {
    menu.current?.hidePopover();
    button.current?.focus();
  };
  return (
    <span className="row-menu">
      <button
        ref={button}
        type="button"
        className="button icon-button"
        data-kind="quiet"
        aria-label={`Actions for ${of}`}
        title="Actions"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        popoverTarget={id}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' || isOpen) return;
          event.preventDefault();
          menu.current?.showPopover();
        }}
      >
        <Icon name="more" />
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={`Actions for ${of}`}
        className="menu"
        onBeforeToggle={({ newState }) => {
          if (newState === 'open') placeAt(menu.current, button.current);
          setOpen(newState === 'open');
        }}
        onToggle={({ newState }) => newState === 'open' && itemsOf(menu.current)[0]?.focus()}
        onKeyDown={(event) => pressed(event, close)}
      >
        {inOrder(present).map((action) => (
          <Item key={action.text} action={action} close={close} />
        ))}
      </div>
    </span>
  );
}

function Item({ action, close }: { action: RowAction; close: () => void }): ReactNode {
  const shared = { role: 'menuitem', tabIndex: -1, title: action.title };
  if ('to' in action)
    return (
      <To to={action.to} {...(action.search ? { search: action.search } : {})} {...shared}>
        {action.text}
      </To>
    );
  if ('href' in action)
    return (
      <a href={action.href} download onClick={close} {...shared}>
        {action.text}
      </a>
    );
  return (
    <button
      type="button"
      data-danger={action.isDanger}
      {...shared}
      onClick={() => {
        close();
        action.onSelect();
      }}
    >
      {action.text}
    </button>
  );
}

const inOrder = (actions: readonly RowAction[]): readonly RowAction[] =>
  actions.toSorted((one, other) => Number(one.isDanger ?? false) - Number(other.isDanger ?? false));

const itemsOf = (menu: HTMLElement | null): HTMLElement[] => [
  ...(menu?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? []),
];

/** Puts a popover below its button, or above it near the lower edge of the window. */
export function placeAt(menu: HTMLElement | null, button: HTMLElement | null): void {
  if (!menu || !button) return;
  const { top, bottom, right } = button.getBoundingClientRect();
  const isBelow = bottom < innerHeight * 0.7;
  menu.style.inset = isBelow
    ? `${bottom + 4}px ${document.documentElement.clientWidth - right}px auto auto`
    : `auto ${document.documentElement.clientWidth - right}px ${innerHeight - top + 4}px auto`;
}

function pressed(event: KeyboardEvent<HTMLElement>, close: () => void): void {
  const items = itemsOf(event.currentTarget);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const next: Readonly<Record<string, number>> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  };
  // The keys of the page (`shell/page-keys.ts`) wait while a menu is open.
  event.stopPropagation();
  if (event.key === 'Tab' || event.key === 'Escape') close();
  if (event.key === 'Tab') return;
  const place = next[event.key] ?? items.findIndex(({ textContent }) => startsWith(textContent, event.key));
  if (event.key === 'Escape' || items[place]) event.preventDefault();
  items[place]?.focus();
}

const startsWith = (text: string, key: string): boolean =>
  key.length === 1 && key !== ' ' && text.toLowerCase().startsWith(key.toLowerCase());

/** The menu stands in the window, and its row in a page that scrolls. */
function useClosingScroll(isOpen: boolean, menu: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    if (!isOpen) return undefined;
    const close = () => menu.current?.hidePopover();
    addEventListener('scroll', close, { capture: true, passive: true });
    return () => removeEventListener('scroll', close, { capture: true });
  }, [isOpen, menu]);
}
