import { type Fleet } from '../../../src/simulator/fleet.js';
import { startOwnFleet } from '../devices/own-fleet.js';
import { type TestGateway } from '../gateway.js';

/** Simulated devices that a gateway has registered, with something on each screen. */
export interface RealFleet {
  readonly fleet: Fleet;
  /** Ids in the gateway, `router-1` first. */
  readonly ids: readonly string[];
  readonly jobId: string;
  readonly rolloutId: string;
  readonly fanOutId: string;
}

interface Made {
  readonly id: string;
}

const DEVICES = 5;

/** Registers devices, makes a backup of one, a rollout over all and a stored fan-out. The caller closes the fleet. */
export async function startRealFleet({ api }: TestGateway): Promise<RealFleet> {
  const fleet = await startOwnFleet({ devices: DEVICES, seed: 7, timeScale: 600 });
  const ids: string[] = [];
  for (const { index, baseUrl, username, password } of fleet.devices) {
    const { id } = await api.post<Made>('/v1/devices', {
      name: `router-${index + 1}`,
      baseUrl,
      site: index % 2 === 0 ? 'north' : 'south',
      tags: ['pump'],
      credentials: { username, password },
    });
    ids.push(id);
  }
  const { id: jobId } = await api.post<Made>(`/v1/devices/${ids[0]}/jobs`, { kind: 'backup' });
  const { id: fanOutId } = await api.post<Made>('/v1/fan-outs', {
    selector: 'tag:pump',
    request: { method: 'GET', path: '/api/system/device/status' },
  });
  const { id: rolloutId } = await api.post<Made>('/v1/rollouts', {
    name: 'weekly backups',
    selector: 'tag:pump',
    kind: 'backup',
  });
  return { fleet, ids, jobId, rolloutId, fanOutId };
}
