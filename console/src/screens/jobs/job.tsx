import { queryOptions, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode } from 'react';
import { api, type Schema } from '../../api/client.js';
import { ownPath } from '../../api/own-path.js';
import { DeviceLink } from '../../ui/devices/device-link.js';
import { JsonBlock } from '../../ui/json.js';
import { StateMark } from '../../ui/mark.js';
import { Failure, Loading } from '../../ui/messages.js';
import { Card, Facts, Page } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { JobActions } from './job-actions.js';
import { Ending } from './job-ending.js';
import { lengthText } from './job-times.js';
import { kindTitle } from './kinds.js';
import { Progress } from './progress.js';
import { JobLog } from './job-log.js';

type Job = Schema<'JobWithLog'>;

const jobQuery = (jobId: string) =>
  queryOptions({
    queryKey: ['job', jobId],
    queryFn: ({ signal }) => api.get('/v1/jobs/{jobId}', { params: { path: { jobId } }, signal }),
    refetchInterval: ({ state }) => (state.data?.phase === 'ended' ? false : 3_000),
  });

/** One job: what it does, how far it is, and everything that the device answered. */
export function JobScreen(): ReactNode {
  const { jobId = '' } = useParams({ strict: false }) as { jobId?: string };
  const { data: job, error, refetch } = useQuery(jobQuery(jobId));
  if (!job)
    return <Page title="Job">{error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />}</Page>;
  return (
    <Page
      title={kindTitle(job.kind)}
      beside={
        <>
          <DeviceLink id={job.deviceId} />
          <StateMark state={job.outcome ?? job.phase} />
        </>
      }
      actions={<JobActions job={job} />}
    >
      {job.phase !== 'ended' && <Progress job={job} />}
      <Ending job={job} />
      <div className="columns">
        <Card title="Steps">
          <JobLog job={job} />
        </Card>
        <div className="stack">
          <About job={job} />
          {Object.keys(job.spec).length > 0 && (
            <Card title="Parameters">
              <JsonBlock label="Parameters of the job" value={job.spec} />
            </Card>
          )}
          {job.result && <Result job={job} />}
        </div>
      </div>
    </Page>
  );
}

function About({ job }: { job: Job }): ReactNode {
  return (
    <Card title="About">
      <Facts
        of={[
          ['Device', <DeviceLink key="device" id={job.deviceId} />],
          ['Started by', job.startedByName],
          ['Reason', job.reason],
          ['Created', <Ago key="created" at={job.createdAt} />],
          ['Started', <Ago key="started" at={job.startedAt} />],
          ['Ended', job.endedAt ? <Ago key="ended" at={job.endedAt} /> : 'not yet'],
          ['Took', lengthText(job)],
          ...(job.phase === 'ended'
            ? []
            : ([['Ends at the latest', <Ago key="deadline" at={job.deadlineAt} />]] as const)),
          ...(job.attempts > 0 ? ([['Problems at this step', String(job.attempts)]] as const) : []),
          ...(job.lostWorkers > 0 ? ([['Lost workers', String(job.lostWorkers)]] as const) : []),
          ['Id', <code key="id">{job.id}</code>],
          [
            'Audit',
            <To key="audit" to="/audit" search={{ jobId: job.id }}>
              Entries of this job
            </To>,
          ],
        ]}
      />
    </Card>
  );
}

function Result({ job }: { job: Job }): ReactNode {
  const artifactId = job.result?.artifactId;
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
        <JsonBlock label="Result of the job" value={job.result} />
      </div>
    </Card>
  );
}
