import { queryOptions } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';

/* Whether a device answers: what the gateway knows of it, and a check by hand. */

/** Since when a device does not answer, when it is tried next, and how those near it are. */
export const reachQuery = (id: string) =>
  queryOptions({
    queryKey: KEYS.device.reachability(id),
    queryFn: ({ signal }) => api.get('/v1/devices/{ref}/check', { params: { path: { ref: id } }, signal }),
    refetchInterval: 30_000,
  });

/** Asks a device now whether it answers. */
export const useCheck = (device: Schema<'Device'>) =>
  useAction({
    run: () => api.post('/v1/devices/{ref}/check', { params: { path: { ref: device.id } } }),
    done: ({ answered }) => (answered ? `${device.name} answers` : `${device.name} does not answer`),
    isGood: ({ answered }) => answered,
    refreshes: ['device', 'devices'],
  });

export interface CheckAction {
  readonly data: Schema<'DeviceCheck'> | undefined;
  readonly isPending: boolean;
  mutate: () => void;
}

/** For those who may read from the device. */
export function CheckNow({ check, kind = 'primary' }: { check: CheckAction; kind?: 'primary' | 'plain' }): ReactNode {
  const may = useMay('device.call_read');
  if (!may) return null;
  return (
    <Button kind={kind} icon="refresh" busy={check.isPending} onClick={() => check.mutate()}>
      Check now
    </Button>
  );
}
