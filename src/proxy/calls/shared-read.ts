import { type AnswerHeaders, type Flow } from '../../device-api/http.js';
import { AppError } from '../../platform/errors.js';
import { type CompleteAnswer } from './answer-cache.js';
import { type CallSink, type Timing } from '../connections/attempt.js';
import { Cancellation } from '../connections/cancellation.js';

/*
 * One running read of a device: its first caller (the leader) and the callers that joined (followers). The leader gets
 * the answer as it arrives, the followers when it is complete. Nothing is stored of a read without followers; a caller
 * that arrives after the answer has begun makes a separate call.
 */

/** A larger answer is not shared: the waiting callers make their own calls. */
const SHARED_MAX_BYTES = 1024 * 1024;

/** Memory that all reads together may use for arriving answers. */
export interface ByteBudget {
  bytesLeft: number;
}

/** The running reads that callers can join. */
export interface ReadRegistry {
  close(read: SharedRead): void;
}

interface Follower {
  readonly resolve: (answer: CompleteAnswer | null) => void;
  readonly reject: (error: unknown) => void;
}

export class SharedRead implements CallSink {
  /** Ends the call when no caller is left. */
  readonly cancellation = new Cancellation();
  /** Whether to cache the answer. */
  isCacheable = false;
  /** Null until a caller joins, which is rare. */
  private followers: Set<Follower> | null = null;
  private leader: CallSink | null;
  private status = 0;
  private headers: AnswerHeaders = {};
  /** The received part; null when it is not stored. */
  private chunks: Buffer[] | null = null;
  private bytes = 0;

  /**
   * @param registry where other callers find this read until it is closed
   * @param startedAt clock time in milliseconds
   */
  constructor(
    readonly deviceId: string,
    readonly key: string,
    leader: CallSink,
    private readonly budget: ByteBudget,
    private readonly registry: ReadRegistry,
    private readonly startedAt: number,
  ) {
    this.leader = leader;
  }

  /**
   * Waits for the answer with the others.
   * @returns null when the answer is too large to be shared
   * @throws the call's error
   */
  join(cancellation: Cancellation): Promise<CompleteAnswer | null> {
    return new Promise((resolve, reject) => {
      const follower: Follower = { resolve, reject };
      const followers = (this.followers ??= new Set());
      followers.add(follower);
      cancellation.onCancel(() => {
        followers.delete(follower);
        reject(new AppError('device_answer_cut', { reason: 'the caller disconnected' }));
        this.cancelIfAbandoned();
      });
    });
  }

  /** The first caller disconnected; the call continues for the others. */
  leaderLeft(): void {
    this.leader = null;
    this.cancelIfAbandoned();
  }

  head(status: number, headers: AnswerHeaders, flow: Flow, timing: Timing): void {
    if (this.hasFollowers || this.isCacheable) {
      this.chunks = [];
      this.status = status;
      this.headers = headers;
    }
    if (!this.chunks) this.registry.close(this);
    else if (Number(headers['content-length'] ?? 0) > SHARED_MAX_BYTES) this.stopSharing();
    // A slow caller must not delay the others: a shared answer is small enough to be buffered.
    const pause = () => void (this.chunks ?? flow.pause());
    const leaderFlow = this.chunks ? { pause, resume: () => flow.resume() } : flow;
    this.leader?.head(status, headers, leaderFlow, timing);
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

  /** Completes the read. Returns the answer when it is to be cached. */
  complete(): CompleteAnswer | null {
    this.leader = null;
    if (!this.chunks) return null;
    // A copy, because a chunk is a view of the connection's buffer.
    const body = Buffer.concat(this.chunks);
    const answer: CompleteAnswer = { status: this.status, headers: this.headers, body, startedAt: this.startedAt };
    this.dropChunks();
    this.settleFollowers((follower) => follower.resolve(answer));
    return this.isCacheable ? answer : null;
  }

  /** Fails all waiting callers. */
  fail(error: unknown): void {
    this.leader = null;
    this.dropChunks();
    this.settleFollowers((follower) => follower.reject(error));
  }

  private stopSharing(): void {
    this.registry.close(this);
    this.isCacheable = false;
    this.dropChunks();
    this.settleFollowers((follower) => follower.resolve(null));
    this.cancelIfAbandoned();
  }

  private get hasFollowers(): boolean {
    return this.followers !== null && this.followers.size > 0;
  }

  private settleFollowers(settle: (follower: Follower) => void): void {
    this.followers?.forEach(settle);
    this.followers?.clear();
  }

  private dropChunks(): void {
    if (this.chunks) this.budget.bytesLeft += this.bytes;
    this.chunks = null;
  }

  private cancelIfAbandoned(): void {
    if (this.leader || this.hasFollowers) return;
    this.registry.close(this); // no caller may join an abandoned read
    this.cancellation.cancel();
  }
}
