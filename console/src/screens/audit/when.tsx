import { type ReactNode } from 'react';
import { Ago, useNow } from '../../ui/time.js';
import css from './audit.module.css';

const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

/** How long ago, and at what time by the clock of the reader; the day where it is another one. */
export function When({ at }: { at: string }): ReactNode {
  const date = new Date(at);
  const day = DAY.format(date);
  const isToday = day === DAY.format(new Date(useNow()));
  return (
    <span className={css.when}>
      <Ago at={at} />
      <span className="small quiet">{isToday ? TIME.format(date) : `${day}, ${TIME.format(date)}`}</span>
    </span>
  );
}
