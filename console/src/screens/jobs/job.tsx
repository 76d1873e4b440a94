import { queryOptions, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode } from 'react';
import { api, type Schema } from '../../api/client.js';
import { useDeviceName } from '../../api/names/device-names.js';
import { useMay } from '../../api/may.js';
import { ownPath } from '../../api/own-path.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { DeviceLink } from '../../ui/devices/device-link.js';
import { StateMark } from '../../ui/mark.js';
import { Failure, Notice } from '../../ui/messages.js';
import { Card, Facts, Page } from '../../ui/page.js';
import { Ago, exactText } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { SpecFacts } from '../job-forms/shown/spec-facts.js';
import { JobActions } from './job-actions.js';
import { Ending } from './job-ending.js';
import { lengthText } from './job-times.js';
import { kindTitle } from './kinds.js';
import { Progress } from './progress.js';
import { JobLog } from './job-log.js';
import { resultText } from './result-text.js';
import { AuditEntries } from './timeline/audit-entries.js';
import { FactList } from './timeline/fact-list.js';
import { isOfStep } from './timeline/step-spans.js';
import { JobTimeline } from './timeline/job-timeline.js';
import { AwaitedCards } from '../../ui/rows/awaited.js';

type Job = Schema<'JobWithLog'>;

const jobQuery = (jobId: string) =>
  queryOptions({
    queryKey: KEYS.job.one(jobId),
    queryFn: ({ signal }) => api.get('/v1/jobs/{jobId}', { params: { path: { jobId } }, signal }),
    refetchInterval: ({ state }) => (state.data?.phase === 'ended' ? false : 3_000),
  });

/** The rollout that started it: the API gives the list. */
const rolloutQuery = (job: string) =>
  queryOptions({
    queryKey: KEYS.rollouts.ofJob(job),
    queryFn: async ({ signal }) =>
      (await api.get('/v1/rollouts', { params: { query: { job, limit: 1 } }, signal })).items,
    staleTime: Infinity, // a rollout knows its jobs from their start on
  });

/** One job: what it does, how far it is, and everything that the device answered. */
export function JobScreen(): ReactNode {
  const { jobId = '' } = useParams({ strict: false }) as { jobId?: string };
  const { data: job, error, refetch } = useQuery(jobQuery(jobId));
  if (!job)
    return (
      <Page title="Job">{error ? <Failure error={error} onRetry={() => void refetch()} /> : <AwaitedCards />}</Page>
    );
  return <LoadedJob job={job} />;
}

function LoadedJob({ job }: { job: Job }): ReactNode {
  const name = useDeviceName(job.deviceId);
  return (
    <Page
      title={name ? `${kindTitle(job.kind)} on ${name}` : kindTitle(job.kind)}
      beside={<StateMark state={job.outcome ?? job.phase} />}
      actions={<JobActions job={job} />}
    >
      {job.phase !== 'ended' && <Progress job={job} />}
      <Ending job={job} />
      <Answer job={job} />
      {(job.phase !== 'ended' || job.outcome === 'failed' || job.log.some(isOfStep)) && (
        <Card title="Over time">
          <JobTimeline job={job} />
        </Card>
      )}
      <div className="columns">
        <div className="stack">
          <Card title="What happened">
            <JobLog job={job} />
          </Card>
          {Object.keys(job.spec).length > 0 && (
            <Card title="Parameters">
              <SpecFacts kind={job.kind} spec={job.spec} label="Parameters of the job" />
            </Card>
          )}
        </div>
        <div className="stack">
          {job.result && <Result job={job} />}
          <About job={job} />
          <AuditEntries jobId={job.id} />
        </div>
      </div>
    </Page>
  );
}

/** What came of it, in a line: what an operator has opened it for. */
function Answer({ job }: { job: Job }): ReactNode {
  const text = job.outcome === 'succeeded' ? resultText(job) : '';
  if (text === '') return null;
  return (
    <Notice tone="good">
      <span>
        <strong className="foreign">{text}</strong>{' '}
        <span className="quiet">
          · took {lengthText(job)}, ended <Ago at={job.endedAt} />
        </span>
      </span>
    </Notice>
  );
}

function About({ job }: { job: Job }): ReactNode {
  const [rollout] = useQuery({ ...rolloutQuery(job.id), enabled: useMay('rollout.read') }).data ?? [];
  return (
    <Card title="About">
      <Facts
        of={[
          ['Device', <DeviceLink key="device" id={job.deviceId} />],
          ['Started by', job.startedByName],
          ...(rollout && job.reason === `rollout ${rollout.name}` ? [] : [['Reason', job.reason] as const]),
          ...(rollout
            ? ([
                [
                  'Rollout',
                  <To key="rollout" to={`/rollouts/${rollout.id}`}>
                    {rollout.name}
                  </To>,
                ],
              ] as const)
            : []),
          ['Created', exactText(job.createdAt)],
          ['Started', job.startedAt ? exactText(job.startedAt) : 'not yet'],
          ['Ended', job.endedAt ? exactText(job.endedAt) : 'not yet'],
          ...(job.phase === 'ended'
            ? []
            : ([['Ends at the latest', <Ago key="deadline" at={job.deadlineAt} />]] as const)),
          ...(job.attempts > 0 ? ([['Problems at this step', String(job.attempts)]] as const) : []),
          ...(job.lostWorkers > 0 ? ([['Lost workers', String(job.lostWorkers)]] as const) : []),
          ['Id', <code key="id">{job.id}</code>],
        ]}
      />
    </Card>
  );
}

function Result({ job }: { job: Job }): ReactNode {
  const { artifactId, ...all } = job.result ?? {};
  // That it changed something is what a job is for; only the contrary is told.
  const facts = Object.fromEntries(Object.entries(all).filter(([name, value]) => name !== 'changed' || value !== true));
  return (
    <Card title="Result">
      <div className="stack">
        {typeof artifactId === 'string' && (
          <p>
            <a href={ownPath(`/v1/artifacts/${encodeURIComponent(artifactId)}/content`)} download>
              Download the stored file
            </a>
          </p>
        )}
        <FactList facts={facts} label="Result of the job" />
      </div>
    </Card>
  );
}
