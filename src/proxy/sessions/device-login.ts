import { Inject, Injectable } from '@nestjs/common';
import { PATHS, type Profile, type Session } from '../../device-api/contract.js';
import { type Limits } from '../../device-api/exchange.js';
import { type ConnectStage, ExchangeError } from '../../device-api/http.js';
import { loginRefusal } from '../../device-api/password-demand.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { type RegisteredAccount } from '../../devices/registry/device.queries.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { AppError, type Facts } from '../../platform/errors.js';
import { Redactor } from '../../secrets/redactor.js';
import { type Collector } from '../connections/collector.js';
import { tokenVerdict } from '../connections/dead-token.js';
import { refusalFacts } from '../connections/device-errors.js';
import {
  loginRequest,
  logoutRequest,
  send,
  sessionIn,
  STATUS_REQUEST,
  statusIn,
  systemIn,
  systemRequest,
  type SessionRequest,
} from '../connections/session-requests.js';
import { Transport } from '../connections/transport.js';

/*
 * The exchanges of a session: log in, check a token, log out. A stored password is in clear here
 * only while its request is made.
 */

export type LoginResult =
  | { readonly outcome: 'granted'; readonly session: Session; readonly profile: Profile }
  | { readonly outcome: 'refused'; readonly error: AppError };

/** What the answer of `unauthorized/status` shows, for the registry; absent: nothing new. */
export interface StatusFacts {
  readonly profile?: Profile;
  readonly apiVersion?: string;
}

/** What a device says of itself without a login; null where it says nothing. */
export interface OwnStatus {
  readonly model: string | null;
  readonly apiVersion: string | null;
}

/**
 * A login in both forms. Devices log in one after another and take 0.1 to 0.3 s, a busy one seconds.
 */
const LOGIN_MS = 15_000;

const LIMITS: Limits = { firstByteMs: LOGIN_MS, totalMs: LOGIN_MS, maxBytes: 64 * 1024, bytesPerSecond: 64 * 1024 };

/** A reachable device answers this at once. */
const STATUS_LIMITS: Limits = { ...LIMITS, firstByteMs: 10_000, totalMs: 10_000 };

/** Shutdown waits for this. */
const LOGOUT_LIMITS: Limits = { ...LIMITS, firstByteMs: 3_000, totalMs: 3_000 };

/**
 * The codes of a refused password: 121 by the specification, 120 on real devices, mostly with 401. A 403 with 124
 * or 125 differs: the password is right, and must be changed on the device first.
 */
const REFUSAL_CODES: ReadonlySet<number> = new Set([120, 121]);

@Injectable()
export class DeviceLogin {
  constructor(
    @Inject(Transport) private readonly transport: Transport,
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'openPassword' | 'storeObservations'>,
    @Inject(Redactor) private readonly redactor: Pick<Redactor, 'redacted'>,
  ) {}

  /**
   * Logs in with an account of the device, in the form of its profile; without a known one as all public clients do (`rutos`).
   * A login refused as malformed (400) is retried once in the other form; a refused password never is.
   * @throws AppError `device_login_failed`, `secret_unreadable`; ExchangeError when the exchange broke off
   */
  login(device: Readonly<Device>, account: RegisteredAccount): Promise<LoginResult> {
    return this.loginAs(device, account.username, () => this.devices.openPassword(account));
  }

  /**
   * As `login`, for an account that the gateway does not store.
   * @param password called when needed: a secret is in clear only while its request is made
   */
  async loginAs(device: Readonly<Device>, username: string, password: () => string): Promise<LoginResult> {
    const startedAt = performance.now();
    const left = () => shortened(LIMITS, LOGIN_MS - (performance.now() - startedAt));
    const clear = password();
    const forms: Profile[] = device.profile === 'spec' ? ['spec', 'rutos'] : ['rutos', 'spec'];
    for (const form of forms) {
      const answer = await this.send(device, loginRequest(form, username, clear), left());
      const session = sessionIn(answer);
      if (session) return { outcome: 'granted', session, profile: await this.profileOf(device, form, session) };
      // The device's answer may repeat the refused password.
      const facts = this.redactor.redacted(refusalFacts(answer.status, answer.json()));
      if (isCredentialRefusal(answer.status, facts['deviceCodes'] as number[])) {
        return { outcome: 'refused', error: new AppError('device_credentials_refused', facts) };
      }
      if (answer.status !== 400 || form === forms.at(-1)) throw new AppError('device_login_failed', withReason(facts));
    }
    throw new Error('There is no login form');
  }

  /**
   * One login that is no session of the gateway, for one use of its token.
   * @throws AppError `device_credentials_refused`, and as `login`; ExchangeError; what `use` throws
   */
  async once<Result>(
    device: Readonly<Device>,
    username: string,
    password: () => string,
    use: (token: string) => Promise<Result>,
  ): Promise<Result> {
    const result = await this.loginAs(device, username, password);
    if (result.outcome === 'refused') throw result.error;
    const { token } = result.session;
    try {
      return await use(token);
    } finally {
      await this.logout(device, token);
    }
  }

