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
import { type Device } from '../../devices/registry/device.entity.js';
import { type DeviceWithAccounts, type TargetAccount } from '../../devices/registry/device.queries.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { within } from '../../platform/within.js';
import { isSameIdentity } from './device-identity.js';
import { DeviceLogin } from './device-login.js';
import { LoginLimit } from '../admission/login-limit.js';
import { accountOf, credentialOf, SessionLogins } from './session-logins.js';
import { SessionStore, type SessionRef } from './shared-sessions.js';

/*
 * The sessions of each device, shared by all callers: one for each account, unless the device allows more, since real
 * devices leak memory with each login (observed behaviour, section 2). A call that needs a session logs in once; other
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

/** One place for a session. A call takes it and gives it back. */
export interface SessionSlot {
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
  readonly account: TargetAccount['purpose'];
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
  private readonly slots = new Map<string, SessionSlot[]>();
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
   * The place for a call: the one with the fewest calls, or a further one when all are in use and one more is allowed.
   * Call `release` after the call.
   * @param reads whether the call only reads: it uses the account for reads if the device has one
   * @throws AppError `device_has_no_credentials`
   */
  acquire({ device, account: main, readAccount }: DeviceWithAccounts, reads: boolean): SessionSlot {
    const account = reads ? (readAccount ?? main) : main;
    if (!account) throw new AppError('device_has_no_credentials');
    let slots = this.slots.get(device.id);
    if (!slots) this.slots.set(device.id, (slots = []));
    let best: SessionSlot | undefined;
    let taken = 0;
    for (const slot of slots) {
      if (slot.ref.accountId !== account.id || slot.ref.index >= device.sessions) continue;
      taken++;
      if (!best || slot.calls < best.calls) best = slot;
    }
    if (!best || (best.calls > 0 && taken < device.sessions)) {
      best = newSlot({ deviceId: device.id, accountId: account.id, index: freeIndex(slots, account.id) }, device);
      slots.push(best);
    }
    best.calls++;
    return best;
  }

  release(slot: SessionSlot): void {
    slot.calls--;
  }

  /**
   * The token for a call: at once when there is one, else after a login.
   * @param inBackground whether no person waits: interactive logins come first
   * @throws AppError `device_has_no_credentials`, `device_credentials_refused`, `device_login_failed`,
   *   `identity_mismatch`; ExchangeError
   */
  token(slot: SessionSlot, target: DeviceWithAccounts, inBackground = false): string | Promise<string> {
    const credential = credentialOf(target, accountOf(slot.ref, target));
    const now = this.now();
    const verdict = nextAction(slot.state, credential, now);
    switch (verdict.may) {
      case 'use':
        // The registry has another serial number or key now: only a login can verify the device.
        if (!isSameIdentity(slot.device, target.device))
          return this.startLogin(slot, target.device, credential, inBackground);
        return verdict.token;
      case 'never':
        throw new AppError('device_credentials_refused', { failedLogins: verdict.failedLogins });
      case 'not-yet':
        throw new AppError('device_login_failed', { retryAfterSeconds: Math.ceil((verdict.retryAt - now) / 1000) });
      case 'wait':
        return slot.login!;
      case 'login':
        return this.startLogin(slot, target.device, credential, inBackground);
    }
  }

  /** Records that the device accepted a token. */
  markUsed(slot: SessionSlot, token: string): void {
    const state = used(slot.state, token, this.now());
    if (state === slot.state || state.phase !== 'valid') return;
    slot.state = state;
    if (state.endsAt - slot.storedEndsAt <= state.lifetimeMs * PROLONG_SHARE) return;
    slot.storedEndsAt = state.endsAt;
    void this.store.prolong(slot.ref, state);
  }

  /** Records that the device answered 401 to a token. Returns whether the call may be retried once. */
  markDead(slot: SessionSlot, token: string): boolean {
    const now = this.now();
    const { state } = slot;
    const verdict = died(state, token, now);
    // A device that always reports a dead token for one path must not cause a login for each such call.
    const isYoung = state.phase === 'valid' && state.token === token && now - state.grantedAt < FRESH_MS;
    if (verdict.again && isYoung) {
      if (now - slot.freshDeathAt < FRESH_MS) return false;
      slot.freshDeathAt = now;
    }
    if (verdict.state !== state) this.forget(slot, token);
    slot.state = verdict.state;
    return verdict.again;
  }

  /** A token that is known to be valid, for a request that cannot be repeated. */
  async provenToken(slot: SessionSlot, target: DeviceWithAccounts, inBackground = false): Promise<string> {
    const token = await this.token(slot, target, inBackground);
    const { state } = slot;
    if (state.phase === 'valid' && this.now() - state.provenAt < PROVEN_MS) return token;
    if (await this.deviceLogin.isAlive(target.device, token)) {
      this.markUsed(slot, token);
      return token;
    }
    this.markDead(slot, token);
    return this.token(slot, target, inBackground);
  }

