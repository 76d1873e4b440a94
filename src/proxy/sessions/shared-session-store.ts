import { randomUUID } from 'node:crypto';
import { type Logger } from 'pino';
import { type ValidSession } from '../../device-api/session.js';
import { type Clock } from '../../platform/clock.js';
import { type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { type ParentProcess } from '../../processes/parent-process.js';
import { type Secrets } from '../../secrets/secrets.js';
import { RedisSessionBoard } from './redis-session-board.js';
import { type SealedSession, type SessionBoard } from './session-board.js';
import { MemorySessionStore, SessionStore, type SessionRef, type SessionCallbacks } from './shared-sessions.js';

/*
 * Sessions shared by processes, on a board: in Redis, or in the parent of the processes of one machine. A session is stored
 * sealed. A process that logs in holds the lock of the account:
 *
 *   find it --there--> adopt it
 *      | no
 *   lock the account --held by another--> wait to be woken, at most a second or until the lock ends; try again
 *      | ours
 *   log in, renewing the lock --> store the session and give the lock back, both only if we still hold it
 *
 * A holder that was killed delays the others until its lock ends. One that was only slow has lost its lock; it ends its
 * session and adopts the other one. Where the board cannot be reached, each process works alone.
 */

const RENEW_MS = 1_500;

/** Longer than the slowest login: two forms, and a queue before them. */
const WAIT_MS = 120_000;

interface SharedSessionsSetup {
  readonly board: SessionBoard;
  /** Closes the connection to the board. */
  close?(): void;
  /** The id of this process on the board. */
  readonly process: string;
  readonly secrets: Pick<Secrets, 'seal' | 'open' | 'fingerprint'>;
  /** Milliseconds since 1970. */
  now(): number;
}

export class SharedSessionStore extends SessionStore {
  readonly isShared = true;
  private readonly local = new MemorySessionStore();
  private readonly board: SessionBoard;

  constructor(private readonly setup: SharedSessionsSetup) {
    super();
    this.board = setup.board;
  }

  obtain(ref: SessionRef, callbacks: SessionCallbacks): Promise<ValidSession> {
    return this.local.obtain(ref, { login: () => this.joinOrLogIn(ref, callbacks) });
  }

  async find(ref: SessionRef): Promise<ValidSession | null> {
    const sealed = await this.board.find(ref);
    return sealed ? this.opened(ref, sealed) : null;
  }

  async prolong(ref: SessionRef, session: ValidSession): Promise<void> {
    await this.board.prolong(ref, this.sealed(ref, session), this.livesMs(session));
  }

  async forget(ref: SessionRef, token: string): Promise<void> {
    await this.board.forget(ref, this.idOf(token));
  }

  async countLogin(accountId: string, day: string): Promise<void> {
    await this.local.countLogin(accountId, day);
    await this.board.countLogin(accountId, day);
  }

  async loginsOn(accountId: string, day: string): Promise<number> {
    const ours = await this.local.loginsOn(accountId, day);
    return Math.max(ours, (await this.board.loginsOn(accountId, day)) ?? 0);
  }

  leave(): Promise<boolean> {
    return this.board.leave(this.setup.process);
  }

  async close(): Promise<void> {
    this.setup.close?.();
  }

  /** Adopts a session, waits or logs in, until there is a session. */
  private async joinOrLogIn(ref: SessionRef, callbacks: SessionCallbacks): Promise<ValidSession> {
    const holder = `${this.setup.process}:${randomUUID()}`;
    const giveUpAt = performance.now() + WAIT_MS;
    let unwantedId = '';
    while (performance.now() < giveUpAt) {
      const taken = await this.board.take(ref, holder, unwantedId);
      if (taken === null) return callbacks.login(); // the board cannot be reached
      if (taken === 'locked') {
        const session = await this.logIn(ref, holder, callbacks);
        if (session) return session;
      } else if (taken !== 'again') {
        const session = this.opened(ref, taken.sealed);
        if (session && callbacks.accepts(session)) return session;
        unwantedId = taken.id;
      }
    }
    throw new AppError('device_login_failed', { reason: 'another replica did not finish its login' });
  }

  /** @returns null when the lock was lost: the new session is ended, and another process has made one */
  private async logIn(ref: SessionRef, holder: string, callbacks: SessionCallbacks): Promise<ValidSession | null> {
    const { board } = this;
    const renewal = setInterval(() => void board.renew(ref, holder), RENEW_MS);
    try {
      const session = await callbacks.login();
      const isStored = await board.store(ref, holder, this.sealed(ref, session), this.livesMs(session));
      if (isStored !== false) return session;
      callbacks.discard(session);
      return null;
    } catch (error) {
      await board.release(ref, holder);
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  private sealed(ref: SessionRef, session: ValidSession): SealedSession {
    const sealed = this.setup.secrets.seal(JSON.stringify(session), secretLocation(ref));
    return { id: this.idOf(session.token), sealed };
  }

  /** @returns null for an unreadable session: sealed with another key, or altered */
  private opened(ref: SessionRef, sealed: Buffer): ValidSession | null {
    try {
      return JSON.parse(this.setup.secrets.open(sealed, secretLocation(ref))) as ValidSession;
    } catch {
      return null;
    }
  }

  /** A keyed digest distinguishes tokens without revealing them. */
  private idOf(token: string): string {
    return this.setup.secrets.fingerprint(token);
  }

  private livesMs(session: ValidSession): number {
    return Math.max(Math.ceil(session.endsAt - this.setup.now()), 1);
  }
}

/** What the sealed bytes are bound to. There is no such table: the board has them under the keys of the session. */
const secretLocation = ({ deviceId, accountId }: SessionRef) => ({
  table: 'session',
  column: 'token',
  rowId: `${deviceId}:${accountId}`,
});

/** The sessions of this process alone, or those of the machine, or those of all replicas of a Redis. */
export async function openSessionStore(
  config: Pick<GatewayConfig, 'REDIS_URL' | 'REDIS_PREFIX'>,
  parent: ParentProcess | null,
  secrets: Secrets,
  clock: Clock,
  log: Logger,
): Promise<SessionStore> {
  const now = () => clock.now().getTime();
  if (config.REDIS_URL) {
    const replica = randomUUID();
    const board = new RedisSessionBoard({ url: config.REDIS_URL, prefix: config.REDIS_PREFIX, replica, log });
    await board.open();
    return new SharedSessionStore({ board, close: () => board.close(), process: replica, secrets, now });
  }
  if (!parent) return new MemorySessionStore();
  const board = parent.peer.remote('sessions') as SessionBoard;
  return new SharedSessionStore({ board, process: parent.task.id, secrets, now });
}
