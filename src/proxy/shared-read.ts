import { type AnswerHeaders, type Flow } from '../device-api/http.js';
import { AppError } from '../platform/errors.js';
import { type WholeAnswer } from './answer-cache.js';
import { type CallSink, type Timing } from './attempt.js';
import { Gone } from './gone.js';

/*
 * One read on its way to a device, with the one who asked first and those who asked for the same meanwhile. The first gets
 * the answer while it comes in. The others get it once it is whole, so nothing is kept of a read that nobody joined; who
 * comes when such an answer has already begun makes a call of their own.
 */

/** A larger answer is not shared: those who wait then make their own call. */
export const SHARED_MAX_BYTES = 1024 * 1024;

/** What all reads together may keep while answers come in. */
export interface Room {
  bytesLeft: number;
}

interface Follower {
  readonly resolve: (answer: WholeAnswer | null) => void;
  readonly reject: (error: unknown) => void;
}

export class SharedRead implements CallSink {
  /** Tells the call that nobody at all waits any more. */
  readonly gone = new Gone();
  /** Whether the answer is to be kept for later. */
  keep = false;
  private readonly followers = new Set<Follower>();
  private leader: CallSink | null;
  private status = 0;
  private headers: AnswerHeaders = {};
  /** What came in so far; null when it is not kept. */
  private chunks: Buffer[] | null = null;
  private bytes = 0;

  /**
   * @param close called when nobody may join any more
   * @param askedAt milliseconds of the clock
   */
  constructor(
    leader: CallSink,
    private readonly room: Room,
    private readonly close: () => void,
    private readonly askedAt: number,
  ) {
    this.leader = leader;
  }

  /**
   * Waits for the answer with the others.
   * @returns null when the answer is too large to be shared
   * @throws the error that the call ends with
   */
  join(gone: Gone): Promise<WholeAnswer | null> {
    return new Promise((resolve, reject) => {
      const follower: Follower = { resolve, reject };
      this.followers.add(follower);
      gone.watch(() => {
        this.followers.delete(follower);
        reject(new AppError('device_answer_cut', { reason: 'the caller is gone' }));
        this.leave();
      });
    });
  }

  /** The one who asked first is gone: the call goes on for the others. */
  leaderLeft(): void {
    this.leader = null;
    this.leave();
  }

  head(status: number, headers: AnswerHeaders, flow: Flow, timing: Timing): void {
    this.status = status;
    this.headers = headers;
    if (this.followers.size > 0 || this.keep) this.chunks = [];
    if (!this.chunks) this.close();
    else if (Number(headers['content-length'] ?? 0) > SHARED_MAX_BYTES) this.stopSharing();
    // One slow caller must not hold up the others: what is shared is small enough to be held for that caller.
    const pause = () => void (this.chunks ?? flow.pause());
    this.leader?.head(status, headers, { pause, resume: () => flow.resume() }, timing);
  }

  data(chunk: Buffer): void {
    if (this.chunks) {
      this.bytes += chunk.length;
      this.room.bytesLeft -= chunk.length;
      this.chunks.push(chunk);
      if (this.bytes > SHARED_MAX_BYTES || this.room.bytesLeft < 0) this.stopSharing();
    }
    this.leader?.data(chunk);
  }

  /** The answer is complete. Returns it when it is to be kept. */
  complete(): WholeAnswer | null {
    if (!this.chunks) return null;
    // A copy even of a single chunk: that is a window on a buffer of the connection.
    const body = Buffer.concat(this.chunks);
    const answer: WholeAnswer = { status: this.status, headers: this.headers, body, askedAt: this.askedAt };
    this.forgetChunks();
    for (const follower of this.followers) follower.resolve(answer);
    this.followers.clear();
    return this.keep ? answer : null;
  }

  /** The call came to nothing, for all who wait. */
  fail(error: unknown): void {
    this.forgetChunks();
    for (const follower of this.followers) follower.reject(error);
    this.followers.clear();
  }

  private stopSharing(): void {
    this.close();
    this.keep = false;
    this.forgetChunks();
    for (const follower of this.followers) follower.resolve(null);
    this.followers.clear();
    this.leave();
  }

  private forgetChunks(): void {
    if (this.chunks) this.room.bytesLeft += this.bytes;
    this.chunks = null;
  }

  private leave(): void {
    if (this.leader || this.followers.size > 0) return;
    this.close(); // nobody may join what is given up
    this.gone.happen();
  }
}
