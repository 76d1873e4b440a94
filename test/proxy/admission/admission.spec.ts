import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Admission, type CallPermit, type CallPriority } from '../../../src/proxy/admission/admission.js';
import { Cancellation } from '../../../src/proxy/connections/cancellation.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('calls that nobody waits for', () => {
  let admission: Admission;
  let begun: string[];
  let places: CallPermit[];

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] });
    admission = new Admission();
    vi.spyOn(admission, 'adapt').mockImplementation(() => undefined);
    begun = [];
    places = [];
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** What the event loop bears. */
  const bear = (calls: number) => (admission.capacity = calls);
  const BEGUN: CallPriority = { isBulk: false, hasConnection: true };
  const enter = (name: string, standing = BEGUN, cancellation = new Cancellation()) =>
    admission.acquire(standing, cancellation).then(
      (place) => {
        begun.push(name);
        places.push(place);
      },
      () => begun.push(`${name} left`),
    );

  it('of jobs are as many as the event loop bears, and each that ends lets the next one in', async () => {
    bear(2);
    for (const name of ['a', 'b', 'c', 'd']) void enter(name);
    await turn();
    expect(begun).toEqual(['a', 'b']);
    admission.release(places[0]!);
    admission.release(places[0]!); // twice is once
    await turn();
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('begin eight in a turn of the event loop', async () => {
    bear(1_000);
    for (let call = 0; call < 40; call++) void enter(String(call));
    const sizes: number[] = [];
    while (begun.length < 40) {
      await Promise.resolve();
      await Promise.resolve();
      sizes.push(begun.length);
      await turn();
    }
    expect(sizes).toEqual([8, 16, 24, 32]);
  });

  it('are those of people first, those of jobs that have begun first, and one in eight is who waited longest', async () => {
    bear(1);
    void enter('held');
    const lines: [string, CallPriority][] = [
      ['last', { isBulk: true, hasConnection: false }],
      ['bulk', { isBulk: true, hasConnection: true }],
      ['new', { isBulk: false, hasConnection: false }],
      ['begun', BEGUN],
    ];
    for (const [name, standing] of lines) {
      for (let call = 0; call < 5; call++) void enter(name, standing);
      vi.advanceTimersByTime(1); // so that one has waited longer than the other
    }
    for (let ended = 0; ended < 20; ended++) {
      await turn();
      admission.release(places.at(-1)!);
    }
    await turn();
    const words = (text: string, times: number) => Array.from({ length: times }, () => text);
    expect(begun.slice(1)).toEqual([
      ...words('begun', 5),
      'new',
      'last',
      ...words('new', 4),
      ...words('bulk', 3),
      'last',
      ...words('bulk', 2),
      ...words('last', 3),
    ]);
  });

  it('begin however late the event loop is, one with each look at it', async () => {
    bear(0);
    for (const name of ['a', 'b', 'c']) void enter(name);
    await turn();
    expect(begun).toEqual([]);
    for (const sofar of [['a'], ['a', 'b'], ['a', 'b', 'c']]) {
      vi.advanceTimersByTime(20);
      await turn();
      expect(begun).toEqual(sofar);
    }
  });

  it.each([
    ['a job', () => enter('slow')],
    ['a fan-out', () => Promise.resolve(admission.fanOutStarted())],
  ])('of %s do not count any more when they take long: they wait for a device', async (_who, begin) => {
    bear(1);
    void begin();
    await turn();
    vi.advanceTimersByTime(280);
    const cancellation = new Cancellation();
    void enter('early', BEGUN, cancellation);
    await turn();
    expect(begun).not.toContain('early');
    cancellation.cancel();
    vi.advanceTimersByTime(40);
    void enter('late');
    await turn();
    expect(begun).toContain('late');
  });

  it('leave the line when nobody wants them any more', async () => {
    bear(1);
    void enter('held');
    const cancellation = new Cancellation();
    void enter('given up', BEGUN, cancellation);
    void enter('next');
    cancellation.cancel();
    await turn();
    admission.release(places[0]!);
    await turn();
    expect(begun).toEqual(['held', 'given up left', 'next']);
    void enter('too late', BEGUN, cancellation);
    await turn();
    expect(begun).toContain('too late left');
  });

  it('of fan-outs go before those of jobs', async () => {
    bear(2);
    const first = admission.fanOutStarted();
    expect(admission.hasCapacity).toBe(true);
    admission.fanOutStarted();
    expect(admission.hasCapacity).toBe(false);
    void enter('job');
    await turn();
    expect(begun).toEqual([]);
    admission.fanOutEnded(first);
    await turn();
    expect(begun).toEqual(['job']);
    expect(admission.hasCapacity).toBe(true);
  });

  it('leave no clock running when all have ended', async () => {
    void enter('a');
    await turn();
    expect(vi.getTimerCount()).toBe(1);
    admission.release(places[0]!);
    vi.advanceTimersByTime(20);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the capacity for calls that nobody waits for', () => {
  it('is as large as it may be while the event loop comes in time', () => {
    const admission = new Admission();
    for (let turn = 0; turn < 100; turn++) admission.adapt(1, 128);
    expect(admission.capacity).toBe(1_000);
  });

  it('falls below what was under way as soon as the loop is late, and never to nothing', () => {
    const admission = new Admission();
    admission.adapt(20, 128);
    expect(admission.capacity).toBeLessThan(128);
    late(admission);
    expect(admission.capacity).toBe(32);
  });

  it('holds while the loop is neither late nor early, and rises step by step when it is free again', () => {
    const admission = new Admission();
    late(admission);
    admission.adapt(5, 32);
    expect(admission.capacity).toBe(32);
    admission.adapt(2.5, 32);
    expect(admission.capacity).toBe(40);
  });

  it('is smaller beside a caller who waits, falls earlier, and rises later', () => {
    const admission = new Admission();
    admission.interactiveStarted(performance.now());
    late(admission);
    expect(admission.capacity).toBe(4);
    admission.adapt(2.5, 4);
    expect(admission.capacity).toBe(4);
    admission.adapt(0, 4);
    expect(admission.capacity).toBe(12);
    admission.adapt(5, 12);
    expect(admission.capacity).toBe(9);
  });
});

const late = (admission: Admission) => {
  for (let turn = 0; turn < 100; turn++) admission.adapt(500, admission.capacity);
};

describe('the calls of a fan-out that begin in one turn of the event loop', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are few while a caller waits, and many again two seconds after the last one', () => {
    const admission = new Admission();
    expect(admission.fanOutPerTurn).toBe(16);
    admission.interactiveStarted(performance.now());
    expect(admission.fanOutPerTurn).toBe(2);
    const permit = admission.fanOutStarted();
    vi.advanceTimersByTime(1_000);
    admission.interactiveStarted(performance.now());
    vi.advanceTimersByTime(1_980);
    expect(admission.fanOutPerTurn).toBe(2);
    vi.advanceTimersByTime(60);
    expect(admission.fanOutPerTurn).toBe(16);
    admission.fanOutEnded(permit);
  });
});
