import { afterEach, expect, it, vi } from 'vitest';
import { Locks } from '../../src/auth/access/locks.service.js';
import { SweeperRunner } from '../../src/platform/sweeper.js';
import { startTestGateway } from '../support/gateway.js';

afterEach(() => void vi.restoreAllMocks());

it('starts sweepers after the locks are loaded: none may begin what is locked', async () => {
  const locks = vi.spyOn(Locks.prototype, 'onApplicationBootstrap');
  const sweepers = vi.spyOn(SweeperRunner.prototype, 'startAll');
  const world = await startTestGateway({ ROLE: 'api' });
  await world.close();
  expect(locks.mock.invocationCallOrder).toHaveLength(1);
  expect(sweepers.mock.invocationCallOrder).toHaveLength(1);
  expect(sweepers.mock.invocationCallOrder[0]).toBeGreaterThan(locks.mock.invocationCallOrder[0]!);
});
