import { type ValidSession } from '../../device-api/session.js';

/*
 * Where sessions are kept that more than the calls of one process share. Memory is asked first by the pool, always: a
 * store hears of a device only when its process has no session that lives.
 */

/** One of the sessions that the gateway may hold with an account of a device. */
export interface SessionPlace {
  readonly deviceId: string;
  readonly accountId: string;
  /** From 0; below the number of sessions that the device allows. */
  readonly index: number;
}

/** What the pool wants of a store when it has no session. */
export interface SessionWish {
  /** Whether a session that another replica left does. */
  accepts(session: ValidSession): boolean;
  /** Makes one. Called for one place of an account at a time, so that a wrong password fails once, not often at once. */
  login(): Promise<ValidSession>;
  /** Ends one that was made in vain: another replica was taken for dead too early, or we were. */
  discard(session: ValidSession): void;
}

/** No method but `obtain` fails, and that one only as `login` does. */
export abstract class SessionStore {
  /** Whether others can see these sessions: then they outlive this process. */
  abstract readonly isShared: boolean;
  /** The session of a place: one that is there and is accepted, or the one that a single replica makes. */
  abstract obtain(place: SessionPlace, wish: SessionWish): Promise<ValidSession>;
  /** What others know of a place; null where memory is all there is. */
  abstract find(place: SessionPlace): Promise<ValidSession | null>;
  /** Use has moved the end of a token. */
  abstract prolong(place: SessionPlace, session: ValidSession): Promise<void>;
  /** A token is dead or ended: nobody shall find it any more. Another token in its place stays. */
  abstract forget(place: SessionPlace, token: string): Promise<void>;
  /** One more login with an account on a day (UTC), and how many there were. */
  abstract countLogin(accountId: string, day: string): Promise<void>;
  abstract loginsOn(accountId: string, day: string): Promise<number>;
  /** This replica goes. @returns whether it was the last one, which leaves no session behind */
  abstract leave(): Promise<boolean>;
  /** Lets go of connections, after the last session was ended. */
  abstract close(): Promise<void>;
}

/** One process: its memory is the pool's, so nothing is found here; only logins with one account take turns. */
export class MemorySessionStore extends SessionStore {
  readonly isShared = false;
  private readonly turns = new Map<string, Promise<void>>();
  private readonly logins = new Map<string, { day: string; count: number }>();

  async obtain({ accountId }: SessionPlace, wish: Pick<SessionWish, 'login'>): Promise<ValidSession> {
    const before = this.turns.get(accountId);
    const login = before ? before.then(() => wish.login()) : wish.login();
    const over = login.then(
      () => undefined,
      () => undefined,
    );
    this.turns.set(accountId, over);
    try {
      return await login;
    } finally {
      if (this.turns.get(accountId) === over) this.turns.delete(accountId);
    }
  }

  async find(): Promise<null> {
    return null;
  }

  async prolong(): Promise<void> {}

  async forget(): Promise<void> {}

  async countLogin(accountId: string, day: string): Promise<void> {
    this.logins.set(accountId, { day, count: (await this.loginsOn(accountId, day)) + 1 });
  }

  async loginsOn(accountId: string, day: string): Promise<number> {
    const known = this.logins.get(accountId);
    return known?.day === day ? known.count : 0;
  }

  async leave(): Promise<boolean> {
    return true;
  }

  async close(): Promise<void> {}
}
