import { type ReactNode } from 'react';
import { Ago, useNow } from '../../ui/time.js';
import css from './audit.module.css';

const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const DAY_MS = 86_400_000;

/** How long ago, and of the last day also at what time by the clock of the reader. */
export function When({ at }: { at: string }): ReactNode {
  const isLate = useNow() - Date.parse(at) < DAY_MS;
  return (
    <span className={css.when}>
      <Ago at={at} />
      {isLate && <span className="small quiet">{TIME.format(new Date(at))}</span>}
    </span>
  );
}
