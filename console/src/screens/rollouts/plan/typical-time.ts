import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, type Schema } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { awaySeconds } from '../../jobs/acting/away.js';
import { median, medianMs } from '../pictures/wave-times.js';

type Kind = Schema<'CreateRollout'>['kind'];

/** So many of the newest jobs say how long one takes. */
const NEWEST = 50;

export interface TypicalTime {
  /** The median of one device. */
  readonly ms: number;
  readonly jobs: number;
  /** For how much of it a device does not answer; null: it is not known, or it answers all the time. */
  readonly awaySeconds: number | null;
}

const newestQuery = (kind: Kind) =>
  queryOptions({
    queryKey: KEYS.jobs.newestOf(kind),
    queryFn: ({ signal }) =>
      api.get('/v1/jobs', { params: { query: { kind, outcome: 'succeeded' as const, limit: NEWEST } }, signal }),
    staleTime: 60_000,
  });

/** How long jobs of this kind took until now; null: none has succeeded, or the reader sees none. */
export function useTypicalTime(kind: Kind): TypicalTime | null {
  const { data } = useQuery(newestQuery(kind));
  const ms = medianMs(data?.items ?? []);
  if (ms === null || !data) return null;
  return { ms, jobs: data.items.length, awaySeconds: median(data.items.flatMap((job) => awaySeconds(job) ?? [])) };
}
