import { Inject, Injectable } from '@nestjs/common';
import {
  adopted,
  loginStarted,
  died,
  failed,
  FRESH_MS,
  nextAction,
  NO_SESSION,
  serves,
  used,
  type Credential,
  type SessionState,
  type ValidSession,
} from '../../device-api/session.js';
import { ExchangeError } from '../../device-api/http.js';
import { isPasswordDemand } from '../../device-api/password-demand.js';
import { addressOf } from '../../devices/registry/device-addresses.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { type DeviceWithAccounts, type RegisteredAccount } from '../../devices/registry/device.queries.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { withTimeout } from '../../platform/with-timeout.js';
import { isSameIdentity } from './device-identity.js';
import { DeviceLogin } from './device-login.js';
import { PriorityLimit } from '../admission/priority-limit.js';
import { accountOf, credentialOf, SessionLogins } from './session-logins.js';
import { SessionStore, type SessionRef } from './shared-sessions.js';

/*
 * The sessions of each device, shared by all callers: one for each account, unless the device allows more, since real
 * devices leak memory with each login (observed-devices.md 2). A call that needs a session logs in once; other
 * callers wait for the same promise, those of other replicas through the store. A further session opens only while all
 * existing ones are in use. No session is kept alive without calls.
 *
 * `device-api/session.ts` decides what is allowed when; `session-logins.ts` makes the login.
 */

/** A token that the device accepted this recently is not checked before a body that can be sent only once. */
const PROVEN_MS = 20_000;

/** The longest wait of a shutdown for logouts, and how many run at once. */
const LOGOUTS_MS = 5_000;
const LOGOUTS_AT_ONCE = 64;

/** The store is updated when use has moved the end of a token by this part of its life. */
const PROLONG_SHARE = 1 / 3;

/** A session of an account with its calls; the pool may have several. `acquire` gives it to a call, `release` takes it back. */
export interface PooledSession {
  readonly ref: SessionRef;
  state: SessionState;
  /** The device at the last login, for the logout. */
  device: Readonly<Device>;
  login: Promise<string> | null;
  /** Calls that use it now. */
  calls: number;
  /** When a recently granted session last died. */
  freshDeathAt: number;
  /** The last dead or ended token, which must not be taken from the store again. */
  deadToken: string | null;
  /** The end of the token in the store. */
  storedEndsAt: number;
}

export interface SessionView {
  readonly account: RegisteredAccount['purpose'];
  readonly phase: SessionState['phase'];
  readonly grantedAt: Date | null;
  readonly ageSeconds: number | null;
  readonly endsAt: Date | null;
  /** Logins with the account since midnight (UTC). */
  readonly loginsToday: number;
  readonly failedLogins: number;
}

@Injectable()
export class SessionPool {
  private readonly byDevice = new Map<string, PooledSession[]>();
  private readonly stopListening: () => void;

  constructor(
    @Inject(DeviceLogin) private readonly deviceLogin: DeviceLogin,
    @Inject(SessionLogins) private readonly logins: SessionLogins,
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'get' | 'onChange'>,
    @Inject(SessionStore) private readonly store: SessionStore,
    @Inject(Clock) private readonly clock: Clock,
  ) {
    this.stopListening = devices.onChange((deviceId) => void this.endOutdated(deviceId));
  }

  /**
   * The session for a call: the one with the fewest calls, or a further one when all are in use and one more is allowed.
   * Call `release` after the call.
   * @param reads whether the call only reads: it uses the account for reads if the device has one
   * @throws AppError `device_has_no_credentials`
   */
  acquire({ device, account: main, readAccount }: DeviceWithAccounts, reads: boolean): PooledSession {
    const account = reads ? (readAccount ?? main) : main;
    if (!account) throw new AppError('device_has_no_credentials');
    let ofDevice = this.byDevice.get(device.id);
    if (!ofDevice) this.byDevice.set(device.id, (ofDevice = []));
    let best: PooledSession | undefined;
    let taken = 0;
    for (const pooled of ofDevice) {
      if (pooled.ref.accountId !== account.id || pooled.ref.index >= device.sessions) continue;
      taken++;
      if (!best || pooled.calls < best.calls) best = pooled;
    }
    if (!best || (best.calls > 0 && taken < device.sessions)) {
      best = newPooledSession(
        { deviceId: device.id, accountId: account.id, index: freeIndex(ofDevice, account.id) },
        device,
      );
      ofDevice.push(best);
    }
    best.calls++;
    return best;
  }

