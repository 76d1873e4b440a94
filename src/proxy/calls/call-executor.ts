import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { PATHS } from '../../device-api/contract.js';
import { ExchangeError } from '../../device-api/http.js';
import { passwordDemand } from '../../device-api/password-demand.js';
import { Locks } from '../../auth/access/locks.service.js';
import { addressOf } from '../../devices/registry/device-addresses.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { type DeviceWithAccounts } from '../../devices/registry/device.queries.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { countedAs } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { Permits } from '../../processes/permits.js';
import { Metrics } from '../../platform/metrics.js';
import { Redactor } from '../../secrets/redactor.js';
import { withTimeout } from '../../platform/with-timeout.js';
import { Admission, type CallPermit } from '../admission/admission.js';
import { releaseBody } from '../connections/byte-counter.js';
import { type CancelSignal, unlessCancelled } from '../connections/cancellation.js';
import { type CallRequest } from '../connections/call-request.js';
import { Collector, envelopeIn } from '../connections/collector.js';
import { refusesToken, tokenVerdict } from '../connections/dead-token.js';
import { errorsOf, exchangeError, isRetryableFault } from '../connections/device-errors.js';
import { type HeldAnswer } from '../connections/held-answer.js';
import { MAX_WAIT_MS, type SlotKind, Slots } from '../connections/slots.js';
import { Transport } from '../connections/transport.js';
import { type PooledSession, SessionPool } from '../sessions/session-pool.js';
import { DeviceBreakers } from './device-breakers.js';
import { type CallContext, type CallSink, type PreparedRequest } from './call-context.js';
import { RunningCall } from './running-call.js';
import { DeviceHealth, type FailedAttempts } from './device-health.js';
import { refuseMarkers } from './marker-check.js';
import { refuseOwnAccounts } from './own-accounts.js';
import { prepareRequest } from './prepared-request.js';
import { type Ending, type WriteRecord, WriteRecords } from './write-record.js';

/*
 * A call on a device, from its checks to the last byte of its answer:
 *
 *   execute   permit (jobs), device, checks of a write and its audit; at the end all is given back, and the audit closed
 *   takeSlot  a slot of the device
 *   attempts  breaker; retries
 *   attempt   session, connection, the exchange, and whether the answer shows a dead token
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

/** What an attempt was made with. */
interface Attempt {
  readonly registered: DeviceWithAccounts;
  readonly session: PooledSession;
  readonly token: string;
}

@Injectable()
export class CallExecutor {
  readonly slots = new Slots();
  private isClosing = false;
  private readonly writeListeners: ((deviceId: string, call: CallRequest) => void)[] = [];

  constructor(
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'get' | 'getCached'>,
    @Inject(Transport) private readonly transport: Transport,
    @Inject(SessionPool) private readonly sessions: SessionPool,
    @Inject(DeviceBreakers) private readonly breakers: DeviceBreakers,
    @Inject(DeviceHealth) private readonly health: DeviceHealth,
    @Inject(Admission) private readonly admission: Admission,
    @Inject(WriteRecords) private readonly records: WriteRecords,
    @Inject(Locks) private readonly locks: Pick<Locks, 'refuseDevice' | 'refuseWrites'>,
    @Inject(Redactor) private readonly redactor: Pick<Redactor, 'redacted'>,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(Clock) private readonly clock: Pick<Clock, 'sleep'>,
    @Inject(Permits) private readonly permits: Pick<Permits, 'isShared' | 'wait'>,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'DEVICE_BODY_LIMIT_BYTES'>,
  ) {}

