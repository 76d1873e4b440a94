import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';

/** What is open over a tab, and how far its list goes, stays behind. */
const CLOSED = { pages: undefined, act: undefined, add: undefined, one: undefined, other: undefined };

/** Tabs that are addresses: each survives a reload and works as a link. An address without one of them shows the first. */
export function Tabs({
  label,
  param = 'tab',
  tabs,
  current,
}: {
  label: string;
  param?: string;
  tabs: readonly (readonly [value: string, text: string])[];
  current: string;
}): ReactNode {
  const box = useRef<HTMLElement>(null);
  const marked = tabs.some(([value]) => value === current) ? current : tabs[0]?.[0];
  // The sides on which more tabs follow fade out.
  useEffect(() => {
    const row = box.current!;
    const mark = () => {
      row.toggleAttribute('data-before', row.scrollLeft > 1);
      row.toggleAttribute('data-after', row.scrollLeft + row.clientWidth < row.scrollWidth - 1);
    };
    const resized = new ResizeObserver(mark);
    resized.observe(row);
    row.addEventListener('scroll', mark, { passive: true });
    return () => {
      resized.disconnect();
      row.removeEventListener('scroll', mark);
    };
  }, []);
  return (
    <nav ref={box} className="tabs" aria-label={label}>
      {tabs.map(([value, text]) => (
        <Link
          key={value}
          to="."
          search={(before: Record<string, unknown>) => ({ ...before, ...CLOSED, [param]: value })}
          aria-current={value === marked ? 'page' : undefined}
          ref={value === marked ? showTab : undefined}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}

/** Brings the current tab into view, where the row is wider than the screen. */
function showTab(tab: HTMLAnchorElement | null): void {
  const row = tab?.parentElement;
  if (!tab || !row) return;
  const [at, of] = [tab.getBoundingClientRect(), row.getBoundingClientRect()];
  row.scrollBy({ left: at.left + at.width / 2 - of.left - of.width / 2 });
}
