import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type TestApi } from '../support/test-api.js';
import { AppError } from '../../src/platform/errors.js';
import { DeviceCalls } from '../../src/proxy/calls/device-calls.js';
import { type Fleet } from '../../src/simulator/fleet.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';
import { itInFull } from '../support/forms.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { createRollout, untilRollout, type RolloutAnswer } from '../support/jobs/rollout-world.js';
import { until } from '../support/until.js';

/** Read by the check alone: the job of the rollout does not ask for it. */
const CHECKED = '/api/wireless/interfaces/status';

let test: TestGateway;
let fleet: Fleet;
let operator: TestApi;

beforeAll(async () => {
  fleet = await startOwnFleet({ devices: 2, timeScale: 600 });
  test = await startTestGateway();
  operator = test.as('operator');
  for (const { baseUrl, username, password, index } of fleet.devices) {
    await operator.post('/v1/devices', { name: `router-${index}`, baseUrl, credentials: { username, password } });
  }
});
afterAll(async () => {
  await test.close();
  await fleet.close();
});

const checked = (device: number, name: string) =>
  createRollout(operator, {
    name,
    kind: 'backup',
    selector: `name:router-${device}`,
    policy: { checks: [{ check: 'call', path: CHECKED, match: {} }], stop: { failures: 1 } },
  });

it('a health check that hangs holds up no other rollout', async () => {
  fleet.devices[0]!.faults.add({ kind: 'hang', path: CHECKED });
  const slow = await checked(0, 'slow');
  await until(() => fleet.devices[0]!.faults.list().some(({ struck }) => struck > 0));
  const quick = await checked(1, 'quick');
  await untilRollout(operator, quick.id, 'finished');
  expect(await operator.get<RolloutAnswer>(`/v1/rollouts/${slow.id}`)).toMatchObject({
    state: 'running',
    counts: { succeeded: 1, failed: 0 },
  });
});

it('a health check is work in the background: people log in before it', async () => {
  const calls = vi.spyOn(test.gateway.app.get(DeviceCalls), 'call');
  const { id } = await checked(1, 'in the background');
  await untilRollout(operator, id, 'finished');
  const checks = calls.mock.calls.filter(([, { path }]) => path === CHECKED);
  // On a busy machine a check can time out, and is made again.
  expect(new Set(checks.map(([, , { inBackground }]) => inBackground))).toEqual(new Set([true]));
  calls.mockRestore();
});

itInFull('a device that the gateway could not look at is looked at later, and has not failed', async () => {
  const calls = test.gateway.app.get(DeviceCalls);
  const call = calls.call.bind(calls);
  let failures = 3;
  calls.call = async (...given) => {
    if (given[1].path !== CHECKED || failures === 0) return call(...given);
    failures--;
    throw new AppError('database_unavailable');
  };
  const { id } = await checked(1, 'not looked at');
  await untilRollout(operator, id, 'finished');
  calls.call = call;
  expect(failures).toBe(0);
  expect(await operator.get<RolloutAnswer>(`/v1/rollouts/${id}`)).toMatchObject({
    counts: { succeeded: 1, failed: 0 },
  });
});
