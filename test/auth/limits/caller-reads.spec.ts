import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CallerReads, readLimits } from '../../../src/auth/limits/caller-reads.js';

const ada = { operatorId: 'ada' };
const bob = { operatorId: 'bob' };

/** Work that ends when the test says so. */
function work() {
  let [end, fail] = [(_result: string) => {}, (_error: Error) => {}];
  const promise = new Promise<string>((resolve, reject) => ([end, fail] = [resolve, reject]));
  return {
    run: vi.fn<() => Promise<string>>(() => promise),
    end: (result: string) => end(result),
    fail: (error: Error) => fail(error),
  };
}

/** What it failed with; null: it did not. */
const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

describe('the share of reads', () => {
  it.each([
    [4, 2, 1],
    [5, 2, 1],
    [8, 4, 2],
    [10, 5, 2],
    [12, 6, 2],
    [16, 8, 3],
    [20, 10, 4],
    [40, 20, 7],
    [100, 50, 17],
    [200, 100, 34],
  ])('of a pool of %i is %i, of which one operator has %i', (poolSize, total, perKey) => {
    expect(readLimits(poolSize)).toMatchObject({ total, perKey });
  });
});

describe('a read that takes too long', () => {
  let reads: CallerReads;
  const late = vi.fn<(result: string) => void>();

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    reads = new CallerReads({ DATABASE_POOL_SIZE: 4 }); // one for each operator
    late.mockReset();
  });
  afterEach(() => void vi.useRealTimers());

  it('is answered with its limit, and its late result is disposed of', async () => {
    const slow = work();
    const answer = reads.inTime(ada, slow.run, late);
    const told = errorOf(answer);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await told).toMatchObject({ code: 'took_too_long', facts: { limitMs: 10_000 } });
    expect(late).not.toHaveBeenCalled();
    slow.end('late');
    await vi.advanceTimersByTimeAsync(0);
    expect(late.mock.calls).toEqual([['late']]);
  });

  it('holds its slot until it has really ended', async () => {
    const [slow, next] = [work(), work()];
    const first = errorOf(reads.inTime(ada, slow.run, late));
    await vi.advanceTimersByTimeAsync(9_000);
    const second = reads.inTime(ada, next.run, late);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await first).toMatchObject({ code: 'took_too_long' });
    expect(next.run).not.toHaveBeenCalled();
    slow.fail(new Error('The connection was lost'));
    await vi.advanceTimersByTimeAsync(0);
    next.end('done');
    expect(await second).toBe('done');
  });

  it('is no wait in the queue: its time begins with its turn', async () => {
    const [first, second] = [work(), work()];
    const one = reads.inTime(ada, first.run, late);
    const two = reads.inTime(ada, second.run, late);
    await vi.advanceTimersByTimeAsync(4_000);
    first.end('one');
    await vi.advanceTimersByTimeAsync(9_000);
    second.end('two');
    expect([await one, await two]).toEqual(['one', 'two']);
  });

  it('delays another operator by nothing', async () => {
    const [slow, quick] = [work(), work()];
    const told = errorOf(reads.inTime(ada, slow.run, late));
    quick.end('quick');
    expect(await reads.inTime(bob, quick.run, late)).toBe('quick');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await told).toMatchObject({ code: 'took_too_long' });
  });

  it('makes the next one of its operator wait for five seconds, a page of a file for a minute', async () => {
    const slow = work();
    const told = errorOf(reads.inTime(ada, slow.run, late));
    const refused = { code: 'too_many_reads', facts: { limit: 1, waiting: 64, retryAfterSeconds: 2 } };
    const next = errorOf(reads.inTime(ada, work().run, late));
    const page = errorOf(reads.page(ada, work().run));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await next).toMatchObject(refused);
    await vi.advanceTimersByTimeAsync(55_000);
    expect(await page).toMatchObject(refused);
    expect(await told).toMatchObject({ code: 'took_too_long' });
  });

  it('passes on the error of its work', async () => {
    const failing = work();
    failing.fail(new Error('no such column'));
    await expect(reads.inTime(ada, failing.run, late)).rejects.toThrow('no such column');
    const next = work();
    next.end('next');
    expect(await reads.inTime(ada, next.run, late)).toBe('next');
  });
});
