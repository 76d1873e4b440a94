import { queryOptions } from '@tanstack/react-query';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';

const PHASES = {
  none: ['plain', 'Not logged in'],
  'logging-in': ['busy', 'Logs in'],
  valid: ['good', 'Logged in'],
  paused: ['warn', 'A login failed, tries again soon'],
  refused: ['bad', 'Password refused'],
} as const;

/** A session of a device that does not answer now, or is not trusted, is only what the gateway has kept. */
const KEPT = ['plain', 'Kept from before'] as const;

/** What a phase says while the device is in a state. */
export const phaseWords = (phase: keyof typeof PHASES, state: Schema<'Device'>['state']) =>
  phase === 'valid' && (state === 'offline' || state === 'trust_changed') ? KEPT : PHASES[phase];

/** The sessions of a device, its queue and its breaker. They change without an event. */
export const sessionQuery = (deviceId: string) =>
  queryOptions({
    queryKey: KEYS.device.session(deviceId),
    queryFn: ({ signal }) => api.get('/v1/devices/{ref}/session', { params: { path: { ref: deviceId } }, signal }),
    refetchInterval: 5_000,
  });
