import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CallerScans, scanLimits } from '../../../src/auth/limits/caller-scans.js';

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

describe('the share of scans', () => {
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
    expect(scanLimits(poolSize)).toMatchObject({ total, perKey });
  });
});

describe('a read that takes too long', () => {
  let scans: CallerScans;
  const late = vi.fn<(result: string) => void>();

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    scans = new CallerScans({ DATABASE_POOL_SIZE: 4 }); // one for each operator
    late.mockReset();
  });
  afterEach(() => void vi.useRealTimers());

  it('is answered with its limit, and its late result is disposed of', async () => {
    const slow = work();
    const answer = scans.inTime(ada, slow.run, late);
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
    const first = errorOf(scans.inTime(ada, slow.run, late));
    await vi.advanceTimersByTimeAsync(9_000);
    const second = scans.inTime(ada, next.run, late);
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
    const one = scans.inTime(ada, first.run, late);
    const two = scans.inTime(ada, second.run, late);
    await vi.advanceTimersByTimeAsync(4_000);
    first.end('one');
    await vi.advanceTimersByTimeAsync(9_000);
    second.end('two');
    expect([await one, await two]).toEqual(['one', 'two']);
  });

  it('delays another operator by nothing', async () => {
    const [slow, quick] = [work(), work()];
    const told = errorOf(scans.inTime(ada, slow.run, late));
    quick.end('quick');
    expect(await scans.inTime(bob, quick.run, late)).toBe('quick');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await told).toMatchObject({ code: 'took_too_long' });
  });

  it('makes the next one of its operator wait for half a minute, a page of a file for a minute', async () => {
    const slow = work();
    const told = errorOf(scans.inTime(ada, slow.run, late));
    const refused = { code: 'too_many_scans', facts: { limit: 1, waiting: 256, retryAfterSeconds: 2 } };
    const next = errorOf(scans.inTime(ada, work().run, late));
    const page = errorOf(scans.page(ada, work().run, new AbortController().signal));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await next).toMatchObject(refused);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await page).toMatchObject(refused);
    expect(await told).toMatchObject({ code: 'took_too_long' });
  });

  it('is not begun for a caller that has left, and delays nobody then', async () => {
    const [slow, unwanted, next] = [work(), work(), work()];
    const first = scans.inTime(ada, slow.run, late);
    const leaving = new AbortController();
    const left = errorOf(scans.inTime(ada, unwanted.run, late, leaving.signal));
    const second = scans.inTime(ada, next.run, late);
    leaving.abort();
    expect(await left).toMatchObject({ code: 'request_aborted' });
    slow.end('slow');
    next.end('next');
    expect([await first, await second]).toEqual(['slow', 'next']);
    expect(await errorOf(scans.inTurn(ada, unwanted.run, { gone: leaving.signal }))).toMatchObject({
      code: 'request_aborted',
    });
    expect(await errorOf(scans.page(ada, unwanted.run, leaving.signal))).toMatchObject({ code: 'request_aborted' });
    expect(unwanted.run).not.toHaveBeenCalled();
  });

  it('passes on the error of its work', async () => {
    const failing = work();
    failing.fail(new Error('no such column'));
    await expect(scans.inTime(ada, failing.run, late)).rejects.toThrow('no such column');
    const next = work();
    next.end('next');
    expect(await scans.inTime(ada, next.run, late)).toBe('next');
  });
});
