import { type AnswerHeaders, type Flow } from '../../device-api/exchange.js';
import { AppError } from '../../platform/errors.js';
import { type AnswerNotes, type CallSink } from '../calls/call-context.js';
import { type Cancellable, Cancellation } from '../connections/cancellation.js';

/*
 * A read that several callers may wait for, as the sink of its call. Its first caller (the leader) gets the answer as it
 * arrives, the callers that joined (followers) when it is complete.
 */

/** A larger answer is not shared: the waiting callers make their own calls. */
const SHARED_MAX_BYTES = 1024 * 1024;

/** Memory that all shared answers together may use while they arrive. */
export interface ByteBudget {
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

export class SharedRead extends Cancellation implements CallSink {
  private readonly followers = new Set<Follower>();
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
    caller: Cancellable,
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
  follow(caller: Cancellable): Promise<CompleteAnswer | null> {
    this.chunks ??= [];
    return new Promise((resolve, reject) => {
      const follower = { resolve, reject };
      this.followers.add(follower);
      const leave = () => {
        this.followers.delete(follower);
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
    // A slow caller must not delay the others: a shared answer is small enough to be buffered.
    const pause = () => {
      this.heldBack = flow;
      if (!this.chunks) flow.pause();
    };
    const resume = () => {
      this.heldBack = null;
      flow.resume();
    };
    this.leader?.head(status, headers, this.chunks ? { pause, resume } : flow, notes);
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
    const followers = [...this.followers];
    this.followers.clear();
    return followers;
  }

  private dropChunks(): void {
    if (this.chunks) this.budget.bytesLeft += this.bytes;
    this.chunks = null;
    this.isOpen = false;
  }

  private cancelIfAbandoned(): void {
    if (this.leader || this.followers.size > 0) return;
    this.dropChunks(); // no caller may join an abandoned read
    this.cancel();
  }
}

export const disconnected = (): AppError => new AppError('device_answer_cut', { reason: 'the caller disconnected' });