  /**
   * Makes the call of an authorized request; `sink` gets the answer, a refusal included.
   * @returns settles when the answer is complete, and the audit of a write closed
   * @throws AppError as `DeviceCalls.call`, but `device_refused` only for the list of accounts that a write needs
   */
  async execute(
    deviceId: string,
    request: PreparedRequest,
    context: CallContext,
    sink: CallSink,
    cancellation: CancelSignal,
  ): Promise<void> {
    const { call, body, inBackground } = request;
    const made = new RunningCall(
      deviceId,
      request,
      context,
      sink,
      this.isWaitedFor,
      this.config.DEVICE_BODY_LIMIT_BYTES,
    );
    let permit: CallPermit | null = null;
    let record: WriteRecord | null = null;
    let hasSlot = false;
    let giveTurn: (() => void) | null = null;
    let thrown: unknown = null;
    try {
      if (!inBackground) this.admission.interactiveStarted(made.openedAt);
      if (context.job) permit = await this.admit(context.job, deviceId, cancellation);
      const registered = context.unlocked ?? this.devices.getCached(deviceId) ?? (await this.devices.get(deviceId));
      this.requireCallable(registered.device, context);
      if (call.writes) record = await this.openWrite(made, registered, cancellation);
      const turn = this.takeSlot(made, registered, cancellation);
      if (turn) await turn;
      hasSlot = true;
      if (call.writes && this.permits.isShared) giveTurn = await this.awaitWrite(made, cancellation);
      made.startClock();
      await this.attempts(made, registered, cancellation);
    } catch (error) {
      thrown = error;
      throw exchangeError(error, call.changes);
    } finally {
      giveTurn?.();
      if (hasSlot) this.slots.release(deviceId, slotKindOf(call), countedAs(context.actor));
      if (permit) this.admission.release(permit);
      if (body instanceof Readable) releaseBody(body);
      if (record) await this.closeWrite(made, record, thrown);
    }
  }

  /** Refuses new calls; running ones continue. */
  close(): void {
    this.isClosing = true;
  }

  /** Calls `listener` when a write to a device begins and again when it has ended, with any result. */
  onWrite(listener: (deviceId: string, call: CallRequest) => void): void {
    this.writeListeners.push(listener);
  }

  private async admit(
    { isBulk, hasConnection, requireContinue }: NonNullable<CallContext['job']>,
    deviceId: string,
    cancellation: CancelSignal,
  ): Promise<CallPermit> {
    const isOpen = hasConnection || this.transport.isOpen(deviceId);
    const permit = await this.admission.acquire({ isBulk, hasConnection: isOpen }, cancellation);
    try {
      await requireContinue?.();
      return permit;
    } catch (error) {
      this.admission.release(permit);
      throw error;
    }
  }

  private requireCallable(device: Readonly<Device>, { unlocked }: CallContext): void {
    if (this.isClosing) throw new AppError('shutting_down');
    if (!unlocked) this.locks.refuseDevice(device);
    if (device.state === 'trust_changed') {
      throw new AppError('device_trust_changed', { pinned: device.trustPin, offered: device.offeredPin });
    }
  }

  /** The checks of a write, and its audit entry: from then on it may be sent. */
  private async openWrite(
    { deviceId, request, context }: RunningCall,
    registered: DeviceWithAccounts,
    cancellation: CancelSignal,
  ): Promise<WriteRecord> {
    const { call, body } = request;
    refuseMarkers(request);
    this.locks.refuseWrites();
    const listAccounts = () => this.listAccounts(deviceId, context, request, cancellation);
    if (!context.rotatesPassword) await refuseOwnAccounts(registered, request, listAccounts);
    this.breakers.check(registered.device, !request.inBackground); // no audit entry of what cannot be sent
    this.noteWrite(deviceId, call);
    return this.records.open(call, {
      deviceId,
      actor: context.actor,
      jobId: context.job?.id,
      operationId: context.operationId,
      body: Buffer.isBuffer(body) ? body : null,
    });
  }

  private async closeWrite(made: RunningCall, record: WriteRecord, thrown: unknown): Promise<void> {
    this.noteWrite(made.deviceId, record.call);
    await this.records.close(record, endingOf(made, thrown));
  }

  private noteWrite(deviceId: string, call: CallRequest): void {
    for (const listener of this.writeListeners) listener(deviceId, call);
  }

  /** The accounts of a device, for a write that may change them. */
  private async listAccounts(
    deviceId: string,
    { actor }: CallContext,
    { inBackground }: PreparedRequest,
    cancellation: CancelSignal,
  ): Promise<unknown> {
    const answer = new Collector();
    const context = { actor, inBackground: inBackground ?? false };
    const request = prepareRequest({ method: 'GET', path: PATHS.users }, context);
    await this.execute(deviceId, request, context, answer, cancellation);
    return envelopeIn(answer, this.redactor).body;
  }

