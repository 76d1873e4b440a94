import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';

export const PHASES = {
  none: ['plain', 'Not logged in'],
  'logging-in': ['busy', 'Logs in'],
  valid: ['good', 'Logged in'],
  paused: ['warn', 'A login failed, tries again soon'],
  refused: ['bad', 'Password refused'],
} as const;

/** The sessions of a device, its queue and its breaker. They change without an event. */
export const sessionQuery = (deviceId: string) =>
  queryOptions({
    queryKey: KEYS.device.session(deviceId),
    queryFn: ({ signal }) => api.get('/v1/devices/{ref}/session', { params: { path: { ref: deviceId } }, signal }),
    refetchInterval: 5_000,
  });
