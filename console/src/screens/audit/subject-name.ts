import { useQuery } from '@tanstack/react-query';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { useMay } from '../../api/may.js';
import { operatorsQuery } from '../../api/queries.js';
import { notedName, nounOf } from './entry-act.js';

type Entry = Pick<Schema<'AuditEntry'>, 'subject' | 'facts'>;

/** Most rollouts that are named: the newest ones. */
const ROLLOUTS = 100;

/**
 * What a person calls the subject of an entry: the name that the entry has noted, what it was, or the name that a person or a rollout has
 * now. Undefined: it is not known.
 */
export function useSubjectName(entry: Entry): string | undefined {
  const noted = notedName(entry);
  const [noun, id] = [nounOf(entry), idOf(entry)];
  const [maySeePeople, maySeeRollouts] = [useMay('operator.read'), useMay('rollout.read')];
  const people = useQuery({
    ...operatorsQuery,
    enabled: noted === undefined && noun === 'operator' && maySeePeople,
  }).data;
  const rollouts = useQuery({
    queryKey: KEYS.rollouts.names,
    queryFn: ({ signal }) => api.get('/v1/rollouts', { params: { query: { limit: ROLLOUTS } }, signal }),
    enabled: noted === undefined && noun === 'rollout' && maySeeRollouts,
    staleTime: 60_000,
  }).data;
  return noted ?? [...(people?.items ?? []), ...(rollouts?.items ?? [])].find((one) => one.id === id)?.name;
}

const idOf = ({ subject }: Entry): string => subject.slice(subject.indexOf(':') + 1);
