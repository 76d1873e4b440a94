import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { type VendorNewest } from './vendor-text.js';

/** Asks for the plan of a rollout on the one device: it has what the vendor was last known to offer. Nothing is made. */
export const vendorNewestQuery = (deviceId: string) =>
  queryOptions({
    queryKey: KEYS.plan.vendor(deviceId),
    queryFn: async ({ signal }): Promise<VendorNewest> => {
      const selector = `id:${deviceId}`;
      const body = { name: 'firmware', kind: 'firmware' as const, spec: { source: 'vendor' as const }, selector };
      const plan = await api.post('/v1/rollouts', { body: { ...body, dryRun: true }, signal });
      return 'firmware' in plan ? (plan.firmware[0]?.vendor ?? null) : null;
    },
    staleTime: 60_000,
    retry: false,
  });
