import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { bytesText, countText, numberText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { type List } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { storedBytes } from './backup-runs.js';
import { isShortList } from '../../ui/rows/list-head.js';
import { Strip } from '../../ui/rows/strip.js';
import { Ago } from '../../ui/time.js';

type Backup = Schema<'Artifact'>;

/** Whether the figures of a list say more than its rows. */
export const hasFigures = ({ rows }: Pick<List<Backup>, 'rows'>): boolean => rows.length > 2;

/** How many backups there are, the newest, the next by a policy, and what they take. Of a list that was read in part, the times alone. */
export function BackupStrip({
  list: { rows, hasMore },
  why,
  deviceId,
  jobs,
}: {
  list: List<Backup>;
  /** The one device that they are of; absent: all. */
  deviceId?: string;
  /** Why a backup was made. */
  why: (backup: Backup) => string;
  /** What the jobs of the one device have to do with its backups. */
  jobs?: ReactNode;
}): ReactNode {
  const next = useNextRun(deviceId);
  const [newest] = rows;
  if (!newest || !hasFigures({ rows })) return null;
  const devices = new Set(rows.map(({ deviceId }) => deviceId)).size;
  return (
    <Strip
      label="Backups in figures"
      isFolded={isShortList({ rows, hasMore })}
      of={[
        ...(hasMore
          ? []
          : [
              {
                title: 'Backups',
                value: numberText(rows.length),
                isNoteNeeded: true,
                note: jobs ?? (devices > 1 ? `of ${countText(devices, 'device')}` : 'all that are stored'),
              },
            ]),
        { title: 'Last', value: <Ago at={newest.createdAt} />, note: why(newest) },
        {
          title: 'Next',
          value: next ? <Ago at={next.nextRunAt} /> : next === null ? 'none planned' : '–',
          note: next ? `policy ${next.name}` : next === null && (deviceId ? 'no policy names it' : 'no policy is on'),
        },
        ...(hasMore
          ? []
          : [
              {
                title: 'Stored',
                value: bytesText(storedBytes(rows)),
                note: 'together; equal ones are stored once',
              },
            ]),
      ]}
    />
  );
}

/** The policy that makes backups next, of all devices or of one; null: none does, undefined: not known yet. */
function useNextRun(deviceId: string | undefined): Schema<'BackupPolicy'> | null | undefined {
  const { data } = useQuery({
    queryKey: KEYS.backups.next(deviceId ?? ''),
    queryFn: async ({ signal }) => {
      const { items } = await api.get('/v1/backups/policies', { signal });
      const next = items
        .filter(({ enabled, nextRunAt }) => enabled && nextRunAt !== null)
        .toSorted((a, b) => Date.parse(a.nextRunAt ?? '') - Date.parse(b.nextRunAt ?? ''));
      if (deviceId === undefined) return next[0] ?? null;
      for (const policy of next) if (await names(policy, deviceId, signal)) return policy;
      return null;
    },
    enabled: useMay('backup.read'),
  });
  return data;
}

async function names({ selector }: Schema<'BackupPolicy'>, deviceId: string, signal: AbortSignal): Promise<boolean> {
  if (selector === null) return false;
  const query = { selector: `id=${deviceId} & (${selector})`, fields: 'id', limit: 1 };
  return (await api.get('/v1/devices', { params: { query }, signal })).items.length > 0;
}
