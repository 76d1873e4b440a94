import { Readable } from 'node:stream';
import { AnswerHandler, type AnswerHeaders } from '../../device-api/exchange.js';
import { type DeviceClient, ExchangeError } from '../../device-api/http.js';
import { AppError } from '../../platform/errors.js';
import { AuditedAnswer } from '../connections/audited-answer.js';
import { ByteCounter, passBody } from '../connections/byte-counter.js';
import { CallerPace, PACE_CHECK_MS } from '../connections/caller-pace.js';
import { tokenDoubt } from '../connections/dead-token.js';
import { HeldAnswer } from '../connections/held-answer.js';
import { type AnswerNotes, type CallContext, type CallSink, type PreparedRequest } from './call-context.js';
import { markerInspection } from './marker-check.js';

/*
 * One call: what is asked, its timing, the answer of the device on its way to the sink, and a streamed body on its way to the
 * device. An answer that may be one to a dead token is held back, the audit of a write reads along, and a caller that neither
 * sends nor reads ends its call when others wait. `CallExecutor` decides when a request is sent, and what follows its answer.
 */

/** Bytes of a refusal that the audit reads. */
const MAX_REFUSAL_BYTES = 16 * 1024;

export class RunningCall extends AnswerHandler implements AnswerNotes {
  /** By `performance.now()`. */
  readonly openedAt = performance.now();
  queueMs = 0;
  loginMs = 0;
  deviceMs = 0;
  demand: string | null = null;
  /** Whether the sink has received the head: then no retry is possible. */
  passedOn = false;
  /** Whether a dead token allows another attempt: a streamed body is never sent twice. */
  mayRenewSession: boolean;
  /** An answer that the sink gets only if the call is not made again. */
  held: HeldAnswer | null = null;
  /** An answer that was held for too long: passed on, and judged when it is complete. */
  late: HeldAnswer | null = null;
  /** Whether a complete answer shows that the device knows the token. */
  provesToken = true;
  audited: AuditedAnswer | null = null;
  /** Of a call with a streamed body, or with an answer that its caller was once too slow for. */
  private pace: CallerPace | null = null;
  private counter: ByteCounter | null = null;
  private isHeldBack = false;

  /**
   * @param isWaitedFor whether other calls wait for its slot
   * @param maxBodyBytes largest streamed body
   */
  constructor(
    readonly deviceId: string,
    readonly request: PreparedRequest,
    readonly context: CallContext,
    private readonly sink: CallSink,
    private readonly isWaitedFor: (call: RunningCall) => boolean,
    private readonly maxBodyBytes: number,
  ) {
    super(request.limits);
    this.mayRenewSession = !(request.body instanceof Readable);
  }

  /** Its deadlines count from now on. @returns now */
  startClock(): number {
    return (this.startedAt = performance.now());
  }

  /** When a login must be there. */
  get loginUntil(): number {
    return this.startedAt + Math.min(this.limits.firstByteMs, this.limits.totalMs);
  }

  /** Whether there is time for another attempt after a pause. */
  hasTimeAfter(pauseMs: number): boolean {
    return performance.now() - this.startedAt + pauseMs < this.limits.totalMs;
  }

  /** Whether the present attempt was sent. */
  get wasSent(): boolean {
    return this.sentAt > 0;
  }

  /** Before an attempt. */
  reset(): void {
    this.sentAt = 0;
    this.held = null;
    this.late = null;
    this.provesToken = true;
    this.demand = null;
    this.audited = null;
  }

  /** Sends the request with a token. @returns settles when the answer is complete, or with an ExchangeError */
  sendWith(token: string, client: DeviceClient): Promise<void> {
    const { call, body } = this.request;
    const headers = this.request.headers.concat('authorization', `Bearer ${token}`);
    const sent = body instanceof Readable ? this.counted(body) : body;
    const over = this.send(client, { method: call.method, path: call.path.sentPath, headers, body: sent });
    if (sent instanceof Readable) this.watchPace();
    return over;
  }

  override checkTime(now: number): void {
    super.checkTime(now);
    this.checkHeld(now);
    this.checkPace(now);
  }

  override pause(): void {
    this.isHeldBack = true;
    this.watchPace();
    super.pause();
  }

  override resume(): void {
    this.isHeldBack = false;
    super.resume();
  }

  private watchPace(): void {
    const now = performance.now();
    this.pace ??= new CallerPace(now, this.limits.bytesPerSecond);
    this.dueAt = Math.min(this.dueAt, now + PACE_CHECK_MS);
  }

  /** Ends the call when its caller is too slow for those that wait for the slot. */
  private checkPace(now: number): void {
    const { pace, isHeldBack } = this;
    if (!pace || !this.isSending) return;
    const waits = isHeldBack || (this.counter?.isStarving ?? false);
    const isBehind = pace.isBehind(now, this.receivedBytes + this.sentBytes, waits);
    if (isBehind && this.isWaitedFor(this)) {
      const reason = `the caller ${isHeldBack ? 'does not read it' : 'stopped'} while other calls wait for the device`;
      const cause = new AppError(isHeldBack ? 'device_answer_cut' : 'request_too_slow', { reason });
      this.abort(new ExchangeError('aborted', {}, { cause }));
    } else this.dueAt = Math.min(this.dueAt, now + PACE_CHECK_MS);
  }

  /** The body as it is sent: counted, and searched for redaction markers. */
  private counted(body: Readable): ByteCounter {
    const { call, mayEnd } = this.request;
    const counter = new ByteCounter(this, this.maxBodyBytes, mayEnd, markerInspection(call));
    this.counter = counter;
    passBody(body, counter);
    return counter;
  }

  protected onHead(status: number, headers: AnswerHeaders): void {
    const doubt = tokenDoubt(status, headers);
    if (doubt === 'page') this.provesToken = false;
    if (this.request.call.writes) this.audited = new AuditedAnswer(this.auditedBytes);
    if (doubt === 'none' || !this.mayRenewSession) return this.passHead(headers);
    this.held = new HeldAnswer(status, headers, doubt, this.sentAt + this.headMs);
    this.dueAt = Math.min(this.dueAt, this.held.until);
  }

  protected onPart(chunk: Buffer): void {
    this.audited?.add(chunk);
    if (this.held) {
      if (!this.held.add(chunk)) this.passHeld();
      return;
    }
    if (this.late?.add(chunk) === false) this.late = null;
    this.sink.data(chunk);
  }

  /** Passes on what is there of an answer when its rest is long in coming. */
  private checkHeld(now: number): void {
    const { held } = this;
    if (!held || !this.isSending) return;
    this.dueAt = Math.min(this.dueAt, held.until);
    if (now < held.until) return;
    this.provesToken = false;
    this.late = held;
    try {
      this.passHeld();
    } catch (error) {
      this.abort(error as Error);
    }
  }

  private passHead(headers: AnswerHeaders): void {
    this.passedOn = true;
    this.deviceMs = this.headMs;
    this.sink.head(this.status, headers, this, this);
  }

  /** Passes on what was held back. */
  passHeld(): void {
    const { held } = this;
    if (!held) return;
    this.held = null;
    this.passHead(held.headers);
    for (const part of held.parts) this.sink.data(part);
  }

  /** The most bytes that the audit reads of an answer: all of a bulk answer, the refusal of another write. */
  private get auditedBytes(): number {
    if (this.request.call.isBulkRequest) return Infinity;
    return this.status >= 400 ? MAX_REFUSAL_BYTES : 0;
  }
}
