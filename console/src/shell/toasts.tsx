import { type ReactNode, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { IconButton } from '../ui/button.js';
import { DIALOGS_CHANGED } from '../ui/dialog.js';
import { To } from '../ui/to.js';

/** A screen that shows what was made. */
export interface ToastLink {
  readonly text: string;
  /** Below /console, such as `/access?tab=locks`. */
  readonly to: string;
}

export interface Toast {
  readonly tone: 'good' | 'bad';
  readonly title: string;
  readonly detail?: string | null;
  readonly link?: ToastLink | null;
  readonly requestId?: string | null;
}

const SHOWN_MS = 6_000;
const FAILURE_SHOWN_MS = 15_000;
const MAX = 4;

let shown: readonly (Toast & { readonly id: number })[] = [];
let next = 0;
const watchers = new Set<() => void>();

function set(toasts: typeof shown): void {
  shown = toasts;
  for (const watcher of watchers) watcher();
}

/** Tells the result of an action, for some seconds. */
export function toast(said: Toast): void {
  const id = ++next;
  set([...shown.slice(1 - MAX), { ...said, id }]);
  setTimeout(() => dismiss(id), said.tone === 'bad' ? FAILURE_SHOWN_MS : SHOWN_MS);
}

const dismiss = (id: number) => set(shown.filter((one) => one.id !== id));

function watchDialogs(watcher: () => void): () => void {
  addEventListener(DIALOGS_CHANGED, watcher);
  return () => removeEventListener(DIALOGS_CHANGED, watcher);
}

function MadeLink({ text, to }: ToastLink): ReactNode {
  const [path = '', query] = to.split('?');
  return (
    <To to={path} search={Object.fromEntries(new URLSearchParams(query))}>
      {text}
    </To>
  );
}

/** The dialog on top, or the page: only there a toast is seen, read out and dismissed. */
const place = (): Element => [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;

export function Toasts(): ReactNode {
  const target = useSyncExternalStore(watchDialogs, place);
  const toasts = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => shown,
  );
  return createPortal(
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, tone, title, detail, link, requestId }) => (
        <div key={id} className="toast" data-tone={tone} title={requestId ? `Request ${requestId}` : undefined}>
          <strong className="foreign">{title}</strong>
          <IconButton icon="close" label="Dismiss" onClick={() => dismiss(id)} />
          {detail && <span className="small foreign">{detail}</span>}
          {link && <MadeLink {...link} />}
          {requestId && tone === 'bad' && (
            <span className="small">
              request <code>{requestId}</code>
            </span>
          )}
        </div>
      ))}
    </div>,
    target,
  );
}
