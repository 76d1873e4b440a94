import { useQueries } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { countText } from '../../../api/amount-text.js';
import { api } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { Failure, Loading } from '../../../ui/messages.js';
import { type DraftItem } from './draft-items.js';
import { settingsAt } from './found-settings.js';
import { SettingList } from './setting-list.js';

/** Sections that are read of each service. */
const READ = 300;

/** The sections of a service on the devices of a selector. */
export const sectionsAt = (path: string, selector: string) => ({
  queryKey: [...KEYS.observed.matrix, path, selector, 'sections'],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    api.get('/v1/observed/matrix', { params: { query: { path, selector, limit: READ } }, signal }),
  refetchOnWindowFocus: false,
});

interface ChooseSettingsProps {
  /** The services that watches read. */
  readonly paths: readonly string[];
  /** Whose values are shown. */
  readonly selector: string;
  readonly onItems: (items: readonly DraftItem[]) => void;
}

/** Settings by their titles and the values that devices have now. */
export function ChooseSettings({ paths, selector, onItems }: ChooseSettingsProps): ReactNode {
  const reads = useQueries({ queries: paths.map((path) => sectionsAt(path, selector)) });
  const rows = reads.map(({ data }) => data?.items ?? []);
  const version = reads.map(({ dataUpdatedAt }) => dataUpdatedAt).join();
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the rows are others where the times of reading are
  const settings = useMemo(() => paths.flatMap((path, at) => settingsAt(path, rows[at]!)), [paths, version]);
  const failed = reads.find(({ error }) => error);
  if (failed?.error) return <Failure error={failed.error} onRetry={() => void failed.refetch()} />;
  if (reads.some(({ isPending }) => isPending)) return <Loading what="Reading what the devices have" />;
  const devices = new Set(rows.flatMap((some) => some.map(({ deviceId }) => deviceId))).size;
  const isPart = reads.some(({ data }) => data?.next);
  const whose =
    devices === 0
      ? 'No device was read there so far: the values are typed in the draft.'
      : `With what ${isPart ? 'the first ' : ''}${countText(devices, 'device')} ${devices === 1 ? 'has' : 'have'} now.`;
  return <SettingList settings={settings} note={`${whose} A secret is added as JSON.`} onItems={onItems} />;
}
