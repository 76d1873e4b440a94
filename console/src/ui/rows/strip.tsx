import { type ReactNode } from 'react';
import { type SearchText, To } from '../to.js';
import styles from './strip.module.css';

export interface StripFigure {
  readonly title: string;
  readonly value: ReactNode;
  /** What the value means, or where it goes. */
  readonly note?: ReactNode;
  readonly tone?: 'warn' | 'bad' | undefined;
  /** The list behind it. */
  readonly to?: string;
  readonly search?: SearchText;
}

/** Some figures side by side: what an operator reads before the rows below. */
export function Strip({ label, of }: { label: string; of: readonly StripFigure[] }): ReactNode {
  return (
    <ul className={styles['strip']} aria-label={label}>
      {of.map(({ title, value, note, tone, to, search }) => (
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
          {note !== undefined && <span className="small quiet foreign">{note}</span>}
        </li>
      ))}
    </ul>
  );
}
