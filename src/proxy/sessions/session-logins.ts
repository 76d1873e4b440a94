import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import {
  nextAction,
  granted,
  NO_SESSION,
  refused,
  type Credential,
  type SessionState,
  type ValidSession,
} from '../../device-api/session.js';
import { loginRefusal } from '../../device-api/password-demand.js';
import { addressOf } from '../../devices/registry/device-addresses.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { type DeviceWithAccounts, type RegisteredAccount } from '../../devices/registry/device.queries.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { LoginCounts } from '../../devices/registry/login-counts.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { errorFields, LOG } from '../../platform/log.js';
import { Metrics } from '../../platform/metrics.js';
import { Permits } from '../../processes/permits.js';
import { DeviceIdentity } from './device-identity.js';
import { DeviceLogin } from './device-login.js';
import { backgroundShare, PriorityLimit } from '../admission/priority-limit.js';
import { SessionStore, type SessionRef } from './shared-sessions.js';

/*
 * One login with an account: checks whether it may be tried, waits for its turn, and records the result. A password
 * that was not accepted yet is counted before it is sent. A refusal is stored before it is reported, so that the next login
 * of any replica knows it. A session of another device is ended at once (`device-identity.ts`), and proves nothing
 * about the password.
 */

/** The result of a login that the device answered. */
export type Login =
  | { readonly outcome: 'granted'; readonly device: Readonly<Device>; readonly session: ValidSession }
  | { readonly outcome: 'refused'; readonly error: AppError; readonly state: SessionState };

@Injectable()
export class SessionLogins {
  private readonly limit: PriorityLimit;
  private readonly atOnce: number;

  constructor(
    @Inject(DeviceLogin) private readonly deviceLogin: DeviceLogin,
    @Inject(DeviceIdentity) private readonly identity: DeviceIdentity,
    @Inject(DevicesService)
    private readonly devices: Pick<DevicesService, 'get' | 'getForLogin' | 'storeObservations'>,
    @Inject(LoginCounts) private readonly counts: LoginCounts,
    @Inject(SessionStore) private readonly store: Pick<SessionStore, 'countLogin'>,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(Permits) private readonly permits: Pick<Permits, 'isShared' | 'wait'>,
    @Inject(CONFIG) config: Pick<GatewayConfig, 'LOGINS_AT_ONCE'>,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.atOnce = config.LOGINS_AT_ONCE;
    this.limit = new PriorityLimit(this.atOnce);
  }

  /**
   * Logs in with the account of a pooled session, in its turn.
   * @throws AppError `device_has_no_credentials`, `device_credentials_refused` when nothing was sent,
   *   `device_login_failed`, `identity_mismatch`, `secret_unreadable`; ExchangeError
   */
  login(ref: SessionRef, inBackground: boolean): Promise<Login> {
    return this.limit.run(async () => {
      const limit = inBackground ? backgroundShare(this.atOnce) : this.atOnce;
      const give = this.permits.isShared ? await this.permits.wait('logins', limit, Infinity, () => false) : null;
      try {
        return await this.loginNow(ref);
      } finally {
        give?.();
      }
    }, inBackground);
  }

  private async loginNow(ref: SessionRef): Promise<Login> {
    const registered = await this.devices.getForLogin(ref.deviceId);
    const account = accountOf(ref, registered);
    if (account.changingUntil !== null && account.changingUntil > this.clock.now()) {
      throw new AppError('device_login_failed', { reason: 'its password is being changed' });
    }
    const credential = credentialOf(registered, account);
    const verdict = nextAction(NO_SESSION, credential, this.now());
    if (verdict.may === 'never') {
      throw new AppError('device_credentials_refused', { failedLogins: verdict.failedLogins });
    }
    this.identity.refuseKnownMismatch(registered.device);
    try {
      return await this.attempt(registered.device, account, credential);
    } catch (error) {
      this.metrics.deviceLogins.inc({ outcome: 'failed' });
      throw error;
    }
  }