  release(pooled: PooledSession): void {
    pooled.calls--;
  }

  /**
   * The token for a call: at once when there is one, else after a login.
   * @param inBackground whether it is for a call in the background: interactive logins come first
   * @throws AppError `device_has_no_credentials`, `device_credentials_refused`, `device_login_failed`,
   *   `identity_mismatch`; ExchangeError
   */
  token(pooled: PooledSession, registered: DeviceWithAccounts, inBackground = false): string | Promise<string> {
    const credential = credentialOf(registered, accountOf(pooled.ref, registered));
    const now = this.now();
    const verdict = nextAction(pooled.state, credential, now);
    switch (verdict.may) {
      case 'use':
        // The registry has another serial number or key now: only a login can verify the device.
        if (!isSameIdentity(pooled.device, registered.device))
          return this.startLogin(pooled, registered.device, credential, inBackground);
        return verdict.token;
      case 'never':
        throw new AppError('device_credentials_refused', { failedLogins: verdict.failedLogins });
      case 'not-yet':
        throw waitsForLogin(registered.device, verdict.retryAt - now);
      case 'wait':
        return pooled.login!;
      case 'login':
        return this.startLogin(pooled, registered.device, credential, inBackground);
    }
  }

  /** Records that the device accepted a token. */
  markUsed(pooled: PooledSession, token: string): void {
    const state = used(pooled.state, token, this.now());
    if (state === pooled.state || state.phase !== 'valid') return;
    pooled.state = state;
    if (state.endsAt - pooled.storedEndsAt <= state.lifetimeMs * PROLONG_SHARE) return;
    pooled.storedEndsAt = state.endsAt;
    void this.store.prolong(pooled.ref, state);
  }

  /** Records that a token is dead: the device answered 401 to it, or said so when asked. Returns whether the call may be retried once. */
  markDead(pooled: PooledSession, token: string): boolean {
    const now = this.now();
    const { state } = pooled;
    const verdict = died(state, token, now);
    // A device that always reports a dead token for one path must not cause a login for each such call.
    const isYoung = state.phase === 'valid' && state.token === token && now - state.grantedAt < FRESH_MS;
    if (verdict.again && isYoung) {
      if (now - pooled.freshDeathAt < FRESH_MS) return false;
      pooled.freshDeathAt = now;
    }
    if (verdict.state !== state) this.forget(pooled, token);
    pooled.state = verdict.state;
    return verdict.again;
  }

  /** Asks the device whether it still knows a token. Without an answer the token stays. */
  async isAlive(device: Readonly<Device>, token: string): Promise<boolean> {
    return this.deviceLogin.isAlive(device, token).catch(trueWhenBroken);
  }

  /** A token that is known to be valid, for a request that cannot be repeated. */
  async provenToken(pooled: PooledSession, registered: DeviceWithAccounts, inBackground = false): Promise<string> {
    const token = await this.token(pooled, registered, inBackground);
    const { state } = pooled;
    if (state.phase === 'valid' && this.now() - state.provenAt < PROVEN_MS) return token;
    if (await this.deviceLogin.isAlive(registered.device, token)) {
      this.markUsed(pooled, token);
      return token;
    }
    this.markDead(pooled, token);
    return this.token(pooled, registered, inBackground);
  }

