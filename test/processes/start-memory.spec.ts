import { expect, it } from 'vitest';
import { freeStartMemory } from '../../src/processes/start-memory.js';

it('frees what is not referenced any more, at each call', async () => {
  for (let round = 0; round < 2; round++) {
    const left = new WeakRef({ of: Array.from({ length: 1_000 }, () => 'the start') });
    await freeStartMemory();
    expect(left.deref()).toBeUndefined();
  }
});
