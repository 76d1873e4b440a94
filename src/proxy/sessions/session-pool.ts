import { Inject, Injectable } from '@nestjs/common';
import {
  adopted,
  begin,
  died,
  failed,
  FRESH_MS,
  gate,
  NO_SESSION,
  serves,
  used,
  type Credential,
  type SessionState,
  type ValidSession,
} from '../../device-api/session.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { type DeviceTarget, type TargetAccount } from '../../devices/registry/device.queries.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { within } from '../../platform/within.js';
import { isSameIdentity } from './device-identity.js';
import { DeviceLogin } from './device-login.js';
import { LoginLimit } from '../admission/login-limit.js';
import { accountOf, credentialOf, SessionLogins } from './session-logins.js';
import { SessionStore, type SessionPlace } from './shared-sessions.js';

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
const GOODBYE_MS = 5_000;
const GOODBYES_AT_ONCE = 64;

/** The store is updated when use has moved the end of a token by this part of its life. */
const PROLONG_PART = 1 / 3;

/** One place for a session. A call takes it and gives it back. */
export interface Seat {
  readonly place: SessionPlace;
  state: SessionState;
  /** The device at the last login, for the logout. */
  device: Readonly<Device>;
  login: Promise<string> | null;
  /** Calls that use it now. */
  calls: number;
  /** When a recently granted session last died. */
  youngDeathAt: number;
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
  private readonly seats = new Map<string, Seat[]>();
  private readonly stopListening: () => void;

  constructor(
    @Inject(DeviceLogin) private readonly deviceLogin: DeviceLogin,
    @Inject(SessionLogins) private readonly logins: SessionLogins,
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'target' | 'onChange'>,
    @Inject(SessionStore) private readonly store: SessionStore,
    @Inject(Clock) private readonly clock: Clock,
  ) {
    this.stopListening = devices.onChange((deviceId) => void this.reconsider(deviceId));
  }

  /**
   * The place for a call: the one with the fewest calls, or a further one when all are in use and one more is allowed.
   * Call `leave` after the call.
   * @param reads whether the call only reads: it uses the account for reads if the device has one
   * @throws AppError `device_has_no_credentials`
   */
  enter({ device, account: main, readAccount }: DeviceTarget, reads: boolean): Seat {
    const account = reads ? (readAccount ?? main) : main;
    if (!account) throw new AppError('device_has_no_credentials');
    let seats = this.seats.get(device.id);
    if (!seats) this.seats.set(device.id, (seats = []));
    let best: Seat | undefined;
    let taken = 0;
    for (const seat of seats) {
      if (seat.place.accountId !== account.id || seat.place.index >= device.sessions) continue;
      taken++;
      if (!best || seat.calls < best.calls) best = seat;
    }
    if (!best || (best.calls > 0 && taken < device.sessions)) {
      best = openSeat({ deviceId: device.id, accountId: account.id, index: freeIndex(seats, account.id) }, device);
      seats.push(best);
    }
    best.calls++;
    return best;
  }

  leave(seat: Seat): void {
    seat.calls--;
  }

  /**
   * The token for a call: at once when there is one, else after a login.
   * @param inBackground whether no person waits: interactive logins come first
   * @throws AppError `device_has_no_credentials`, `device_credentials_refused`, `device_login_failed`,
   *   `identity_mismatch`; ExchangeError
   */
  token(seat: Seat, target: DeviceTarget, inBackground = false): string | Promise<string> {
    const credential = credentialOf(target, accountOf(seat.place, target));
    const now = this.now();
    const verdict = gate(seat.state, credential, now);
    switch (verdict.may) {
      case 'use':
        // The registry has another serial number or key now: only a login can verify the device.
        if (!isSameIdentity(seat.device, target.device))
          return this.start(seat, target.device, credential, inBackground);
        return verdict.token;
      case 'never':
        throw new AppError('device_credentials_refused', { failedLogins: verdict.failedLogins });
      case 'not-yet':
        throw new AppError('device_login_failed', { retryAfterSeconds: Math.ceil((verdict.retryAt - now) / 1000) });
      case 'wait':
        return seat.login!;
      case 'login':
        return this.start(seat, target.device, credential, inBackground);
    }
  }