  private async attempt(device: Readonly<Device>, account: RegisteredAccount, credential: Credential): Promise<Login> {
    const isDoubtful = this.counts.isDoubtful(account);
    if (isDoubtful && !(await this.counts.reserve(device.id, account))) {
      throw new AppError('device_login_failed', { reason: 'other logins may be refused first' });
    }
    void this.store.countLogin(account.id, this.clock.now().toISOString().slice(0, 10));
    void this.logFailedCount(device.id, this.counts.count(device.id));
    try {
      const result = await this.deviceLogin.login(device, account);
      if (result.outcome === 'refused') {
        return { ...result, state: await this.noteRefusal(device.id, account, credential, result.error) };
      }
      const known = await this.requireIdentity(device, result.session.token);
      this.metrics.deviceLogins.inc({ outcome: 'granted' });
      if (isDoubtful) await this.logFailedCount(device.id, this.counts.granted(account));
      const { token, expires } = result.session;
      const session = granted(
        credential,
        { token, expiresS: expires, sliding: result.profile === 'rutos' },
        this.now(),
      );
      return { outcome: 'granted', device: known, session };
    } catch (error) {
      if (isDoubtful) await this.logFailedCount(device.id, this.counts.release(account));
      await this.noteUnusable(device, error);
      throw error;
    }
  }

  /** Lets the next login on a device ask for its serial number, even when its key has not changed. */
  forgetIdentity(deviceId: string): void {
    this.identity.forget(deviceId);
  }

  /**
   * @returns the device with the key stored at a first contact
   * @throws AppError `identity_mismatch`; ExchangeError; then the session has ended
   */
  private async requireIdentity(device: Readonly<Device>, token: string): Promise<Readonly<Device>> {
    const isFirstContact = device.trust === 'pin' && device.trustPin === null;
    try {
      const known = isFirstContact ? (await this.devices.get(device.id)).device : device;
      await this.identity.compare(known, token);
      return known;
    } catch (error) {
      await this.deviceLogin.logout(device, token);
      throw error;
    }
  }

  /** @returns the state of a session whose password was refused */
  private async noteRefusal(
    deviceId: string,
    account: RegisteredAccount,
    credential: Credential,
    error: AppError,
  ): Promise<SessionState> {
    this.metrics.deviceLogins.inc({ outcome: 'refused' });
    try {
      // The credentials were changed during this login: the refusal does not count for them.
      const count = await this.counts.refused(account, this.counts.isDoubtful(account));
      if (count === null) return NO_SESSION;
      const codes = (error.facts['deviceCodes'] as number[]).join(', ');
      const stateReason = `the device refused the login${codes === '' ? '' : ` (code ${codes})`}`;
      await this.devices.storeObservations(deviceId, { state: 'credentials_refused', stateReason });
      return refused(credential, true, this.now());
    } catch (cause) {
      this.log.warn({ deviceId, ...errorFields(cause) }, 'A refused login could not be counted');
      return refused(credential, false, this.now());
    }
  }

  /** Shows that the device answers and cannot be used until a person acts on it, as with an expired password. */
  private async noteUnusable(device: Readonly<Device>, error: unknown): Promise<void> {
    if (!(error instanceof AppError) || error.code !== 'device_login_failed') return;
    const { deviceStatus, deviceCodes } = error.facts as { deviceStatus?: number; deviceCodes?: number[] };
    const stateReason = loginRefusal(deviceStatus ?? 0, deviceCodes ?? []);
    if (stateReason === null || device.stateReason === stateReason) return;
    try {
      await this.devices.storeObservations(device.id, { state: 'credentials_refused', stateReason });
    } catch (cause) {
      this.log.warn({ deviceId: device.id, ...errorFields(cause) }, 'A refused login could not be stored');
    }
  }

  /** The next successful login corrects a count that is too high; no call fails because of it. */
  private async logFailedCount(deviceId: string, counting: Promise<void>): Promise<void> {
    try {
      await counting;
    } catch (error) {
      this.log.warn({ deviceId, ...errorFields(error) }, 'The count of logins could not be stored');
    }
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

/** @throws AppError `device_has_no_credentials` when the account was just removed */
export function accountOf({ accountId }: SessionRef, { account, readAccount }: DeviceWithAccounts): RegisteredAccount {
  if (account?.id === accountId) return account;
  if (readAccount?.id === accountId) return readAccount;
  throw new AppError('device_has_no_credentials');
}

/** The version of an account's credentials, as a session is bound to it. */
export function credentialOf({ device }: DeviceWithAccounts, account: RegisteredAccount): Credential {
  return {
    accountId: account.id,
    changedAtMs: account.changedAt.getTime(),
    baseUrl: addressOf(device),
    failedLogins: account.failedLogins,
    refused: device.state === 'credentials_refused' && account.failedLogins > 0,
  };
}
