import { LRUCache } from 'lru-cache';
import { type SessionRef } from './shared-sessions.js';

/*
 * What processes share about sessions: the sessions themselves, sealed, and one lock for the logins of an account. Its
 * operations are atomic. A holder is one attempt to get a session.
 */

/** How long others wait for a holder that was killed during its login. */
export const LOCK_MS = 5_000;

/** A waiter looks again after this time, in case its wake-up was lost. */
export const POLL_MS = 1_000;

/** A process that stops waits so long for the others: requests there may take eight seconds more. */
const LEAVE_WITHIN_MS = 12_000;

const LOGIN_COUNTS_MAX = 200_000;
const SESSIONS_MAX = 200_000;

export interface SealedSession {
  /** A keyed digest of its token. */
  readonly id: string;
  readonly sealed: Buffer;
}

/** `again`: another holder logged in, or the time to look again has come. */
export type TakenSession = SealedSession | 'locked' | 'again';

/** An operation gives null where the board cannot be reached. */
export interface SessionBoard {
  /** A session unless it is the unwanted one; or the lock for this holder; or, after a wait for the lock, the advice to ask again. */
  take(ref: SessionRef, holder: string, unwantedId: string): Promise<TakenSession | null>;
  renew(ref: SessionRef, holder: string): Promise<unknown>;
  /** Stores a session and gives the lock back. @returns false: another holder has the lock, nothing is stored */
  store(ref: SessionRef, holder: string, session: SealedSession, livesMs: number): Promise<boolean | null>;
  release(ref: SessionRef, holder: string): Promise<unknown>;
  find(ref: SessionRef): Promise<Buffer | null>;
  /** Stores a later end of the session with this id. */
  prolong(ref: SessionRef, session: SealedSession, livesMs: number): Promise<unknown>;
  /** Removes the session with this id. */
  forget(ref: SessionRef, id: string): Promise<unknown>;
  countLogin(accountId: string, day: string): Promise<unknown>;
  loginsOn(accountId: string, day: string): Promise<number | null>;
  /** A process stops. @returns whether its sessions end with it: no other process uses them */
  leave(process: string): Promise<boolean>;
}

interface Lock {
  readonly holder: string;
  until: number;
  readonly waiting: (() => void)[];
}

/** The board of the processes of one machine, in their parent. The holders of a process begin with its id. */
export class SessionTable implements SessionBoard {
  private readonly sessions = new LRUCache<string, SealedSession>({
    maxSize: SESSIONS_MAX,
    sizeCalculation: () => 1,
    ttl: 1, // each has its own
  });
  private readonly locks = new Map<string, Lock>();
  private readonly logins = new LRUCache<string, { day: string; count: number }>({
    maxSize: LOGIN_COUNTS_MAX,
    sizeCalculation: () => 1,
  });
  /** The processes that stop, and how they learn that the others do, too. */
  private readonly leaving = new Map<string, () => void>();

  /**
   * @param alive the ids of the processes
   * @param isStopping whether all of them stop
   */
  constructor(
    private readonly alive: () => readonly string[],
    private readonly isStopping: () => boolean,
  ) {}

  async take(ref: SessionRef, holder: string, unwantedId: string): Promise<TakenSession> {
    const session = this.sessions.get(sessionKey(ref));
    if (session && session.id !== unwantedId) return session;
    const lock = this.locks.get(lockKey(ref));
    const leftMs = lock ? lock.until - performance.now() : 0;
    if (lock && leftMs > 0) {
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, Math.min(leftMs, POLL_MS));
        lock.waiting.push(() => {
          clearTimeout(late);
          resolve();
        });
      });
      return 'again';
    }
    this.locks.set(lockKey(ref), { holder, until: performance.now() + LOCK_MS, waiting: lock?.waiting ?? [] });
    return 'locked';
  }

  async renew(ref: SessionRef, holder: string): Promise<void> {
    const lock = this.locks.get(lockKey(ref));
    if (lock?.holder === holder) lock.until = performance.now() + LOCK_MS;
  }

  async store(ref: SessionRef, holder: string, session: SealedSession, livesMs: number): Promise<boolean> {
    if (this.locks.get(lockKey(ref))?.holder !== holder) return false;
    this.keep(ref, session, livesMs);
    this.unlock(lockKey(ref));
    return true;
  }

  async release(ref: SessionRef, holder: string): Promise<void> {
    if (this.locks.get(lockKey(ref))?.holder === holder) this.unlock(lockKey(ref));
  }

  async find(ref: SessionRef): Promise<Buffer | null> {
    return this.sessions.get(sessionKey(ref))?.sealed ?? null;
  }

  async prolong(ref: SessionRef, session: SealedSession, livesMs: number): Promise<void> {
    if (this.sessions.get(sessionKey(ref))?.id === session.id) this.keep(ref, session, livesMs);
  }

  async forget(ref: SessionRef, id: string): Promise<void> {
    if (this.sessions.get(sessionKey(ref))?.id === id) this.sessions.delete(sessionKey(ref));
  }

  async countLogin(accountId: string, day: string): Promise<void> {
    this.logins.set(accountId, { day, count: (await this.loginsOn(accountId, day)) + 1 });
  }

  async loginsOn(accountId: string, day: string): Promise<number> {
    const known = this.logins.get(accountId);
    return known?.day === day ? known.count : 0;
  }

  /** Waits until all processes stop: until then calls of the others may use the sessions. One that stops alone leaves them. */
  leave(process: string): Promise<boolean> {
    if (!this.isStopping()) return Promise.resolve(false);
    return new Promise((resolve) => {
      const late = setTimeout(() => resolve(false), LEAVE_WITHIN_MS);
      this.leaving.set(process, () => {
        clearTimeout(late);
        resolve(true);
      });
      this.letLeave();
    });
  }

  /** A process has ended, in order or not: its logins are no more. */
  ended(process: string): void {
    this.leaving.delete(process);
    for (const [key, lock] of this.locks) if (lock.holder.startsWith(process)) this.unlock(key);
    this.letLeave();
  }

  /** A copy: what came over the channel is a view of all that was read with it. */
  private keep(ref: SessionRef, { id, sealed }: SealedSession, livesMs: number): void {
    this.sessions.set(sessionKey(ref), { id, sealed: Buffer.from(sealed) }, { ttl: livesMs });
  }

  private letLeave(): void {
    if (this.alive().every((id) => this.leaving.has(id))) for (const leave of this.leaving.values()) leave();
  }

  private unlock(key: string): void {
    const { waiting } = this.locks.get(key)!;
    this.locks.delete(key);
    for (const wake of waiting) wake();
  }
}

const sessionKey = ({ deviceId, accountId, index }: SessionRef) => `${deviceId}:${accountId}:${index}`;
const lockKey = ({ deviceId, accountId }: SessionRef) => `${deviceId}:${accountId}`;
