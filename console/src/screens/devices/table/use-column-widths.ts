import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';

/* Widths of columns that a person has dragged, by the name of the column; remembered in this browser. */

const KEY = 'fleetgate.column-widths';
const STEP_PX = 16;
const [LEAST_PX, MOST_PX] = [56, 640];

export type ColumnWidths = Readonly<Record<string, number>>;

function stored(): ColumnWidths {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    return Object.fromEntries(entries.filter(([, width]) => typeof width === 'number'));
  } catch {
    return {};
  }
}

const within = (px: number): number => Math.round(Math.max(LEAST_PX, Math.min(MOST_PX, px)));

/** The dragged widths, and what the handle of a column does: drag, arrow keys, and Home or a double click for the width as at first. */
export function useColumnWidths() {
  const [widths, setWidths] = useState(stored);
  /** The width of the column that is dragged, less the place of the pointer. */
  const dragged = useRef(0);
  const set = (name: string, px: number | null) =>
    setWidths((before) => {
      const { [name]: _, ...others } = before;
      const next = px === null ? others : { ...others, [name]: within(px) };
      localStorage.setItem(KEY, JSON.stringify(next));
      return next;
    });
  const handleOf = (name: string, title: string) => ({
    role: 'separator',
    tabIndex: 0,
    'aria-orientation': 'vertical' as const,
    'aria-label': `Width of ${title}`,
    'aria-valuemin': LEAST_PX,
    'aria-valuemax': MOST_PX,
    'aria-valuenow': widths[name] ?? LEAST_PX,
    'aria-valuetext': widths[name] === undefined ? 'As at first' : `${widths[name]} pixels`,
    title: 'Drag to change the width; a double click sets it back',
    onDoubleClick: () => set(name, null),
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
      const step = event.key === 'ArrowRight' ? STEP_PX : event.key === 'ArrowLeft' ? -STEP_PX : 0;
      if (step !== 0) set(name, widthOf(event.currentTarget) + step);
      else if (event.key === 'Home') set(name, null);
      else return;
      event.preventDefault();
    },
    onPointerDown: ({ currentTarget, pointerId, clientX }: PointerEvent<HTMLElement>) => {
      currentTarget.setPointerCapture(pointerId);
      dragged.current = widthOf(currentTarget) - clientX;
    },
    onPointerMove: ({ currentTarget, pointerId, clientX }: PointerEvent<HTMLElement>) => {
      if (currentTarget.hasPointerCapture(pointerId)) set(name, dragged.current + clientX);
    },
  });
  return { widths, handleOf };
}

/** Of the heading that the handle is in. */
const widthOf = (handle: HTMLElement): number => handle.parentElement!.getBoundingClientRect().width;
