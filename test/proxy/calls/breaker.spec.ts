import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../support/fake-clock.js';
import { ExchangeError } from '../../../src/device-api/http.js';
import { type Device } from '../../../src/devices/registry/device.entity.js';
import { AppError } from '../../../src/platform/errors.js';
import { DeviceBreakers } from '../../../src/proxy/calls/device-breakers.js';
import {
  onAnswer,
  onFailure,
  verdictOf,
  trialAbandoned,
  trialStarted,
  type Breaker,
} from '../../../src/proxy/calls/breaker.js';

const NOW = 5_000_000;
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

const DEVICE = { id: 'a', baseUrl: 'https://192.0.2.1', trust: 'pin', trustPin: 'sha256/one', trustCa: null } as Device;
const open = expect.objectContaining({ code: 'device_circuit_open' });

describe('a call that was sent and has no answer', () => {
  const silence = () => Promise.reject(new ExchangeError('timeout', { phase: 'first byte' }));
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  async function afterCalls(count: number, probe: () => Promise<object>): Promise<DeviceBreakers> {
    const breakers = new DeviceBreakers(new FakeClock(), { readStatus: probe });
    for (let call = 0; call < count; call++) {
      breakers.unanswered(DEVICE);
      await settle();
    }
    return breakers;
  }

  it.each<[string, number, () => Promise<object>, object]>([
    ['the device answers the probe', 200, () => Promise.resolve({}), { state: 'closed', failures: 0 }],
    ['the device does not say its version', 200, () => Promise.resolve({}), { state: 'closed', failures: 0 }],
    ['the probe could not be sent', 200, () => Promise.reject(new AppError('device_tls_failed')), { failures: 0 }],
    ['the process stops', 200, () => Promise.reject(new ExchangeError('aborted')), { failures: 0 }],
    ['the probe has no answer either, after one call', 1, silence, { state: 'closed', failures: 2 }],
    ['the probe has no answer either, after two calls', 2, silence, { state: 'closed', failures: 4 }],
    ['the probe has no answer either, after three calls', 3, silence, { state: 'open', failures: 6 }],
  ])('where %s (%i calls)', async (_what, count, probe, state) => {
    const breakers = await afterCalls(count, probe);
    expect(breakers.describe(DEVICE)).toMatchObject(state);
  });

  it('does not open the breaker where answers stand between', async () => {
    const breakers = await afterCalls(2, silence);
    breakers.answered(DEVICE);
    breakers.unanswered(DEVICE);
    await settle();
    expect(breakers.describe(DEVICE)).toMatchObject({ state: 'closed', failures: 2 });
  });

  it('counts once, however often the call is tried again', async () => {
    const breakers = await afterCalls(1, silence);
    for (let attempt = 0; attempt < 20; attempt++) {
      breakers.unanswered(DEVICE, true);
      await settle();
    }
    expect(breakers.describe(DEVICE)).toMatchObject({ state: 'closed', failures: 2 });
  });

  it('is not judged by the probe of an earlier address', async () => {
    const asked: string[] = [];
    const breakers = new DeviceBreakers(new FakeClock(), {
      readStatus: ({ baseUrl }) => (asked.push(baseUrl), baseUrl === DEVICE.baseUrl ? silence() : Promise.resolve({})),
    });
    breakers.unanswered(DEVICE);
    breakers.unanswered({ ...DEVICE, baseUrl: 'https://192.0.2.2' });
    await settle();
    expect(asked).toEqual([DEVICE.baseUrl, 'https://192.0.2.2']);
  });

  it('is one of many with one probe at a time', async () => {
    let probes = 0;
    let end: (error: Error) => void = () => undefined;
    const breakers = await afterCalls(50, () => new Promise((_resolve, reject) => void (probes++, (end = reject))));
    expect([probes, breakers.describe(DEVICE).failures]).toEqual([1, 0]);
    end(new ExchangeError('timeout'));
    await settle();
    expect(breakers.describe(DEVICE).state).toBe('open');
    breakers.unanswered(DEVICE);
    expect(probes).toBe(2);
  });

  it('closes the breaker as the trial call, when the device answers the probe', async () => {
    let answer: () => Promise<object> = silence;
    const clock = new FakeClock();
    const breakers = new DeviceBreakers(clock, { readStatus: () => answer() });
    for (let call = 0; call < 3; call++) breakers.unanswered(DEVICE);
    await settle();
    clock.pass(15_000);
    breakers.enter(DEVICE);
    breakers.unanswered(DEVICE);
    expect(() => breakers.check(DEVICE)).toThrow(open);
    await settle();
    expect(breakers.describe(DEVICE)).toMatchObject({ state: 'open', trialAt: new Date(clock.nowMs() + 30_000) });
    clock.pass(30_000);
    answer = () => Promise.resolve({});
    breakers.enter(DEVICE);
    breakers.unanswered(DEVICE);
    await settle();
    expect(breakers.describe(DEVICE).state).toBe('closed');
  });
});

describe('the breakers of a process', () => {
  const opened = () => {
    const breakers = new DeviceBreakers(new FakeClock(), { readStatus: () => Promise.resolve({}) });
    for (let time = 0; time < 5; time++) breakers.failed(DEVICE, new ExchangeError('refused'));
    return breakers;
  };

  it.each([
    ['address', { baseUrl: 'https://192.0.2.2' }],
    ['pin', { trustPin: 'sha256/two' }],
    ['trust', { trust: 'ca' as const, trustCa: 'a certificate' }],
  ])('meet a device with another %s anew', (_what, change) => {
    const breakers = opened();
    expect(() => breakers.check(DEVICE)).toThrow(open);
    expect(breakers.describe(DEVICE)).toMatchObject({ state: 'open', failures: 5 });
    const moved = { ...DEVICE, ...change };
    expect(() => breakers.check(moved)).not.toThrow();
    expect(breakers.describe(moved)).toEqual({ state: 'closed', failures: 0, trialAt: null });
  });

  it('stay open for a device whose pin was written down at the first contact', () => {
    const breakers = new DeviceBreakers(new FakeClock(), { readStatus: () => Promise.resolve({}) });
    for (let time = 0; time < 5; time++) breakers.failed({ ...DEVICE, trustPin: null }, new ExchangeError('refused'));
    expect(() => breakers.check(DEVICE)).toThrow(open);
  });

  it('are not told of the new way by calls that began on the old one', () => {
    const breakers = opened();
    const moved = { ...DEVICE, baseUrl: 'https://192.0.2.2' };
    breakers.check(moved);
    for (let time = 0; time < 5; time++) breakers.failed(moved, new ExchangeError('refused'));
    breakers.failed(DEVICE, new ExchangeError('refused'));
    breakers.answered(DEVICE);
    breakers.abandoned(DEVICE);
    expect(breakers.describe(DEVICE)).toEqual({ state: 'closed', failures: 0, trialAt: null });
    expect(() => breakers.check(moved)).toThrow(open);
  });

  it('stay open for the same device, however often its row is read', () => {
    const breakers = opened();
    expect(() => breakers.enter({ ...DEVICE })).toThrow(open);
    breakers.reset(DEVICE.id);
    expect(() => breakers.enter(DEVICE)).not.toThrow();
  });
});
