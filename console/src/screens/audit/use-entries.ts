import { KEYS } from '../../api/keys/query-keys.js';
import { useList } from '../../api/lists.js';
import { useFilters } from './use-filters.js';

/** The entries that the filters of the address leave, newest first, and what the filters say. */
export function useEntries() {
  const { query, unknownDevice, isNarrowed } = useFilters();
  const list = useList('/v1/audit', { key: KEYS.audit.list, query, enabled: !unknownDevice });
  return { list, unknownDevice, isNarrowed };
}
