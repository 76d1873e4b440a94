import { type ReactNode } from 'react';
import styles from './awaited.module.css';

/* What stands on a screen while it is read: the shape of what comes, so that the eye is there before the text is. */

/** Most lists fill a part of the screen. */
const ROWS = 6;

function Awaited({ className = '', children }: { className?: string | undefined; children: ReactNode }): ReactNode {
  return (
    <div className={`${styles['awaiting']} ${className}`} role="status" aria-busy="true">
      <span className="visually-hidden">Loading …</span>
      <div aria-hidden="true">{children}</div>
    </div>
  );
}

/** A table: the titles of its columns, and a bar for each value. Of columns without a title there is nothing. */
export function AwaitedTable({ titles }: { titles: readonly string[] }): ReactNode {
  const shown = titles.filter((title) => title !== '');
  return (
    <Awaited className="table-box">
      <div className={styles['table']} style={{ gridTemplateColumns: `repeat(${shown.length}, minmax(0, 1fr))` }}>
        {shown.map((title) => (
          <b key={title}>{title}</b>
        ))}
        {Array.from({ length: ROWS }, (_, row) =>
          shown.map((title, at) => (
            <span key={`${row} ${title}`} data-place={at}>
              <i className="awaited" />
            </span>
          )),
        )}
      </div>
    </Awaited>
  );
}

/** Cards with pairs of a name and a value, as pages of one thing have. */
export const AwaitedCards = (): ReactNode => (
  <Awaited>
    <div className="stack">
      {[0, 1].map((card) => (
        <div key={card} className={`card ${styles['card']}`}>
          {Array.from({ length: ROWS }, (_, line) => (
            <span key={line}>
              <i className="awaited" />
              <i className="awaited" />
            </span>
          ))}
        </div>
      ))}
    </div>
  </Awaited>
);

/** A chart with its axes. */
export const AwaitedChart = (): ReactNode => (
  <Awaited>
    <div className={styles['chart']} />
  </Awaited>
);
