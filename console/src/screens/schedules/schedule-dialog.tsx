import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api, type Schema } from '../../api/client.js';
import { countText } from '../../api/amount-text.js';
import { summaryQuery } from '../../api/queries.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { useList } from '../../api/lists.js';
import { Dialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { Mark } from '../../ui/mark.js';
import { Failure, Loading } from '../../ui/messages.js';
import { Facts } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { OWN_ZONE } from '../../ui/words/typed-time.js';
import { specWords } from '../job-forms/shown/spec-words.js';
import { SpecFacts } from '../job-forms/shown/spec-facts.js';
import { kindTitle } from '../jobs/kinds.js';
import { RUNS_ASKED } from './calendar-entries.js';
import { pastRun } from './past-runs.js';
import { rhythmText, runTimes, zoneOf } from './rhythm.js';
import { ScheduleActions } from './schedule-actions.js';
import { RecurringState } from './recurring-state.js';
import styles from './schedules.module.css';

type Schedule = Schema<'Schedule'>;

/** Runs to come and past ones. */
const SHOWN = 5;

/** The schedules with their runs of two weeks. */
export const scheduleRunsQuery = {
  queryKey: KEYS.schedules.runs,
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    api.get('/v1/schedules', { params: { query: { runs: RUNS_ASKED } }, signal }),
};

interface ScheduleDialogProps {
  scheduleId: string;
  onClose: () => void;
}

/** One schedule: what it does, when it runs next, how its last runs went, and what can be done with it. */
export function ScheduleDialog({ scheduleId, onClose }: ScheduleDialogProps): ReactNode {
  const { data, error, refetch } = useQuery(scheduleRunsQuery);
  const schedule = data?.items.find(({ id }) => id === scheduleId);
  return (
    <Dialog title={schedule?.name ?? 'Schedule'} size="wide" onClose={onClose}>
      <div className="dialog-body">
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loading />}
        {data && !schedule && <p>There is no such schedule. It may have been removed.</p>}
        {schedule && <About schedule={schedule} />}
        <EquivalentLines command={`schedule show ${scheduleId}`} method="GET" path={`/v1/schedules/${scheduleId}`} />
      </div>
    </Dialog>
  );
}

function About({ schedule }: { schedule: Schedule }): ReactNode {
  const { rollout, rhythm, missed, createdByName, createdAt } = schedule;
  return (
    <>
      <div className="row spread">
        <RecurringState of={schedule} />
        <ScheduleActions schedule={schedule} />
      </div>
      <Facts
        of={[
          ['What', kindTitle(rollout.kind)],
          ['Devices', <Devices key="devices" selector={rollout.selector} />],
          ['When', rhythmText(rhythm)],
          ['After missed runs', missed === 'once' ? 'catches up once' : 'waits for the next one'],
          ['Acts in the name of', createdByName],
          ['Saved', <Ago key="saved" at={createdAt} />],
        ]}
      />
      {hasParameters(rollout) && <SpecFacts kind={rollout.kind} spec={rollout.spec} label="Parameters of its jobs" />}
      <div className="columns">
        <Coming schedule={schedule} />
        <Past schedule={schedule} />
      </div>
    </>
  );
}

const hasParameters = ({ kind, spec }: Schedule['rollout']): boolean => specWords(kind, spec ?? {}).length > 0;

function Devices({ selector }: { selector: string | null }): ReactNode {
  const { data } = useQuery({
    ...summaryQuery({ selector: selector ?? '', by: 'state' }),
    enabled: selector !== null,
    retry: false,
  });
  if (selector === null) return 'a choice that you see in part';
  return (
    <>
      <To to="/devices" search={{ selector }}>
        {selector}
      </To>
      {data && <span className="quiet"> {countText(data.devices, 'device')} now</span>}
    </>
  );
}

function Coming({ schedule: { nextRuns, rhythm } }: { schedule: Schedule }): ReactNode {
  return (
    <section>
      <h3>Next runs</h3>
      {nextRuns.length === 0 && <p className="quiet">None: it does not run now.</p>}
      <ul className={styles['runs']}>
        {nextRuns.slice(0, SHOWN).map((at) => {
          const { own, reader } = runTimes(at, zoneOf(rhythm), OWN_ZONE);
          return (
            <li key={at}>
              {own} {reader !== null && <span className="small quiet">{reader}</span>}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Past({ schedule: { id, lastRunAt } }: { schedule: Schedule }): ReactNode {
  const list = useList('/v1/rollouts', { key: KEYS.rollouts.calendar, query: { limit: 100 } });
  const ran = list.rows.filter((rollout) => rollout.scheduleId === id).slice(0, SHOWN);
  return (
    <section>
      <h3>Last runs</h3>
      {list.error ? <Failure error={list.error} onRetry={list.again} /> : null}
      {!list.isLoading && !list.error && ran.length === 0 && (
        <p className="quiet">{lastRunAt === null ? 'None yet.' : 'None among the last 100 rollouts.'}</p>
      )}
      <ul className={styles['runs']}>
        {ran.map((rollout) => {
          const { tone, about } = pastRun(rollout);
          return (
            <li key={rollout.id}>
              <To to={`/rollouts/${rollout.id}`}>
                <Ago at={rollout.startedAt ?? rollout.createdAt} />
              </To>{' '}
              <Mark tone={tone}>{about}</Mark>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
