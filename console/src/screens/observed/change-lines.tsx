import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { SideBySide } from '../../ui/sides/side-by-side.js';
import { comparisonQuery } from './observed-queries.js';
import { serviceName } from './path-words.js';
import { changeLines } from './value-words.js';

interface ChangeLinesProps {
  readonly path: string;
  /** The digests of two bodies. */
  readonly one: string;
  readonly other: string;
  /** What the two are, such as `Before` and `After`. */
  readonly heads: readonly [one: string, other: string];
  readonly isHeaded?: boolean;
  /** What is shown where the two cannot be read, such as the names of options. */
  readonly otherwise: string;
}

/** What differs between two bodies: each option with both its values. */
export function ChangeLines({ path, one, other, heads, isHeaded = true, otherwise }: ChangeLinesProps): ReactNode {
  const { data, error } = useQuery(comparisonQuery(path, one, other));
  if (error) return <span className="foreign cut">{otherwise}</span>;
  if (!data) return <span className="quiet">…</span>;
  const lines = changeLines(serviceName(path), data.differences);
  if (lines.length === 0) return 'The same values in another order';
  return (
    <SideBySide
      heads={heads}
      isHeaded={isHeaded}
      lines={lines.map(({ what, before, after }) => ({ what, one: before, other: after }))}
    />
  );
}