  /** Each existing or possible session; the first one of each account also when there is none. */
  async describe(registered: DeviceWithAccounts): Promise<SessionView[]> {
    const views: SessionView[] = [];
    for (const account of [registered.account, registered.readAccount]) {
      if (!account) continue;
      const loginsToday = await this.store.loginsOn(account.id, this.clock.now().toISOString().slice(0, 10));
      for (let index = 0; index < registered.device.sessions; index++) {
        const ref = { deviceId: registered.device.id, accountId: account.id, index };
        const known = this.byDevice.get(ref.deviceId)?.find((pooled) => isSameRef(pooled.ref, ref));
        const isFree = !known || known.state.phase === 'none';
        const state = (isFree && (await this.store.find(ref))) || known?.state || NO_SESSION;
        if (index > 0 && state.phase === 'none') continue;
        views.push(viewOf(account, state, loginsToday, this.now()));
      }
    }
    return views;
  }

  /** Drops a device's sessions and ends them on the device. */
  async reset(deviceId: string): Promise<void> {
    const ofDevice = this.byDevice.get(deviceId) ?? [];
    this.byDevice.delete(deviceId);
    this.logins.forgetIdentity(deviceId);
    await Promise.all(ofDevice.map((pooled) => this.end(pooled)));
  }

  /** Ends a session whose one call is over. One that a call uses, or that other processes can use, ends by its age. */
  async endUnused(pooled: PooledSession): Promise<void> {
    await pooled.login?.catch(() => undefined);
    if (pooled.calls === 0 && !this.store.isShared) await this.end(pooled);
  }

  /** Logs out everywhere within a few seconds, except where other replicas still use the sessions. */
  async close(): Promise<void> {
    this.stopListening();
    if (await this.store.leave()) {
      const logouts = new PriorityLimit(LOGOUTS_AT_ONCE);
      const all = Promise.all([...this.byDevice.keys()].map((deviceId) => logouts.run(() => this.reset(deviceId))));
      await withTimeout(LOGOUTS_MS, all, () => undefined);
    }
    await this.store.close();
  }

  private startLogin(
    pooled: PooledSession,
    device: Readonly<Device>,
    credential: Credential,
    inBackground: boolean,
  ): Promise<string> {
    const replaced = pooled.state;
    const origin = pooled.device;
    pooled.state = loginStarted(pooled.state, credential);
    pooled.device = device;
    pooled.login = this.obtain(pooled, credential, inBackground).finally(() => (pooled.login = null));
    // A valid token of another account or password: end it.
    if (replaced.phase === 'valid' && this.now() < replaced.endsAt) {
      this.forget(pooled, replaced.token);
      void this.deviceLogin.logout(origin, replaced.token);
    }
    return pooled.login;
  }

  /** A session from another replica, or a login. */
  private async obtain(pooled: PooledSession, credential: Credential, inBackground: boolean): Promise<string> {
    let made: ValidSession | null = null;
    try {
      const session = await this.store.obtain(pooled.ref, {
        accepts: (found) => found.token !== pooled.deadToken && serves(found, credential, this.now()),
        login: async () => (made = await this.login(pooled, inBackground)),
        discard: (unused) => void this.deviceLogin.logout(pooled.device, unused.token),
      });
      pooled.state = session === made ? session : adopted(session);
      pooled.storedEndsAt = session.endsAt;
      return session.token;
    } catch (error) {
      // After any error no caller may be left waiting in `logging-in`.
      if (pooled.state.phase === 'logging-in')
        pooled.state = stateAfterFailure(pooled.state, credential, error, this.now());
      throw error;
    }
  }

  private async login(pooled: PooledSession, inBackground: boolean): Promise<ValidSession> {
    const login = await this.logins.login(pooled.ref, inBackground);
    if (login.outcome === 'refused') {
      pooled.state = login.state;
      throw login.error;
    }
    pooled.device = login.device;
    return login.session;
  }

  /** The row of a device changed: ends sessions of other credentials, or of a removed device. */
  private async endOutdated(deviceId: string): Promise<void> {
    if (!this.byDevice.has(deviceId)) return;
    const registered = await this.devices.get(deviceId).catch(() => null);
    const ofDevice = this.byDevice.get(deviceId) ?? [];
    const wrong = ofDevice.filter((pooled) => !registered || !isStillValid(pooled, registered));
    if (wrong.length === ofDevice.length) this.byDevice.delete(deviceId);
    else if (wrong.length > 0)
      this.byDevice.set(
        deviceId,
        ofDevice.filter((pooled) => !wrong.includes(pooled)),
      );
    await Promise.all(wrong.map((pooled) => this.end(pooled)));
  }

