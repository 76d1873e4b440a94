import { describe, expect, it } from 'vitest';
import { ExchangeError, type ConnectStage } from '../../src/device-api/http.js';
import { stagesOf } from '../../src/monitoring/check-stages.js';
import { networkOf } from '../../src/monitoring/neighbours.js';

const LOGIN = { outcome: 'passed', detail: 'a session is open' } as const;

const stages = (baseUrl: string, passed: Partial<Record<ConnectStage | 'answer', number>>, error?: ExchangeError) =>
  stagesOf(
    { baseUrl, passed: new Map(Object.entries(passed) as [ConnectStage, number][]), ms: 3_000, error: error ?? null },
    LOGIN,
  ).map(({ stage, outcome, ms, detail }) => [stage, outcome, ms, detail]);

describe('the stages of a check', () => {
  it('have each their own time', () => {
    expect(stages('https://pump.example', { name: 4.2, tcp: 24, tls: 101.7, answer: 131 })).toEqual([
      ['name', 'passed', 4, null],
      ['tcp', 'passed', 20, null],
      ['tls', 'passed', 78, null],
      ['answer', 'passed', 29, null],
      ['login', 'passed', null, 'a session is open'],
    ]);
  });

  it('end at the first one that was not passed', () => {
    const refused = new ExchangeError('refused', { reason: 'ECONNREFUSED' });
    expect(stages('https://192.0.2.7:8443', {}, refused)).toEqual([
      ['name', 'skipped', null, 'the address is a number'],
      ['tcp', 'failed', 3_000, 'refused: ECONNREFUSED'],
      ['tls', 'skipped', null, null],
      ['answer', 'skipped', null, null],
      ['login', 'skipped', null, null],
    ]);
  });

  it.each([
    ['https://pump.example', {}, new ExchangeError('unreachable', { reason: 'ENOTFOUND' }), 'name'],
    ['https://pump.example', { name: 3 }, new ExchangeError('timeout', { phase: 'connect' }), 'tcp'],
    ['https://[2001:db8::1]', { tcp: 3 }, new ExchangeError('timeout', { phase: 'tls' }), 'tls'],
    ['https://192.0.2.7', { tcp: 3, tls: 5 }, new ExchangeError('pin', { pinned: 'a', offered: 'b' }), 'tls'],
    ['https://192.0.2.7', { tcp: 3, tls: 5 }, new ExchangeError('timeout', { phase: 'answer' }), 'answer'],
    ['http://192.0.2.7', { tcp: 3 }, new ExchangeError('cut'), 'answer'],
  ])('of %s with %j fail where the way ended', (baseUrl, passed, error, failed) => {
    expect(stages(baseUrl, passed, error).find(([, outcome]) => outcome === 'failed')?.[0]).toBe(failed);
  });
});

describe('the network of an address', () => {
  it.each([
    ['https://192.0.2.77:8443', '192.0.2.0/24'],
    ['https://[2001:db8:0:7::9]', '2001:db8:0:7::/64'],
    ['https://pump.example', null],
  ])('of %s is %s', (baseUrl, network) => {
    expect(networkOf(baseUrl)).toBe(network);
  });
});
