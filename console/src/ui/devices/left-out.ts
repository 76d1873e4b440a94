import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';

/* Which devices a bulk action leaves out, by their ids: a button of a row is not there where the one for all passes the device by. */

/** A selector of so many ids stays far below the longest address that a gateway takes. */
const TOGETHER = 40;

/** As the preview of a bulk action names them. */
const REFUSED: Readonly<Record<string, string>> = {
  credentials_refused: 'device_credentials_refused',
  trust_changed: 'device_trust_changed',
};

/** The reasons of those of the devices that no call can reach now; undefined: not known yet. */
export function useLeftOut(ids: readonly string[]): ReadonlyMap<string, string> | undefined {
  const { data } = useQuery({
    queryKey: KEYS.preview.leftOut(ids.join(' ')),
    queryFn: ({ signal }) => readLeftOut(ids, signal),
    enabled: ids.length > 0,
  });
  return data;
}

async function readLeftOut(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (let at = 0; at < ids.length; at += TOGETHER) {
    const some = ids
      .slice(at, at + TOGETHER)
      .map((id) => `id=${id}`)
      .join(' | ');
    const read = (selector: string) =>
      api.get('/v1/devices', {
        params: { query: { selector, fields: 'id,state,credentials', limit: TOGETHER } },
        signal,
      });
    const [devices, locked] = await Promise.all([read(some), read(`(${some}) & lock:any`)]);
    for (const { id, state, credentials } of devices.items) {
      const reason = credentials === null ? 'device_has_no_credentials' : REFUSED[state ?? ''];
      if (id !== undefined && reason !== undefined) found.set(id, reason);
    }
    for (const { id } of locked.items) if (id !== undefined) found.set(id, 'locked');
  }
  return found;
}
