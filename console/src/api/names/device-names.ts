import { queryOptions, useQuery } from '@tanstack/react-query';
import { api } from '../client.js';
import { useMay } from '../may.js';
import { queries } from '../queries.js';
import { KEYS } from '../keys/query-keys.js';
import { together, TOGETHER } from './together.js';

/* Names of devices by their ids. Rows of jobs and the like have ids only: the names of one screen are read together. */

const nameOf = together(TOGETHER, async (ids) => {
  const query = { selector: ids.map((id) => `id=${id}`).join(' | '), fields: 'name', limit: TOGETHER };
  const { items } = await api.get('/v1/devices', { params: { query } });
  return new Map(items.map(({ id, name }) => [id, name]));
});

const nameQuery = (id: string) =>
  queryOptions({ queryKey: KEYS.deviceName.one(id), queryFn: () => nameOf(id), staleTime: 300_000 });

/** The name of a device; null where it was removed or may not be seen, undefined while it is read and without an id. */
export const useDeviceName = (id: string | undefined): string | null | undefined =>
  useQuery({ ...nameQuery(id ?? ''), enabled: id !== undefined }).data;

let lastRead: Promise<unknown> = Promise.resolve();

/** The audit keeps what a device was called. It is asked for one device after the other: by its device an entry is found at once. */
const removedNameQuery = (deviceId: string) =>
  queryOptions({
    queryKey: KEYS.deviceName.removed(deviceId),
    queryFn: () => {
      const read = async () => {
        const query = { deviceId, action: 'device.remove', limit: 1 };
        const { items } = await api.get('/v1/audit', { params: { query } });
        return nameIn(items[0]?.facts['before']);
      };
      const name = lastRead.then(read, read);
      lastRead = name;
      return name;
    },
    staleTime: Infinity,
  });

const nameIn = (fact: unknown): string | null => {
  const name = typeof fact === 'object' && fact !== null && 'name' in fact ? fact.name : null;
  return typeof name === 'string' ? name : null;
};

/** What a removed device was called. Null: it is a device now, or the reader may not see its removal. */
export function useRemovedName(id: string | undefined): string | null {
  const isRemoved = useDeviceName(id) === null;
  const mayRead = useMay('audit.read');
  return useQuery({ ...removedNameQuery(id ?? ''), enabled: isRemoved && mayRead }).data ?? null;
}

/** Reads the names of the devices of some rows, so that the rows appear with them. A name that cannot be read stops no row. */
export async function readNamesOf(rows: readonly object[]): Promise<void> {
  const ids = rows.flatMap((row) => ('deviceId' in row && typeof row.deviceId === 'string' ? [row.deviceId] : []));
  await Promise.all([...new Set(ids)].map((id) => queries.prefetchQuery(nameQuery(id))));
}
