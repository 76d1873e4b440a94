import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

/** Tabs that are addresses: each survives a reload and works as a link. */
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
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(([value, text]) => (
        <Link
          key={value}
          to="."
          search={(before: Record<string, unknown>) => ({ ...before, pages: undefined, [param]: value })}
          aria-current={value === current ? 'page' : undefined}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
