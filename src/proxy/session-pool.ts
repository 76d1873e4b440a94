import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import {
  begin,
  died,
  failed,
  FRESH_MS,
  gate,
  granted,
  NO_SESSION,
  refused,
  used,
  type Credential,
  type SessionState,
} from '../device-api/session.js';
import { type Device } from '../devices/device.entity.js';
import { DevicesService, type DeviceTarget } from '../devices/devices.service.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { errorFields } from '../platform/log.js';
import { Metrics } from '../platform/metrics.js';
import { LOG } from '../platform/platform.module.js';
import { DeviceLogin } from './device-login.js';
import { LoginLimit } from './login-limit.js';

/*
 * One session per device, shared by all who call it: real devices leak memory with each login (observed behaviour,
 * section 2). A login is made when a call needs it and by one caller; the others wait for the same promise. Nothing keeps
 * a session warm. What may be done when is decided in `device-api/session.ts`.
 */

/** Logins at once in this process: each costs a TLS handshake here and up to a third of a second there. */
const LOGINS_AT_ONCE = 64;

/** A token that the device took this recently is not asked about before a body that can be sent only once. */
const PROVEN_MS = 20_000;

/** Shutdown does not wait longer for devices to say goodbye. */
const GOODBYE_MS = 5_000;

interface Held {
  state: SessionState;
  /** The device as it was at the last login, for the logout. */
  device: Readonly<Device>;
  login: Promise<string> | null;
  logins: number;
  /** When a session last died that was granted shortly before. */
  youngDeathAt: number;
}

export interface SessionView {
  readonly phase: SessionState['phase'];
  readonly grantedAt: Date | null;
  readonly endsAt: Date | null;
  readonly loginsSinceStart: number;
  readonly failedLogins: number;
}

@Injectable()
export class SessionPool {
  private readonly sessions = new Map<string, Held>();
  private readonly limit = new LoginLimit(LOGINS_AT_ONCE);
  private readonly stopListening: () => void;

  constructor(
    @Inject(DeviceLogin) private readonly deviceLogin: DeviceLogin,
    @Inject(DevicesService)
    private readonly devices: Pick<
      DevicesService,
      'target' | 'learn' | 'countFailedLogin' | 'clearFailedLogins' | 'onChange'
    >,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.stopListening = devices.onChange((deviceId) => void this.reconsider(deviceId));
  }

  /**
   * The token to call a device with: at once when there is one, else after a login.
   * @throws AppError `device_has_no_credentials`, `device_credentials_refused`, `device_login_failed`; ExchangeError
   */
  token(target: DeviceTarget): string | Promise<string> {
    const { device } = target;
    const credential = credentialOf(target);
    let held = this.sessions.get(device.id);
    if (!held) {
      held = { state: NO_SESSION, device, login: null, logins: 0, youngDeathAt: 0 };
      this.sessions.set(device.id, held);
    }
    const now = this.now();
    const verdict = gate(held.state, credential, now);
    switch (verdict.may) {
      case 'use':
        return verdict.token;
      case 'never':
        throw new AppError('device_credentials_refused', { failedLogins: verdict.failedLogins });
      case 'not-yet':
        throw new AppError('device_login_failed', { retryAfterSeconds: Math.ceil((verdict.retryAt - now) / 1000) });
      case 'wait':
        return held.login!;
      case 'login':
        return this.start(held, target, credential);
    }
  }

  /** Notes that the device took a token. */
  used(deviceId: string, token: string): void {
    const held = this.sessions.get(deviceId);
    if (held) held.state = used(held.state, token, this.now());
  }

  /** Notes that the device answered 401 to a token; returns whether the call may be made once more. */
  died(deviceId: string, token: string): boolean {
    const held = this.sessions.get(deviceId);
    if (!held) return false;
    const now = this.now();
    const verdict = died(held.state, token, now);
    // A device that says "dead token" to one path again and again must not be logged in to for each such call.
    const isYoung = held.state.phase === 'valid' && held.state.token === token && now - held.state.grantedAt < FRESH_MS;
    if (verdict.again && isYoung) {
      if (now - held.youngDeathAt < FRESH_MS) return false;
      held.youngDeathAt = now;
    }
    held.state = verdict.state;
    return verdict.again;
  }

  /** A token that is known to live, for a request that cannot be made twice. */
  async provenToken(target: DeviceTarget): Promise<string> {
    const token = await this.token(target);
    const { state } = this.sessions.get(target.device.id)!;
    if (state.phase === 'valid' && this.now() - state.provenAt < PROVEN_MS) return token;
    if (await this.deviceLogin.isAlive(target.device, token)) {
      this.used(target.device.id, token);
      return token;
    }
    this.died(target.device.id, token);
    return this.token(target);
  }

