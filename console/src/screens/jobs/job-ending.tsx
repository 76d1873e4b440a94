import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { Details } from '../../ui/json.js';
import { Notice } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { Ago, useNow } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { lastGoodQuery } from './acting/last-away.js';
import { failedText, kindTitle, MEANING, SAME_AGAIN, sameAgainText, toLookAt } from './kinds.js';
import { DeviceNow } from './standing/device-now.js';
import { lastStepText } from './standing/waits.js';
import { FactList } from './timeline/fact-list.js';
import { evidenceOf } from './evidence.js';

type Job = Schema<'JobWithLog'>;

/** Why a job ended without success, at which step, and how its device is now. What an open one had last is in its progress. */
export function Ending({ job }: { job: Job }): ReactNode {
  const { failure, outcome } = job;
  const now = useNow();
  if (outcome === null) return null;
  if (!failure) return outcome === 'cancelled' ? <Notice>{MEANING.cancelled}</Notice> : null;
  const isUnknown = outcome === 'unknown';
  return (
    <>
      <Notice tone={outcome === 'failed' ? 'bad' : 'warn'}>
        <strong className="foreign">{failure.message}</strong>
        <span>
          {lastStepText(job, now)} {meaningOf(failure, outcome)}
        </span>
        {isUnknown && <span>A person must look at the device. {toLookAt(failure.code)}</span>}
        {job.attempts > 1 && (
          <span>It had {countText(job.attempts, 'problem')} at this step; this is the last one.</span>
        )}
        <DoneSince job={job} />
        <DeviceNow deviceId={job.deviceId} />
        {!isUnknown && (
          <details className="equivalent">
            <summary className="small">Technical details</summary>
            <FactList facts={{ code: failure.code, ...failure.facts }} label="Why it failed" />
          </details>
        )}
      </Notice>
      {isUnknown && <Evidence job={job} />}
    </>
  );
}

/** A later job of the same kind on the device that succeeded. */
function DoneSince({ job: { deviceId, kind, endedAt } }: { job: Job }): ReactNode {
  const { data } = useQuery(lastGoodQuery(deviceId, kind));
  const later = data?.items[0];
  if (!later?.endedAt || endedAt === null || later.endedAt < endedAt) return null;
  return (
    <span>
      A later <To to={`/jobs/${later.id}`}>{kindTitle(kind).toLowerCase()}</To> on this device has succeeded:{' '}
      <Ago at={later.endedAt} />
    </span>
  );
}

function meaningOf(failure: NonNullable<Job['failure']>, outcome: Job['outcome']): string | undefined {
  const same = sameAgainText(failure);
  if (same !== null) return `${same} ${SAME_AGAIN}`;
  return outcome === 'failed' ? failedText(failure.code) : MEANING[outcome ?? ''];
}

function Evidence({ job }: { job: Job }): ReactNode {
  const { before, after } = evidenceOf(job);
  return (
    <Card title="Evidence">
      <div className="columns">
        <Side title="Before the command" facts={before} empty="The log has no values of the time before." />
        <Side title="After the command" facts={after} empty="No probe saw the device since then." />
      </div>
    </Card>
  );
}

function Side({ title, facts, empty }: { title: string; facts: Record<string, unknown>; empty: string }): ReactNode {
  return (
    <div className="stack">
      <h3>{title}</h3>
      {Object.keys(facts).length > 0 ? <Details of={facts} /> : <p className="quiet">{empty}</p>}
    </div>
  );
}
