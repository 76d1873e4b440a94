import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { useList } from '../../../api/lists.js';
import { useMay } from '../../../api/may.js';
import { type Known } from './backup-why.js';

const JOBS_READ = 200;

/** What the reasons of backups follow from, as far as the person may read it. @param device the one whose backups are shown */
export function useKnown(device: string | undefined): Known {
  const { data } = useQuery({
    queryKey: KEYS.backups.policies,
    queryFn: ({ signal }) => api.get('/v1/backups/policies', { signal }),
    enabled: useMay('backup.read'),
  });
  return { policies: data?.items ?? [], jobs: useJobs('backup', device), updates: useJobs('firmware', device) };
}

const useJobs = (kind: string, device: string | undefined) =>
  useList('/v1/jobs', {
    key: KEYS.jobs.all,
    query: { kind, device, limit: JOBS_READ },
    enabled: useMay('job.read'),
  }).rows;
