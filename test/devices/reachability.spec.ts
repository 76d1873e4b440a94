import { describe, expect, it } from 'vitest';
import { isAway, judgePass, type Doubt, type Pass, type PassVerdict } from '../../src/devices/registry/reachability.js';

const EVERY_MS = 300_000;
const NOW = 1_000_000_000;

const pass = (answeredLately: number, failed: number, wasLate = false): Pass => ({ wasLate, answeredLately, failed });
const since = (passes: number): Doubt => ({ sinceMs: NOW - passes * EVERY_MS });

describe('a pass over the fleet', () => {
  it.each<[string, Pass, Doubt | null, PassVerdict['verdict'], boolean]>([
    ['all answer', pass(300, 0), null, 'judge', false],
    ['a site fails', pass(300, 19), null, 'judge', false],
    ['19 of 19 fail: too few to doubt', pass(19, 19), null, 'judge', false],
    ['20 of 20 fail', pass(20, 20), null, 'doubt', true],
    ['20 of 60, a third', pass(60, 20), null, 'doubt', true],
    ['20 of 61, less than a third', pass(61, 20), null, 'judge', false],
    ['115 of 300, an overloaded machine', pass(300, 115), null, 'doubt', true],
    ['the second pass of it', pass(300, 115), since(1), 'doubt', true],
    ['the third pass of it', pass(300, 115), since(2), 'doubt', true],
    ['a moment before the fourth', pass(300, 115), { sinceMs: NOW - 3 * EVERY_MS + 1 }, 'doubt', true],
    ['the fourth: the failures are believed', pass(300, 115), since(3), 'judge', true],
    ['an hour later, and no new doubt', pass(300, 115), since(12), 'judge', true],
    ['most are back: the doubt has ended', pass(300, 10), since(1), 'judge', false],
    ['late, and none fails', pass(300, 0, true), null, 'late', false],
    ['late, and all fail', pass(300, 300, true), null, 'late', false],
    ['late during a doubt', pass(300, 300, true), since(1), 'late', true],
    ['none answered for an hour', pass(0, 0), since(1), 'judge', false],
  ])('%s', (_what, found, doubt, verdict, stays) => {
    const result = judgePass(found, doubt, NOW, EVERY_MS);
    expect(result.verdict).toBe(verdict);
    expect(result.doubt !== null).toBe(stays);
    if (stays && doubt) expect(result.doubt).toEqual(doubt);
  });
});

describe('a device', () => {
  it('is away after two failed checks in a row', () => {
    expect([0, 1, 2, 3].map(isAway)).toEqual([false, false, true, true]);
  });
});
