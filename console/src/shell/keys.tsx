import { type ReactNode, useEffect, useRef } from 'react';
import { Dialog } from '../ui/dialog.js';
import { ALL_SCREENS } from './navigation.js';
import { moveRow, otherTab, pressEdit, tickRow } from './page-keys.js';

export interface KeyActions {
  palette: () => void;
  help: () => void;
  go: (to: string) => void;
  /** Sets the focus into the first search field of the screen. */
  search: () => void;
}

/** How long the second key of `g d` may take, in milliseconds. */
const SECOND_KEY_MS = 1_500;

const TYPED = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable]';

const isTyping = (target: EventTarget | null) => target instanceof Element && target.matches(TYPED);

/** The keys of all screens. None of them works while a text is typed or a dialog is open, but Ctrl-K. */
export function useKeys(actions: KeyActions): void {
  const current = useRef(actions);
  useEffect(() => {
    current.current = actions;
  });
  useEffect(() => {
    let goPressedAt = 0;
    const pressed = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        return current.current.palette();
      }
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        isTyping(event.target) ||
        document.querySelector('dialog[open]')
      )
        return;
      if (Date.now() - goPressedAt < SECOND_KEY_MS) {
        goPressedAt = 0;
        const screen = ALL_SCREENS.find(({ key }) => key === event.key);
        if (screen) return current.current.go(screen.to);
      }
      if (event.key === 'g') goPressedAt = Date.now();
      else if (event.key === 'j') moveRow(1);
      else if (event.key === 'k') moveRow(-1);
      else if (event.key === 'x') tickRow();
      else if (event.key === 'e') pressEdit();
      else if (event.key === '[') otherTab(-1);
      else if (event.key === ']') otherTab(1);
      else if (event.key === '?') current.current.help();
      else if (event.key === '/') {
        event.preventDefault();
        current.current.search();
      }
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}

const KEYS: readonly (readonly [group: string, keys: readonly (readonly [string, string])[]])[] = [
  [
    'In a list',
    [
      ['j', 'Next row'],
      ['k', 'Row before'],
      ['Enter', 'Open the row'],
      ['x', 'Choose the row, or leave it out'],
      ['Shift Click', 'Choose all rows up to this one'],
      ['/', 'Search in this screen'],
    ],
  ],
  [
    'On a page',
    [
      ['[', 'Tab before'],
      [']', 'Next tab'],
      ['e', 'Edit'],
    ],
  ],
  [
    'Everywhere',
    [
      ['Ctrl K', 'Open a device, a screen or an action by name'],
      ['?', 'Show these keys'],
      ['Esc', 'Close what is open'],
    ],
  ],
  ['Go to a screen', ALL_SCREENS.map(({ key, title }) => [`g ${key}`, title] as const)],
];

/** What the keys do. */
export function KeyHelp({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Dialog title="Keys" size="wide" onClose={onClose}>
      <div className="dialog-body">
        <div className="columns">
          <div className="stack">{KEYS.slice(0, -1).map(GroupOfKeys)}</div>
          {KEYS.slice(-1).map(GroupOfKeys)}
        </div>
      </div>
    </Dialog>
  );
}

const GroupOfKeys = ([group, keys]: (typeof KEYS)[number]): ReactNode => (
  <section key={group}>
    <h3>{group}</h3>
    <dl className="facts">
      {keys.map(([key, what]) => [
        <dt key={key}>
          {key.split(' ').map((one) => (
            <kbd key={one}>{one}</kbd>
          ))}
        </dt>,
        <dd key={what}>{what}</dd>,
      ])}
    </dl>
  </section>
);
