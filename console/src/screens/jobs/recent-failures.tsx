import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText, numberText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { DeviceLink } from '../../ui/devices/device-link.js';
import { Notice } from '../../ui/messages.js';
import { Ago, useNow } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { kindTitle } from './kinds.js';
import styles from './jobs.module.css';
import { resultText } from './result-text.js';

type Job = Schema<'Job'>;

const DAY_MS = 86_400_000;

/** Failures that are read, and those that are named. */
const READ = 50;
const SHOWN = 3;

/** What failed in the last day, above all jobs; nothing where nothing did. */
export function RecentFailures(): ReactNode {
  const now = useNow();
  const { data } = useQuery({
    queryKey: KEYS.jobs.failed,
    queryFn: ({ signal }) => api.get('/v1/jobs', { params: { query: { outcome: 'failed', limit: READ } }, signal }),
  });
  const recent = data?.items.filter(({ createdAt }) => now - Date.parse(createdAt) < DAY_MS) ?? [];
  if (recent.length === 0) return null;
  return (
    <Notice tone="bad">
      <span className="row spread">
        <strong>
          {countText(recent.length, 'job')} failed in the last day{recent.length === READ && ', or more'}
        </strong>
        <To to="/jobs" search={{ outcome: 'failed' }}>
          All that failed
        </To>
      </span>
      <ul className={styles['failures']}>
        {recent.slice(0, SHOWN).map((job) => (
          <li key={job.id}>
            <Failed job={job} />
          </li>
        ))}
        {recent.length > SHOWN && <li className="quiet">{numberText(recent.length - SHOWN)} more</li>}
      </ul>
    </Notice>
  );
}

function Failed({ job }: { job: Job }): ReactNode {
  return (
    <span className="foreign">
      <To to={`/jobs/${job.id}`}>{kindTitle(job.kind)}</To> on <DeviceLink id={job.deviceId} />: {resultText(job)},{' '}
      <Ago at={job.createdAt} />
    </span>
  );
}
