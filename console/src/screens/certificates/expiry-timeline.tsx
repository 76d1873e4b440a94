import { type ReactNode } from 'react';
import { countText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { useNow } from '../../ui/time.js';
import styles from './certificates.module.css';

const MONTHS = 12;
const NAME = new Intl.DateTimeFormat('en-GB', { month: 'short' });
const FULL_NAME = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric' });

interface TimelineProps {
  rows: readonly Schema<'DeviceCertificate'>[];
  /** Certificates that expire later are not read yet. */
  hasMore: boolean;
}

/** How many of the shown certificates expire in each of the next months; the first column has those that are expired. */
export function ExpiryTimeline({ rows, hasMore }: TimelineProps): ReactNode {
  const now = useNow();
  const columns = columnsOf(rows, now);
  const most = Math.max(1, ...columns.map(({ count }) => count));
  return (
    <section className="stack" aria-label="Certificates by the month of their expiry">
      <ol className={styles['expiry']}>
        {columns.map(({ name, full, count, tone }) => (
          <li key={full} title={`${full}: ${count}`}>
            <span className="small">{count || ''}</span>
            <i aria-hidden="true" data-tone={tone} style={{ height: `${(48 * count) / most}px` }} />
            <span className="small quiet" aria-hidden="true">
              {name}
            </span>
            <span className="visually-hidden">{`${full}: ${count}`}</span>
          </li>
        ))}
      </ol>
      {hasMore && (
        <p className="small quiet">
          Of the first {countText(rows.length, 'certificate')}; “Show more” reads later ones.
        </p>
      )}
    </section>
  );
}

function columnsOf(rows: readonly Schema<'DeviceCertificate'>[], now: number) {
  const times = rows.map(({ notAfter }) => new Date(notAfter).getTime());
  const today = new Date(now);
  const startOf = (month: number) => new Date(today.getFullYear(), today.getMonth() + month, 1).getTime();
  const within = (from: number, to: number) => times.filter((at) => at >= from && at < to).length;
  const months = Array.from({ length: MONTHS }, (_, month) => ({
    name: NAME.format(startOf(month)),
    full: FULL_NAME.format(startOf(month)),
    count: within(Math.max(now, startOf(month)), startOf(month + 1)),
    tone: month < 1 ? 'warn' : 'plain',
  }));
  return [
    { name: 'past', full: 'Expired', count: within(-Infinity, now), tone: 'bad' },
    ...months,
    { name: 'later', full: 'Later', count: within(startOf(MONTHS), Infinity), tone: 'plain' },
  ];
}
