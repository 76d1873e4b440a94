import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Empty, Failure } from '../../ui/messages.js';
import { Page } from '../../ui/page.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { Tabs } from '../../ui/tabs.js';
import { Ago, exactText } from '../../ui/time.js';
import { To, useAddForm, useSearchText } from '../../ui/to.js';
import { kindTitle } from '../jobs/kinds.js';
import { LastBackups, LastRollout } from './last-run.js';
import { Calendar } from './calendar-view.js';
import { ScheduleDialog } from './schedule-dialog.js';
import { ScheduleForm } from './schedule-form.js';
import { type Plan, plansOf } from './plans.js';
import { rhythmText, rhythmWords, runTimes, zoneOf } from './rhythm.js';
import { RecurringState } from './recurring-state.js';
import { ScheduleActions } from './schedule-actions.js';
import styles from './schedules.module.css';
import { AwaitedTable } from '../../ui/rows/awaited.js';
import { OWN_ZONE } from '../../ui/words/typed-time.js';

const TABS = [
  ['list', 'Schedules'],
  ['calendar', 'Calendar'],
] as const;

/** What runs by itself: rollouts that start repeatedly and backup policies, as a list and as a calendar. */
export function Schedules(): ReactNode {
  const [{ tab = 'list', schedule }, change] = useSearchText();
  const may = useMay('rollout.manage');
  const [isOpen, setOpen] = useAddForm(may);
  const add = may && (
    <Button kind="primary" icon="plus" onClick={() => setOpen(true)}>
      Add a schedule
    </Button>
  );
  return (
    <Page title="Schedules" actions={add}>
      <Tabs label="Views" tabs={TABS} current={tab} />
      {tab === 'calendar' ? <Calendar /> : <Planned />}
      {schedule && <ScheduleDialog scheduleId={schedule} onClose={() => change({ schedule: undefined })} />}
      {isOpen && <ScheduleForm schedule={null} onClose={() => setOpen(false)} />}
    </Page>
  );
}

/** All of it in the order of the next runs. Backup policies are changed at their own place. */
function Planned(): ReactNode {
  const mayReadPolicies = useMay('backup.read');
  const schedules = useQuery({
    queryKey: KEYS.schedules.all,
    queryFn: ({ signal }) => api.get('/v1/schedules', { signal }),
  });
  const policies = useQuery({
    queryKey: KEYS.backups.policies,
    queryFn: ({ signal }) => api.get('/v1/backups/policies', { signal }),
    enabled: mayReadPolicies,
  });
  if (schedules.error) return <Failure error={schedules.error} onRetry={() => void schedules.refetch()} />;
  if (!schedules.data || (mayReadPolicies && policies.isPending))
    return <AwaitedTable titles={COLUMNS.map(({ title }) => title)} />;
  const plans = plansOf(schedules.data.items, policies.data?.items ?? []);
  if (plans.length === 0)
    return (
      <div className="card">
        <Empty title="Nothing runs by itself" command="fleetgate schedule add nightly-backup -f schedule.yaml">
          A schedule starts a rollout repeatedly, such as a backup of all devices every night. Its selector is read at
          each run.
        </Empty>
      </div>
    );
  return <Table label="What runs by itself" columns={COLUMNS} rows={plans} rowKey={({ key }) => key} />;
}

const COLUMNS: readonly Column<Plan>[] = [
  { title: 'Name', cell: (plan) => <PlanName of={plan} /> },
  {
    title: 'Next run',
    brief: ({ nextRuns: [next] }) =>
      next ? (
        <>
          next <Ago at={next} />
        </>
      ) : null,
    cell: ({ nextRuns, rhythm }) =>
      nextRuns[0] ? (
        <span title={nextRuns.map(exactText).join('\n')}>
          <RunTime at={nextRuns[0]} rhythm={rhythm} />
        </span>
      ) : (
        '–'
      ),
  },
  {
    title: 'When',
    narrow: 'block',
    brief: ({ rhythm }) => <span className="small">{rhythmText(rhythm)}</span>,
    cell: ({ rhythm }) => (
      <span className={styles['at']}>
        {rhythmWords(rhythm)}
        <span className="small quiet">{zoneOf(rhythm) ?? 'from its last run on'}</span>
      </span>
    ),
  },
  {
    title: 'What',
    brief: ({ kind, selector }) => [kindTitle(kind), selector].filter(Boolean).join(' of '),
    cell: ({ kind, selector }) => (
      <span className="foreign cut" title={selector ?? undefined}>
        {kindTitle(kind)}
        <br />
        <span className="small quiet">{selector ?? 'a choice that you see in part'}</span>
      </span>
    ),
  },
  { title: 'State', cell: ({ schedule, policy }) => <StateOf of={schedule ?? policy} /> },
  { title: 'Last run', narrow: 'block', cell: (plan) => <PlanLastRun of={plan} /> },
  {
    title: '',
    cell: ({ schedule, policy, name }) =>
      schedule ? (
        <ScheduleActions schedule={schedule} />
      ) : (
        <RowActions
          of={name}
          actions={[
            { text: 'Open', label: `Open ${name}`, to: '/backups', search: { tab: 'policies', policy: policy?.id } },
          ]}
        />
      ),
  },
];

/** In the schedule's own time zone, and below it by the reader's clock. */
function RunTime({ at, rhythm }: { at: string; rhythm: Plan['rhythm'] }): ReactNode {
  const { own, reader } = runTimes(at, zoneOf(rhythm), OWN_ZONE);
  return (
    <span className={styles['at']}>
      {own}
      <span className="small quiet">
        {reader !== null && `${reader} · `}
        <Ago at={at} />
      </span>
    </span>
  );
}

const StateOf = ({ of }: { of: Plan['schedule'] | Plan['policy'] }): ReactNode => of && <RecurringState of={of} />;

function PlanLastRun({ of: { schedule, policy } }: { of: Plan }): ReactNode {
  if (schedule) return <LastRollout of={schedule} />;
  return policy && <LastBackups of={policy} />;
}

function PlanName({ of: { name, schedule, policy } }: { of: Plan }): ReactNode {
  if (schedule)
    return (
      <To to="/schedules" search={{ schedule: schedule.id }} className="foreign cut" title={name}>
        {name}
      </To>
    );
  return (
    <span className="foreign cut" title={name}>
      <To to="/backups" search={{ tab: 'policies', policy: policy?.id }}>
        {name}
      </To>
      <br />
      <span className="small quiet">backup policy</span>
    </span>
  );
}
