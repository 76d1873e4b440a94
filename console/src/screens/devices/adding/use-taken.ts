import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { isRefused, tell } from '../../../api/problems.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { useSettled } from '../../../ui/settled.js';
import { termOf } from '../selector-text.js';

/* Whether another device has a name or an address, while it is typed. One that the person may not see is found when the form is sent. */

/** Devices that a part of an address finds; the whole one is among the first. */
const READ = 50;

/** The device with this name, if there is one. Letter case makes no difference. */
export function useNamed(name: string): { readonly id: string } | undefined {
  const asked = useSettled(name.trim());
  const found = useQuery({
    queryKey: KEYS.devices.taken('name', asked),
    queryFn: ({ signal }) => {
      const query = { selector: termOf('name', asked), limit: 1, fields: 'name' };
      return api.get('/v1/devices', { params: { query }, signal });
    },
    enabled: asked !== '' && asked === name.trim(),
  });
  return asked === name.trim() ? found.data?.items[0] : undefined;
}

/** The name of the device at this address, if there is one. @param url null: none was typed */
export function useAddressed(url: string | null): string | undefined {
  const asked = useSettled(url);
  const found = useQuery({
    queryKey: KEYS.devices.taken('address', asked),
    queryFn: ({ signal }) => {
      const query = { q: asked!.slice('https://'.length), limit: READ, fields: 'name,baseUrl' };
      return api.get('/v1/devices', { params: { query }, signal });
    },
    enabled: asked !== null && asked === url,
  });
  return asked !== url ? undefined : found.data?.items.find(({ baseUrl }) => baseUrl === asked)?.name;
}

/** What the gateway says of one field, where another device has its value or it may not be an address of a device. */
export function takenError(error: unknown, field: string): string | null {
  if (isRefused(error, 'device_exists') && error.problem['field'] === field) return tell(error).title;
  if (!isRefused(error, 'base_url_refused') || (error.problem['field'] ?? 'baseUrl') !== field) return null;
  const { reason } = error.problem;
  return typeof reason === 'string' ? `A device cannot have this address: ${reason}` : tell(error).title;
}