  /** Each existing or possible session; the first one of each account also when there is none. */
  async describe(target: DeviceWithAccounts): Promise<SessionView[]> {
    const views: SessionView[] = [];
    for (const account of [target.account, target.readAccount]) {
      if (!account) continue;
      const loginsToday = await this.store.loginsOn(account.id, this.today());
      for (let index = 0; index < target.device.sessions; index++) {
        const ref = { deviceId: target.device.id, accountId: account.id, index };
        const known = this.slots.get(ref.deviceId)?.find((slot) => isSameRef(slot.ref, ref));
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
    const slots = this.slots.get(deviceId) ?? [];
    this.slots.delete(deviceId);
    this.logins.forgetIdentity(deviceId);
    await Promise.all(slots.map((slot) => this.end(slot)));
  }

  /** Logs out everywhere within a few seconds, except where other replicas still use the sessions. */
  async close(): Promise<void> {
    this.stopListening();
    if (await this.store.leave()) {
      const logouts = new LoginLimit(LOGOUTS_AT_ONCE);
      const all = Promise.all([...this.slots.keys()].map((deviceId) => logouts.run(() => this.reset(deviceId))));
      await within(LOGOUTS_MS, all, () => undefined);
    }
    await this.store.close();
  }

  private startLogin(
    slot: SessionSlot,
    device: Readonly<Device>,
    credential: Credential,
    inBackground: boolean,
  ): Promise<string> {
    const replaced = slot.state;
    const origin = slot.device;
    slot.state = loginStarted(slot.state, credential);
    slot.device = device;
    slot.login = this.obtain(slot, credential, inBackground).finally(() => (slot.login = null));
    // A valid token of another account or password: end it.
    if (replaced.phase === 'valid' && this.now() < replaced.endsAt) {
      this.forget(slot, replaced.token);
      void this.deviceLogin.logout(origin, replaced.token);
    }
    return slot.login;
  }

  /** A session from another replica, or a login. */
  private async obtain(slot: SessionSlot, credential: Credential, inBackground: boolean): Promise<string> {
    let made: ValidSession | null = null;
    try {
      const session = await this.store.obtain(slot.ref, {
        accepts: (found) => found.token !== slot.deadToken && serves(found, credential, this.now()),
        login: async () => (made = await this.login(slot, inBackground)),
        discard: (vain) => void this.deviceLogin.logout(slot.device, vain.token),
      });
      slot.state = session === made ? session : adopted(session);
      slot.storedEndsAt = session.endsAt;
      return session.token;
    } catch (error) {
      // After any error no caller may be left waiting in `logging-in`.
      if (slot.state.phase === 'logging-in') slot.state = stateAfterFailure(slot.state, credential, error, this.now());
      throw error;
    }
  }

  private async login(slot: SessionSlot, inBackground: boolean): Promise<ValidSession> {
    const login = await this.logins.login(slot.ref, inBackground);
    if (login.outcome === 'refused') {
      slot.state = login.state;
      throw login.error;
    }
    slot.device = login.device;
    return login.session;
  }

  /** The row of a device changed: ends sessions of other credentials, or of a removed device. */
  private async endOutdated(deviceId: string): Promise<void> {
    if (!this.slots.has(deviceId)) return;
    const target = await this.devices.get(deviceId).catch(() => null);
    const slots = this.slots.get(deviceId) ?? [];
    const wrong = slots.filter((slot) => !target || !isStillValid(slot, target));
    if (wrong.length === slots.length) this.slots.delete(deviceId);
    else if (wrong.length > 0)
      this.slots.set(
        deviceId,
        slots.filter((slot) => !wrong.includes(slot)),
      );
    await Promise.all(wrong.map((slot) => this.end(slot)));
  }

  private async end(slot: SessionSlot): Promise<void> {
    await slot.login?.catch(() => undefined);
    const { state } = slot;
    slot.state = NO_SESSION;
    if (state.phase !== 'valid') return;
    await this.store.forget(slot.ref, state.token);
    await this.deviceLogin.logout(slot.device, state.token);
  }

  private forget(slot: SessionSlot, token: string): void {
    slot.deadToken = token;
    void this.store.forget(slot.ref, token);
  }

  private today(): string {
    return this.clock.now().toISOString().slice(0, 10);
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

function newSlot(ref: SessionRef, device: Readonly<Device>): SessionSlot {
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

function freeIndex(slots: readonly SessionSlot[], accountId: string): number {
  let index = 0;
  while (slots.some(({ ref }) => ref.accountId === accountId && ref.index === index)) index++;
  return index;
}

function isSameRef(one: SessionRef, other: SessionRef): boolean {
  return one.accountId === other.accountId && one.index === other.index;
}

/** Whether a session is still valid for the registry's record. */
function isStillValid({ ref, state, device }: SessionSlot, target: DeviceWithAccounts): boolean {
  const account = [target.account, target.readAccount].find((known) => known?.id === ref.accountId);
  if (!account || ref.index >= target.device.sessions || target.device.baseUrl !== device.baseUrl) return false;
  if (state.phase !== 'valid') return true;
  // A serial number entered by an operator is compared, even when there was none at the login.
  const isCompared = device.serial === target.device.serial && isSameIdentity(device, target.device);
  return isCompared && account.changedAt.getTime() === state.credential.changedAtMs;
}

/** `device-identity.ts` caches a mismatch until the registry changes, and the device's record stores a refusal. */
const NOT_PAUSED: ReadonlySet<string> = new Set(['device_credentials_refused', 'identity_mismatch']);

/** The state after a login that failed otherwise; another replica may have been refused. */
function stateAfterFailure(state: SessionState, credential: Credential, error: unknown, now: number): SessionState {
  const isAnswer = error instanceof AppError && !NOT_PAUSED.has(error.code);
  return isAnswer ? failed(state, credential, now) : NO_SESSION;
}

function viewOf(account: TargetAccount, state: SessionState, loginsToday: number, now: number): SessionView {
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
