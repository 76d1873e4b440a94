import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { numberText } from '../../../api/amount-text.js';
import { api, type Schema } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { Strip } from '../../../ui/rows/strip.js';
import { Ago, durationText, useNow } from '../../../ui/time.js';
import { openWords } from './alert-counts.js';

type Alert = Schema<'Alert'>;

/** Alerts that are counted; of more the strip says so. */
const COUNTED = 1000;

const DAY_MS = 86_400_000;

const openQuery = {
  queryKey: KEYS.alerts.open,
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    api.get('/v1/monitoring/alerts', { params: { query: { limit: COUNTED } }, signal }),
};
const newestQuery = {
  queryKey: KEYS.alerts.newest,
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    api.get('/v1/monitoring/alerts', { params: { query: { state: 'all', limit: COUNTED } }, signal }),
};
const mutesQuery = {
  queryKey: KEYS.mutes.all,
  queryFn: ({ signal }: { signal: AbortSignal }) => api.get('/v1/monitoring/mutes', { signal }),
};

/** How the fleet stands, whatever the list below is narrowed to. */
export function AlertStrip({ isFolded }: { isFolded: boolean }): ReactNode {
  const now = useNow();
  const open = useQuery(openQuery).data;
  const newest = useQuery(newestQuery).data;
  const mutes = useQuery(mutesQuery).data?.items.filter(({ orphaned, unreadable }) => !orphaned && !unreadable);
  const oldest = open?.items.reduce<Alert | null>((one, other) => (sinceOf(one) <= sinceOf(other) ? one : other), null);
  const recent = newest?.items.filter(({ openedAt }) => openedAt && now - Date.parse(openedAt) < DAY_MS).length;
  const nextEnd = mutes?.map(({ until }) => until).toSorted()[0];
  return (
    <Strip
      label="Alerts at a glance"
      isFolded={isFolded}
      of={[
        {
          title: 'Open now',
          value: open ? countOf(open.items.length, open.next !== null) : '–',
          note: open && openWords(open.items),
          isNoteNeeded: true,
          tone: open?.items.some(({ severity }) => severity === 'critical') ? 'bad' : undefined,
        },
        {
          title: 'New in 24 hours',
          value: recent === undefined ? '–' : countOf(recent, recent === COUNTED && newest?.next !== null),
          note: 'also those that are closed',
          to: '/monitoring',
          search: { state: 'all' },
        },
        {
          title: 'Longest open',
          value: oldest ? durationText(now - sinceOf(oldest)) : '–',
          note: oldest ? `${oldest.ruleName} of ${oldest.deviceName}` : open && 'none is open',
        },
        {
          title: 'Mutes in force',
          value: mutes ? numberText(mutes.length) : '–',
          note: nextEnd ? (
            <>
              the next ends <Ago at={nextEnd} />
            </>
          ) : (
            mutes && 'nothing is held back'
          ),
          to: '/monitoring',
          search: { tab: 'mutes' },
        },
      ]}
    />
  );
}

const sinceOf = (alert: Alert | null): number =>
  alert === null ? Number.POSITIVE_INFINITY : Date.parse(alert.openedAt ?? alert.matchedAt);

const countOf = (count: number, hasMore: boolean): string => `${numberText(count)}${hasMore ? '+' : ''}`;
