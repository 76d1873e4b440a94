import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../src/platform/log.js';
import { Metrics } from '../../src/platform/metrics.js';
import { type Sweeper, SweeperRunner } from '../../src/platform/sweeper.js';
import { FakeClock } from '../support/fake-clock.js';

describe('the runner of sweepers', () => {
  let clock: FakeClock;
  let runner: SweeperRunner;
  let passes: number;
  /** What each pass does. */
  let work: () => void;

  beforeEach(() => {
    clock = new FakeClock();
    runner = new SweeperRunner(clock, createLog('silent'), new Metrics());
    passes = 0;
    work = () => undefined;
  });
  afterEach(() => runner.stop());

  const sweeper = (onWork?: Sweeper['onWork']): Sweeper => ({
    name: 'test',
    everyMs: 500,
    ...(onWork ? { onWork } : {}),
    sweep: () => {
      passes++;
      work();
      return Promise.resolve({});
    },
  });
  /** Lets so much time pass, in steps, each with what it leads to. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10) {
      clock.pass(10);
      await new Promise(setImmediate);
    }
  };

  it('begins a pass after each pause', async () => {
    runner.start(sweeper());
    await pass(490);
    expect(passes).toBe(0);
    await pass(1_010);
    expect(passes).toBe(3);
  });

  it('begins a pass at once when there is work, and gathers what comes in the same moment', async () => {
    let wake = () => {};
    runner.start(sweeper((given) => (wake = given)));
    await pass(500);
    expect(passes).toBe(1);
    wake();
    await pass(30);
    wake();
    expect(passes).toBe(1);
    await pass(20);
    expect(passes).toBe(2);
    await pass(450);
    expect(passes).toBe(2);
    wake();
    await pass(10);
    expect(passes).toBe(3);
  });

  it('begins its first pass at once, too, when there is work', async () => {
    let wake = () => {};
    runner.start(sweeper((given) => (wake = given)));
    await pass(100);
    wake();
    await pass(10);
    expect(passes).toBe(1);
  });

  it('hears what comes while a pass is under way', async () => {
    let wake = () => {};
    runner.start(sweeper((given) => (wake = given)));
    work = () => passes === 1 && wake();
    await pass(550);
    expect(passes).toBe(2);
  });

  it('rests as long as a pass took, however often it is woken', async () => {
    let wake = () => {};
    runner.start(sweeper((given) => (wake = given)));
    work = () => {
      clock.pass(200);
      wake();
    };
    await pass(500);
    expect(passes).toBe(1);
    await pass(190);
    expect(passes).toBe(1);
    await pass(10);
    expect(passes).toBe(2);
  });

  it('stops one that rests', async () => {
    runner.start(sweeper(() => undefined));
    await pass(600);
    await runner.stop();
    await pass(1_000);
    expect(passes).toBe(1);
  });

  it('waits at a stop for the pass that is under way, and not for ever', async () => {
    let [endShort, cutOffLong] = [() => {}, () => {}];
    const short = new Promise<void>((resolve) => (endShort = resolve));
    const long = new Promise<void>((_, reject) => (cutOffLong = () => reject(new Error('the database has gone'))));
    const lines: string[] = [];
    runner = new SweeperRunner(clock, createLog('warn', { write: (line) => void lines.push(line) }), new Metrics());
    const during = (name: string, done: Promise<void>): Sweeper => ({
      ...sweeper(),
      name,
      sweep: () => done.then(() => ({})),
    });
    runner.start(during('ends in time', short));
    runner.start(during('does not', long));
    await pass(500);
    const stopped = runner.stop(200);
    endShort();
    await stopped;
    expect(lines).toEqual([expect.stringContaining('"sweeper":"does not"')]);
    cutOffLong(); // the stop has said it
    await runner.stop();
    expect(lines).toHaveLength(1);
  });
});
