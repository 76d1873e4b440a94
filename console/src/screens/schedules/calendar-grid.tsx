import { type ReactNode } from 'react';
import { countText } from '../../api/amount-text.js';
import { To, useSearchText } from '../../ui/to.js';
import { WEEKDAYS } from './calendar-dates.js';
import { type Day, type Entry } from './calendar-entries.js';
import styles from './calendar.module.css';

/** A day of five weeks has room for so many; the others are counted. */
const SHOWN = 4;

interface GridProps {
  days: readonly Day[];
  /** A week has room for all entries, with what they do. */
  isLong: boolean;
  /** The days stand there at once; each has a bar until all is read, so that a part does not look like the whole. */
  isLoading: boolean;
  label: string;
}

/** Weeks of seven days; on narrow screens a list of the days that have something. */
export function CalendarGrid({ days, isLong, isLoading, label }: GridProps): ReactNode {
  return (
    <div className={styles['calendar']} data-view={isLong ? 'week' : 'weeks'}>
      <div className={styles['weekdays']} aria-hidden="true">
        {WEEKDAYS.map((day) => (
          <span key={day}>{day}</span>
        ))}
      </div>
      <ol aria-label={label} aria-busy={isLoading}>
        {days.map((day) => (
          <OneDay key={day.date} day={day} isLong={isLong} isLoading={isLoading} />
        ))}
      </ol>
    </div>
  );
}

const LEGEND = [
  ['good', 'succeeded'],
  ['warn', 'in part'],
  ['bad', 'failed'],
  ['busy', 'runs'],
  ['planned', 'planned'],
  ['window', 'window, in the time of each device'],
] as const;

/** What the marks of entries mean. */
export function CalendarLegend(): ReactNode {
  return (
    <p className={`small quiet ${styles['legend']}`}>
      {LEGEND.map(([tone, text]) => (
        <span key={tone}>
          <i data-tone={tone} aria-hidden="true" /> {text}
        </span>
      ))}
    </p>
  );
}

function OneDay({ day, isLong, isLoading }: Pick<GridProps, 'isLong' | 'isLoading'> & { day: Day }): ReactNode {
  const { title, isPast, isToday, entries } = day;
  const shown = isLong ? entries : entries.slice(0, entries.length > SHOWN ? SHOWN - 1 : SHOWN);
  const [weekday, ...date] = title.split(' ');
  return (
    <li
      data-empty={entries.length === 0 || undefined}
      data-past={isPast || undefined}
      data-today={isToday || undefined}
      aria-current={isToday ? 'date' : undefined}
    >
      <h3>
        <span className={styles['weekday']}>{weekday} </span>
        {date.join(' ').replace(/^0/, '')}
        {isToday && <span className={styles['today']}> today</span>}
      </h3>
      <ul>
        {shown.map((entry) => (
          <OneEntry key={entry.key} entry={entry} isLong={isLong} />
        ))}
      </ul>
      {/* Also on days with entries: more may come. */}
      {isLoading && <span className="awaited" />}
      {entries.length > shown.length && (
        <To to="." search={{ tab: 'calendar', view: 'week', from: day.date }} className="small">
          {countText(entries.length - shown.length, 'more', 'more')}
        </To>
      )}
    </li>
  );
}

function OneEntry({ entry, isLong }: { entry: Entry; isLong: boolean }): ReactNode {
  const { time, name, about, note, to, tone, isWindow, times, goesOn } = entry;
  const [shown] = useSearchText();
  const isHere = to.startsWith('?');
  return (
    <li title={`${time} ${name}: ${about}`} data-window={isWindow || undefined} data-tone={tone ?? undefined}>
      <time>{time}</time>{' '}
      <To
        to={isHere ? '.' : pathOf(to)}
        search={isHere ? { ...shown, ...searchOf(to) } : searchOf(to)}
        className="foreign"
      >
        {name}
      </To>
      {note && !isLong && <span className="small quiet"> · {note}</span>}
      <span className={isLong ? 'quiet' : 'visually-hidden'}>
        {isWindow ? 'window, device time' : about}
        {times > 1 && `, ${countText(times, 'run')}`}
        {goesOn && <span title="The last run that was read; it goes on"> …</span>}
      </span>
    </li>
  );
}

const pathOf = (to: string): string => to.split('?')[0] ?? '';
const searchOf = (to: string) => Object.fromEntries(new URLSearchParams(to.split('?')[1]));
