import { pipeline, Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { Exchange, ExchangeError, type Limits } from '../../device-api/http.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { type DeviceWithAccounts } from '../../devices/registry/device.queries.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { type Observations } from '../../devices/registry/device-observations.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { errorFields } from '../../platform/log.js';
import { Metrics } from '../../platform/metrics.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { LOG } from '../../platform/platform.module.js';
import { withTimeout } from '../../platform/with-timeout.js';
import { Attempt, ByteCounter, type CallSink, type Timing } from '../connections/attempt.js';
import { type CallPriority } from '../admission/admission.js';
import { Breakers } from './breakers.js';
import { errorsOf, isDeviceFault, isRetryableFault, observationOf } from '../connections/device-errors.js';
import { type Cancellation } from '../connections/cancellation.js';
import { type CallRequest } from '../connections/call-request.js';
import { SessionPool, type PooledSession } from '../sessions/session-pool.js';
import { Slots } from '../connections/slots.js';
import { Transport, type DeviceConnection } from '../connections/transport.js';

/*
 * Executes a call: slot -> session -> connection -> exchange. Only this layer retries.
 * - A read is retried twice, with jitter, when the connection broke before the answer began.
 * - Any call is retried once after a dead token: the device checks the token before it executes anything.
 * - A write is never retried for another reason.
 * - A streamed body is never sent twice: its session is checked before.
 */

/** An authorized request with its path checked, headers, body and limits: ready to be sent to a device. */
export interface PreparedRequest {
  readonly call: CallRequest;
  /** Alternating names and values, without `authorization`. */
  readonly headers: readonly string[];
  readonly body: Buffer | Readable | null;
  readonly limits: Limits;
  /** Whether no person waits for the answer. */
  readonly inBackground?: boolean;
  /** As in `CallContext`. */
  readonly beforeWrite?: (() => void) | undefined;
  /** Called before the last part of a streamed body is sent; when it rejects, that part is not sent. */
  readonly mayEnd?: (() => Promise<void>) | undefined;
  /** Checks each part of a streamed body; a returned error ends the call before the part is sent. */
  readonly inspect?: ((chunk: Buffer) => AppError | null) | undefined;
}

export interface CallContext {
  readonly actor: Actor;
  /** The job that makes it, with its priority. */
  readonly job?: { readonly id: string } & CallPriority;
  /** The fan-out that it belongs to. */
  readonly operationId?: string;
  readonly signal?: AbortSignal;
  /** Called just before a write is sent; when it throws, nothing is sent. A job checks its lease here. */
  readonly beforeWrite?: () => void;
  /** Whether it gives an account of the gateway another password, which only the rotation of passwords may. */
  readonly rotatesPassword?: boolean;
  /**
   * Whether no person waits for it: a fan-out, a sweep, a health check; jobs always are background. Logins of
   * interactive calls come first.
   */
  readonly inBackground?: boolean;
}

/** Two retries of a read, after 50 to 150 ms and 150 to 450 ms: a stale connection, a restarting web server. */
const RETRY_AFTER_MS = [100, 300] as const;

/** Bytes of a refusal that the audit reads. */
const MAX_REFUSAL_BYTES = 16 * 1024;

/** A call that waited longer for its slot reads the device's record again. */
const STALE_MS = 250;

/** Less time than this before the exchange is not subtracted from the deadline. */
const NEGLIGIBLE_MS = 5;

/** Codes of a 401 for a dead token. `spec` uses 120 for a missing one, too; for `rutos` it is a refusal. */
const DEAD_TOKEN: Readonly<Record<Device['profile'], ReadonlySet<number>>> = {
  spec: new Set([120, 121, 123]),
  unknown: new Set([120, 121, 123]),
  rutos: new Set([121, 123]),
};

@Injectable()
export class DeviceCallExecutor {
  readonly slots = new Slots();
  private readonly histograms = new Map<string, { observe(seconds: number): void }>();

  constructor(
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'get' | 'storeObservations' | 'noteSeen'>,
    @Inject(Transport) private readonly transport: Transport,
    @Inject(SessionPool) private readonly sessions: SessionPool,
    @Inject(Breakers) private readonly breakers: Breakers,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'DEVICE_BODY_LIMIT_BYTES'>,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * Waits for a slot, makes the call, and releases the slot when the answer is complete.
   * @throws AppError, or ExchangeError, which says whether anything was sent
   */
  async execute(
    registered: DeviceWithAccounts,
    request: PreparedRequest,
    caller: string,
    cancellation: Cancellation,
    sink: CallSink,
  ): Promise<{ attempt: Attempt; timing: Timing }> {
    const { id: deviceId } = registered.device;
    const kind = request.call.writes ? 'write' : 'read';
    const timing: Timing = { queueMs: 0, loginMs: 0, deviceMs: 0 };
    if (!this.slots.tryAcquire(deviceId, kind)) {
      const from = performance.now();
      await this.slots.acquire(deviceId, kind, caller, cancellation);
      timing.queueMs = performance.now() - from;
    }
    // The slot must be released after any error from here on.
    try {
      let known = timing.queueMs > STALE_MS ? await this.devices.get(deviceId) : registered;
      const startedAt = performance.now();
      let mayRetry = !(request.body instanceof Readable);
      for (let tries = 0; ;) {
        const attempt = new Attempt(sink, timing, mayRetry, auditedPartOf(request.call));
        try {
          const isDead = await this.attempt(known, request, attempt, startedAt, cancellation);
          if (!isDead) return { attempt, timing };
          mayRetry = false;
        } catch (error) {
          const pauseMs = pauseAfter(error, request, attempt, tries++, startedAt);
          if (pauseMs === null || cancellation.isCancelled) throw error;
          await this.clock.sleep(pauseMs);
        }
        known = await this.devices.get(deviceId);
      }
    } finally {
      cancellation.onCancel(null);
      this.slots.release(deviceId, kind);
    }
  }

  /** Whether there is an open connection to a device. */
  isOpen(deviceId: string): boolean {
    return this.transport.isOpen(deviceId);
  }

  /** Logs out on a device and forgets its sessions. */
  endSessions(deviceId: string): Promise<void> {
    return this.sessions.reset(deviceId);
  }

  /** Makes one attempt. @returns whether the device refused a dead token and one retry is allowed */
  private async attempt(
    registered: DeviceWithAccounts,
    request: PreparedRequest,
    attempt: Attempt,
    startedAt: number,
    cancellation: Cancellation,
  ): Promise<boolean> {
    const { device } = registered;
    this.breakers.checkAndRegister(device, request.call, !request.inBackground);
    let pooledSession: PooledSession | null = null;
    try {
      pooledSession = this.sessions.acquire(registered, !request.call.writes);
      const given = this.token(pooledSession, registered, request);
      const token =
        typeof given === 'string'
          ? given
          : await waitForLogin(given, request.limits, startedAt, attempt.timing, cancellation);
      const spentMs = performance.now() - startedAt;
      const limits = spentMs < NEGLIGIBLE_MS ? request.limits : remainingLimits(request.limits, spentMs);
      const connection = this.transport.acquireConnection(device);
      try {
        await this.send(connection, request, limits, token, attempt, cancellation).done;
      } finally {
        this.transport.release(connection);
      }
      this.observe(request.call.method, 'answered', attempt.exchange!.elapsedMs);
      this.breakers.answered(device, request.call);
      this.recordSeen(registered);
      if (!attempt.isWithheld) {
        if (attempt.status !== 401) this.sessions.markUsed(pooledSession, token);
        return false;
      }
      if (isDeadToken(device, attempt.keptJson()) && this.sessions.markDead(pooledSession, token)) return true;
      attempt.passOn();
      return false;
    } catch (error) {
      await this.recordFailure(device, request, attempt, error);
      throw error;
    } finally {
      if (pooledSession) this.sessions.release(pooledSession);
    }
  }

  private token(
    pooledSession: PooledSession,
    registered: DeviceWithAccounts,
    request: PreparedRequest,
  ): string | Promise<string> {
    const { body, inBackground } = request;
    // A body that can be sent only once needs a token that is known to be valid.
    if (body instanceof Readable) return this.sessions.provenToken(pooledSession, registered, inBackground);
    return this.sessions.token(pooledSession, registered, inBackground);
  }

  private send(
    connection: DeviceConnection,
    request: PreparedRequest,
    limits: Limits,
    token: string,
    attempt: Attempt,
    cancellation: Cancellation,
  ): Exchange {
    const { method, path, writes } = request.call;
    if (writes) request.beforeWrite?.();
    const headers = request.headers.concat('authorization', `Bearer ${token}`);
    const meter = request.body instanceof Readable ? this.metered(request.body, request) : null;
    const exchangeRequest = { method, path: path.sentPath, headers, body: meter ?? request.body };
    const exchange = new Exchange(connection.client, exchangeRequest, attempt, limits);
    attempt.exchange = exchange;
    if (meter) meter.exchange = exchange;
    if (cancellation.isCancelled) exchange.abort();
    else cancellation.onCancel(() => exchange.abort());
    return exchange;
  }

  private metered(body: Readable, { mayEnd, inspect }: PreparedRequest): ByteCounter {
    const meter = new ByteCounter(this.config.DEVICE_BODY_LIMIT_BYTES, mayEnd, inspect);
    pipeline(body, meter, () => undefined); // an error of either one ends the exchange through the byte counter
    return meter;
  }

  /** Cached children of the histogram: finding them by their labels costs more than the observation. */
  private observe(method: string, outcome: string, ms: number): void {
    const key = `${method} ${outcome}`;
    let histogram = this.histograms.get(key);
    if (!histogram) {
      histogram = this.metrics.deviceCalls.labels({ method, outcome });
      this.histograms.set(key, histogram);
    }
    histogram.observe(ms / 1000);
  }

  /** Records that the device is online. The call neither waits for this nor fails with it. */
  private recordSeen({ device, account, readAccount }: DeviceWithAccounts): void {
    const now = this.clock.now();
    // One account may be refused while another one works.
    const failedLogins = (account?.failedLogins ?? 0) + (readAccount?.failedLogins ?? 0);
    const isRefused = device.state === 'credentials_refused' && failedLogins > 0;
    const isKnown = device.state === 'online' || isRefused;
    if (isKnown) this.devices.noteSeen(device, now);
    else void this.storeObservations(device.id, { seenAt: now, state: 'online', stateReason: null });
  }

  private async recordFailure(
    device: Readonly<Device>,
    request: PreparedRequest,
    attempt: Attempt,
    error: unknown,
  ): Promise<void> {
    if (isDeviceFault(error)) this.breakers.failed(device, error as ExchangeError, request.call);
    else this.breakers.abandoned(device, request.call);
    if (!(error instanceof ExchangeError)) return;
    if (attempt.exchange) this.observe(request.call.method, error.fault, attempt.exchange.elapsedMs);
    const observation = observationOf(error, device.state);
    if (observation) await this.storeObservations(device.id, observation);
  }

  private async storeObservations(deviceId: string, facts: Observations): Promise<void> {
    try {
      await this.devices.storeObservations(deviceId, facts);
    } catch (error) {
      if (error instanceof AppError && error.code === 'device_not_found') return; // the device was removed since
      this.log.warn({ deviceId, ...errorFields(error) }, 'The observations of a call could not be stored');
    }
  }
}

/** The delay before a retry, in milliseconds; null: no retry. */
function pauseAfter(
  error: unknown,
  { call, body, limits }: PreparedRequest,
  attempt: Attempt,
  tries: number,
  startedAt: number,
): number | null {
  const pauseMs = RETRY_AFTER_MS[tries];
  const isOver = call.writes || body instanceof Readable || attempt.passedOn;
  if (isOver || pauseMs === undefined || !isRetryableFault(error)) return null;
  if (performance.now() - startedAt + pauseMs >= limits.totalMs) return null;
  return pauseMs * (0.5 + Math.random());
}

/** What the audit stores of an answer: everything of a bulk answer, the refusal of another write, nothing of a read. */
function auditedPartOf(call: CallRequest): { bytes: number; always: boolean } {
  if (!call.writes) return NOTHING;
  return call.isBulkRequest ? EVERYTHING : REFUSALS;
}

const NOTHING = { bytes: 0, always: false };
const REFUSALS = { bytes: MAX_REFUSAL_BYTES, always: false };
const EVERYTHING = { bytes: Number.POSITIVE_INFINITY, always: true };

/**
 * Waits for a login until the call's deadline or until its caller disconnects. The login continues for other waiters.
 * @throws AppError `device_timeout`; ExchangeError when it is cancelled; errors of the login
 */
async function waitForLogin(
  login: Promise<string>,
  limits: Limits,
  startedAt: number,
  timing: Timing,
  cancellation: Cancellation,
): Promise<string> {
  const from = performance.now();
  const allowedMs = Math.min(limits.firstByteMs, limits.totalMs);
  const left = new Promise<never>((_resolve, reject) => {
    const leave = () => reject(new ExchangeError('aborted'));
    if (cancellation.isCancelled) leave();
    else cancellation.onCancel(leave);
  });
  try {
    return await withTimeout(Math.max(allowedMs - (from - startedAt), 1), Promise.race([login, left]), () => {
      throw new AppError('device_timeout', { phase: 'login', allowedMs: Math.round(allowedMs) });
    });
  } finally {
    cancellation.onCancel(null);
    timing.loginMs += performance.now() - from;
  }
}

function remainingLimits(limits: Limits, spentMs: number): Limits {
  return {
    ...limits,
    firstByteMs: Math.max(limits.firstByteMs - spentMs, 1),
    totalMs: Math.max(limits.totalMs - spentMs, 1),
  };
}

function isDeadToken(device: Readonly<Device>, body: unknown): boolean {
  return errorsOf(body).some(({ code }) => DEAD_TOKEN[device.profile].has(code));
}
