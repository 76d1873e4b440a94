import { describe, expect, it } from 'vitest';
import {
  loginStarted,
  died,
  failed,
  FRESH_MS,
  nextAction,
  granted,
  NO_SESSION,
  refused,
  used,
  type Credential,
} from '../../src/device-api/session.js';

const credential: Credential = {
  accountId: 'a',
  changedAtMs: 1,
  baseUrl: 'https://192.0.2.1',
  failedLogins: 0,
  refused: false,
};
const other: Credential = { ...credential, changedAtMs: 2 };
const NOW = 1_000_000;
const session = (sliding: boolean) => granted(credential, { token: 't', expiresS: 299, sliding }, NOW);

describe('a session', () => {
  it('is not there at first: a call logs in, those that come meanwhile wait', () => {
    expect(nextAction(NO_SESSION, credential, NOW)).toEqual({ may: 'login' });
    expect(nextAction(loginStarted(NO_SESSION, credential), credential, NOW)).toEqual({ may: 'wait' });
  });

  it('is used until the end that the device named', () => {
    expect(nextAction(session(false), credential, NOW + 298_999)).toEqual({ may: 'use', token: 't' });
    expect(nextAction(session(false), credential, NOW + 299_000)).toEqual({ may: 'login' });
  });

  it('lives on by use where tokens slide, and only there', () => {
    const later = NOW + 200_000;
    expect(nextAction(used(session(true), 't', later), credential, NOW + 498_000)).toEqual({ may: 'use', token: 't' });
    expect(nextAction(used(session(false), 't', later), credential, NOW + 300_000)).toEqual({ may: 'login' });
  });

  it('does not change by use within a second, nor by the use of another token', () => {
    const state = used(session(true), 't', NOW);
    expect(used(state, 't', NOW + 999)).toBe(state);
    expect(used(state, 'another', NOW + 5_000)).toBe(state);
  });

  it('belongs to its credentials: others need a login', () => {
    expect(nextAction(session(true), other, NOW)).toEqual({ may: 'login' });
  });

  it('is dead after a 401, once it is not fresh', () => {
    expect(died(session(false), 't', NOW + FRESH_MS)).toEqual({ state: NO_SESSION, again: true });
  });

  it('is not given up for a 401 to a fresh token: that is a refusal', () => {
    const state = session(false);
    expect(died(state, 't', NOW + FRESH_MS - 1)).toEqual({ state, again: false });
  });

  it('is dead however young, once the device had taken it: the device lost its power', () => {
    const state = used(session(false), 't', NOW + 10);
    expect(died(state, 't', NOW + 20)).toEqual({ state: NO_SESSION, again: true });
  });

  it('stays when the 401 was for the token before it', () => {
    const state = session(false);
    expect(died(state, 'the one before', NOW)).toEqual({ state, again: true });
  });
});

describe('a refused login', () => {
  const state = refused(credential, true, NOW);

  it('is not tried again while the record says so', () => {
    const recorded = { ...credential, failedLogins: 1, refused: true };
    expect(nextAction(state, recorded, NOW + 10_000_000)).toEqual({ may: 'never', failedLogins: 1 });
    expect(nextAction(NO_SESSION, recorded, NOW)).toEqual({ may: 'never', failedLogins: 1 });
  });

  it('is not tried again by a call that read the record before the refusal', () => {
    expect(nextAction(state, credential, NOW + 1_000)).toEqual({ may: 'never', failedLogins: 1 });
  });

  it('is tried again once a person cleared it', () => {
    expect(nextAction(state, credential, NOW + 6_000)).toEqual({ may: 'login' });
  });

  it('is not tried again when it could not be recorded', () => {
    expect(nextAction(refused(credential, false, NOW), credential, NOW + 10_000_000)).toMatchObject({ may: 'never' });
  });

  it('says nothing about other credentials', () => {
    expect(nextAction(state, other, NOW)).toEqual({ may: 'login' });
  });

  it('is the last after three', () => {
    expect(nextAction(NO_SESSION, { ...credential, failedLogins: 3 }, NOW)).toEqual({ may: 'never', failedLogins: 3 });
  });
});

describe('a login that comes to nothing', () => {
  it('is tried again after 1 s, 2 s, 4 s and so on to a minute', () => {
    let state = failed(loginStarted(NO_SESSION, credential), credential, NOW);
    const pauses = [];
    for (let round = 0; round < 8; round++) {
      pauses.push(state.phase === 'paused' ? state.retryAt - NOW : 0);
      state = failed(loginStarted(state, credential), credential, NOW);
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(nextAction(state, credential, NOW + 59_999)).toEqual({ may: 'not-yet', retryAt: NOW + 60_000 });
    expect(nextAction(state, credential, NOW + 60_000)).toEqual({ may: 'login' });
  });
});
