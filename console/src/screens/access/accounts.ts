import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { operatorsQuery } from '../../api/queries.js';
import { needsSecondFactor } from './second-factor-need.js';
import { KEYS } from '../../api/keys/query-keys.js';

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

/** The administrators without a second factor, for those who may see people. */
export function useUnprotectedNames(): readonly string[] {
  const { data } = useQuery({ ...operatorsQuery, enabled: useMay('operator.read') });
  return (data?.items ?? []).filter(needsSecondFactor).map(({ name }) => name);
}