  /** Records that the device accepted a token. */
  used(seat: Seat, token: string): void {
    const state = used(seat.state, token, this.now());
    if (state === seat.state || state.phase !== 'valid') return;
    seat.state = state;
    if (state.endsAt - seat.storedEndsAt <= state.lifetimeMs * PROLONG_PART) return;
    seat.storedEndsAt = state.endsAt;
    void this.store.prolong(seat.place, state);
  }

  /** Records that the device answered 401 to a token. Returns whether the call may be retried once. */
  died(seat: Seat, token: string): boolean {
    const now = this.now();
    const { state } = seat;
    const verdict = died(state, token, now);
    // A device that always reports a dead token for one path must not cause a login for each such call.
    const isYoung = state.phase === 'valid' && state.token === token && now - state.grantedAt < FRESH_MS;
    if (verdict.again && isYoung) {
      if (now - seat.youngDeathAt < FRESH_MS) return false;
      seat.youngDeathAt = now;
    }
    if (verdict.state !== state) this.forget(seat, token);
    seat.state = verdict.state;
    return verdict.again;
  }

  /** A token that is known to be valid, for a request that cannot be repeated. */
  async provenToken(seat: Seat, target: DeviceTarget, inBackground = false): Promise<string> {
    const token = await this.token(seat, target, inBackground);
    const { state } = seat;
    if (state.phase === 'valid' && this.now() - state.provenAt < PROVEN_MS) return token;
    if (await this.deviceLogin.isAlive(target.device, token)) {
      this.used(seat, token);
      return token;
    }
    this.died(seat, token);
    return this.token(seat, target, inBackground);
  }

  /** Each existing or possible session; the first one of each account also when there is none. */
  async describe(target: DeviceTarget): Promise<SessionView[]> {
    const views: SessionView[] = [];
    for (const account of [target.account, target.readAccount]) {
      if (!account) continue;
      const loginsToday = await this.store.loginsOn(account.id, this.today());
      for (let index = 0; index < target.device.sessions; index++) {
        const place = { deviceId: target.device.id, accountId: account.id, index };
        const known = this.seats.get(place.deviceId)?.find((seat) => isSamePlace(seat.place, place));
        const isFree = !known || known.state.phase === 'none';
        const state = (isFree && (await this.store.find(place))) || known?.state || NO_SESSION;
        if (index > 0 && state.phase === 'none') continue;
        views.push(viewOf(account, state, loginsToday, this.now()));
      }
    }
    return views;
  }

  /** Drops a device's sessions and ends them on the device. */
  async reset(deviceId: string): Promise<void> {
    const seats = this.seats.get(deviceId) ?? [];
    this.seats.delete(deviceId);
    this.logins.forgetIdentity(deviceId);
    await Promise.all(seats.map((seat) => this.end(seat)));
  }

  /** Logs out everywhere within a few seconds, except where other replicas still use the sessions. */
  async close(): Promise<void> {
    this.stopListening();
    if (await this.store.leave()) {
      const goodbye = new LoginLimit(GOODBYES_AT_ONCE);
      const all = Promise.all([...this.seats.keys()].map((deviceId) => goodbye.run(() => this.reset(deviceId))));
      await within(GOODBYE_MS, all, () => undefined);
    }
    await this.store.close();
  }

  private start(seat: Seat, device: Readonly<Device>, credential: Credential, inBackground: boolean): Promise<string> {
    const replaced = seat.state;
    const origin = seat.device;
    seat.state = begin(seat.state, credential);
    seat.device = device;
    seat.login = this.obtain(seat, credential, inBackground).finally(() => (seat.login = null));
    // A valid token of another account or password: end it.
    if (replaced.phase === 'valid' && this.now() < replaced.endsAt) {
      this.forget(seat, replaced.token);
      void this.deviceLogin.logout(origin, replaced.token);
    }
    return seat.login;
  }

