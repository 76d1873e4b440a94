import { Inject, Injectable } from '@nestjs/common';
import { type AnswerHeaders, type Flow, NO_FLOW } from '../../device-api/exchange.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { AppError } from '../../platform/errors.js';
import { type AnswerNotes, type CallSink } from '../calls/call-context.js';
import { CallExecutor } from '../calls/call-executor.js';
import { type CancelSignal, Cancellation } from '../connections/cancellation.js';
import { type PassthroughRequest } from './passthrough-request.js';

/*
 * Shares equal simultaneous reads of one device: ten people at one page of a router cost it one login and one answer.
 * Equal means: same device, same path and query byte for byte, same Accept and Content-Type, no body. Each caller is
 * authorized for the read before; the answer is redacted for each caller without the right to secrets.
 *
 * A read after a write must not get an older answer, so a read that began before the end of a write is not shared with a
 * read after it.
 */

/** The buffer of all answers that arrive for several callers. */
const BUFFER_BYTES = 64 * 1024 * 1024;

/**
 * Empty lists that stay: a map whose entries come and go is rebuilt all the time
 * (docs/adr/0023-objects-on-the-path-of-a-call.md).
 */
const MAX_EMPTY_LISTS = 20_000;

/** A larger answer is not shared: the waiting callers make their own calls. */
const SHARED_MAX_BYTES = 1024 * 1024;

/** Memory that all shared answers together may use while they arrive. */
interface ByteBudget {
  bytesLeft: number;
}

/** A complete answer. */
interface CompleteAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly demand: AnswerNotes['demand'];
  readonly body: Buffer;
}

/** A caller that waits for the answer of another one's call; null: it is too large to be shared. */
interface Follower {
  readonly resolve: (answer: CompleteAnswer | null) => void;
  readonly reject: (error: AppError) => void;
}

/**
 * A read that several callers may wait for, as the sink of its call. Its first caller (the leader) gets the answer as it
 * arrives, the callers that joined (followers) when it is complete.
 */
class SharedRead extends Cancellation implements CallSink {
  private followers: Follower[] = [];
  private status = 0;
  private headers: AnswerHeaders = {};
  private demand: AnswerNotes['demand'] = null;
  /** The parts so far, for followers; null while they are not collected. */
  private chunks: Buffer[] | null = null;
  private bytes = 0;
  /** Set while the leader cannot take more. While the answer is collected for followers, its flow is not paused. */
  private heldBack: Flow | null = null;
  private isOpen = true;

  /** @param key what makes reads equal */
  constructor(
    readonly key: string,
    private leader: CallSink | null,
    caller: CancelSignal,
    private readonly budget: ByteBudget,
  ) {
    super();
    caller.onCancel(() => {
      this.leader = null;
      this.cancelIfAbandoned();
    });
    if (caller.isCancelled) this.cancel();
  }

  /** Whether callers may still join: until the leader gets bytes that are not collected. */
  get isJoinable(): boolean {
    return this.isOpen && !this.isCancelled;
  }

  /** Whether its first caller still waits for it. */
  get hasLeader(): boolean {
    return this.leader !== null;
  }

  /**
   * Waits for the answer as one more caller.
   * @returns null when it is too large to be shared: the caller needs a call of its own
   * @throws AppError as the call; `device_answer_cut` when the caller disconnects
   */
  follow(caller: CancelSignal): Promise<CompleteAnswer | null> {
    this.chunks ??= [];
    return new Promise((resolve, reject) => {
      const follower = { resolve, reject };
      this.followers.push(follower);
      const leave = () => {
        this.followers = this.followers.filter((one) => one !== follower);
        reject(disconnected());
        this.cancelIfAbandoned();
      };
      caller.onCancel(leave);
      if (caller.isCancelled) leave();
    });
  }

  head(status: number, headers: AnswerHeaders, flow: Flow, notes: AnswerNotes): void {
    this.status = status;
    this.headers = headers;
    this.demand = notes.demand;
    if (!this.chunks || Number(headers['content-length'] ?? 0) > SHARED_MAX_BYTES) this.stopSharing();
    this.leader?.head(status, headers, this.chunks ? this.unhindered(flow) : flow, notes);
  }

  /** A slow caller must not delay the others: a shared answer is small enough to be buffered. */
  private unhindered(flow: Flow): Flow {
    const pause = () => {
      this.heldBack = flow;
      if (!this.chunks) flow.pause();
    };
    const resume = () => {
      this.heldBack = null;
      flow.resume();
    };
    return { pause, resume };
  }

