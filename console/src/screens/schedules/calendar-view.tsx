import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText } from '../../api/amount-text.js';
import { api } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { Button, IconButton } from '../../ui/button.js';
import { SelectField } from '../../ui/field.js';
import filters from '../../ui/rows/filters.module.css';
import { Empty, Failure } from '../../ui/messages.js';
import { useNow } from '../../ui/time.js';
import { To, useSearchText } from '../../ui/to.js';
import { OWN_ZONE } from '../../ui/words/typed-time.js';
import { daysAfter, datesText, VIEWS, weeksFrom } from './calendar-dates.js';
import { calendar, dateIn, RUNS_ASKED } from './calendar-entries.js';
import { CalendarGrid, CalendarLegend } from './calendar-grid.js';
import { PAST_JOBS, wholeDays } from './past-runs.js';
import { scheduleRunsQuery } from './schedule-dialog.js';
import { zoneOf } from './rhythm.js';
import styles from './schedules.module.css';
import { KEYS } from '../../api/keys/query-keys.js';

/** What ran and what will run, by week or for five weeks, in a time zone that the reader chooses. */
export function Calendar(): ReactNode {
  const [{ zone = OWN_ZONE, view = 'month', from }, change] = useSearchText();
  const recurring = useRecurring();
  const { schedules, policies } = recurring;
  const rollouts = useList('/v1/rollouts', { key: KEYS.rollouts.calendar, query: { limit: 100 } });
  const now = useNow();
  const rhythms = [...schedules, ...policies].map(({ rhythm }) => zoneOf(rhythm) ?? 'UTC');
  const zones = [...new Set([OWN_ZONE, 'UTC', ...rhythms])];
  const known = zones.includes(zone) ? zone : OWN_ZONE;
  const dates = weeksFrom(from, view, dateIn(now, known));
  const readsJobs = useMay('job.read') && dates.first <= dateIn(now, known);
  const done = useList('/v1/jobs', {
    key: KEYS.jobs.calendar,
    query: { kind: 'backup', phase: 'ended', limit: PAST_JOBS },
    enabled: readsJobs,
  });
  const backups = wholeDays(done.rows, done.hasMore, (at) => dateIn(at, known));
  const days = calendar({ schedules, policies, rollouts: rollouts.rows, backups, zone: known, now }, dates);
  const isLoading = recurring.isLoading || rollouts.isLoading || (readsJobs && done.isLoading);
  const isEmpty =
    !isLoading && !recurring.error && !rollouts.error && days.every(({ entries }) => entries.length === 0);
  if (isEmpty && schedules.length + policies.length === 0 && from === undefined) return <NothingPlanned />;
  return (
    <div className="stack">
      <div className={`${filters['filters']} ${styles['head']}`} role="search">
        <div className={styles['place']}>
          <IconButton
            label="Before"
            icon="left"
            onClick={() => change({ from: daysAfter(dates.first, -dates.days) })}
          />
          <IconButton label="After" icon="right" onClick={() => change({ from: daysAfter(dates.first, dates.days) })} />
          <Button disabled={from === undefined} onClick={() => change({ from: undefined })}>
            Today
          </Button>
          <h2 aria-live="polite">{datesText(dates)}</h2>
        </div>
        <SelectField
          label="Shown"
          value={view}
          options={VIEWS.map(([name, text]) => [name, text] as const)}
          onChange={(event) => change({ view: event.target.value })}
        />
        <SelectField
          label="Time zone"
          value={known}
          options={zones.map((one) => [one, one === OWN_ZONE ? `Yours: ${one}` : one] as const)}
          onChange={(event) => change({ zone: event.target.value })}
        />
      </div>
      {recurring.error ? <Failure error={recurring.error} onRetry={recurring.again} /> : null}
      {rollouts.error ? <Failure error={rollouts.error} onRetry={rollouts.again} /> : null}
      <CalendarLegend />
      <CalendarGrid days={days} isLong={view === 'week'} isLoading={isLoading} label={datesText(dates)} />
      <p className="small quiet" role="status">
        {isLoading && 'Not all of it is read yet. '}
        {isEmpty && 'Nothing runs in these days. '}
        {zonesText(known, rhythms)} {done.hasMore && `Backups are shown of the last ${countText(PAST_JOBS, 'job')}.`}
      </p>
    </div>
  );
}

/** Whose time the calendar shows, and which others it has turned into it. */
function zonesText(shown: string, rhythms: readonly string[]): string {
  const others = [...new Set(rhythms)].filter((one) => one !== shown);
  const own = `Times are in ${shown}${shown === OWN_ZONE ? ', your time zone' : ''}.`;
  return others.length === 0 ? own : `${own} What is planned in ${others.join(' and ')} is turned into it.`;
}

function NothingPlanned(): ReactNode {
  return (
    <div className="card">
      <Empty title="Nothing is planned">
        The calendar shows what schedules, backup policies and rollouts do on which day. Begin with a backup of all
        devices every night, as a schedule here or as a{' '}
        <To to="/backups" search={{ tab: 'policies' }}>
          backup policy
        </To>
        .
      </Empty>
    </div>
  );
}

/** Schedules and backup policies with their runs of two weeks. */
function useRecurring() {
  const mayReadPolicies = useMay('backup.read');
  const query = { runs: RUNS_ASKED };
  const schedules = useQuery(scheduleRunsQuery);
  const policies = useQuery({
    queryKey: KEYS.backups.policiesRuns,
    queryFn: ({ signal }) => api.get('/v1/backups/policies', { params: { query }, signal }),
    enabled: mayReadPolicies,
  });
  return {
    schedules: schedules.data?.items ?? [],
    policies: policies.data?.items ?? [],
    error: schedules.error ?? policies.error,
    isLoading: schedules.isPending || (mayReadPolicies && policies.isPending),
    again: () => void Promise.all([schedules.refetch(), policies.refetch()]),
  };
}
