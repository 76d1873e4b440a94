import { queryOptions } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { lockedText } from './act-words.js';

/* Which devices of a request refuse it now, because a lock names them. */

const SHOWN = 3;

/** @param selector null: the reader does not know it */
export const lockedQuery = (selector: string | null) =>
  queryOptions({
    queryKey: KEYS.locks.within(selector),
    queryFn: async ({ signal }): Promise<string> => {
      const locked = `(${selector}) & lock:any`;
      const params = { query: { selector: locked, fields: 'name', limit: SHOWN } };
      const [{ devices }, { items }] = await Promise.all([
        api.get('/v1/devices/summary', { params: { query: { selector: locked, by: 'state' } }, signal }),
        api.get('/v1/devices', { params, signal }),
      ]);
      return lockedText(
        devices,
        items.flatMap(({ name }) => name ?? []),
      );
    },
    enabled: selector !== null,
  });