  data(chunk: Buffer): void {
    if (this.chunks) {
      this.bytes += chunk.length;
      this.budget.bytesLeft -= chunk.length;
      this.chunks.push(chunk);
      if (this.bytes > SHARED_MAX_BYTES || this.budget.bytesLeft < 0) this.stopSharing();
    }
    this.leader?.data(chunk);
  }

  /** The call is over. @param error why there is no answer */
  close(error: AppError | null): void {
    // A copy, because a chunk is a view of the connection's buffer.
    const body = this.chunks && Buffer.concat(this.chunks);
    this.dropChunks();
    for (const { resolve, reject } of this.takeFollowers()) {
      if (error) reject(error);
      else resolve(body && { status: this.status, headers: this.headers, demand: this.demand, body });
    }
  }

  private stopSharing(): void {
    this.dropChunks();
    this.heldBack?.pause();
    for (const { resolve } of this.takeFollowers()) resolve(null);
    this.cancelIfAbandoned();
  }

  private takeFollowers(): readonly Follower[] {
    return this.followers.splice(0);
  }

  private dropChunks(): void {
    if (this.chunks) this.budget.bytesLeft += this.bytes;
    this.chunks = null;
    this.isOpen = false;
  }

  private cancelIfAbandoned(): void {
    if (this.leader || this.followers.length > 0) return;
    this.dropChunks(); // no caller may join an abandoned read
    this.cancel();
  }
}

const disconnected = (): AppError => new AppError('device_answer_cut', { reason: 'the caller disconnected' });

@Injectable()
export class SharedReads {
  /** By device. */
  private readonly running = new Map<string, SharedRead[]>();
  private readonly budget: ByteBudget = { bytesLeft: BUFFER_BYTES };

  constructor(
    @Inject(CallExecutor) private readonly executor: CallExecutor,
    @Inject(DevicesService) devices: Pick<DevicesService, 'onChange'>,
  ) {
    executor.onWrite((deviceId) => this.drop(deviceId));
    devices.onChange((deviceId) => this.drop(deviceId));
  }

  /** Answers a read from an equal one that runs, or by a call. @throws AppError as the call */
  async read(request: PassthroughRequest): Promise<void> {
    const { accept, 'content-type': contentType } = request.request.headers;
    const key = `${accept ?? ''}\n${contentType ?? ''}\n${request.prepared.call.path.sentPath}`;
    const reads = this.readsOf(request.deviceId);
    const equal = reads.find((read) => read.key === key && read.isJoinable);
    if (equal) return this.follow(request, equal);
    const read = new SharedRead(key, request.sink, request, this.budget);
    reads.push(read);
    let failure: AppError | null = null;
    try {
      await this.executor.execute(request.deviceId, request.prepared, request.context, read, read);
    } catch (error) {
      failure = error as AppError;
      throw error;
    } finally {
      const index = reads.indexOf(read);
      if (index >= 0) reads.splice(index, 1);
      read.close(failure);
    }
    // The call went on for other callers.
    if (!read.hasLeader) throw disconnected();
  }

  private async follow(request: PassthroughRequest, running: SharedRead): Promise<void> {
    const { sink } = request;
    const since = performance.now();
    const answer = await running.follow(request).catch((error: unknown) => {
      markCollapsed(request);
      throw error;
    });
    if (!answer) return this.executor.execute(request.deviceId, request.prepared, request.context, sink, request);
    markCollapsed(request);
    const notes = { queueMs: 0, loginMs: 0, deviceMs: performance.now() - since, demand: answer.demand };
    sink.head(answer.status, answer.headers, NO_FLOW, notes);
    if (answer.body.length > 0) sink.data(answer.body);
  }

  private readsOf(deviceId: string): SharedRead[] {
    let reads = this.running.get(deviceId);
    if (reads) return reads;
    if (this.running.size >= MAX_EMPTY_LISTS) this.dropEmpty();
    this.running.set(deviceId, (reads = []));
    return reads;
  }

  /** Lets no caller join the running reads of a device: they may be outdated. */
  private drop(deviceId: string): void {
    this.running.get(deviceId)?.splice(0);
  }

  private dropEmpty(): void {
    for (const [deviceId, reads] of this.running) if (reads.length === 0) this.running.delete(deviceId);
  }
}

const markCollapsed = (request: PassthroughRequest): void =>
  request.addHeader('cache-status', 'fleetgate; fwd=miss; collapsed');

/** Whether the caller wants a call of its own (RFC 9111, section 5.2.1). */
export const wantsOwnCall = (cacheControl: string): boolean =>
  cacheControl.split(',').some((part) => OWN_CALL.has(part.trim().toLowerCase()));

const OWN_CALL: ReadonlySet<string> = new Set(['no-cache', 'no-store']);