  describe(target: DeviceTarget): SessionView {
    const held = this.sessions.get(target.device.id);
    const state = held?.state ?? NO_SESSION;
    const valid = state.phase === 'valid' ? state : null;
    return {
      phase: state.phase,
      grantedAt: valid && new Date(valid.grantedAt),
      endsAt: valid && new Date(valid.endsAt),
      loginsSinceStart: held?.logins ?? 0,
      failedLogins: target.account?.failedLogins ?? 0,
    };
  }

  /** Forgets what is known of a device's session and ends it there. */
  async reset(deviceId: string): Promise<void> {
    const held = this.sessions.get(deviceId);
    if (!held) return;
    await held.login?.catch(() => undefined);
    this.sessions.delete(deviceId);
    if (held.state.phase === 'valid') await this.deviceLogin.logout(held.device, held.state.token);
  }

  /** Logs out everywhere, as far as that goes in a few seconds. */
  async close(): Promise<void> {
    this.stopListening();
    const goodbye = new LoginLimit(LOGINS_AT_ONCE);
    const all = Promise.all([...this.sessions.keys()].map((deviceId) => goodbye.run(() => this.reset(deviceId))));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, GOODBYE_MS)));
    await Promise.race([all, late]);
    clearTimeout(timer);
  }

  private start(held: Held, target: DeviceTarget, credential: Credential): Promise<string> {
    const replaced = held.state;
    held.state = begin(held.state, credential);
    held.device = target.device;
    held.login = this.limit.run(() => this.login(held, target, credential)).finally(() => (held.login = null));
    // A token that still lives, but is another account's or another password's: end it.
    if (replaced.phase === 'valid' && this.now() < replaced.endsAt) {
      void this.deviceLogin.logout(target.device, replaced.token);
    }
    return held.login;
  }

  private async login(held: Held, target: DeviceTarget, credential: Credential): Promise<string> {
    const { device } = target;
    held.logins++;
    try {
      const result = await this.deviceLogin.login(target);
      if (result.outcome === 'refused') {
        await this.noteRefusal(held, device.id, credential, result.error);
        throw result.error;
      }
      const { token, expires } = result.session;
      const sliding = result.profile === 'rutos';
      held.state = granted(credential, { token, expiresS: expires, sliding }, this.now());
      this.metrics.deviceLogins.inc({ outcome: 'granted' });
      if (credential.failedLogins > 0) await this.devices.clearFailedLogins(credential.accountId);
      return token;
    } catch (error) {
      // Whatever it was, nobody may be left waiting in `logging-in`.
      if (held.state.phase === 'logging-in') {
        held.state = error instanceof AppError ? failed(held.state, credential, this.now()) : NO_SESSION;
        this.metrics.deviceLogins.inc({ outcome: 'failed' });
      }
      throw error;
    }
  }

  /** The refusal is written down before anybody is told, so that no other replica tries the same password. */
  private async noteRefusal(held: Held, deviceId: string, credential: Credential, error: AppError): Promise<void> {
    this.metrics.deviceLogins.inc({ outcome: 'refused' });
    let recorded = false;
    try {
      await this.devices.countFailedLogin(credential.accountId);
      const codes = (error.facts['deviceCodes'] as number[]).join(', ');
      const stateReason = `the device refused the login${codes === '' ? '' : ` (code ${codes})`}`;
      await this.devices.learn(deviceId, { state: 'credentials_refused', stateReason });
      recorded = true;
    } catch (cause) {
      this.log.warn({ deviceId, ...errorFields(cause) }, 'A refused login could not be counted');
    }
    held.state = refused(credential, recorded, this.now());
  }

  /** The row of a device changed: a session that belongs to other credentials, or to a removed device, ends. */
  private async reconsider(deviceId: string): Promise<void> {
    const held = this.sessions.get(deviceId);
    if (!held || held.state.phase !== 'valid') return;
    const target = await this.devices.target(deviceId).catch(() => null);
    const still =
      target?.account?.id === held.state.credential.accountId &&
      target.account.changedAt.getTime() === held.state.credential.changedAtMs &&
      target.device.baseUrl === held.device.baseUrl;
    if (!still) await this.reset(deviceId);
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

function credentialOf({ device, account }: DeviceTarget): Credential {
  if (!account) throw new AppError('device_has_no_credentials');
  return {
    accountId: account.id,
    changedAtMs: account.changedAt.getTime(),
    failedLogins: account.failedLogins,
    refused: device.state === 'credentials_refused' && account.failedLogins > 0,
  };
}
