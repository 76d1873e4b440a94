import { type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { type List, useList } from '../../api/lists.js';

type Artifact = Schema<'Artifact'>;

const useKind = (kind: Artifact['kind'], device: string | undefined, enabled: boolean): List<Artifact> =>
  useList('/v1/artifacts', { key: KEYS.artifacts.list, query: { kind, device }, withDevices: true, enabled });

/** All stored files but backups, which have a screen of their own and would bury the others. The newest first. */
export function useOtherFiles(device: string | undefined, enabled: boolean): List<Artifact> {
  const lists = [
    useKind('firmware', device, enabled),
    useKind('certificate', device, enabled),
    useKind('configuration', device, enabled),
    useKind('file', device, enabled),
  ];
  const open = lists.filter(({ hasMore }) => hasMore);
  return {
    rows: lists.flatMap(({ rows }) => rows).toSorted((a, b) => b.createdAt.localeCompare(a.createdAt)),
    error: lists.find(({ error }) => error)?.error ?? null,
    isLoading: lists.some(({ isLoading }) => isLoading),
    readAt: Math.min(...lists.map(({ readAt }) => readAt)),
    pages: Math.max(...lists.map(({ pages }) => pages)),
    hasMore: open.length > 0,
    isLoadingMore: lists.some(({ isLoadingMore }) => isLoadingMore),
    more: () => open.forEach(({ more }) => more()),
    again: () => lists.forEach(({ again }) => again()),
  };
}
