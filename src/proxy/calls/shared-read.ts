import { type AnswerHeaders, type Flow } from '../../device-api/http.js';
import { AppError } from '../../platform/errors.js';
import { type WholeAnswer } from './answer-cache.js';
import { type CallSink, type Timing } from '../connections/attempt.js';
import { Gone } from '../connections/gone.js';

/*
 * One read on its way to a device, with the one who asked first and those who asked for the same meanwhile. The first gets
 * the answer while it comes in. The others get it once it is whole, so nothing is kept of a read that nobody joined; who
 * comes when such an answer has already begun makes a call of their own.
 */

/** A larger answer is not shared: those who wait then make their own call. */
const SHARED_MAX_BYTES = 1024 * 1024;

/** What all reads together may keep while answers come in. */
export interface Room {
  bytesLeft: number;
}

/** Lets callers in to the reads that are under way. */
export interface ReadDoor {
  close(read: SharedRead): void;
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
  /** Another read of the same device that is under way. */
  next: SharedRead | null = null;
  /** Null until somebody comes: hardly any read is ever joined. */
  private followers: Set<Follower> | null = null;
  private leader: CallSink | null;
  private status = 0;
  private headers: AnswerHeaders = {};
  /** What came in so far; null when it is not kept. */
  private chunks: Buffer[] | null = null;
  private bytes = 0;

  /**
   * @param door where others come in; it is closed when nobody may join any more
   * @param askedAt milliseconds of the clock
   */
  constructor(
    readonly deviceId: string,
    readonly key: string,
    leader: CallSink,
    private readonly room: Room,
    private readonly door: ReadDoor,
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
      const followers = (this.followers ??= new Set());
      followers.add(follower);
      gone.watch(() => {
        followers.delete(follower);
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
    if (this.hasFollowers || this.keep) {
      this.chunks = [];
      this.status = status;
      this.headers = headers;
    }
    if (!this.chunks) this.door.close(this);
    else if (Number(headers['content-length'] ?? 0) > SHARED_MAX_BYTES) this.stopSharing();
    // One slow caller must not hold up the others: what is shared is small enough to be held for that caller.
    const pause = () => void (this.chunks ?? flow.pause());
    const itsFlow = this.chunks ? { pause, resume: () => flow.resume() } : flow;
    this.leader?.head(status, headers, itsFlow, timing);
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
    this.leader = null;
    if (!this.chunks) return null;
    // A copy even of a single chunk: that is a window on a buffer of the connection.
    const body = Buffer.concat(this.chunks);
    const answer: WholeAnswer = { status: this.status, headers: this.headers, body, askedAt: this.askedAt };
    this.forgetChunks();
    this.release((follower) => follower.resolve(answer));
    return this.keep ? answer : null;
  }

  /** The call came to nothing, for all who wait. */
  fail(error: unknown): void {
    this.leader = null;
    this.forgetChunks();
    this.release((follower) => follower.reject(error));
  }

  private stopSharing(): void {
    this.door.close(this);
    this.keep = false;
    this.forgetChunks();
    this.release((follower) => follower.resolve(null));
    this.leave();
  }

  private get hasFollowers(): boolean {
    return this.followers !== null && this.followers.size > 0;
  }

  private release(tell: (follower: Follower) => void): void {
    this.followers?.forEach(tell);
    this.followers?.clear();
  }

  private forgetChunks(): void {
    if (this.chunks) this.room.bytesLeft += this.bytes;
    this.chunks = null;
  }

  private leave(): void {
    if (this.leader || this.hasFollowers) return;
    this.door.close(this); // nobody may join what is given up
    this.gone.happen();
  }
}
