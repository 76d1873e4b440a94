import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText, pluralText } from '../../api/amount-text.js';
import { api } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { useMay } from '../../api/may.js';
import { useNow } from '../../ui/time.js';
import { To } from '../../ui/to.js';

const WEEK_MS = 7 * 86_400_000;

const READ = 200;

/**
 * Backups that failed in the last week, as the calendar marks its nights. @param stillFailed devices whose newest try failed: the others
 * have had a good one since
 */
export function WeekFailures({ stillFailed }: { stillFailed: number }): ReactNode {
  const now = useNow();
  const { data } = useQuery({
    queryKey: KEYS.jobs.failedBackups,
    queryFn: ({ signal }) => {
      const query = { kind: 'backup', outcome: 'failed', limit: READ } as const;
      return api.get('/v1/jobs', { params: { query }, signal });
    },
    enabled: useMay('job.read'),
  });
  const failed = data?.items.filter(({ createdAt }) => now - Date.parse(createdAt) < WEEK_MS).length ?? 0;
  if (failed === 0) return null;
  return (
    <p className="small quiet">
      <To to="/jobs" search={{ kind: 'backup', outcome: 'failed' }}>
        {countText(failed, 'backup')} failed
      </To>{' '}
      in the last week
      {stillFailed === 0 && `; ${pluralText(failed, 'its device has', 'their devices have')} a newer good one`}.
    </p>
  );
}
