import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { RolloutRows } from '../../src/rollouts/engine/rollout-rows.js';
import { type TargetState } from '../../src/rollouts/state/rollout-state.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { createRollout, type RolloutAnswer } from '../support/jobs/rollout-world.js';

/* What is kept of a device that is away. Nothing is carried out: no process runs jobs. */

let world: TestGateway;
let rollout: RolloutAnswer;
let deviceId: string;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  const credentials = { username: 'admin', password: 'a quiet password' };
  const device = { name: 'far-away', baseUrl: 'https://192.0.2.1', credentials };
  ({ id: deviceId } = await world.api.post<{ id: string }>('/v1/devices', device));
  rollout = await createRollout(world.as('operator'), { kind: 'backup', selector: 'name:far-away' });
});
afterAll(() => world.close());

describe('a target whose device is away', () => {
  it.each([
    ['has used up no try by a job that did not find it', 'running', 2, 1],
    ['has used up no try by a job that was called back before it was taken up', 'queued', 1, 0],
    ['keeps the tries it has had when it is found away before the next one', 'waiting', 1, 1],
    ['keeps the tries it has had when it is still away', 'offline', 1, 1],
  ] satisfies [string, TargetState, number, number][])('%s', async (_words, state, tries, left) => {
    const db = world.gateway.app.get(DataSource);
    const jobId = state === 'queued' || state === 'running' ? deviceId : null;
    await db.query('update rollout_target set state = $2, tries = $3, job_id = $4 where rollout_id = $1', [
      rollout.id,
      state,
      tries,
      jobId,
    ]);
    await world.gateway.app
      .get(RolloutRows)
      .changeTargets(db.manager, rollout.id, [
        { deviceId, change: { state: 'offline', reason: 'device_offline', wakeAt: Date.now() + 60_000 } },
      ]);
    const { items } = await world.api.get<{ items: object[] }>(`/v1/rollouts/${rollout.id}/devices`);
    expect(items).toMatchObject([{ state: 'offline', tries: left }]);
  });
});
