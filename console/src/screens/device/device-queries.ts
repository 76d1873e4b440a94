import { queryOptions } from '@tanstack/react-query';
import { api, type Schema } from '../../api/client.js';
import { gatewayNow } from '../../api/clock.js';
import { deviceQuery, queries } from '../../api/queries.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { tabAt } from './tabs.js';

/* What the page of a device reads first. Its route starts it beside the scripts of the tab. */

export type Metric = Schema<'DeviceSampleHistory'>['metric'];

const HOUR_MS = 3_600_000;

/** The chart as it opens. */
export const FIRST_CHART = { metric: 'rsrp', hours: '24' } as const;

/** The data of each day beside it. */
export const DATA_CHART = { metric: 'dataDay', hours: '168' } as const;

/** One that does not answer, or shows another certificate, is asked for no values: its last ones are shown. */
export const isAsked = ({ state }: Schema<'Device'>): boolean => state === 'online' || state === 'new';

/** The last sample of a device, and how it is sampled. */
export const sampleQuery = (id: string) =>
  queryOptions({
    queryKey: KEYS.device.sample(id),
    queryFn: ({ signal }) => api.get('/v1/devices/{ref}/sample', { params: { path: { ref: id } }, signal }),
    // The first sample comes within seconds, the others within minutes.
    staleTime: ({ state }) => (state.data?.sample ? 30_000 : 0),
  });

/** One value of the last hours. */
export const sampleHistoryQuery = (id: string, metric: Metric, hours: string) =>
  queryOptions({
    queryKey: KEYS.device.sampleHistory(id, metric, hours),
    queryFn: ({ signal }) => {
      const from = new Date(gatewayNow() - Number(hours) * HOUR_MS).toISOString();
      const query = { metric, from, points: 300 };
      return api.get('/v1/devices/{ref}/sample/history', { params: { path: { ref: id }, query }, signal });
    },
    staleTime: ({ state }) => (state.data?.points.length ? 30_000 : 0),
  });

/** Observations that are read; with more in a week, the strip of states begins later. */
const READ = 500;

/** What was observed, the newest first: of most devices all, in any case the last week. */
export const weekQuery = (id: string) =>
  queryOptions({
    queryKey: KEYS.device.historyStates(id),
    queryFn: ({ signal }) =>
      api.get('/v1/devices/{ref}/history', { params: { path: { ref: id }, query: { limit: READ } }, signal }),
  });

/** The jobs that its chart marks. */
export const jobMarksQuery = (id: string) =>
  queryOptions({
    queryKey: KEYS.jobs.marksOf(id),
    queryFn: ({ signal }) => api.get('/v1/jobs', { params: { query: { device: id, limit: 100 } }, signal }),
  });

const ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Loads the script of the tab that an address opens. */
export const loadTab = (tab: string | undefined): void => tabAt(tab)?.load();

/** Reads a device and what its tab shows first, before the screen is there. Only an id is sure to be the key of the rest. */
export function loadDevice(ref: string, tab: string | undefined, permissions: readonly string[]): void {
  void queries.prefetchQuery(deviceQuery(ref));
  if (!ID.test(ref)) return;
  const shown = tabAt(tab)?.key;
  const isFirst = shown === 'overview';
  if (!isFirst && shown !== 'status') return;
  void queries.prefetchQuery(weekQuery(ref));
  if (permissions.includes('job.read')) void queries.prefetchQuery(jobMarksQuery(ref));
  if (!permissions.includes('device.call_read')) return;
  void queries.prefetchQuery(sampleQuery(ref));
  void queries.prefetchQuery(sampleHistoryQuery(ref, FIRST_CHART.metric, FIRST_CHART.hours));
  if (isFirst) void queries.prefetchQuery(sampleHistoryQuery(ref, DATA_CHART.metric, DATA_CHART.hours));
}