  /** @returns the wait for the slot; undefined: the call has it */
  private takeSlot(
    made: RunningCall,
    { device }: DeviceWithAccounts,
    cancellation: CancelSignal,
  ): Promise<void> | undefined {
    const { deviceId, request, context } = made;
    if (cancellation.isCancelled) throw new ExchangeError('aborted');
    const kind = slotKindOf(request.call);
    const caller = countedAs(context.actor);
    if (this.slots.tryAcquire(deviceId, kind, caller)) return undefined;
    this.breakers.check(device, !request.inBackground);
    const since = performance.now();
    return this.slots.acquire(deviceId, kind, caller, cancellation).then(() => {
      cancellation.onCancel(null);
      made.queueMs = performance.now() - since;
    });
  }

  /** Waits while another process of this machine writes to the device. @returns gives the turn back @throws as `Slots.acquire` */
  private async awaitWrite(made: RunningCall, cancellation: CancelSignal): Promise<() => void> {
    const since = performance.now();
    const isOver = () => cancellation.isCancelled;
    const give = await this.permits.wait(`write:${made.deviceId}`, 1, MAX_WAIT_MS - made.queueMs, isOver);
    if (!give)
      throw isOver() ? new ExchangeError('aborted') : new AppError('device_queue_full', { waitedMs: MAX_WAIT_MS });
    made.queueMs += performance.now() - since;
    return give;
  }

  private readonly isWaitedFor = ({ deviceId, request }: RunningCall): boolean =>
    this.slots.isWaitedFor(deviceId, slotKindOf(request.call));

  /** Makes attempts until one is final. */
  private async attempts(made: RunningCall, found: DeviceWithAccounts, cancellation: CancelSignal): Promise<void> {
    const { deviceId, request } = made;
    let registered = made.queueMs > STALE_MS ? await this.devices.get(deviceId) : found;
    let failed: FailedAttempts | null = null;
    for (;;) {
      if (cancellation.isCancelled) throw new ExchangeError('aborted');
      made.reset();
      this.breakers.enter(registered.device, !request.inBackground);
      try {
        if (await this.attempt(made, registered, cancellation)) return;
      } catch (error) {
        failed ??= { count: 0, isCounted: false, wasUnanswered: false };
        if (made.wasSent && error instanceof ExchangeError) this.measure(made, error.fault);
        // A cancelled call ends with this error, since it says whether anything was sent.
        const unlessOver = (work: Promise<void>) =>
          unlessCancelled(cancellation, work).catch(() => {
            throw error;
          });
        await unlessOver(this.health.failed(registered.device, error, failed, made.openedAt));
        const pauseMs = pauseAfter(error, made, failed.count++);
        if (pauseMs === null || cancellation.isCancelled) throw error;
        await unlessOver(this.clock.sleep(pauseMs));
      }
      const now = await this.devices.get(deviceId);
      if (addressOf(now.device) !== addressOf(registered.device))
        throw new AppError('device_unreachable', { reason: 'its address changed during the call' });
      registered = now;
    }
  }

  /** @returns whether the call is over; false: its token was dead, and it may be made again */
  private async attempt(
    made: RunningCall,
    registered: DeviceWithAccounts,
    cancellation: CancelSignal,
  ): Promise<boolean> {
    const { request, context } = made;
    const { device } = registered;
    const session = this.sessions.acquire(registered, !request.call.writes);
    try {
      const { login } = session;
      const found = this.tokenOf(session, registered, request);
      if (session.login !== login) context.onLogin?.(session);
      const token = typeof found === 'string' ? found : await this.awaitLogin(found, made, cancellation);
      if (cancellation.isCancelled) throw new ExchangeError('aborted');
      const connection = this.transport.acquireConnection(device);
      try {
        context.beforeSend?.(device);
        if (request.call.writes) request.beforeWrite?.();
        cancellation.onCancel(() => made.abort());
        await made.sendWith(token, connection.client);
      } finally {
        cancellation.onCancel(null);
        this.transport.release(connection);
      }
      this.measure(made, 'answered');
      this.breakers.answered(device);
      if (made.held?.mayBeRefusal())
        return await this.judgeToken(made, made.held, { registered, session, token }, cancellation);
      this.health.seen(registered);
      made.passHeld();
      if (made.late?.mayBeRefusal() && tokenVerdict(device.profile, made.status, made.late.json()) === 'dead')
        this.sessions.markDead(session, token);
      // Only what a device does for a known token proves that it knows it.
      if (made.status < 300 && made.provesToken) this.sessions.markUsed(session, token);
      return true;
    } finally {
      this.sessions.release(session);
    }
  }

