import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText } from '../../api/amount-text.js';
import changes from '../../ui/rows/changes.module.css';
import { comparisonQuery } from './observed-queries.js';
import { serviceName } from './path-words.js';
import { changeLines } from './value-words.js';

const SHOWN = 3;

interface ChangeLinesProps {
  readonly path: string;
  /** The digests of two bodies. */
  readonly one: string;
  readonly other: string;
  /** What is shown where the two cannot be read, such as the names of options. */
  readonly otherwise: string;
}

/** What differs between two bodies: each option with its value before and after. */
export function ChangeLines({ path, one, other, otherwise }: ChangeLinesProps): ReactNode {
  const { data, error } = useQuery(comparisonQuery(path, one, other));
  if (error) return <span className="foreign cut">{otherwise}</span>;
  if (!data) return <span className="quiet">…</span>;
  const lines = changeLines(serviceName(path), data.differences);
  if (lines.length === 0) return 'The same values in another order';
  const more = lines.length - SHOWN;
  return (
    <ul className={changes['changes']}>
      {lines.slice(0, SHOWN).map(({ what, before, after }, at) => (
        <li key={at}>
          <span className="quiet foreign">{what}</span>{' '}
          {before !== null && (
            <>
              <del className="foreign">{before}</del> <span aria-hidden="true">→</span>{' '}
            </>
          )}
          <ins className="foreign">{after}</ins>
        </li>
      ))}
      {more > 0 && <li className="quiet">and {countText(more, 'further difference')}</li>}
    </ul>
  );
}
