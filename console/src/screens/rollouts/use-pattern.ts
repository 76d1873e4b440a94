import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { useSettled } from '../../ui/settled.js';
import { type PlanForm } from './plan-form.js';

/**
 * The first online device of a selector: its services and options complete what is typed about all of them. It is read only
 * where the kind needs it, since reading its options is a call to it. @returns null: none is known
 */
export function usePattern({ job, selector }: PlanForm): string | null {
  const asked = useSettled(selector.trim());
  const { data } = useQuery({
    queryKey: KEYS.devices.pattern(asked),
    queryFn: ({ signal }) =>
      api.get('/v1/devices', { params: { query: { selector: `(${asked}) & state:online`, limit: 1 } }, signal }),
    enabled: job.kind === 'configure' && asked !== '',
    retry: false,
  });
  return data?.items[0]?.id ?? null;
}
