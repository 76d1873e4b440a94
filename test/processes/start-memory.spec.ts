import { expect, it } from 'vitest';
import { freeStartMemory } from '../../src/processes/start-memory.js';

it('takes what nobody holds any more, each time that it is asked', async () => {
  for (let round = 0; round < 2; round++) {
    const left = new WeakRef({ of: Array.from({ length: 1_000 }, () => 'the start') });
    await freeStartMemory();
    expect(left.deref()).toBeUndefined();
  }
});
