import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../support/fake-clock.js';
import { ExchangeError } from '../../../src/device-api/http.js';
import { Breakers } from '../../../src/proxy/calls/breakers.js';
import { type BreakerCall } from '../../../src/proxy/calls/path-breakers.js';
import {
  onAnswer,
  onFailure,
  verdictOf,
  trialAbandoned,
  trialStarted,
  type Breaker,
} from '../../../src/proxy/calls/breaker.js';

const NOW = 5_000_000;
const reading = (path: string): BreakerCall => ({
  writes: false,
  acts: [{ method: 'GET', path, query: '', writes: false, mayHoldSecrets: false }],
});
const call = reading('/api/x');
const fail = (times: number, from?: Breaker, at = NOW): Breaker =>
  Array.from({ length: times }).reduce<Breaker>((breaker) => onFailure(breaker, at), from ?? onFailure(undefined, at));

describe('the breaker of a device', () => {
  it('opens after 5 transport errors in a row, for 15 s', () => {
    expect(verdictOf(fail(3), NOW)).toEqual({ pass: true, isTrial: false });
    const open = fail(4);
    expect(verdictOf(open, NOW)).toEqual({ pass: false, retryAt: NOW + 15_000 });
    expect(verdictOf(open, NOW + 14_999)).toMatchObject({ pass: false });
    expect(verdictOf(open, NOW + 15_000)).toEqual({ pass: true, isTrial: true });
  });

  it('does not open for errors that answers stand between, until they are half of 20 in a minute', () => {
    let breaker = onFailure(undefined, NOW);
    for (let pair = 0; pair < 9; pair++) breaker = onFailure(onAnswer(breaker, NOW)!, NOW);
    expect(breaker).toMatchObject({ calls: 19, failures: 10, trialAt: null });
    expect(onFailure(onAnswer(breaker, NOW)!, NOW).trialAt).toBe(NOW + 15_000);
  });

  it('lets one trial call through at a time', () => {
    const tried = trialStarted(fail(4));
    expect(verdictOf(tried, NOW + 15_000)).toMatchObject({ pass: false });
    expect(verdictOf(trialAbandoned(tried), NOW + 15_000)).toEqual({ pass: true, isTrial: true });
  });

  it('doubles its pause with each trial call that fails, to 5 minutes', () => {
    let breaker = fail(4);
    const pauses = [];
    for (let at = NOW, round = 0; round < 7; round++) {
      at = breaker.trialAt!;
      breaker = onFailure(trialStarted(breaker), at);
      pauses.push(breaker.trialAt! - at);
    }
    expect(pauses).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000, 300_000]);
  });

  it('lets the next trial call through when the pause after a failed one is over', () => {
    const failed = onFailure(trialStarted(fail(4)), NOW + 15_000);
    expect(verdictOf(failed, NOW + 44_999)).toEqual({ pass: false, retryAt: NOW + 45_000 });
    expect(verdictOf(failed, NOW + 45_000)).toEqual({ pass: true, isTrial: true });
  });

  it('lets the call of a person try one second after the last error, one at a time', () => {
    const open = fail(4);
    expect(verdictOf(open, NOW + 999, true)).toEqual({ pass: false, retryAt: NOW + 1_000 });
    expect(verdictOf(open, NOW + 1_000, true)).toEqual({ pass: true, isTrial: true });
    expect(verdictOf(trialStarted(open), NOW + 1_500, true)).toEqual({ pass: false, retryAt: NOW + 2_500 });
    expect(verdictOf(trialStarted(open), NOW + 1_500)).toEqual({ pass: false, retryAt: NOW + 15_000 });
    expect(onAnswer(trialStarted(open), NOW + 1_600)).toBeNull();
  });

  it('makes jobs and sweeps wait no longer because a person tried', () => {
    const failed = onFailure(trialStarted(fail(4)), NOW + 9_000);
    expect(verdictOf(failed, NOW + 9_500, true)).toEqual({ pass: false, retryAt: NOW + 10_000 });
    expect(verdictOf(failed, NOW + 14_999)).toEqual({ pass: false, retryAt: NOW + 15_000 });
    expect(verdictOf(failed, NOW + 15_000)).toEqual({ pass: true, isTrial: true });
  });

  it('does not count what was under way when it opened', () => {
    const open = fail(4);
    expect(onFailure(open, NOW + 1_000).trialAt).toBe(open.trialAt);
  });

  it('is forgotten after a trial call that was answered, and after a minute without errors', () => {
    expect(onAnswer(trialStarted(fail(4)), NOW + 15_000)).toBeNull();
    expect(onAnswer(fail(1), NOW + 60_000)).toBeNull();
    expect(onAnswer(fail(1), NOW + 59_999)).toMatchObject({ streak: 0 });
  });
});

