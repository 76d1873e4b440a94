import { type ValidSession } from '../../device-api/session.js';

/*
 * Store of sessions that calls of several processes share. The pool always uses its memory first, and asks the store for
 * a session only when this process has no valid one.
 */

/** One of the sessions that the gateway may hold with an account of a device. */
export interface SessionRef {
  readonly deviceId: string;
  readonly accountId: string;
  /** From 0; less than the number of sessions that the device allows. */
  readonly index: number;
}

/** The pool's request to the store when it has no session. */
export interface SessionCallbacks {
  /** Whether a session of another replica is acceptable. */
  accepts(session: ValidSession): boolean;
  /** Makes one. It is called for one pooled session at a time, so that a wrong password fails once. */
  login(): Promise<ValidSession>;
  /** Ends a session too many: two replicas logged in, because one was taken for dead. */
  discard(session: ValidSession): void;
}

/** Only `obtain` can fail, and only as `login` does. */
export abstract class SessionStore {
  /** Whether other replicas can see these sessions: then they outlive this process. */
  abstract readonly isShared: boolean;
  /** The session for a `PooledSession`: an existing one that is accepted, or one that a single replica makes. */
  abstract obtain(ref: SessionRef, callbacks: SessionCallbacks): Promise<ValidSession>;
  /** The session of other replicas; null when there is only memory. */
  abstract find(ref: SessionRef): Promise<ValidSession | null>;
  /** Stores the later end of a used token. */
  abstract prolong(ref: SessionRef, session: ValidSession): Promise<void>;
  /** Removes a dead or ended token; another token in its place stays. */
  abstract forget(ref: SessionRef, token: string): Promise<void>;
  /** Counts a login with an account on a day (UTC), and how many there were. */
  abstract countLogin(accountId: string, day: string): Promise<void>;
  abstract loginsOn(accountId: string, day: string): Promise<number>;
  /** Signs this replica off. @returns whether it was the last one, which leaves no session behind */
  abstract leave(): Promise<boolean>;
  /** Closes connections after the last session was ended. */
  abstract close(): Promise<void>;
}

/** One process: the pool has all sessions, so nothing is found here; only logins with one account take turns. */
export class MemorySessionStore extends SessionStore {
  readonly isShared = false;
  /** By account: the login after which the next one starts. */
  private readonly lastLogins = new Map<string, Promise<void>>();
  private readonly logins = new Map<string, { day: string; count: number }>();

  async obtain({ accountId }: SessionRef, callbacks: Pick<SessionCallbacks, 'login'>): Promise<ValidSession> {
    const before = this.lastLogins.get(accountId);
    const login = before ? before.then(() => callbacks.login()) : callbacks.login();
    const over = login.then(
      () => undefined,
      () => undefined,
    );
    this.lastLogins.set(accountId, over);
    try {
      return await login;
    } finally {
      if (this.lastLogins.get(accountId) === over) this.lastLogins.delete(accountId);
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
