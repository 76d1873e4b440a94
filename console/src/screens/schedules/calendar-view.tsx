import { type ReactNode } from 'react';
import '../../styles/filters.css';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { SelectField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { useNow } from '../../ui/time.js';
import { To, useSearchText } from '../../ui/to.js';
import { calendar, type Day } from './calendar-entries.js';
import { zoneOf } from './rhythm.js';

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What will run when, for two weeks, in a time zone that the reader chooses. */
export function Calendar({ schedules }: { schedules: readonly Schema<'Schedule'>[] }): ReactNode {
  const [{ zone = OWN_ZONE }, change] = useSearchText();
  const rollouts = useList('/v1/rollouts', { key: ['rollouts', 'calendar'], query: { limit: 100 } });
  const now = useNow();
  const zones = [...new Set([OWN_ZONE, 'UTC', ...schedules.map(({ rhythm }) => zoneOf(rhythm) ?? 'UTC')])];
  const known = zones.includes(zone) ? zone : OWN_ZONE;
  const days = calendar({ schedules, rollouts: rollouts.rows, zone: known, now });
  return (
    <div className="stack">
      <div className="filters">
        <SelectField
          label="Time zone"
          value={known}
          options={zones.map((one) => [one, one === OWN_ZONE ? `Yours: ${one}` : one] as const)}
          onChange={(event) => change({ zone: event.target.value })}
        />
      </div>
      {rollouts.error ? <Failure error={rollouts.error} onRetry={rollouts.again} /> : null}
      <ol className="calendar" aria-label="The next two weeks">
        {days.map((day, at) => (
          <OneDay key={day.date} day={day} isToday={at === 0} />
        ))}
      </ol>
      <p className="small quiet">
        Each schedule is shown with its next three runs; “…” after the third says that it goes on. Windows of open
        rollouts open in the time zone of each device.
      </p>
    </div>
  );
}

function OneDay({ day, isToday }: { day: Day; isToday: boolean }): ReactNode {
  return (
    <li data-empty={day.entries.length === 0 || undefined}>
      <h2>{isToday ? `Today, ${day.title}` : day.title}</h2>
      <ul>
        {day.entries.map(({ key, time, name, about, to, isWindow, goesOn }) => (
          <li key={key} title={about} className={isWindow ? 'quiet' : undefined}>
            <time>{time}</time>{' '}
            <To to={to} className="foreign">
              {name}
            </To>
            {isWindow && ' window'}
            {goesOn && ' …'}
          </li>
        ))}
      </ul>
    </li>
  );
}
