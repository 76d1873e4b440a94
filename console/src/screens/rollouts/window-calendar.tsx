import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { useNow } from '../../ui/time.js';
import { clockText, openingsByDay, type OpenDay } from './openings.js';
import styles from './rollouts.module.css';

const DAYS = 7;

interface Props {
  policy: Pick<Schema<'RolloutPolicy'>, 'windows' | 'timeZone'>;
  /** The first day; absent: today. In milliseconds or as the API writes it. */
  from?: string | undefined;
}

/** When devices may start: a week of days with the open hours of each. */
export function WindowCalendar({ policy: { windows, timeZone }, from }: Props): ReactNode {
  const now = useNow();
  if (windows.length === 0) return <p className="quiet">Devices may start at any time: no window is set.</p>;
  const start = Math.max(now, from ? new Date(from).getTime() : now);
  const first = new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone }).format(start);
  return (
    <figure className={styles['windows']}>
      <ol aria-label="When devices may start">
        {openingsByDay(windows, first, DAYS).map((day) => (
          <DayLine key={day.date} day={day} />
        ))}
      </ol>
      <figcaption className="small quiet">
        Local time of each device; {timeZone} for devices without a time zone of their own.
      </figcaption>
    </figure>
  );
}

const TITLE = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });

function DayLine({ day: { date, openings } }: { day: OpenDay }): ReactNode {
  const share = (minutes: number) => `${(100 * minutes) / 1_440}%`;
  return (
    <li>
      <span>{TITLE.format(new Date(`${date}T12:00:00Z`))}</span>
      <span className={styles['windowTrack']} aria-hidden="true">
        {openings.map(({ from, to }) => (
          <i key={from} style={{ left: share(from), width: share(to - from) }} />
        ))}
      </span>
      <span className="quiet">
        {openings.length === 0
          ? 'closed'
          : openings.map(({ from, to }) => `${clockText(from)}–${clockText(to)}`).join(', ')}
      </span>
    </li>
  );
}
