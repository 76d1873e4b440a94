import { Readable } from 'node:stream';
import { ExchangeError } from '../../device-api/http.js';
import { passwordDemand } from '../../device-api/password-demand.js';
import { type Locks } from '../../auth/access/locks.service.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { type Observations } from '../../devices/registry/device-observations.js';
import { type DeviceWithAccounts } from '../../devices/registry/device.queries.js';
import { type DevicesService } from '../../devices/registry/devices.service.js';
import { countedAs } from '../../platform/actor.js';
import { type Clock } from '../../platform/clock.js';
import { type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { type Admission, type CallPermit } from '../admission/admission.js';
import { releaseBody } from '../connections/byte-counter.js';
import { type Cancellable } from '../connections/cancellation.js';
import { type CallRequest } from '../connections/call-request.js';
import { refusesToken, tokenVerdict } from '../connections/dead-token.js';
import {
  errorsOf,
  exchangeError,
  isDeviceFault,
  isRetryableFault,
  observationOf,
} from '../connections/device-errors.js';
import { type HeldAnswer } from '../connections/held-answer.js';
import { type ReachabilityWatch } from '../connections/reachability-watch.js';
import { type SlotKind, type Slots } from '../connections/slots.js';
import { type DeviceConnection, type Transport } from '../connections/transport.js';
import { type PooledSession, type SessionPool } from '../sessions/session-pool.js';
import { type Breakers } from './breakers.js';
import { type CallContext, type CallSink, type PreparedRequest } from './call-context.js';
import { refuseMarkers } from './marker-check.js';
import { refuseOwnAccounts } from './own-accounts.js';
import { PassedAnswer } from './passed-answer.js';
import { type Ending, type WriteRecord, type WriteRecords } from './write-record.js';

/*
 * One call on one device, from its checks to the last byte. It is undici's handler itself, so that a call is one object
 * and needs no promise. It calls its sink and never its caller. `PassedAnswer` is its part between head and end of an answer.
 *
 * | state     | waits for                                        | next                    | what may end it          |
 * |-----------|--------------------------------------------------|-------------------------|--------------------------|
 * | checks    | a permit (jobs), the device's row, the audit     | slot                    | `cancel`                 |
 * | slot      | a free slot of the device                        | session, sending, pause² | `cancel`, the queue      |
 * | session   | the token of a login                             | sending, pause          | `cancel`, the deadline   |
 * | sending   | the device; `onHead`, `onPart` pass the answer on | over, pause¹            | `cancel`, deadline, sink |
 * | pause     | the time before a retry, the device's row        | session, sending, over  | `cancel`                 |
 * | over      | nothing; the audit of a write is being closed    |                         |                          |
 *
 * ¹ Before a retry, or after a dead token; the call keeps its slot. ² When it waited longer than STALE_MS.
 * An error that is not retried leads from each state to `over`; session and sending pass through pause.
 *
 * Only this class retries a call; `device-login.ts` retries a login in its other form:
 * - A read is retried twice, with jitter, when the connection was refused or broke before its caller got the head.
 * - Any call is retried once after an answer that refuses the token: the device checks it before it executes anything.
 * - A read is also retried after other answers to a dead token, such as the page of a login; they are held back
 *   (`held-answer.ts`). Where the answer leaves it open, the device is asked. After such an answer to a write the next call logs in.
 * - A write is never retried for another reason.
 * - A streamed body is never sent twice: its session is checked before.
 */

/** Two retries of a read, after 50 to 150 ms and 150 to 450 ms: a stale connection, a restarting web server. */
const RETRY_AFTER_MS = [100, 300] as const;

/** A call that waited longer for its slot reads the device's row again. */
const STALE_MS = 250;

/** What the calls of a process share. `DeviceCalls` has it. */
export interface ProcessOfCalls {
  readonly slots: Slots;
  readonly devices: Pick<DevicesService, 'get' | 'getCached'>;
  readonly transport: Pick<Transport, 'acquireConnection' | 'isOpen' | 'release'>;
  readonly sessions: SessionPool;
  readonly breakers: Breakers;
  readonly admission: Admission;
  readonly records: WriteRecords;
  readonly reachability: Pick<ReachabilityWatch, 'mayBelieve'>;
  readonly locks: Pick<Locks, 'refuseWrites'>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly config: Pick<GatewayConfig, 'DEVICE_BODY_LIMIT_BYTES'>;
  /** @throws AppError when the call may not be made now, before anything is opened for it */
  requireCallable(device: Readonly<Device>, context: CallContext): void;
  listAccounts(deviceId: string, context: CallContext, inBackground: boolean): Promise<unknown>;
  /** Called when a write begins and when one that began has ended, with any result. */
  noteWrite(deviceId: string, call: CallRequest): void;
  measure(method: string, outcome: string, ms: number): void;
  recordSeen(registered: DeviceWithAccounts, demand?: string | null): void;
  storeObservations(deviceId: string, observations: Observations): Promise<void>;
  logSinkError(deviceId: string, thrown: unknown): void;
}

export class DeviceCall extends PassedAnswer implements Cancellable {
  isCancelled = false;
  /** By `performance.now()`. */
  readonly openedAt = performance.now();
  /** What makes reads equal, for those that may be shared. */
  shareKey: string | null = null;
  /** Told when the call is over, before its sink. */
  onOver: ((call: DeviceCall) => void) | null = null;
  private state: 'checks' | 'slot' | 'session' | 'sending' | 'pause' | 'over' = 'checks';
  private registered: DeviceWithAccounts | null = null;
  private permit: CallPermit | null = null;
  private record: WriteRecord | null = null;
  private hasSlot = false;
  private pooledSession: PooledSession | null = null;
  private token = '';
  private connection: DeviceConnection | null = null;
  private waitsSince = 0;
  private tries = 0;
  /** Why the last attempt failed: a cancelled call ends with it, since it says whether anything was sent. */
  private failure: unknown = null;
  /** Whether a failed attempt was counted as a check of the device. */
  private isCounted = false;
  /** An attempt of it got no answer: the call counts once for the breaker. */
  private wasUnanswered = false;
  /** What `cancel` calls while the call waits for something that has a queue. */
  private listener: (() => void) | null = null;
  private stopListening: (() => void) | undefined;

  /** @param sink gets the answer; it may change until the answer begins */
  constructor(
    private readonly services: ProcessOfCalls,
    readonly deviceId: string,
    request: PreparedRequest,
    private readonly context: CallContext,
    sink: CallSink,
  ) {
    super(request, sink);
  }

  get isOver(): boolean {
    return this.state === 'over';
  }

  /** Begins the call of an authorized caller. All that follows is told to the sink. */
  start(): void {
    const { signal } = this.context;
    if (!this.request.inBackground) this.services.admission.interactiveStarted(this.openedAt);
    if (signal) this.listenTo(signal);
    try {
      const waiting = this.admit();
      if (waiting) waiting.then(() => this.takeSlot()).catch((error: unknown) => this.end(error));
      else this.takeSlot();
    } catch (error) {
      this.end(error);
    }
  }

  /** Ends the call, since its caller no longer waits for the answer. */
  cancel(): void {
    if (this.isCancelled) return;
    this.isCancelled = true;
    if (this.state === 'sending') this.abort();
    else if (this.state === 'session') this.attemptFailed(new ExchangeError('aborted'));
    else if (this.state === 'pause') this.end(this.failure ?? new ExchangeError('aborted'));
    else this.listener?.();
  }

  onCancel(listener: (() => void) | null): void {
    this.listener = listener;
  }

  /** Checks that the call may be made. @returns a promise only when it must wait */
  private admit(): Promise<void> | undefined {
    const { request, context, services } = this;
    const known = context.job || request.call.writes ? undefined : services.devices.getCached(this.deviceId);
    if (!known) return this.admitLater();
    services.requireCallable(known.device, this.context);
    this.registered = known;
    return undefined;
  }

  private async admitLater(): Promise<void> {
    const { request, services, deviceId } = this;
    const { job, actor, operationId } = this.context;
    const { call, body } = request;
    if (job) {
      const hasConnection = job.hasConnection || services.transport.isOpen(deviceId);
      this.permit = await services.admission.acquire({ fromBatch: job.fromBatch, hasConnection }, this);
      await job.requireContinue?.();
    }
    this.registered = services.devices.getCached(deviceId) ?? (await services.devices.get(deviceId));
    services.requireCallable(this.registered.device, this.context);
    if (!call.writes) return;
    refuseMarkers(request);
    services.locks.refuseWrites();
    const listAccounts = () => services.listAccounts(deviceId, this.context, request.inBackground ?? false);
    if (!this.context.rotatesPassword) await refuseOwnAccounts(this.registered, request, listAccounts);
    services.breakers.check(this.registered.device, !request.inBackground); // no audit entry of what cannot be sent
    services.noteWrite(deviceId, call);
    const content = Buffer.isBuffer(body) ? body : null;
    this.record = await services.records.open(call, { deviceId, actor, jobId: job?.id, operationId, body: content });
  }

  private takeSlot(): void {
    if (this.isCancelled) return this.end(new ExchangeError('aborted'));
    const { slots } = this.services;
    const { deviceId, slotKind } = this;
    this.state = 'slot';
    const caller = countedAs(this.context.actor);
    if (slots.tryAcquire(deviceId, slotKind, caller)) return this.useSlot();
    this.services.breakers.check(this.registered!.device, !this.request.inBackground);
    this.waitsSince = performance.now();
    slots.acquire(deviceId, slotKind, caller, this).then(
      () => this.useSlot(),
      (error: unknown) => this.end(error),
    );
    return undefined;
  }

  private useSlot(): void {
    this.hasSlot = true;
    this.listener = null;
    this.startedAt = performance.now();
    if (this.waitsSince > 0) this.queueMs = this.startedAt - this.waitsSince;
    if (this.queueMs > STALE_MS) void this.attemptAgain();
    else this.attempt();
  }

  /** Makes an attempt with the device's present row. */
  private async attemptAgain(): Promise<void> {
    this.state = 'pause';
    try {
      this.registered = await this.services.devices.get(this.deviceId);
    } catch (error) {
      return this.end(error);
    }
    if (!this.isOver) this.attempt();
  }

  private attempt(): void {
    const { services, request } = this;
    const registered = this.registered!;
    this.sentAt = 0;
    this.forgetAnswer();
    try {
      if (this.isCancelled) throw new ExchangeError('aborted');
      services.breakers.enter(registered.device, !request.inBackground);
    } catch (error) {
      return this.end(error);
    }
    try {
      this.pooledSession = services.sessions.acquire(registered, !request.call.writes);
      const token = this.tokenOf(this.pooledSession, registered);
      if (typeof token === 'string') this.send(token);
      else this.waitForLogin(token);
    } catch (error) {
      this.attemptFailed(error);
    }
  }

  private tokenOf(pooledSession: PooledSession, registered: DeviceWithAccounts): string | Promise<string> {
    const { sessions } = this.services;
    const { body, inBackground } = this.request;
    // A body that can be sent only once needs a token that is known to be valid.
    if (body instanceof Readable) return sessions.provenToken(pooledSession, registered, inBackground);
    return sessions.token(pooledSession, registered, inBackground);
  }

  /** Waits for a login until the call's deadline or until it is cancelled. The login continues for other waiters. */
  private waitForLogin(login: Promise<string>): void {
    this.state = 'session';
    this.waitsSince = performance.now();
    this.watchTime(this.startedAt + this.loginWithinMs);
    login.then(
      (token) => {
        if (this.state !== 'session') return;
        this.loginMs += performance.now() - this.waitsSince;
        try {
          this.send(token);
        } catch (error) {
          this.attemptFailed(error);
        }
      },
      (error: unknown) => {
        if (this.state === 'session') this.attemptFailed(error);
      },
    );
  }

  override checkTime(now: number): void {
    if (this.state !== 'session') return super.checkTime(now);
    this.attemptFailed(new AppError('device_timeout', { phase: 'login', allowedMs: Math.round(this.loginWithinMs) }));
    return undefined;
  }

  private send(token: string): void {
    const { request } = this;
    const { body, call } = request;
    this.state = 'sending';
    this.token = token;
    this.connection = this.services.transport.acquireConnection(this.registered!.device);
    this.context.beforeSend?.(this.registered!.device);
    if (call.writes) request.beforeWrite?.();
    const headers = request.headers.concat('authorization', `Bearer ${token}`);
    const sent = body instanceof Readable ? this.counted(body, this.services.config.DEVICE_BODY_LIMIT_BYTES) : body;
    this.dispatch(this.connection.client, { method: call.method, path: call.path.sentPath, headers, body: sent });
    if (sent instanceof Readable) this.watchPace();
  }

  protected onAnswered(): void {
    const { services, request, status, token } = this;
    const registered = this.registered!;
    const pooledSession = this.pooledSession!;
    this.releaseConnection();
    services.measure(request.call.method, 'answered', this.elapsedMs);
    services.breakers.answered(registered.device);
    if (this.held?.mayBeRefusal()) return this.judgeToken(this.held);
    services.recordSeen(registered);
    if (this.held) this.passHeld(this.held);
    if (this.late?.mayBeRefusal() && tokenVerdict(registered.device.profile, status, this.late.json()) === 'dead') {
      services.sessions.markDead(pooledSession, token);
    }
    // Only what a device does for a known token proves that it knows it.
    if (status < 300 && this.provesToken) services.sessions.markUsed(pooledSession, token);
    this.end(null);
  }

  /** Decides by the complete answer whether the token is dead. */
  private judgeToken(held: HeldAnswer): void {
    const { services, status, token } = this;
    const { profile } = this.registered!.device;
    const body = held.json();
    const codes = errorsOf(body).map(({ code }) => code);
    this.demand = passwordDemand(status, codes);
    services.recordSeen(this.registered!, this.demand);
    const verdict = tokenVerdict(profile, status, body);
    // A write may have ended the session itself: a restart, a restore, another password.
    const mayBeDone = this.request.call.writes && !refusesToken(profile, status, body);
    if (verdict === 'unclear' && !mayBeDone)
      return void this.askForToken(held).catch((error: unknown) => this.end(error));
    const mayRepeat = verdict !== 'alive' && services.sessions.markDead(this.pooledSession!, token);
    if (mayRepeat && !mayBeDone) return this.renewSession();
    if (verdict === 'alive' && status < 300) services.sessions.markUsed(this.pooledSession!, token);
    this.passHeld(held);
    return this.end(null);
  }

  /** Of a read alone: an answer to this question does not prove that a write was not carried out. */
  private async askForToken(held: HeldAnswer): Promise<void> {
    const { services, token } = this;
    this.state = 'pause';
    const isAlive = await services.sessions.isAlive(this.registered!.device, token);
    if (this.isOver) return;
    if (!isAlive && services.sessions.markDead(this.pooledSession!, token)) return this.renewSession();
    this.passHeld(held);
    this.end(null);
  }

  private renewSession(): void {
    this.mayRenewSession = false;
    this.releaseSession();
    void this.attemptAgain();
  }

  protected onFailed(error: Error): void {
    this.attemptFailed(error);
  }

  private attemptFailed(error: unknown): void {
    if (this.isOver) return;
    this.endWatch();
    if (this.state === 'session') this.loginMs += performance.now() - this.waitsSince;
    this.state = 'pause';
    this.failure = error;
    this.releaseConnection();
    void this.retryOrEnd(error);
  }

  private async retryOrEnd(error: unknown): Promise<void> {
    const storing = this.recordFailure(error);
    if (storing) await storing;
    this.releaseSession();
    const pauseMs = this.pauseAfter(error);
    if (pauseMs === null || this.isCancelled) return this.end(error);
    await this.services.clock.sleep(pauseMs);
    if (!this.isOver) await this.attemptAgain();
  }

  /** @returns a promise when the failure shows something about the device that must be stored */
  private recordFailure(error: unknown): Promise<void> | null {
    const { services, request } = this;
    const { device } = this.registered!;
    if (isUnanswered(error)) {
      services.breakers.unanswered(device, this.wasUnanswered);
      this.wasUnanswered = true;
    } else if (isDeviceFault(error)) services.breakers.failed(device, error as ExchangeError);
    else services.breakers.abandoned(device);
    if (!(error instanceof ExchangeError)) return null;
    if (this.sentAt > 0) services.measure(request.call.method, error.fault, this.elapsedMs);
    const observation = observationOf(error, device);
    if (!observation) return null;
    // The attempts of one call are one check, and one that waited for its own process is none.
    const isKey = observation.state === 'trust_changed';
    if (!isKey && (this.isCounted || !services.reachability.mayBelieve(this.openedAt))) return null;
    this.isCounted = true;
    return services.storeObservations(device.id, observation);
  }

  /** The delay before a retry, in milliseconds; null: no retry. */
  private pauseAfter(error: unknown): number | null {
    const { call, body, limits } = this.request;
    const pauseMs = RETRY_AFTER_MS[this.tries++];
    const isFinal = call.writes || body instanceof Readable || this.passedOn;
    if (isFinal || pauseMs === undefined || !isRetryableFault(error)) return null;
    if (performance.now() - this.startedAt + pauseMs >= limits.totalMs) return null;
    return pauseMs * (0.5 + Math.random());
  }

  /** Ends the call: gives back what it holds, closes the audit of a write, and tells the sink. */
  private end(thrown: unknown): void {
    if (this.isOver) return;
    const { services, request, deviceId, record } = this;
    const { call, body } = request;
    this.state = 'over';
    this.listener = null;
    if (this.hasSlot) services.slots.release(deviceId, this.slotKind, countedAs(this.context.actor));
    this.releaseSession();
    this.stopListening?.();
    if (this.permit) services.admission.release(this.permit);
    if (body instanceof Readable) releaseBody(body);
    if (record) services.noteWrite(deviceId, call);
    this.onOver?.(this);
    const error = thrown === null ? null : exchangeError(thrown, call.changes);
    if (record) void services.records.close(record, this.ending(thrown, error)).then(() => this.tell(error));
    else this.tell(error);
  }

  /** A sink that throws fails its own call alone, and not the process. */
  private tell(error: AppError | null): void {
    try {
      if (error) this.sink.fail(error);
      else this.sink.end();
    } catch (thrown) {
      this.services.logSinkError(this.deviceId, thrown);
      if (!error) this.tell(new AppError('internal_error', {}, { cause: thrown }));
    }
  }

  private ending(thrown: unknown, error: AppError | null): Ending {
    if (error) return { kind: thrown instanceof ExchangeError && thrown.sent ? 'lost' : 'not-sent', error };
    const { audited } = this;
    const answer = { bytes: this.receivedBytes, sha256: audited!.sha256(), ms: Math.round(this.deviceMs) };
    return { kind: 'answered', status: this.status, body: audited!.json(), answer };
  }

  private releaseConnection(): void {
    if (this.connection) this.services.transport.release(this.connection);
    this.connection = null;
  }

  private releaseSession(): void {
    if (this.pooledSession) this.services.sessions.release(this.pooledSession);
    this.pooledSession = null;
  }

  private listenTo(signal: AbortSignal): void {
    if (signal.aborted) this.cancel();
    const onAbort = () => this.cancel();
    signal.addEventListener('abort', onAbort, { once: true });
    this.stopListening = () => signal.removeEventListener('abort', onAbort);
  }

  protected get isSending(): boolean {
    return this.state === 'sending';
  }

  protected get isHoldingUpOthers(): boolean {
    return this.services.slots.isWaitedFor(this.deviceId, this.slotKind);
  }

  private get slotKind(): SlotKind {
    return this.request.call.writes ? 'write' : 'read';
  }

  private get loginWithinMs(): number {
    return Math.min(this.limits.firstByteMs, this.limits.totalMs);
  }
}

/** Whether a call, or the login that it waited for, was sent and got no answer. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof ExchangeError
    ? error.sent && isDeviceFault(error)
    : error instanceof AppError && error.code === 'device_timeout';
