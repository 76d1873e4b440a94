import { pipeline, Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { Exchange, ExchangeError, type Limits } from '../../device-api/http.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { type DeviceTarget } from '../../devices/registry/device.queries.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { type ObservedFacts } from '../../devices/registry/device-observations.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { errorFields } from '../../platform/log.js';
import { Metrics } from '../../platform/metrics.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { LOG } from '../../platform/platform.module.js';
import { within } from '../../platform/within.js';
import { Attempt, ByteCounter, type CallSink, type Timing } from '../connections/attempt.js';
import { type Standing } from '../admission/admission.js';
import { Breakers } from './breakers.js';
import { errorsOf, isTrouble, isWorthRepeating, lessonOf } from '../connections/device-errors.js';
import { type Gone } from '../connections/gone.js';
import { type CallRequest } from '../connections/call-request.js';
import { SessionPool, type Seat } from '../sessions/session-pool.js';
import { Slots } from '../connections/slots.js';
import { Transport, type DeviceConnection } from '../connections/transport.js';

/*
 * Executes a call from slot to answer. Only this layer retries. A read is retried twice, with jitter, when the
 * connection broke before its answer began. Any call is retried once after the device refused it with a dead token,
 * since the device checks the token before it executes anything. A write is never retried for another reason. A
 * streamed body is never sent twice: its session is checked before.
 */

/** An authorized request. */
export interface JudgedRequest {
  readonly intent: CallRequest;
  /** Alternating names and values, without `authorization`. */
  readonly headers: readonly string[];
  readonly body: Buffer | Readable | null;
  readonly limits: Limits;
  /** Whether no person waits for the answer. */
  readonly inBackground?: boolean;
  readonly fence?: (() => void) | undefined;
  /** Called before the last part of a streamed body is sent; when it rejects, that part is not sent. */
  readonly mayEnd?: (() => Promise<void>) | undefined;
  /** Checks each part of a streamed body; a returned error ends the call before the part is sent. */
  readonly inspect?: ((chunk: Buffer) => AppError | null) | undefined;
}

export interface CallContext {
  readonly actor: Actor;
  /** The job that makes it, with its queue. */
  readonly job?: { readonly id: string } & Standing;
  /** The fan-out that it belongs to. */
  readonly operationId?: string;
  readonly signal?: AbortSignal;
  /** Called just before a writing request is sent; when it throws, nothing is sent. */
  readonly fence?: () => void;
  /**
   * Whether it is a fan-out or sweep; jobs always count as background. Interactive calls go first where calls wait for
   * each other.
   */
  readonly inBackground?: boolean;
}

/** Two retries of a read, after 50 to 150 ms and 150 to 450 ms: a stale connection, a restarting web server. */
const REPEAT_AFTER_MS = [100, 300] as const;

/** Bytes of a refusal that the audit reads. */
const MAX_REFUSAL_BYTES = 16 * 1024;

/** A call that waited longer for its slot reads the device's record again. */
const STALE_MS = 250;

/** Time before this exchange below this is not subtracted from the deadline. */
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
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'target' | 'learn' | 'noteSeen'>,
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
   * @throws AppError, or ExchangeError that tells whether anything was sent
   */
  async execute(
    target: DeviceTarget,
    request: JudgedRequest,
    caller: string,
    gone: Gone,
    sink: CallSink,
  ): Promise<{ attempt: Attempt; timing: Timing }> {
    const { id: deviceId } = target.device;
    const kind = request.intent.writes ? 'write' : 'read';
    const timing: Timing = { queueMs: 0, loginMs: 0, deviceMs: 0 };
    if (!this.slots.tryEnter(deviceId, kind)) {
      const from = performance.now();
      await this.slots.enter(deviceId, kind, caller, gone);
      timing.queueMs = performance.now() - from;
    }
    // The slot must be released after any error from here on.
    try {
      let known = timing.queueMs > STALE_MS ? await this.devices.target(deviceId) : target;
      const startedAt = performance.now();
      let mayReplay = !(request.body instanceof Readable);
      for (let tries = 0; ;) {
        const attempt = new Attempt(sink, timing, mayReplay, keptOf(request.intent));
        try {
          const isDead = await this.attempt(known, request, attempt, startedAt, gone);
          if (!isDead) return { attempt, timing };
          mayReplay = false;
        } catch (error) {
          const pauseMs = pauseAfter(error, request, attempt, tries++, startedAt);
          if (pauseMs === null || gone.happened) throw error;
          await this.clock.sleep(pauseMs);
        }
        known = await this.devices.target(deviceId);
      }
    } finally {
      gone.watch(null);
      this.slots.leave(deviceId, kind);
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
    target: DeviceTarget,
    request: JudgedRequest,
    attempt: Attempt,
    startedAt: number,
    gone: Gone,
  ): Promise<boolean> {
    const { device } = target;
    this.breakers.enter(device, request.intent);
    let seat: Seat | null = null;
    try {
      seat = this.sessions.enter(target, !request.intent.writes);
      const given = this.token(seat, target, request);
      const token =
        typeof given === 'string' ? given : await waited(given, request.limits, startedAt, attempt.timing, gone);
      const spentMs = performance.now() - startedAt;
      const limits = spentMs < NEGLIGIBLE_MS ? request.limits : shortened(request.limits, spentMs);
      const lane = this.transport.lane(device);
      try {
        await this.send(lane, request, limits, token, attempt, gone).done;
      } finally {
        this.transport.release(lane);
      }
      this.observe(request.intent.method, 'answered', attempt.exchange!.elapsedMs);
      this.breakers.answered(device, request.intent);
      this.noteAnswer(target);
      if (!attempt.isHeld) {
        if (attempt.status !== 401) this.sessions.used(seat, token);
        return false;
      }
      if (isDeadToken(device, attempt.keptJson()) && this.sessions.died(seat, token)) return true;
      attempt.release();
      return false;
    } catch (error) {
      await this.noteTrouble(device, request, attempt, error);
      throw error;
    } finally {
      if (seat) this.sessions.leave(seat);
    }
  }

  private token(seat: Seat, target: DeviceTarget, request: JudgedRequest): string | Promise<string> {
    const { body, inBackground } = request;
    // A body that can be sent only once needs a token that is known to be valid.
    if (body instanceof Readable) return this.sessions.provenToken(seat, target, inBackground);
    return this.sessions.token(seat, target, inBackground);
  }

  private send(
    lane: DeviceConnection,
    request: JudgedRequest,
    limits: Limits,
    token: string,
    attempt: Attempt,
    gone: Gone,
  ): Exchange {
    const { method, path, writes } = request.intent;
    if (writes) request.fence?.();
    const headers = request.headers.concat('authorization', `Bearer ${token}`);
    const meter = request.body instanceof Readable ? this.metered(request.body, request) : null;
    const wire = { method, path: path.wire, headers, body: meter ?? request.body };
    const exchange = new Exchange(lane.client, wire, attempt, limits);
    attempt.exchange = exchange;
    if (meter) meter.exchange = exchange;
    if (gone.happened) exchange.abort();
    else gone.watch(() => exchange.abort());
    return exchange;
  }

  private metered(body: Readable, { mayEnd, inspect }: JudgedRequest): ByteCounter {
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

  /** Runs after the call, which neither waits for it nor fails with it. */
  private noteAnswer({ device, account, readAccount }: DeviceTarget): void {
    const now = this.clock.now();
    // One account may be refused while another one works.
    const failedLogins = (account?.failedLogins ?? 0) + (readAccount?.failedLogins ?? 0);
    const isRefused = device.state === 'credentials_refused' && failedLogins > 0;
    const isKnown = device.state === 'online' || isRefused;
    if (isKnown) this.devices.noteSeen(device, now);
    else void this.learn(device.id, { seenAt: now, state: 'online', stateReason: null });
  }

  private async noteTrouble(
    device: Readonly<Device>,
    request: JudgedRequest,
    attempt: Attempt,
    error: unknown,
  ): Promise<void> {
    if (isTrouble(error)) this.breakers.troubled(device, error as ExchangeError, request.intent);
    else this.breakers.left(device, request.intent);
    if (!(error instanceof ExchangeError)) return;
    if (attempt.exchange) this.observe(request.intent.method, error.fault, attempt.exchange.elapsedMs);
    const lesson = lessonOf(error, device.state);
    if (lesson) await this.learn(device.id, lesson);
  }

  private async learn(deviceId: string, facts: ObservedFacts): Promise<void> {
    try {
      await this.devices.learn(deviceId, facts);
    } catch (error) {
      if (error instanceof AppError && error.code === 'device_not_found') return; // the device was removed since
      this.log.warn({ deviceId, ...errorFields(error) }, 'The observations of a call could not be stored');
    }
  }
}

/** The delay before a retry, in milliseconds; null: no retry. */
function pauseAfter(
  error: unknown,
  { intent, body, limits }: JudgedRequest,
  attempt: Attempt,
  tries: number,
  startedAt: number,
): number | null {
  const pauseMs = REPEAT_AFTER_MS[tries];
  const isOver = intent.writes || body instanceof Readable || attempt.passedOn;
  if (isOver || pauseMs === undefined || !isWorthRepeating(error)) return null;
  if (performance.now() - startedAt + pauseMs >= limits.totalMs) return null;
  return pauseMs * (0.5 + Math.random());
}

/** How much of the answer the audit stores: all of a bulk answer, the refusal of another write, nothing of a read. */
function keptOf(intent: CallRequest): { bytes: number; always: boolean } {
  if (!intent.writes) return NOTHING;
  return intent.isBulk ? EVERYTHING : REFUSALS;
}

const NOTHING = { bytes: 0, always: false };
const REFUSALS = { bytes: MAX_REFUSAL_BYTES, always: false };
const EVERYTHING = { bytes: Number.POSITIVE_INFINITY, always: true };

/**
 * Waits for a login until the call's deadline or until its caller disconnects. The login continues for other waiters.
 * @throws AppError `device_timeout`; ExchangeError when `gone` happens; errors of the login
 */
async function waited(
  login: Promise<string>,
  limits: Limits,
  startedAt: number,
  timing: Timing,
  gone: Gone,
): Promise<string> {
  const from = performance.now();
  const allowedMs = Math.min(limits.firstByteMs, limits.totalMs);
  const left = new Promise<never>((_resolve, reject) => {
    const leave = () => reject(new ExchangeError('aborted'));
    if (gone.happened) leave();
    else gone.watch(leave);
  });
  try {
    return await within(Math.max(allowedMs - (from - startedAt), 1), Promise.race([login, left]), () => {
      throw new AppError('device_timeout', { phase: 'login', allowedMs: Math.round(allowedMs) });
    });
  } finally {
    gone.watch(null);
    timing.loginMs += performance.now() - from;
  }
}

function shortened(limits: Limits, spentMs: number): Limits {
  return {
    ...limits,
    firstByteMs: Math.max(limits.firstByteMs - spentMs, 1),
    totalMs: Math.max(limits.totalMs - spentMs, 1),
  };
}

function isDeadToken(device: Readonly<Device>, body: unknown): boolean {
  return errorsOf(body).some(({ code }) => DEAD_TOKEN[device.profile].has(code));
}
