/*
 * The life of one login session on one device, as pure functions: the time comes in, a new state goes out.
 *
 *   none       -> logging-in   loginStarted
 *   logging-in -> valid        granted
 *              -> refused      the device does not take the password: only other credentials, or a person who clears the
 *                              count, lead out (observed-devices.md 2)
 *              -> paused       failed: any other error, such as an answer that is no session
 *              -> none         a transport error, another device, or a password that was refused before
 *                              (`proxy/sessions/session-pool.ts`)
 *   valid      -> valid        used (sliding tokens only: use prolongs them)
 *              -> none         died (401)
 *              -> logging-in   now >= endsAt, or other credentials
 *   paused     -> logging-in   now >= retryAt, or other credentials
 *
 * A call shows by a 401 alone that its token is dead (observed-devices.md 1.14); the device can be asked, too. Where use
 * does not prolong tokens their end is known from the login, which saves the call that would fail.
 */

/** The version of credentials that a login was made with. */
export interface Credential {
  readonly accountId: string;
  readonly changedAtMs: number;
  /** Where they were used: a token is never shown to a device that moved to another address. */
  readonly baseUrl: string;
  /** Refused logins since the last granted one, or since new credentials. */
  readonly failedLogins: number;
  /** Whether the row in the registry says that they were refused and no person has cleared that. */
  readonly refused: boolean;
}

export interface ValidSession {
  readonly phase: 'valid';
  readonly token: string;
  readonly credential: Credential;
  readonly sliding: boolean;
  readonly lifetimeMs: number;
  readonly grantedAt: number;
  readonly endsAt: number;
  /** When the device last accepted the token; the instant of the login until it did. */
  readonly provenAt: number;
  /** Whether the device ever accepted the token. */
  readonly accepted: boolean;
}

export type SessionState =
  | { readonly phase: 'none' }
  | { readonly phase: 'logging-in'; readonly credential: Credential; readonly failures: number }
  | ValidSession
  | { readonly phase: 'paused'; readonly retryAt: number; readonly failures: number; readonly credential: Credential }
  | {
      readonly phase: 'refused';
      readonly credential: Credential;
      readonly refusedAt: number;
      /** Whether the row in the registry has it, too; when not, this memory alone holds further logins back. */
      readonly recorded: boolean;
    };

export const NO_SESSION: SessionState = { phase: 'none' };

/**
 * A device is not asked for a fourth login with credentials that it refused: it blocks the gateway's address at 10. ADR 5
 * has the exception, replicas without Redis.
 */
export const MAX_FAILED_LOGINS = 3;

/**
 * A 401 this soon after the login, to a token that the device never accepted, is a refusal: no further login. A token that
 * it accepted before is dead, however young: the device may have lost its power.
 */
export const FRESH_MS = 10_000;

/** Rows in memory may be a second old when a notification is lost: they cannot show that a refusal was cleared. */
const SETTLED_MS = 5_000;

/** Logins that fail without being refused (a device that still boots) are tried again after 1 s, doubling to a minute. */
const PAUSE_FIRST_MS = 1_000;
const PAUSE_LONGEST_MS = 60_000;

/** `used` moves the end of a sliding token at most this often, so that most calls change nothing. */
const SLIDE_EVERY_MS = 1_000;

export type SessionAction =
  | { readonly may: 'use'; readonly token: string }
  | { readonly may: 'login' }
  | { readonly may: 'wait' }
  | { readonly may: 'not-yet'; readonly retryAt: number }
  | { readonly may: 'never'; readonly failedLogins: number };

/** What a call that needs a session does next. */
export function nextAction(state: SessionState, credential: Credential, now: number): SessionAction {
  const { failedLogins } = credential;
  const mayLogin: SessionAction =
    credential.refused || failedLogins >= MAX_FAILED_LOGINS ? { may: 'never', failedLogins } : { may: 'login' };
  switch (state.phase) {
    case 'none':
      return mayLogin;
    case 'logging-in':
      return { may: 'wait' };
    case 'valid':
      return serves(state, credential, now) ? { may: 'use', token: state.token } : mayLogin;
    case 'paused':
      return isSame(state.credential, credential) && now < state.retryAt
        ? { may: 'not-yet', retryAt: state.retryAt }
        : mayLogin;
    case 'refused': {
      const holds = !state.recorded || now - state.refusedAt < SETTLED_MS;
      return isSame(state.credential, credential) && holds
        ? { may: 'never', failedLogins: Math.max(failedLogins, state.credential.failedLogins) }
        : mayLogin;
    }
  }
}

/** A login has started. Keeps the number of failed logins before it. */
export function loginStarted(state: SessionState, credential: Credential): SessionState {
  return { phase: 'logging-in', credential, failures: state.phase === 'paused' ? state.failures : 0 };
}

/** @param expiresS seconds that the token lives, as the device said */
export function granted(
  credential: Credential,
  session: { token: string; expiresS: number; sliding: boolean },
  now: number,
): ValidSession {
  const lifetimeMs = Math.max(session.expiresS, 1) * 1000;
  return {
    phase: 'valid',
    token: session.token,
    credential,
    sliding: session.sliding,
    lifetimeMs,
    grantedAt: now,
    endsAt: now + lifetimeMs,
    provenAt: now,
    accepted: false,
  };
}

/** Another replica's session is taken over. That one has used it, so a 401 means that it is dead, not that it is refused. */
export function adopted(session: ValidSession): ValidSession {
  return { ...session, accepted: true };
}

/** Whether a session serves in place of a login with these credentials; it may have been made with newer ones. */
export function serves(session: ValidSession, credential: Credential, now: number): boolean {
  const { accountId, baseUrl, changedAtMs } = session.credential;
  const isFor = accountId === credential.accountId && baseUrl === credential.baseUrl;
  return isFor && changedAtMs >= credential.changedAtMs && now < session.endsAt;
}

/** The device accepted the token. */
export function used(state: SessionState, token: string, now: number): SessionState {
  if (state.phase !== 'valid' || state.token !== token) return state;
  if (state.accepted && now - state.provenAt < SLIDE_EVERY_MS) return state;
  return { ...state, provenAt: now, accepted: true, endsAt: state.sliding ? now + state.lifetimeMs : state.endsAt };
}

/**
 * The device answered 401 to a token.
 * @returns the next state, and whether the call may be made again: not when the token was fresh and never accepted,
 * since a device that refuses the token that it has just given means "no"
 */
export function died(state: SessionState, token: string, now: number): { state: SessionState; again: boolean } {
  if (state.phase !== 'valid' || state.token !== token) return { state, again: true }; // another call has replaced it already
  if (!state.accepted && now - state.grantedAt < FRESH_MS) return { state, again: false };
  return { state: NO_SESSION, again: true };
}

/** The device refused the password. @param recorded whether the row in the registry says so, too */
export function refused(credential: Credential, recorded: boolean, now: number): SessionState {
  const counted = { ...credential, failedLogins: credential.failedLogins + 1 };
  return { phase: 'refused', credential: counted, refusedAt: now, recorded };
}

/** The login ended without a session and without a refusal. */
export function failed(state: SessionState, credential: Credential, now: number): SessionState {
  const failures = state.phase === 'logging-in' ? state.failures : 0;
  const pauseMs = Math.min(PAUSE_FIRST_MS * 2 ** failures, PAUSE_LONGEST_MS);
  return { phase: 'paused', credential, failures: failures + 1, retryAt: now + pauseMs };
}

function isSame(one: Credential, other: Credential): boolean {
  return one.accountId === other.accountId && one.changedAtMs === other.changedAtMs && one.baseUrl === other.baseUrl;
}
