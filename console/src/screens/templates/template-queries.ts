import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api, type Schema } from '../../api/client.js';
import { gatewayNow } from '../../api/clock.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { type DeviceState } from './drift-groups.js';
import { OPEN_STATES, type SyncState } from './sync-words.js';

/* What the parts of these screens read of templates. States follow what watches and jobs have read within half a minute. */

/** No event tells of a template or of a state: each look reads again. */
const EVERY = { staleTime: 0, refetchInterval: 30_000 } as const;

export const templatesQuery = queryOptions({
  queryKey: KEYS.templates.all,
  queryFn: ({ signal }) => api.get('/v1/templates', { signal }),
  ...EVERY,
});

export const templateQuery = (templateName: string) =>
  queryOptions({
    queryKey: KEYS.templates.one(templateName),
    queryFn: ({ signal }) => api.get('/v1/templates/{templateName}', { params: { path: { templateName } }, signal }),
    ...EVERY,
  });

const SOON_MS = 2_000;
const SOON_FOR_MS = 60_000;

/**
 * Devices are compared within seconds of a publishing: for a minute after it the screen counts them again every two seconds. What
 * differs, of many devices thousands of rows, is read again where the counts have changed.
 */
export function useStatesSoon({ name, sync }: Schema<'Template'>, publishedAt: string | undefined): void {
  const queries = useQueryClient();
  useEffect(() => {
    const untilMs = Date.parse(publishedAt ?? '') + SOON_FOR_MS;
    const timer = setInterval(() => {
      if (!(gatewayNow() < untilMs)) return clearInterval(timer);
      void queries.invalidateQueries({ queryKey: KEYS.templates.one(name) }, { cancelRefetch: false });
    }, SOON_MS);
    return () => clearInterval(timer);
  }, [queries, name, publishedAt]);
  const counts = JSON.stringify(sync);
  const known = useRef(counts);
  useEffect(() => {
    if (known.current === counts) return;
    known.current = counts;
    void queries.invalidateQueries({ queryKey: KEYS.templates.differing(name) }, { cancelRefetch: false });
  }, [queries, name, counts]);
}

/** A version never changes. @param number null: none was published */
export const versionQuery = (templateName: string, number: number | null) =>
  queryOptions({
    queryKey: KEYS.templates.version(templateName, number),
    queryFn: ({ signal }) =>
      api.get('/v1/templates/{templateName}/versions/{number}', {
        params: { path: { templateName, number: number! } },
        signal,
      }),
    enabled: number !== null,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });

/** What the draft would change; a scan of all its devices, so it is not asked again by itself. */
export const planQuery = (templateName: string) =>
  queryOptions({
    queryKey: KEYS.templates.plan(templateName),
    queryFn: ({ signal }) =>
      api.post('/v1/templates/{templateName}/plan', { params: { path: { templateName } }, body: {}, signal }),
    refetchOnWindowFocus: false,
    retry: false,
  });

const PAGE = 500;

/** Of each state; with more devices than these, what is grouped is a part of them. */
const PAGES_MAX = 4;

interface Differing {
  readonly rows: readonly DeviceState[];
  /** Whether there are more than were read. */
  readonly isPart: boolean;
}

/** The devices that differ, with their differences. */
export const differingQuery = (templateName: string) =>
  queryOptions({
    queryKey: KEYS.templates.differing(templateName),
    queryFn: async ({ signal }): Promise<Differing> => {
      const parts = await Promise.all(
        [...OPEN_STATES, 'suspended' as const].map((state) => readState(templateName, state, PAGES_MAX, signal)),
      );
      return { rows: parts.flatMap(({ rows }) => rows), isPart: parts.some(({ isPart }) => isPart) };
    },
    ...EVERY,
    // Thousands of rows are not read again twice a minute.
    refetchInterval: ({ state }) => ((state.data?.rows.length ?? 0) > PAGE ? 300_000 : EVERY.refetchInterval),
  });

/** The options that are let be for a time. */
export const ignoredQuery = (templateName: string) =>
  queryOptions({
    queryKey: KEYS.templates.ignored(templateName),
    queryFn: ({ signal }) =>
      api.get('/v1/templates/{templateName}/ignored', { params: { path: { templateName } }, signal }),
    ...EVERY,
  });

/** What devices that are in sync write in their own way; of the first ones by name. */
export const spellingsQuery = (templateName: string) =>
  queryOptions({
    queryKey: KEYS.templates.spellings(templateName),
    queryFn: ({ signal }) => readState(templateName, 'in_sync', 1, signal),
    staleTime: 60_000,
  });

async function readState(
  templateName: string,
  sync: SyncState,
  pagesMax: number,
  signal: AbortSignal,
): Promise<Differing> {
  const rows: DeviceState[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pagesMax; page++) {
    const query = { sync, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
    const { items, next } = await api.get('/v1/templates/{templateName}/devices', {
      params: { path: { templateName }, query },
      signal,
    });
    rows.push(...items);
    if (next === null) return { rows, isPart: false };
    cursor = next;
  }
  return { rows, isPart: true };
}

/** The templates that reach a device. */
export const ofDeviceQuery = (ref: string) =>
  queryOptions({
    queryKey: KEYS.templates.ofDevice(ref),
    queryFn: ({ signal }) => api.get('/v1/devices/{ref}/templates', { params: { path: { ref } }, signal }),
    ...EVERY,
  });
