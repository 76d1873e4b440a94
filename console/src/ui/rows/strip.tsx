import { type ReactNode } from 'react';
import { type SearchText, To } from '../to.js';
import styles from './strip.module.css';

interface StripFigure {
  readonly title: string;
  readonly value: ReactNode;
  /** What the value means, or where it goes. */
  readonly note?: ReactNode;
  /** The note stays where the figures are one line: it says what the value alone does not. */
  readonly isNoteNeeded?: boolean;
  readonly tone?: 'warn' | 'bad' | undefined;
  /** The list behind it. */
  readonly to?: string;
  readonly search?: SearchText;
}

interface StripProps {
  label: string;
  of: readonly StripFigure[];
  /** In one line: above a list that is as short as its figures. */
  isFolded?: boolean;
}

/** Some figures side by side: what an operator reads before the rows below. */
export function Strip({ label, of, isFolded = false }: StripProps): ReactNode {
  return (
    <ul className={styles[isFolded ? 'line' : 'strip']} aria-label={label}>
      {of.map(({ title, value, note, isNoteNeeded, tone, to, search }) => (
        <li key={title}>
          <span className="small quiet">{title}</span>
          <strong data-tone={tone}>
            {to === undefined ? (
              value
            ) : (
              <To to={to} search={search ?? {}}>
                {value}
              </To>
            )}
          </strong>
          {note !== undefined && (!isFolded || isNoteNeeded) && (
            <span className="small quiet foreign">{isFolded ? <>({note})</> : note}</span>
          )}
        </li>
      ))}
    </ul>
  );
}