  private tokenOf(
    session: PooledSession,
    registered: DeviceWithAccounts,
    { body, inBackground }: PreparedRequest,
  ): string | Promise<string> {
    // A body that can be sent only once needs a token that is known to be valid.
    if (body instanceof Readable) return this.sessions.provenToken(session, registered, inBackground);
    return this.sessions.token(session, registered, inBackground);
  }

  /** Waits for a login until the call's deadline or until it is cancelled. The login continues for other waiters. */
  private async awaitLogin(login: Promise<string>, made: RunningCall, cancellation: CancelSignal): Promise<string> {
    const { firstByteMs, totalMs } = made.request.limits;
    const allowedMs = Math.round(Math.min(firstByteMs, totalMs));
    const since = performance.now();
    try {
      return await withTimeout(made.loginUntil - since, unlessCancelled(cancellation, login), () => {
        throw new AppError('device_timeout', { phase: 'login', allowedMs });
      });
    } finally {
      made.loginMs += performance.now() - since;
    }
  }

  /** Decides by the complete answer whether the token is dead. @returns as `attempt` */
  private async judgeToken(
    made: RunningCall,
    held: HeldAnswer,
    { registered, session, token }: Attempt,
    cancellation: CancelSignal,
  ): Promise<boolean> {
    const { status, request } = made;
    const { device } = registered;
    const body = held.json();
    const codes = errorsOf(body).map(({ code }) => code);
    made.demand = passwordDemand(status, codes);
    this.health.seen(registered, made.demand);
    const verdict = tokenVerdict(device.profile, status, body);
    // A write may have ended the session itself: a restart, a restore, another password.
    const mayBeDone = request.call.writes && !refusesToken(device.profile, status, body);
    // A read alone asks: an answer to the question does not prove that a write was not carried out.
    const isAlive =
      verdict === 'unclear' && !mayBeDone
        ? await unlessCancelled(cancellation, this.sessions.isAlive(device, token))
        : verdict === 'alive';
    const mayRepeat = !isAlive && this.sessions.markDead(session, token);
    if (mayRepeat && !mayBeDone) {
      made.mayRenewSession = false;
      return false;
    }
    if (verdict === 'alive' && status < 300) this.sessions.markUsed(session, token);
    made.passHeld();
    return true;
  }

  private measure({ request, elapsedMs }: RunningCall, outcome: string): void {
    this.metrics.deviceCalls.observe({ method: request.call.method, outcome }, elapsedMs / 1000);
  }
}

const slotKindOf = ({ writes }: CallRequest): SlotKind => (writes ? 'write' : 'read');

/** The delay before a retry, in milliseconds; null: no retry. */
function pauseAfter(error: unknown, made: RunningCall, tries: number): number | null {
  const { call, body } = made.request;
  const pauseMs = RETRY_AFTER_MS[tries];
  const isFinal = call.writes || body instanceof Readable || made.passedOn;
  if (isFinal || pauseMs === undefined || !isRetryableFault(error) || !made.hasTimeAfter(pauseMs)) return null;
  return pauseMs * (0.5 + Math.random());
}

/** How a write ended, for its audit. */
function endingOf(made: RunningCall, thrown: unknown): Ending {
  const { request, audited, receivedBytes, deviceMs, status } = made;
  if (thrown !== null) {
    const wasSent = thrown instanceof ExchangeError ? thrown.sent : made.wasSent;
    const kind = wasSent ? 'lost' : 'not-sent';
    return { kind, error: exchangeError(thrown, request.call.changes) };
  }
  const answer = { bytes: receivedBytes, sha256: audited!.sha256(), ms: Math.round(deviceMs) };
  return { kind: 'answered', status, body: audited!.json(), answer };
}
