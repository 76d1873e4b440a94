import { type ReactNode } from 'react';
import { countText } from '../../api/amount-text.js';
import { endOf } from '../../api/limits/certificate-end.js';
import { type Schema } from '../../api/client.js';
import { useNow } from '../../ui/time.js';
import { useSearchText } from '../../ui/to.js';
import styles from './certificates.module.css';

const MONTHS = 12;
const NAME = new Intl.DateTimeFormat('en-GB', { month: 'short' });
const FULL_NAME = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric' });

interface TimelineProps {
  rows: readonly Schema<'DeviceCertificate'>[];
  /** Certificates that end later are not read yet. */
  hasMore: boolean;
}

/** How many of the shown certificates expire in each of the next months; the first column has those that are expired. */
export function ExpiryTimeline({ rows, hasMore }: TimelineProps): ReactNode {
  const now = useNow();
  const [{ month }, change] = useSearchText();
  const columns = columnsOf(rows, now);
  const most = Math.max(1, ...columns.map(({ count }) => count));
  return (
    <section className="stack" aria-label="Certificates by the month of their expiry">
      <ol className={styles['expiry']}>
        {columns.map(({ id, name, full, count, soon }) => (
          <li key={full} title={`${full}: ${count}`}>
            <span className="small">{count || ''}</span>
            <span className={styles['bars']} aria-hidden="true">
              <i style={{ height: heightOf(count - soon, most) }} />
              <i data-tone={id === 'past' ? 'bad' : 'warn'} style={{ height: heightOf(soon, most) }} />
            </span>
            <span className="small quiet" aria-hidden="true">
              {name}
            </span>
            <button
              type="button"
              aria-pressed={month === id}
              aria-label={`${full}: ${countText(count, 'certificate')}`}
              disabled={count === 0 && month !== id}
              onClick={() => change({ month: month === id ? undefined : id })}
            />
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

const BAR_PX = 48;
const LEAST_PX = 6;

/** By the square root: a single one is in sight beside the many that end in years. */
const heightOf = (count: number, most: number): string =>
  count === 0 ? '0' : `${Math.max(LEAST_PX, BAR_PX * Math.sqrt(count / most))}px`;

/** The certificates of one column; all without one. @param month of `ExpiryTimeline`, as the address has it */
export function ofMonth<Row extends { readonly notAfter: string | null }>(
  rows: readonly Row[],
  month: string | undefined,
  now: number,
): readonly Row[] {
  if (month === undefined) return rows;
  return rows.filter(({ notAfter }) => notAfter !== null && idOf(Date.parse(notAfter), now) === month);
}

/** Of the column for a time: `past`, a month such as `2026-11`, or `later`. */
function idOf(at: number, now: number): string {
  if (at < now) return 'past';
  const today = new Date(now);
  if (at >= new Date(today.getFullYear(), today.getMonth() + MONTHS, 1).getTime()) return 'later';
  return monthId(at);
}

const monthId = (at: number): string =>
  `${new Date(at).getFullYear()}-${String(new Date(at).getMonth() + 1).padStart(2, '0')}`;

function columnsOf(rows: readonly Schema<'DeviceCertificate'>[], now: number) {
  const ends = rows.flatMap(({ notAfter }) => notAfter ?? []);
  const ids = ends.map((end) => idOf(Date.parse(end), now));
  const today = new Date(now);
  const countOf = (id: string) => ids.filter((one) => one === id).length;
  /** Of them those that are past or end soon, as the list marks them. */
  const soonOf = (id: string) => ends.filter((end, at) => ids[at] === id && endOf(end, now) !== 'later').length;
  const months = Array.from({ length: MONTHS }, (_, month) => {
    const start = new Date(today.getFullYear(), today.getMonth() + month, 1).getTime();
    const id = monthId(start);
    return {
      id,
      name: NAME.format(start),
      full: FULL_NAME.format(start),
      count: countOf(id),
      soon: soonOf(id),
    };
  });
  return [
    { id: 'past', name: 'past', full: 'Expired', count: countOf('past'), soon: soonOf('past') },
    ...months,
    { id: 'later', name: 'later', full: 'Later', count: countOf('later'), soon: 0 },
  ];
}
