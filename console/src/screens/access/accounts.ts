import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { operatorsQuery } from '../../api/queries.js';
import { needsSecondFactor } from './people/second-factor-need.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { useNow } from '../../ui/time.js';

/* What several tabs read of people and their roles. */

/** The roles that exist, the built-in ones first. */
export const rolesQuery = {
  queryKey: KEYS.roles.all,
  queryFn: ({ signal }: { signal: AbortSignal }) => api.get('/v1/roles', { signal }),
};

/** The names of people by their ids, for those who may see them. */
export function useOperatorNames(isWanted = true): ReadonlyMap<string, string> {
  const may = useMay('operator.read');
  const people = useQuery({ ...operatorsQuery, enabled: may && isWanted }).data?.items ?? [];
  return new Map(people.map(({ id, name }) => [id, name]));
}

/** Keys, also ended ones. @param isAll of all people; else the own ones */
export const keysQuery = (isAll: boolean) =>
  queryOptions({
    queryKey: KEYS.keys.list(isAll),
    queryFn: ({ signal }) => (isAll ? api.get('/v1/api-keys', { signal }) : api.get('/v1/self/api-keys', { signal })),
  });

/** Whether a program can use a key now. */
export const isWorking = ({ revokedAt, expiresAt }: Pick<Schema<'ApiKey'>, 'revokedAt' | 'expiresAt'>, now: number) =>
  revokedAt === null && (expiresAt === null || new Date(expiresAt).getTime() > now);

/** How many keys of each person work; null: the reader may not see the keys of others, or they are still read. */
export function useWorkingKeys(): ReadonlyMap<string, number> | null {
  const now = useNow();
  const { data } = useQuery({ ...keysQuery(true), enabled: useMay('key.manage') });
  if (!data) return null;
  const counts = new Map<string, number>();
  for (const key of data.items.filter((one) => isWorking(one, now)))
    counts.set(key.operatorId, (counts.get(key.operatorId) ?? 0) + 1);
  return counts;
}

/** The administrators without a second factor, for those who may see people. */
export function useUnprotectedNames(): readonly string[] {
  const { data } = useQuery({ ...operatorsQuery, enabled: useMay('operator.read') });
  return (data?.items ?? []).filter(needsSecondFactor).map(({ name }) => name);
}
