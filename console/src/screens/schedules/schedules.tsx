import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { countText, numberText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { Empty, Failure, Loading } from '../../ui/messages.js';
import { Page } from '../../ui/page.js';
import { Strip } from '../../ui/rows/strip.js';
import { Tabs } from '../../ui/tabs.js';
import { Ago, exactText } from '../../ui/time.js';
import { To, useSearchText } from '../../ui/to.js';
import { kindTitle } from '../jobs/kinds.js';
import { Calendar } from './calendar-view.js';
import { NewSchedule } from './new-schedule.js';
import { PolicyRuns } from './policy-runs.js';
import { rhythmText, zoneOf } from './rhythm.js';
import { ScheduleActions } from './schedule-actions.js';

type Schedule = Schema<'Schedule'>;

const TABS = [
  ['list', 'Schedules'],
  ['calendar', 'Calendar'],
] as const;

/** Rollouts that start repeatedly, and a calendar of all that will run. */
export function Schedules(): ReactNode {
  const [{ tab = 'list' }] = useSearchText();
  const [isOpen, setOpen] = useState(false);
  const may = useMay('rollout.manage');
  const { data, error, refetch } = useQuery({
    queryKey: KEYS.schedules.all,
    queryFn: ({ signal }) => api.get('/v1/schedules', { signal }),
  });
  const add = may && (
    <Button kind="primary" icon="plus" onClick={() => setOpen(true)}>
      Add a schedule
    </Button>
  );
  return (
    <Page title="Schedules" actions={add}>
      <Tabs label="Views" tabs={TABS} current={tab} />
      {tab === 'calendar' ? (
        <Calendar />
      ) : data ? (
        <>
          <ScheduleTable schedules={data.items} />
          <PolicyRuns />
        </>
      ) : error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <Loading />
      )}
      {isOpen && <NewSchedule onClose={() => setOpen(false)} />}
    </Page>
  );
}

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** In the time of the reader. */
const RUN = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

const COLUMNS: readonly Column<Schedule>[] = [
  {
    title: 'Schedule',
    cell: ({ name }) => (
      <span className="foreign cut" title={name}>
        {name}
      </span>
    ),
  },
  { title: 'State', cell: (schedule) => <State schedule={schedule} /> },
  {
    title: 'When',
    brief: ({ rhythm }) => rhythmText(rhythm),
    cell: ({ rhythm }) => (
      <span>
        {rhythmText(rhythm)}
        <br />
        <span className="small quiet">{zoneOf(rhythm) ?? 'from its last run on'}</span>
      </span>
    ),
  },
  {
    title: 'What',
    brief: ({ rollout: { kind, selector } }) => [kindTitle(kind), selector].filter(Boolean).join(' of '),
    cell: ({ rollout }) => (
      <span className="foreign cut" title={rollout.selector ?? undefined}>
        {kindTitle(rollout.kind)}
        <br />
        <span className="small quiet">{rollout.selector ?? 'a choice that you see in part'}</span>
      </span>
    ),
  },
  {
    title: 'Next run',
    brief: ({ nextRuns, enabled }) =>
      enabled && nextRuns[0] ? (
        <>
          next <Ago at={nextRuns[0]} />
        </>
      ) : null,
    cell: ({ nextRuns, enabled }) =>
      enabled && nextRuns[0] ? (
        <span title={nextRuns.map(exactText).join('\n')}>
          {RUN.format(new Date(nextRuns[0]))}
          <br />
          <span className="small quiet">
            <Ago at={nextRuns[0]} /> · {OWN_ZONE}, your time
          </span>
        </span>
      ) : (
        '–'
      ),
  },
  {
    title: 'Last run',
    cell: ({ lastRunAt, lastRolloutId }) =>
      lastRunAt && lastRolloutId ? (
        <To to={`/rollouts/${lastRolloutId}`}>
          <Ago at={lastRunAt} />
        </To>
      ) : (
        <Ago at={lastRunAt} />
      ),
  },
  { title: '', cell: (schedule) => <ScheduleActions schedule={schedule} /> },
];

function ScheduleTable({ schedules }: { schedules: readonly Schedule[] }): ReactNode {
  if (schedules.length === 0)
    return (
      <div className="card">
        <Empty title="No schedules yet" command="fleetgate schedule add nightly-backup -f schedule.yaml">
          A schedule starts a rollout repeatedly, such as a backup of all devices every night. Its selector is read at
          each run.
        </Empty>
      </div>
    );
  return (
    <>
      <Figures of={schedules} />
      <Table label="Schedules" columns={COLUMNS} rows={schedules} rowKey={({ id }) => id} />
    </>
  );
}

/** How many there are, and which of them ran last and run next. */
function Figures({ of }: { of: readonly Schedule[] }): ReactNode {
  const active = of.filter(({ enabled }) => enabled);
  const next = active
    .filter(({ nextRuns }) => nextRuns.length > 0)
    .toSorted((a, b) => Date.parse(a.nextRuns[0]!) - Date.parse(b.nextRuns[0]!))[0];
  const last = of
    .filter(({ lastRunAt }) => lastRunAt !== null)
    .toSorted((a, b) => Date.parse(b.lastRunAt!) - Date.parse(a.lastRunAt!))[0];
  return (
    <Strip
      label="Schedules in figures"
      of={[
        { title: 'Active', value: numberText(active.length), note: `of ${countText(of.length, 'schedule')}` },
        { title: 'Next schedule', value: next ? <Ago at={next.nextRuns[0]} /> : 'none', note: next?.name },
        {
          title: 'Last schedule',
          value: last ? <Ago at={last.lastRunAt} /> : 'none yet',
          note: last?.name,
          ...(last?.lastRolloutId ? { to: `/rollouts/${last.lastRolloutId}` } : {}),
        },
      ]}
    />
  );
}

function State({ schedule: { enabled, orphaned, quarantinedAt, lastError } }: { schedule: Schedule }): ReactNode {
  if (orphaned)
    return (
      <span title="Its author was disabled, or their key was revoked. Save it again to continue.">
        <Mark tone="bad">Without author</Mark>
      </span>
    );
  if (quarantinedAt) return <Mark tone="bad">Stopped after two crashes</Mark>;
  if (!enabled) return <Mark tone="plain">Paused</Mark>;
  if (lastError)
    return (
      <span title={lastError}>
        <Mark tone="warn">{lastError.replaceAll('_', ' ')}</Mark>
      </span>
    );
  return <Mark tone="set">Active</Mark>;
}