  /** A session from another replica, or a login. */
  private async obtain(seat: Seat, credential: Credential, inBackground: boolean): Promise<string> {
    let made: ValidSession | null = null;
    try {
      const session = await this.store.obtain(seat.place, {
        accepts: (found) => found.token !== seat.deadToken && serves(found, credential, this.now()),
        login: async () => (made = await this.login(seat, inBackground)),
        discard: (vain) => void this.deviceLogin.logout(seat.device, vain.token),
      });
      seat.state = session === made ? session : adopted(session);
      seat.storedEndsAt = session.endsAt;
      return session.token;
    } catch (error) {
      // After any error no caller may be left waiting in `logging-in`.
      if (seat.state.phase === 'logging-in') seat.state = afterFault(seat.state, credential, error, this.now());
      throw error;
    }
  }

  private async login(seat: Seat, inBackground: boolean): Promise<ValidSession> {
    const login = await this.logins.login(seat.place, inBackground);
    if (login.outcome === 'refused') {
      seat.state = login.state;
      throw login.error;
    }
    seat.device = login.device;
    return login.session;
  }

  /** The row of a device changed: ends sessions of other credentials, or of a removed device. */
  private async reconsider(deviceId: string): Promise<void> {
    if (!this.seats.has(deviceId)) return;
    const target = await this.devices.target(deviceId).catch(() => null);
    const seats = this.seats.get(deviceId) ?? [];
    const wrong = seats.filter((seat) => !target || !stillFits(seat, target));
    if (wrong.length === seats.length) this.seats.delete(deviceId);
    else if (wrong.length > 0)
      this.seats.set(
        deviceId,
        seats.filter((seat) => !wrong.includes(seat)),
      );
    await Promise.all(wrong.map((seat) => this.end(seat)));
  }

  private async end(seat: Seat): Promise<void> {
    await seat.login?.catch(() => undefined);
    const { state } = seat;
    seat.state = NO_SESSION;
    if (state.phase !== 'valid') return;
    await this.store.forget(seat.place, state.token);
    await this.deviceLogin.logout(seat.device, state.token);
  }

  private forget(seat: Seat, token: string): void {
    seat.deadToken = token;
    void this.store.forget(seat.place, token);
  }

  private today(): string {
    return this.clock.now().toISOString().slice(0, 10);
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

function openSeat(place: SessionPlace, device: Readonly<Device>): Seat {
  return {
    place,
    state: NO_SESSION,
    device,
    login: null,
    calls: 0,
    youngDeathAt: 0,
    deadToken: null,
    storedEndsAt: 0,
  };
}

function freeIndex(seats: readonly Seat[], accountId: string): number {
  let index = 0;
  while (seats.some(({ place }) => place.accountId === accountId && place.index === index)) index++;
  return index;
}

function isSamePlace(one: SessionPlace, other: SessionPlace): boolean {
  return one.accountId === other.accountId && one.index === other.index;
}

/** Whether a session is still valid for the registry's record. */
function stillFits({ place, state, device }: Seat, target: DeviceTarget): boolean {
  const account = [target.account, target.readAccount].find((known) => known?.id === place.accountId);
  if (!account || place.index >= target.device.sessions || target.device.baseUrl !== device.baseUrl) return false;
  if (state.phase !== 'valid') return true;
  // A serial number entered by an operator is compared, even when there was none at the login.
  const isCompared = device.serial === target.device.serial && isSameIdentity(device, target.device);
  return isCompared && account.changedAt.getTime() === state.credential.changedAtMs;
}

/** `device-identity.ts` caches a mismatch until the registry changes, and the device's record stores a refusal. */
const NOT_PAUSED: ReadonlySet<string> = new Set(['device_credentials_refused', 'identity_mismatch']);

/** The state after a login that failed otherwise; another replica may have been refused. */
function afterFault(state: SessionState, credential: Credential, error: unknown, now: number): SessionState {
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