  private async end(pooled: PooledSession): Promise<void> {
    await pooled.login?.catch(() => undefined);
    const { state } = pooled;
    pooled.state = NO_SESSION;
    if (state.phase !== 'valid') return;
    await this.store.forget(pooled.ref, state.token);
    await this.deviceLogin.logout(pooled.device, state.token);
  }

  private forget(pooled: PooledSession, token: string): void {
    pooled.deadToken = token;
    void this.store.forget(pooled.ref, token);
  }

  private now(): number {
    return this.clock.nowMs();
  }
}

function trueWhenBroken(error: unknown): true {
  if (error instanceof ExchangeError || error instanceof AppError) return true;
  throw error;
}

/** A login failed a moment ago; why is in the registry where a person must act. */
function waitsForLogin({ state, stateReason }: Readonly<Device>, inMs: number): AppError {
  const isRefused = state === 'credentials_refused' && stateReason !== null;
  const why = isRefused ? { [isPasswordDemand(stateReason) ? 'demand' : 'reason']: stateReason } : {};
  return new AppError('device_login_failed', { ...why, retryAfterSeconds: Math.ceil(inMs / 1000) });
}

function newPooledSession(ref: SessionRef, device: Readonly<Device>): PooledSession {
  return {
    ref,
    state: NO_SESSION,
    device,
    login: null,
    calls: 0,
    freshDeathAt: 0,
    deadToken: null,
    storedEndsAt: 0,
  };
}

function freeIndex(ofDevice: readonly PooledSession[], accountId: string): number {
  let index = 0;
  while (ofDevice.some(({ ref }) => ref.accountId === accountId && ref.index === index)) index++;
  return index;
}

function isSameRef(one: SessionRef, other: SessionRef): boolean {
  return one.accountId === other.accountId && one.index === other.index;
}

/** Whether a session is still valid for the registry's record. */
function isStillValid({ ref, state, device }: PooledSession, registered: DeviceWithAccounts): boolean {
  const account = [registered.account, registered.readAccount].find((known) => known?.id === ref.accountId);
  if (!account || ref.index >= registered.device.sessions || addressOf(registered.device) !== addressOf(device))
    return false;
  if (state.phase !== 'valid') return true;
  // A serial number entered by an operator is compared, even when there was none at the login.
  const isCompared = device.serial === registered.device.serial && isSameIdentity(device, registered.device);
  return isCompared && account.changedAt.getTime() === state.credential.changedAtMs;
}

/**
 * `device-identity.ts` remembers a mismatch for a minute, the device's record stores a refusal, and without the password
 * nothing was sent: a pause would hide the reason from the next caller.
 */
const NOT_PAUSED: ReadonlySet<string> = new Set([
  'device_credentials_refused',
  'identity_mismatch',
  'secret_unreadable',
]);

/** The state after a login that failed otherwise; another replica may have been refused. A transport error does not pause. */
function stateAfterFailure(state: SessionState, credential: Credential, error: unknown, now: number): SessionState {
  const isPausing = error instanceof AppError && !NOT_PAUSED.has(error.code);
  return isPausing ? failed(state, credential, now) : NO_SESSION;
}

function viewOf(account: RegisteredAccount, state: SessionState, loginsToday: number, now: number): SessionView {
  const valid = state.phase === 'valid' && now < state.endsAt ? state : null;
  return {
    account: account.purpose,
    phase: state.phase === 'valid' && !valid ? 'none' : state.phase,
    grantedAt: valid && new Date(valid.grantedAt),
    ageSeconds: valid && Math.floor((now - valid.grantedAt) / 1000),
    endsAt: valid && new Date(valid.endsAt),
    loginsToday,
    failedLogins: account.failedLogins,
  };
}
