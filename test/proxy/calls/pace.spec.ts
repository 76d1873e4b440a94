import { describe, expect, it } from 'vitest';
import { Pace } from '../../../src/proxy/calls/pace.js';

describe('the pace of work in the background', () => {
  it('is as fast as it may be while the event loop comes in time', () => {
    const pace = new Pace();
    for (let turn = 0; turn < 100; turn++) pace.note(1, 128);
    expect(pace.atOnce).toBe(1_000);
  });

  it('falls below what was under way as soon as the loop is late, and never to nothing', () => {
    const pace = new Pace();
    pace.note(20, 128);
    expect(pace.atOnce).toBeLessThan(128);
    for (let turn = 0; turn < 100; turn++) pace.note(500, pace.atOnce);
    expect(pace.atOnce).toBe(32);
  });

  it('holds while the loop is neither late nor early, and rises step by step when it is free again', () => {
    const pace = new Pace();
    for (let turn = 0; turn < 100; turn++) pace.note(500, pace.atOnce);
    pace.note(5, 32);
    expect(pace.atOnce).toBe(32);
    pace.note(0, 32);
    expect(pace.atOnce).toBe(48);
  });
});
