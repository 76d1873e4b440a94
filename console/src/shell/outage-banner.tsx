import { type ReactNode } from 'react';
import { askNow, type Outage } from '../api/outage.js';
import { tell } from '../api/problems.js';
import { Button } from '../ui/button.js';
import styles from './outage.module.css';

const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** Says since when nothing can be read, and when the console tries again by itself. */
export function OutageBanner({ outage: { error, since, nextAt } }: { outage: Outage }): ReactNode {
  return (
    <div className={styles['banner']} role="alert">
      <strong>
        {tell(error).title}, since {CLOCK.format(since)}.
      </strong>
      <span>The screens show what was read before.</span>
      <span>{nextAt === null ? 'Trying now …' : `Next try at ${CLOCK.format(nextAt)}.`}</span>
      <Button icon="refresh" busy={nextAt === null} onClick={() => void askNow()}>
        Try now
      </Button>
    </div>
  );
}
