import { useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api, type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { policiesQuery } from '../monitoring/shown/policies-query.js';
import { useDeviceLocks } from '../../ui/devices/device-locks.js';
import { failureText } from '../../ui/words/failure-text.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';

type Sampling = Schema<'SampledDevice'>['sampling'];

/**
 * The policy that samples a device: a new one plans its devices some seconds later, so the policies themselves are asked.
 * @returns its name, empty where that cannot be read; null: none names the device
 */
export function useNamingPolicy(deviceId: string, sampling: Sampling): string | null {
  const isPlanned = sampling !== null;
  const mayRead = useMay('monitoring.read');
  const { data } = useQuery({ ...policiesQuery, enabled: mayRead });
  const policies = (data?.items ?? []).filter(({ enabled, selector }) => enabled && selector !== null);
  const answers = useQueries({
    queries: policies.map(({ selector }) => ({
      queryKey: KEYS.monitoring.names(deviceId, selector),
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const query = { selector: `id=${deviceId} & (${selector})`, fields: 'name', limit: 1 };
        return (await api.get('/v1/devices', { params: { query }, signal })).items.length > 0;
      },
    })),
  });
  const found = policies.find((_, at) => answers[at]?.data);
  return found?.name ?? (isPlanned ? '' : null);
}

/** Why a device has no values yet, in a sentence or two. */
export function WhyNoSample({ device, sampling }: { device: Schema<'Device'>; sampling: Sampling }): ReactNode {
  const policy = useNamingPolicy(device.id, sampling);
  const isLocked = useDeviceLocks(device.id).some(({ kind }) => kind !== 'writes');
  const policies = (
    <To to="/monitoring" search={{ tab: 'policies' }}>
      Monitoring
    </To>
  );
  if (policy === null)
    return (
      <>
        No collection of {policies} names this device. A collection reads signal, temperature, data use and load of its
        devices.
      </>
    );
  return (
    <>
      The collection <span className="foreign">{policy === '' ? 'that names it' : `“${policy}”`}</span> of {policies}{' '}
      samples this device.{' '}
      {isLocked ? (
        'A lock keeps the gateway from asking it. Samples begin when the lock ends.'
      ) : device.state === 'online' || device.state === 'new' ? (
        sampling?.lastError ? (
          `The last try failed: ${failureText(sampling.lastError)}. The gateway tries again by itself.`
        ) : (
          'The first sample comes within seconds.'
        )
      ) : device.state === 'trust_changed' ? (
        'It shows another certificate, so the gateway does not sign in. Values begin when one is accepted.'
      ) : device.seenAt === null ? (
        'It has never answered; values begin when it does.'
      ) : (
        <>
          Its last answer was <Ago at={device.seenAt} />; values begin when it answers again.
        </>
      )}
    </>
  );
}
