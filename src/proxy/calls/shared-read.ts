import { type AnswerHeaders, type Flow } from '../../device-api/http.js';
import { AppError } from '../../platform/errors.js';
import { type WholeAnswer } from './answer-cache.js';
import { type CallSink, type Timing } from '../connections/attempt.js';
import { Gone } from '../connections/gone.js';

/*
 * One running read of a device, with its first caller and the callers of the same read that joined. The first gets the
 * answer as it arrives. The others get it when it is complete, so nothing is stored of a read without followers. A
 * caller that arrives after such an answer has begun makes a separate call.
 */

/** A larger answer is not shared: the waiting callers make their own calls. */
const SHARED_MAX_BYTES = 1024 * 1024;

/** Memory of all reads for arriving answers. */
export interface Room {
  bytesLeft: number;
}

/** Access to running reads. */
export interface ReadDoor {
  close(read: SharedRead): void;
}

interface Follower {
  readonly resolve: (answer: WholeAnswer | null) => void;
  readonly reject: (error: unknown) => void;
}

export class SharedRead implements CallSink {
  /** Ends the call when no caller is left. */
  readonly gone = new Gone();
  /** Whether to cache the answer. */
  keep = false;
  /** Null until a caller joins, which is rare. */
  private followers: Set<Follower> | null = null;
  private leader: CallSink | null;
  private status = 0;
  private headers: AnswerHeaders = {};
  /** The received part; null when it is not stored. */
  private chunks: Buffer[] | null = null;
  private bytes = 0;

  /**
   * @param door where others join; closed when no one may join any more
   * @param askedAt clock time in milliseconds
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
   * @throws the call's error
   */
  join(gone: Gone): Promise<WholeAnswer | null> {
    return new Promise((resolve, reject) => {
      const follower: Follower = { resolve, reject };
      const followers = (this.followers ??= new Set());
      followers.add(follower);
      gone.watch(() => {
        followers.delete(follower);
        reject(new AppError('device_answer_cut', { reason: 'the caller disconnected' }));
        this.leave();
      });
    });
  }

  /** The first caller disconnected; the call continues for the others. */
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
    // A slow caller must not delay the others: a shared answer is small enough to be buffered.
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

  /** Completes the read. Returns the answer when it is to be cached. */
  complete(): WholeAnswer | null {
    this.leader = null;
    if (!this.chunks) return null;
    // A copy, even of a single chunk, which is a window on a buffer of the connection.
    const body = Buffer.concat(this.chunks);
    const answer: WholeAnswer = { status: this.status, headers: this.headers, body, askedAt: this.askedAt };
    this.forgetChunks();
    this.release((follower) => follower.resolve(answer));
    return this.keep ? answer : null;
  }

  /** Fails all waiting callers. */
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
    this.door.close(this); // no caller may join an abandoned read
    this.gone.happen();
  }
}
