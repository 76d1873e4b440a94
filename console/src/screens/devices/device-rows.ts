import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo } from 'react';
import { type GatewayEvent } from '../../../../src/api-client/events.js';
import { api, type Schema } from '../../api/client.js';
import { useLiveEvents } from '../../api/live.js';
import { queries, summaryQuery } from '../../api/queries.js';
import { KEYS } from '../../api/keys/query-keys.js';

/* The rows of the devices table, in windows: only those on the screen are read and kept. */

export type DeviceRow = Schema<'Device'>;

/** A column that the table of devices can have. */
export interface DeviceColumn {
  readonly name: string;
  readonly title: string;
  /** What its values are, with their unit: the hint of its title. */
  readonly about?: string;
  /** Its least width in px. */
  readonly width: number;
  /** Its part of what is left; absent: none. */
  readonly grow?: number;
  /** The field of `sort`, where the list can be sorted by it. */
  readonly sort?: string;
  /** The field of a device that it needs, where lists have that on request. */
  readonly field?: 'sample' | 'certificate';
  readonly cell: (row: DeviceRow) => ReactNode;
}

export interface DeviceFilter {
  readonly q?: string;
  readonly selector?: string;
}

const WINDOW = 100;

/** What a row shows, beside what its columns need. The rest of a device is read on its own screen. */
const FIELDS =
  'id,name,state,stateReason,credentials,seenAt,model,firmware,networkOperator,site,tags,serial,mac,baseUrl,note,fields,updatedAt';

/** So many devices with a lock are marked. */
const LOCKED_MAX = 1_000;

/** The ids of the devices that a lock in force names. */
const lockedQuery = queryOptions({
  queryKey: KEYS.locks.devices,
  queryFn: async ({ signal }): Promise<ReadonlySet<string>> => {
    const query = { selector: 'lock:any', fields: 'id', limit: LOCKED_MAX };
    const { items } = await api.get('/v1/devices', { params: { query }, signal });
    return new Set(items.flatMap(({ id }) => id ?? []));
  },
});

/** The open alerts: of more devices the list marks a part. */
const alertsQuery = queryOptions({
  queryKey: KEYS.alerts.open,
  queryFn: ({ signal }) => api.get('/v1/monitoring/alerts', { params: { query: { limit: LOCKED_MAX } }, signal }),
});

const SEVERITIES = ['info', 'warning', 'critical'];

/** The worst alert of each device. */
function worstByDevice(alerts: readonly Schema<'Alert'>[]): ReadonlyMap<string, Schema<'Alert'>> {
  const inOrder = alerts.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
  return new Map(inOrder.map((alert) => [alert.deviceId, alert]));
}

/** What the list counts its devices by. */
export const FACETS = 'state,model,firmware,operator,site,tag';

export interface DeviceRows {
  /** How many devices the filter has; null until the first answer. */
  readonly total: number | null;
  /** How many rows the table has: before the count of all is known, those that were read. */
  readonly count: number;
  readonly summary: Schema<'DeviceSummary'> | undefined;
  readonly error: unknown;
  /** Whether a lock names the device. */
  isLocked: (id: string) => boolean;
  /** The worst open alert of a device; undefined: none. */
  alertOf: (id: string) => Schema<'Alert'> | undefined;
  /** The device of a place in the list; undefined while it is read. */
  rowAt: (place: number) => DeviceRow | undefined;
}

/**
 * Reads the windows that hold these places.
 * @param sort of docs/reference: a field, with `-` before it for the opposite order
 * @param more fields that the columns need
 */
export function useDeviceRows(
  filter: DeviceFilter,
  sort: string,
  first: number,
  last: number,
  more: readonly string[],
): DeviceRows {
  useStatesOfEvents();
  const fields = [FIELDS, ...more].join(',');
  const summary = useQuery(summaryQuery({ ...filter, by: FACETS }));
  const locked = useQuery(lockedQuery);
  // The rows come first, and their marks after them.
  const alerts = useQuery({ ...alertsQuery, enabled: summary.data !== undefined }).data?.items;
  const alerted = useMemo(() => worstByDevice(alerts ?? []), [alerts]);
  const windows = useMemo(() => {
    const from = Math.floor(first / WINDOW);
    return Array.from({ length: Math.floor(Math.max(first, last) / WINDOW) - from + 1 }, (_, at) => from + at);
  }, [first, last]);
  const read = useQueries({
    queries: windows.map((window) => ({
      queryKey: KEYS.devices.rows(filter, sort, fields, window),
      queryFn: ({ signal }: { signal: AbortSignal }) => readWindow(filter, sort, fields, window, signal),
      // Another filter keeps the old rows for a moment; another place of the list never shows those of this one.
      placeholderData: (rows: DeviceRow[] | undefined, before: { queryKey: readonly unknown[] } | undefined) =>
        before?.queryKey.at(-1) === window ? rows : undefined,
    })),
  });
  return {
    total: summary.data?.devices ?? null,
    count: summary.data?.devices ?? (windows[0] === 0 ? (read[0]?.data?.length ?? 0) : 0),
    summary: summary.data,
    error: summary.error ?? read.find(({ error }) => error)?.error ?? null,
    isLocked: (id) => locked.data?.has(id) ?? false,
    alertOf: (id) => alerted.get(id),
    rowAt: (place) => read[Math.floor(place / WINDOW) - (windows[0] ?? 0)]?.data?.[place % WINDOW],
  };
}

async function readWindow(
  filter: DeviceFilter,
  sort: string,
  fields: string,
  window: number,
  signal: AbortSignal,
): Promise<DeviceRow[]> {
  const query = { ...filter, sort: sort as 'name', offset: window * WINDOW, limit: WINDOW, fields };
  const { items } = await api.get('/v1/devices', { params: { query }, signal });
  return items as DeviceRow[];
}

const STATES = new Set(['new', 'online', 'offline', 'credentials_refused', 'trust_changed']);

/** Shows the states that events tell at once; rows without a change stay the same objects. */
function useStatesOfEvents(): void {
  const apply = useCallback((events: readonly GatewayEvent[]) => {
    const states = new Map<string, { state: DeviceRow['state']; seenAt: string }>();
    for (const { type, deviceId, at } of events) {
      const state = type.slice('device.'.length);
      if (type.startsWith('device.') && deviceId && STATES.has(state)) {
        states.set(deviceId, { state: state as DeviceRow['state'], seenAt: at });
      }
    }
    if (states.size === 0) return;
    queries.setQueriesData<DeviceRow[]>({ queryKey: KEYS.devices.allRows, type: 'active' }, (rows) =>
      rows?.some(({ id }) => states.has(id)) ? rows.map((row) => changedRow(row, states.get(row.id))) : rows,
    );
  }, []);
  useLiveEvents(apply);
}

function changedRow(row: DeviceRow, change: { state: DeviceRow['state']; seenAt: string } | undefined): DeviceRow {
  if (!change) return row;
  return { ...row, state: change.state, ...(change.state === 'online' ? { seenAt: change.seenAt } : {}) };
}