describe('the breaker of a path', () => {
  const device = { id: 'a', baseUrl: 'https://192.0.2.1', trust: 'insecure', trustPin: null, trustCa: null } as const;
  const unanswered = () => Object.assign(new ExchangeError('timeout', { phase: 'first byte' }), { sent: true });
  const open = expect.objectContaining({ code: 'device_circuit_open' });
  let breakers: Breakers;
  let clock: FakeClock;
  const hang = (path: string, times: number) => {
    for (let time = 0; time < times; time++) breakers.failed(device, unanswered(), reading(path));
  };
  const passes = (path: string) => () => breakers.check(device, reading(path));
  beforeEach(() => {
    clock = new FakeClock();
    breakers = new Breakers(clock);
  });

  it('opens for that path alone, however many of its requests have no answer', () => {
    hang('/api/wireless/status', 200);
    expect(passes('/api/wireless/status')).toThrow(open);
    expect(passes('/api/wireless/config')).not.toThrow();
    expect(() => breakers.check(device, { ...reading('/api/wireless/status'), writes: true })).not.toThrow();
    expect(breakers.describe(device)).toMatchObject({ state: 'closed', failures: 1 });
  });

  it('is tried by a person after one second, and closed by the answer', () => {
    hang('/api/wireless/status', 5);
    clock.pass(1_000);
    const status = reading('/api/wireless/status');
    expect(passes('/api/wireless/status')).toThrow(open);
    breakers.checkAndEnter(device, status, true);
    expect(() => breakers.check(device, status, true)).toThrow(open);
    breakers.answered(device, status);
    expect(passes('/api/wireless/status')).not.toThrow();
  });

  it('does not open the device for many paths of one service', () => {
    for (let item = 0; item < 200; item++) hang(`/api/wireless/config/${item}`, 2);
    expect(passes('/api/system/status')).not.toThrow();
  });

  it('opens the device when five services in a row do not answer, as for five connections that fail', () => {
    for (let service = 0; service < 5; service++) hang(`/api/service${service}/config`, 3);
    expect(passes('/api/other/config')).toThrow(open);
    expect(breakers.describe(device)).toMatchObject({ state: 'open', failures: 5 });
  });

  it('takes the path back after one request that was answered', () => {
    hang('/api/wireless/status', 5);
    clock.pass(15_000);
    breakers.checkAndEnter(device, reading('/api/wireless/status'));
    expect(passes('/api/wireless/status')).toThrow(open);
    breakers.answered(device, reading('/api/wireless/status'));
    expect(passes('/api/wireless/status')).not.toThrow();
  });

  it.each([
    ['the login that it waited for failed another call first', true],
    ['its connection failed', false],
  ])('tries the path again after a trial call that did not reach it: %s', (_what, isShared) => {
    hang('/api/wireless/status', 5);
    clock.pass(15_000);
    const error = isShared ? unanswered() : new ExchangeError('refused');
    breakers.checkAndEnter(device, reading('/api/wireless/status'));
    if (isShared) breakers.failed(device, error, reading('/api/system/status'));
    breakers.failed(device, error, reading('/api/wireless/status'));
    expect(passes('/api/wireless/status')).not.toThrow();
  });

  it('does not open the device for bulk requests, whichever of their paths hangs', () => {
    for (let service = 0; service < 5; service++) {
      const acts = [`/api/service${service}/config`, '/api/wireless/status'].flatMap((path) => reading(path).acts);
      for (let time = 0; time < 3; time++) breakers.failed(device, unanswered(), { writes: false, acts });
    }
    expect(passes('/api/other/config')).not.toThrow();
    expect(breakers.describe(device)).toMatchObject({ state: 'closed', failures: 1 });
  });

  it('lets no path that is known to hang keep the device closed', () => {
    hang('/api/wireless/status', 1);
    for (let time = 0; time < 5; time++) breakers.failed(device, new ExchangeError('refused'), call);
    clock.pass(15_000);
    breakers.checkAndEnter(device, reading('/api/wireless/status'));
    breakers.failed(device, unanswered(), reading('/api/wireless/status'));
    expect(passes('/api/system/status')).not.toThrow();
  });
});

describe('the breakers of a process', () => {
  const device = {
    id: 'a',
    baseUrl: 'https://192.0.2.1',
    trust: 'pin',
    trustPin: 'sha256/one',
    trustCa: null,
  } as const;
  const opened = () => {
    const breakers = new Breakers(new FakeClock());
    for (let time = 0; time < 5; time++) breakers.failed(device, new ExchangeError('refused'), call);
    return breakers;
  };

  it.each([
    ['address', { baseUrl: 'https://192.0.2.2' }],
    ['pin', { trustPin: 'sha256/two' }],
    ['trust', { trust: 'ca' as const, trustCa: 'a certificate' }],
  ])('meet a device with another %s anew', (_what, change) => {
    const breakers = opened();
    expect(() => breakers.check(device, call)).toThrow(expect.objectContaining({ code: 'device_circuit_open' }));
    expect(breakers.describe(device)).toMatchObject({ state: 'open', failures: 5 });
    const moved = { ...device, ...change };
    expect(() => breakers.check(moved, call)).not.toThrow();
    expect(breakers.describe(moved)).toEqual({ state: 'closed', failures: 0, probeAt: null });
  });

  it('stay open for a device whose pin was written down at the first contact', () => {
    const breakers = new Breakers(new FakeClock());
    for (let time = 0; time < 5; time++)
      breakers.failed({ ...device, trustPin: null }, new ExchangeError('refused'), call);
    expect(() => breakers.check(device, call)).toThrow(expect.objectContaining({ code: 'device_circuit_open' }));
  });

  it('are not told of the new way by calls that began on the old one', () => {
    const breakers = opened();
    const moved = { ...device, baseUrl: 'https://192.0.2.2' };
    breakers.check(moved, call);
    for (let time = 0; time < 5; time++) breakers.failed(moved, new ExchangeError('refused'), call);
    breakers.failed(device, new ExchangeError('refused'), call);
    breakers.answered(device, call);
    breakers.abandoned(device, call);
    expect(breakers.describe(device)).toEqual({ state: 'closed', failures: 0, probeAt: null });
    expect(() => breakers.check(moved, call)).toThrow(expect.objectContaining({ code: 'device_circuit_open' }));
  });

  it('stay open for the same device, however often its row was read anew', () => {
    const breakers = opened();
    expect(() => breakers.checkAndEnter({ ...device }, call)).toThrow(
      expect.objectContaining({ code: 'device_circuit_open' }),
    );
    breakers.reset(device.id);
    expect(() => breakers.checkAndEnter(device, call)).not.toThrow();
  });
});
