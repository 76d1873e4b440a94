import { type TestApi } from '../test-api.js';
import { type Fleet } from '../../../src/simulator/fleet.js';
import { nullWhenBusy, type TestGateway } from '../gateway.js';

/** A rollout as the API tells it. */
export interface RolloutAnswer {
  readonly id: string;
  readonly state: string;
  readonly planDigest: string;
  readonly pause: { readonly cause: string; readonly sentence: string } | null;
  readonly total: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly waves?: readonly {
    readonly state: string;
    readonly startedAt: string | null;
    readonly endedAt: string | null;
    readonly counts: Readonly<Record<string, number>>;
  }[];
}

/** Between two looks, longer the longer it takes; a look is a request, and the gateway has other work. */
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 400;
const GROWTH = 1.2;

/** Makes the devices of a fleet known, in one request. @throws Error unless all are taken */
export async function importFleet({ url, keys }: TestGateway, fleet: Fleet): Promise<void> {
  const answer = await fetch(`${url}/v1/devices/import`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${keys.operator}`,
      'content-type': 'text/csv',
      'idempotency-key': 'fleet-of-test',
    },
    body: fleet.csv(),
  });
  const { created } = (await answer.json()) as { created?: number };
  if (created !== fleet.devices.length) throw new Error(`Of ${fleet.devices.length} devices ${created} were taken`);
}

/** Makes a rollout and starts it. */
export async function createRollout(api: TestApi, input: object): Promise<RolloutAnswer> {
  const { id } = await api.post<RolloutAnswer>('/v1/rollouts', { name: 'test', ...input });
  return api.post<RolloutAnswer>(`/v1/rollouts/${id}/start`, {});
}

/**
 * Waits until a rollout is in a state, and `condition` holds.
 * @param onLook is given every look on the way
 * @throws Error that shows the rollout when it has come to another end
 */
export async function untilRollout(
  api: TestApi,
  id: string,
  state: string,
  onLook: (rollout: RolloutAnswer) => void = () => undefined,
  condition: (rollout: RolloutAnswer) => boolean = () => true,
): Promise<RolloutAnswer> {
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * GROWTH, LONGEST_PAUSE_MS)) {
    const rollout = await api.get<RolloutAnswer>(`/v1/rollouts/${id}`).catch(nullWhenBusy);
    if (rollout) onLook(rollout);
    if (rollout?.state === state && condition(rollout)) return rollout;
    if (rollout && ['finished', 'aborted', 'paused'].includes(rollout.state)) {
      const { counts, pause, waves } = rollout;
      throw new Error(`The rollout is ${rollout.state}: ${JSON.stringify({ counts, pause, waves })}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