  /**
   * Asks, without a login, whether the device is reachable: any answer counts.
   * @param notePassed is told the stages of a connection that is opened for this
   * @returns what the answer shows: the version of its API, and the profile where it is another one
   * @throws ExchangeError
   */
  async readStatus(device: Readonly<Device>, notePassed?: (stage: ConnectStage) => void): Promise<StatusFacts> {
    return statusFacts(device, await this.send(device, STATUS_REQUEST, STATUS_LIMITS, notePassed));
  }

  /**
   * Asks, without a login, whether the device works again: a web server that starts answers with 5xx at first.
   * @returns what it says of itself
   * @throws AppError `device_answer_invalid`; ExchangeError
   */
  async requireStatus(device: Readonly<Device>): Promise<OwnStatus> {
    const answer = await this.send(device, STATUS_REQUEST, STATUS_LIMITS);
    const { path } = STATUS_REQUEST;
    if (answer.status >= 500) throw new AppError('device_answer_invalid', { path, deviceStatus: answer.status });
    const status = statusIn(answer);
    return { model: status?.device_model ?? null, apiVersion: status?.api_version ?? null };
  }

  /**
   * Whether the device still knows a token. A device without this address refuses the address, and so knew the token. The
   * page of a login, or the way there, proves nothing: then the token counts as dead, which costs one login.
   * @throws ExchangeError
   */
  async isAlive(device: Readonly<Device>, token: string): Promise<boolean> {
    const answer = await this.send(device, { method: 'GET', path: PATHS.sessionStatus, token });
    const { status } = answer;
    const body = answer.json();
    if (status === 401 || (body as { data?: { active?: unknown } } | null | undefined)?.data?.active === false)
      return false;
    const verdict = tokenVerdict(device.profile, status, body);
    return verdict === 'alive' || (verdict === 'unclear' && status >= 400 && status !== 403);
  }

  /** The serial number of the answering device. @throws AppError `device_answer_invalid`; ExchangeError */
  async serial(device: Readonly<Device>, token: string): Promise<string> {
    const system = systemIn(await this.send(device, systemRequest(token)));
    if (!system) throw new AppError('device_answer_invalid', { path: PATHS.systemStatus });
    return system.mnfinfo.serial;
  }

  /** Ends a session on the device, if possible. */
  async logout(device: Readonly<Device>, token: string): Promise<void> {
    await this.send(device, logoutRequest(token), LOGOUT_LIMITS).catch(() => undefined);
  }

  /** The profile of a session: the form of its login. The answer shows the profile of a device that no status check has found yet. */
  private async profileOf(device: Readonly<Device>, form: Profile, { isRutos }: Session): Promise<Profile> {
    if (device.profile !== 'unknown') return form;
    const profile = isRutos ? 'rutos' : 'spec';
    await this.devices.storeObservations(device.id, { profile });
    return profile;
  }

  private async send(
    device: Readonly<Device>,
    request: SessionRequest,
    limits = LIMITS,
    notePassed?: (stage: ConnectStage) => void,
  ): Promise<Collector> {
    const connection = notePassed
      ? this.transport.openConnection(device, notePassed)
      : this.transport.acquireConnection(device);
    try {
      return await send(connection.client, request, limits);
    } catch (error) {
      // Nothing of the waiting call was sent yet.
      if (error instanceof ExchangeError) error.sent = false;
      throw error;
    } finally {
      this.transport.release(connection);
    }
  }
}

/** observed-devices.md 6: a device that answers `unauthorized/status` is `rutos`, whatever its login showed. */
function statusFacts({ profile }: Readonly<Device>, answer: Collector): StatusFacts {
  const status = statusIn(answer);
  if (!status) return {};
  const { api_version: apiVersion } = status;
  return { ...(profile !== 'rutos' && { profile: 'rutos' }), ...(apiVersion !== undefined && { apiVersion }) };
}

/** Whether an answer to a login means a wrong password, with any status. */
function isCredentialRefusal(status: number, codes: readonly number[]): boolean {
  return status === 401 || (status < 500 && codes.some((code) => REFUSAL_CODES.has(code)));
}

/** With what the refusal of a login means; a demand for another password says it already. */
function withReason(facts: Facts): Facts {
  const reason = loginRefusal(facts['deviceStatus'] as number, facts['deviceCodes'] as number[]);
  return reason === null || facts['demand'] !== undefined ? facts : { ...facts, reason };
}

function shortened(limits: Limits, leftMs: number): Limits {
  const ms = Math.max(leftMs, 1);
  return { ...limits, firstByteMs: Math.min(limits.firstByteMs, ms), totalMs: Math.min(limits.totalMs, ms) };
}
