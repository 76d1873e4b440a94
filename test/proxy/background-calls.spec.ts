import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { BackgroundCalls, type Place } from '../../src/proxy/background-calls.js';
import { Gone } from '../../src/proxy/gone.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('calls that nobody waits for', () => {
  let background: BackgroundCalls;
  let begun: string[];
  let places: Place[];

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    background = new BackgroundCalls();
    jest.spyOn(background.pace, 'note').mockImplementation(() => undefined);
    begun = [];
    places = [];
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** What the event loop bears. */
  const bear = (calls: number) => (background.pace.atOnce = calls);
  const enter = (name: string, isWarm = true, gone = new Gone()) =>
    background.enter(isWarm, gone).then(
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
    background.leave(places[0]!);
    background.leave(places[0]!); // twice is once
    await turn();
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('begin sixteen in a turn of the event loop', async () => {
    bear(1_000);
    for (let call = 0; call < 40; call++) void enter(String(call));
    const sizes: number[] = [];
    while (begun.length < 40) {
      await Promise.resolve();
      await Promise.resolve();
      sizes.push(begun.length);
      await turn();
    }
    expect(sizes).toEqual([16, 32]);
  });

  it('go to devices with an open connection first, and one in eight to another one', async () => {
    bear(1);
    void enter('held');
    for (let call = 0; call < 3; call++) void enter('cold', false);
    for (let call = 0; call < 14; call++) void enter('warm');
    for (let ended = 0; ended < 17; ended++) {
      await turn();
      background.leave(places.at(-1)!);
    }
    await turn();
    const runs = begun.slice(1).join(' ').match(/(cold ?)+|(warm ?)+/g)!; // prettier-ignore
    expect(runs.map((run) => run.trim().split(' ').length)).toEqual([7, 1, 7, 2]);
  });

  it('begin however late the event loop is, one with each look at it', async () => {
    bear(0);
    for (const name of ['a', 'b', 'c']) void enter(name);
    await turn();
    expect(begun).toEqual([]);
    for (const sofar of [['a'], ['a', 'b'], ['a', 'b', 'c']]) {
      jest.advanceTimersByTime(20);
      await turn();
      expect(begun).toEqual(sofar);
    }
  });

  it('do not count any more when they take long: they wait for a device', async () => {
    bear(1);
    void enter('slow');
    await turn();
    bear(0);
    void enter('next');
    jest.advanceTimersByTime(10);
    bear(1);
    background.fanOutBegan();
    background.fanOutEnded();
    await turn();
    expect(begun).toEqual(['slow']);
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 2_000);
    jest.advanceTimersByTime(20);
    await turn();
    expect(begun).toEqual(['slow', 'next']);
  });

  it('leave the line when nobody wants them any more', async () => {
    bear(1);
    void enter('held');
    const gone = new Gone();
    void enter('given up', true, gone);
    void enter('next');
    gone.happen();
    await turn();
    background.leave(places[0]!);
    await turn();
    expect(begun).toEqual(['held', 'given up left', 'next']);
    void enter('too late', true, gone);
    await turn();
    expect(begun).toContain('too late left');
  });

  it('of fan-outs go before those of jobs', async () => {
    bear(2);
    background.fanOutBegan();
    expect(background.hasRoom).toBe(true);
    background.fanOutBegan();
    expect(background.hasRoom).toBe(false);
    void enter('job');
    await turn();
    expect(begun).toEqual([]);
    background.fanOutEnded();
    await turn();
    expect(begun).toEqual(['job']);
    expect(background.hasRoom).toBe(true);
  });
});
