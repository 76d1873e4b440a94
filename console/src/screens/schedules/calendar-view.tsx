import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { SelectField } from '../../ui/field.js';
import filters from '../../ui/rows/filters.module.css';
import { Failure, Loading } from '../../ui/messages.js';
import { useNow } from '../../ui/time.js';
import { To, useSearchText } from '../../ui/to.js';
import { calendar, type Day, RUNS_ASKED } from './calendar-entries.js';
import { zoneOf } from './rhythm.js';
import styles from './schedules.module.css';

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What will run when, for two weeks, in a time zone that the reader chooses. */
export function Calendar(): ReactNode {
  const [{ zone = OWN_ZONE }, change] = useSearchText();
  const recurring = useRecurring();
  const { schedules, policies } = recurring;
  const rollouts = useList('/v1/rollouts', { key: ['rollouts', 'calendar'], query: { limit: 100 } });
  const now = useNow();
  const rhythms = [...schedules, ...policies].map(({ rhythm }) => zoneOf(rhythm) ?? 'UTC');
  const zones = [...new Set([OWN_ZONE, 'UTC', ...rhythms])];
  const known = zones.includes(zone) ? zone : OWN_ZONE;
  const days = calendar({ schedules, policies, rollouts: rollouts.rows, zone: known, now });
  return (
    <div className="stack">
      <div className={filters['filters']} role="search">
        <SelectField
          label="Time zone"
          value={known}
          options={zones.map((one) => [one, one === OWN_ZONE ? `Yours: ${one}` : one] as const)}
          onChange={(event) => change({ zone: event.target.value })}
        />
      </div>
      {recurring.error ? <Failure error={recurring.error} onRetry={recurring.again} /> : null}
      {recurring.isLoading && <Loading />}
      {rollouts.error ? <Failure error={rollouts.error} onRetry={rollouts.again} /> : null}
      <ol className={styles['calendar']} aria-label="The next two weeks">
        {days.map((day, at) => (
          <OneDay key={day.date} day={day} isToday={at === 0} />
        ))}
      </ol>
      <p className="small quiet">
        Runs of schedules and backup policies, and starts of rollouts, are in the time zone {known}. Windows of open
        rollouts open in the time zone of each device. “…” marks the last run that is shown; more follow.
      </p>
    </div>
  );
}

/** Schedules and backup policies with their runs of two weeks. */
function useRecurring() {
  const mayReadPolicies = useMay('backup.read');
  const query = { runs: RUNS_ASKED };
  const schedules = useQuery({
    queryKey: ['schedules', 'runs'],
    queryFn: ({ signal }) => api.get('/v1/schedules', { params: { query }, signal }),
  });
  const policies = useQuery({
    queryKey: ['backups', 'policies', 'runs'],
    queryFn: ({ signal }) => api.get('/v1/backups/policies', { params: { query }, signal }),
    enabled: mayReadPolicies,
  });
  return {
    schedules: schedules.data?.items ?? [],
    policies: policies.data?.items ?? [],
    error: schedules.error ?? policies.error,
    isLoading: schedules.isPending,
    again: () => void Promise.all([schedules.refetch(), policies.refetch()]),
  };
}

function OneDay({ day, isToday }: { day: Day; isToday: boolean }): ReactNode {
  return (
    <li data-empty={day.entries.length === 0 || undefined}>
      <h2>{isToday ? `Today, ${day.title}` : day.title}</h2>
      <ul>
        {day.entries.map(({ key, time, name, about, to, isWindow, times, goesOn }) => (
          <li key={key} title={about} data-window={isWindow || undefined}>
            <time>{time}</time>
            <To to={pathOf(to)} search={searchOf(to)} className="foreign cut" title={name}>
              {name}
            </To>
            <span className="quiet">
              {isWindow && 'window, device time'}
              {times > 1 && `${times} times`}
              {goesOn && ' …'}
            </span>
          </li>
        ))}
      </ul>
    </li>
  );
}

const pathOf = (to: string): string => to.split('?')[0] ?? '';
const searchOf = (to: string) => Object.fromEntries(new URLSearchParams(to.split('?')[1]));
