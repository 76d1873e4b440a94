import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, type Schema } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { useMay } from '../../../api/may.js';
import { awaySeconds, awayText } from './away.js';

type Kind = Schema<'Job'>['kind'];

/** The newest job of a kind on a device that succeeded. */
export const lastGoodQuery = (device: string, kind: Kind) =>
  queryOptions({
    queryKey: KEYS.jobs.goodOf(device, kind),
    queryFn: ({ signal }) =>
      api.get('/v1/jobs', { params: { query: { device, kind, outcome: 'succeeded' as const, limit: 1 } }, signal }),
    retry: false,
  });

const RESTARTS: readonly string[] = ['reboot', 'firmware', 'restore'];

/** How long a device was away at its last job of a kind that restarts it; null: there was none, or the reader sees none. */
export function useLastAway(device: string | undefined, kind: Kind): string | null {
  const enabled = useMay('job.read') && device !== undefined && RESTARTS.includes(kind);
  const [job] = useQuery({ ...lastGoodQuery(device ?? '', kind), enabled }).data?.items ?? [];
  const seconds = job && awaySeconds(job);
  return seconds === undefined || seconds === null ? null : awayText(kind, seconds);
}
