import { queryOptions } from '@tanstack/react-query';
import { api, type Schema } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';

/* What a request that waits would do now: the approval and the overview say it from the same numbers. */

export interface Effect {
  readonly matched: number;
  readonly reached: number;
  /** Those that do not answer. */
  readonly away: { readonly count: number; readonly names: readonly string[] };
  readonly excluded: Schema<'DevicesPreview'>['excluded'];
}

/** Names that are shown of devices that do not answer. */
const NAMES = 3;

/** @param selector null: the reader does not know it */
export const effectQuery = (selector: string | null) =>
  queryOptions({
    queryKey: KEYS.devices.effect(selector),
    queryFn: async ({ signal }): Promise<Effect> => {
      const offline = `(${selector}) & state:offline & !lock:any`;
      const body = { selector: selector ?? '', permission: 'device.call_write' } as const;
      const [preview, summary, named] = await Promise.all([
        api.post('/v1/devices/preview', { body, signal }),
        api.get('/v1/devices/summary', { params: { query: { selector: offline, by: 'state' } }, signal }),
        api.get('/v1/devices', { params: { query: { selector: offline, fields: 'name', limit: NAMES } }, signal }),
      ]);
      const names = named.items.flatMap(({ name }) => name ?? []);
      return {
        matched: preview.matched,
        reached: Math.max(0, preview.count - summary.devices),
        away: { count: summary.devices, names },
        excluded: preview.excluded,
      };
    },
    enabled: selector !== null && selector !== '',
  });
