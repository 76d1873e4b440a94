import { describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { ClockSweeper } from '../../src/platform/clock.sweeper.js';
import { SystemClock } from '../../src/platform/clock.js';
import { createLog } from '../../src/platform/log.js';

const HOUR = 3_600_000;
const START = 1_800_000_000_000;

/** A host whose two clocks a test moves. */
function host() {
  const times = { host: START, monotonic: 5_000 };
  const clock = new SystemClock(
    () => times.host,
    () => times.monotonic,
  );
  return { times, clock };
}

describe('the clock of a process', () => {
  it.each<[name: string, moves: readonly (readonly [host: number, monotonic: number])[], passed: number]>([
    ['nothing happens', [[1_000, 1_000]], 1_000],
    ['the host steps an hour ahead', [[1_000 + HOUR, 1_000]], 1_000],
    ['the host steps an hour back', [[1_000 - HOUR, 1_000]], 1_000],
    ['the host steps there and back', [[HOUR, 0], [-HOUR, 0], [500, 500]], 500],
    ['the host steps twice', [[HOUR, 0], [HOUR, 0], [250, 250]], 250],
    ['the host steps by a day, without time between', [[24 * HOUR, 0]], 0],
    ['the host steps by two seconds', [[2_000, 0]], 0],
    ['a time server slews the clock', [[60_030, 60_000]], 60_030],
    ['a time server corrects less than a second', [[-900, 0]], -900],
    ['the machine slept', [[HOUR, 1]], 1],
    ['the process was frozen for an hour', [[HOUR, HOUR]], HOUR],
  ])('shows what has passed when %s', (_name, moves, passed) => {
    const { times, clock } = host();
    for (const [ahead, elapsed] of moves) {
      times.host += ahead;
      times.monotonic += elapsed;
      clock.nowMs();
    }
    expect(clock.nowMs() - START).toBe(passed);
  }); // prettier-ignore

  it('tells of a step at once, with its size, and asks the database', async () => {
    const { times, clock } = host();
    const lines: string[] = [];
    const sweeper = new ClockSweeper(
      clock,
      { query: () => Promise.resolve([{ ms: START + times.monotonic - 5_000 }]) } as never,
      createLog('trace', { write: (line) => void lines.push(line) }),
    );
    let woken = 0;
    sweeper.onWork(() => woken++);
    times.host += HOUR;
    expect(clock.nowMs()).toBe(START);
    expect(woken).toBe(1);
    await sweeper.sweep();
    expect(clock.nowMs()).toBe(START);
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ stepMs: HOUR }, { aheadMs: HOUR }]);
  });

  it('believes the database after the machine slept', async () => {
    const { times, clock } = host();
    const sweeper = new ClockSweeper(clock, { query: () => Promise.resolve([{ ms: START + HOUR }]) } as never, pino({ level: 'silent' }));
    times.host += HOUR;
    expect(clock.nowMs()).toBe(START);
    await sweeper.sweep();
    expect(clock.nowMs()).toBe(START + HOUR);
  }); // prettier-ignore
});
