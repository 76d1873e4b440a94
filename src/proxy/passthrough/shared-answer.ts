import { type AnswerHeaders, type Flow } from '../../device-api/exchange.js';
import { AppError } from '../../platform/errors.js';
import { type AnswerNotes, type CallSink } from '../calls/call-context.js';
import { type DeviceCall } from '../calls/device-call.js';

/*
 * The answer of a read for several callers, in the place of the sink of its first caller (the leader). The leader gets
 * the answer as it arrives, the callers that joined (followers) when it is complete.
 */

/** A larger answer is not shared: the waiting callers make their own calls. */
const SHARED_MAX_BYTES = 1024 * 1024;

/** Memory that all shared answers together may use while they arrive. */
export interface ByteBudget {
  bytesLeft: number;
}

/** A complete answer. */
export interface CompleteAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly demand: AnswerNotes['demand'];
  readonly body: Buffer;
}

/** A caller that waits for the answer of another one's call. */
export interface Follower {
  readonly sink: CallSink;
  /** The answer is complete. */
  take(answer: CompleteAnswer): void;
  /** The answer is too large to be shared: the caller needs a call of its own. */
  callAlone(): void;
  /** There is no answer. */
  fail(error: AppError): void;
}

export class SharedAnswer implements CallSink {
  private readonly followers = new Set<Follower>();
  private leader: CallSink | null;
  private status = 0;
  private headers: AnswerHeaders = {};
  private demand: AnswerNotes['demand'] = null;
  /** The parts so far; null once they are no longer collected. */
  private chunks: Buffer[] | null = [];
  private bytes = 0;
  /** Set while the leader cannot take more. While the answer is collected for followers, its flow is not paused. */
  private heldBack: Flow | null = null;

  constructor(
    private readonly call: DeviceCall,
    private readonly budget: ByteBudget,
  ) {
    this.leader = call.sink;
  }

  /** Whether callers may still join. */
  get isOpen(): boolean {
    return this.chunks !== null;
  }

  join(follower: Follower): void {
    this.followers.add(follower);
  }

  /** A caller disconnected; the call continues for the others. */
  leave(sink: CallSink): void {
    const left = new AppError('device_answer_cut', { reason: 'the caller disconnected' });
    if (this.leader === sink) this.takeLeader()!.fail(left);
    for (const follower of this.followers) {
      if (follower.sink !== sink) continue;
      this.followers.delete(follower);
      follower.fail(left);
    }
    this.cancelIfAbandoned();
  }

  head(status: number, headers: AnswerHeaders, flow: Flow, notes: AnswerNotes): void {
    this.status = status;
    this.headers = headers;
    this.demand = notes.demand;
    if (Number(headers['content-length'] ?? 0) > SHARED_MAX_BYTES) this.stopSharing();
    // A slow caller must not delay the others: a shared answer is small enough to be buffered.
    const pause = () => {
      this.heldBack = flow;
      if (!this.chunks) flow.pause();
    };
    const resume = () => {
      this.heldBack = null;
      flow.resume();
    };
    this.leader?.head(status, headers, { pause, resume }, notes);
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

  end(): void {
    if (this.chunks) {
      // A copy, because a chunk is a view of the connection's buffer.
      const body = Buffer.concat(this.chunks);
      const { status, headers, demand } = this;
      const answer: CompleteAnswer = { status, headers, demand, body };
      this.dropChunks();
      for (const follower of this.takeFollowers()) follower.take(answer);
    }
    this.takeLeader()?.end();
  }

  fail(error: AppError): void {
    this.dropChunks();
    for (const follower of this.takeFollowers()) follower.fail(error);
    this.takeLeader()?.fail(error);
  }

  private stopSharing(): void {
    this.dropChunks();
    this.heldBack?.pause();
    for (const follower of this.takeFollowers()) follower.callAlone();
    this.cancelIfAbandoned();
  }

  private takeLeader(): CallSink | null {
    const { leader } = this;
    this.leader = null;
    return leader;
  }

  private takeFollowers(): readonly Follower[] {
    const followers = [...this.followers];
    this.followers.clear();
    return followers;
  }

  private dropChunks(): void {
    if (this.chunks) this.budget.bytesLeft += this.bytes;
    this.chunks = null;
  }

  private cancelIfAbandoned(): void {
    if (this.leader || this.followers.size > 0) return;
    this.dropChunks(); // no caller may join an abandoned read
    this.call.cancel();
  }
}
