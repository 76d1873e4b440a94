import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { type Logger } from 'pino';
import { type ValidSession } from '../../device-api/session.js';
import { type Clock } from '../../platform/clock.js';
import { type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { OptionalRedis } from '../../database/optional-redis.js';
import { refuseMode } from '../../database/redis-connection.js';
import { withTimeout } from '../../platform/with-timeout.js';
import { type Secrets } from '../../secrets/secrets.js';
import { openSessionRedis, type SessionKeys, type SessionRedis } from './session-scripts.js';
import { MemorySessionStore, SessionStore, type SessionRef, type SessionCallbacks } from './shared-sessions.js';

/*
 * Sessions shared by all replicas, in Redis. A session is stored sealed, and expires there with its end. A replica that
 * logs in holds the lock of the account:
 *
 *   find it --there--> adopt it
 *      | no
 *   SET lock holder NX PX 5000 --held by another--> wait to be woken, at most a second or until its lock ends; try again
 *      | ours
 *   log in, renewing the lock --> store the session and delete the lock, both only if we still hold it
 *
 * A holder that was killed delays the others until its lock ends. One that was only slow has lost its lock; it ends its
 * session and adopts the other one. While Redis is unavailable each replica works alone: a device may have more than one
 * session for a while, and no caller gets an error.
 */

/** How long other replicas wait for one that was killed during its login. */
const LOCK_MS = 5_000;
const RENEW_MS = 1_500;

/** A waiter polls at this interval, in case its wake-up was lost. */
const POLL_MS = 1_000;

/** Longer than the slowest login: two forms, and a queue before them. */
const WAIT_MS = 120_000;

const COMMAND_MS = 5_000;

/** A connection whose packets vanish is opened anew after this time; without it, the system gives up after a quarter of an hour. */
const SILENT_MS = 15_000;
const RECONNECT_MS = 2_000;

/** Each replica reports at this interval; one without a report for three intervals no longer counts. */
const ALIVE_EVERY_MS = 10_000;

const LOGINS_KEPT_S = 2 * 86_400;

interface RedisSessionsSetup {
  readonly url: string;
  /** The prefix of every key, in braces, so that a cluster stores all keys in one hash slot. */
  readonly prefix: string;
  readonly secrets: Pick<Secrets, 'seal' | 'open' | 'fingerprint'>;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  now(): number;
}

export class RedisSessionStore extends SessionStore {
  readonly isShared = true;
  private readonly redis: SessionRedis;
  private readonly listener: Redis;
  private readonly local = new MemorySessionStore();
  private readonly replica = randomUUID();
  /** Waiters for the end of a login: the key of the lock, and the function that wakes the waiter. */
  private readonly releases = new Map<string, () => void>();
  private readonly channel: string;
  private alive: NodeJS.Timeout | undefined;
  private readonly optional: OptionalRedis;

  constructor(private readonly setup: RedisSessionsSetup) {
    super();
    this.channel = this.key('session-turns'); // replicas of an earlier version use this name, too
    const retryStrategy = (times: number) => Math.min(times * 200, RECONNECT_MS);
    this.redis = openSessionRedis(setup.url, {
      enableOfflineQueue: false,
      commandTimeout: COMMAND_MS,
      socketTimeout: SILENT_MS,
      maxRetriesPerRequest: 0,
      lazyConnect: true,
      retryStrategy,
    });
    this.optional = new OptionalRedis(this.redis, setup.log, {
      away: 'Redis is unavailable: this replica does not share its sessions',
      back: 'Sessions are shared through Redis again',
    });
    this.listener = new Redis(setup.url, { lazyConnect: true, maxRetriesPerRequest: null, retryStrategy });
    this.listener.on('error', () => undefined);
    this.listener.on('message', (_channel: string, key: string) => this.releases.get(key)?.());
  }

  /** Tries to connect: an unavailable Redis is used when it is back. @throws Error with advice for one that never can be */
  async open(): Promise<void> {
    await this.optional.ask(() => this.redis.connect());
    if (!this.optional.isAway) await this.refuseMode();
    const listening = this.listener.subscribe(this.channel).catch(() => undefined);
    if (!this.optional.isAway) await listening;
    await this.sayAlive();
    this.alive = setInterval(() => void this.sayAlive(), ALIVE_EVERY_MS).unref();
  }

  private async refuseMode(): Promise<void> {
    try {
      await refuseMode(this.redis);
    } catch (error) {
      this.redis.disconnect();
      this.listener.disconnect();
      throw error;
    }
  }

  obtain(ref: SessionRef, callbacks: SessionCallbacks): Promise<ValidSession> {
    return this.local.obtain(ref, { login: () => this.share(ref, callbacks) });
  }

  async find(ref: SessionRef): Promise<ValidSession | null> {
    const sealed = await this.optional.ask(() => this.redis.hgetBuffer(this.keys(ref)[0], 'sealed'));
    return sealed ? this.opened(ref, sealed) : null;
  }

  async prolong(ref: SessionRef, session: ValidSession): Promise<void> {
    const [id, sealed] = [this.idOf(session.token), this.sealed(ref, session)];
    await this.optional.ask(() => this.redis.prolongSession(...this.keys(ref), id, sealed, this.livesMs(session)));
  }

  async forget(ref: SessionRef, token: string): Promise<void> {
    await this.optional.ask(() => this.redis.forgetSession(...this.keys(ref), this.idOf(token)));
  }

  async countLogin(accountId: string, day: string): Promise<void> {
    await this.local.countLogin(accountId, day);
    await this.optional.ask(() => this.redis.countLogin(this.loginsKey(accountId, day), LOGINS_KEPT_S));
  }

  async loginsOn(accountId: string, day: string): Promise<number> {
    const ours = await this.local.loginsOn(accountId, day);
    const all = await this.optional.ask(() => this.redis.get(this.loginsKey(accountId, day)));
    return Math.max(ours, Number(all ?? 0));
  }

  async leave(): Promise<boolean> {
    clearInterval(this.alive);
    // The connection keeps the order: all that was asked before is done with this.
    const others = await this.optional.ask(() =>
      this.redis.removeReplica(this.replicasKey, this.replica, 3 * ALIVE_EVERY_MS),
    );
    return others === 0;
  }

  async close(): Promise<void> {
    clearInterval(this.alive);
    this.redis.disconnect();
    this.listener.disconnect();
  }

  private async share(ref: SessionRef, callbacks: SessionCallbacks): Promise<ValidSession> {
    try {
      return await this.joinOrLogIn(ref, callbacks);
    } finally {
      this.releases.delete(this.keys(ref)[1]);
    }
  }

  /** Adopts a session, waits or logs in, until there is a session. */
  private async joinOrLogIn(ref: SessionRef, callbacks: SessionCallbacks): Promise<ValidSession> {
    const holder = randomUUID();
    const giveUpAt = performance.now() + WAIT_MS;
    let unwanted = '';
    while (performance.now() < giveUpAt) {
      const release = this.watchRelease(ref); // before the request, so that no release is missed between the answer and the wait
      const unwantedId = unwanted;
      const taken = await this.optional.ask(() =>
        this.redis.takeSessionBuffer(...this.keys(ref), holder, LOCK_MS, unwantedId),
      );
      if (!taken) return callbacks.login(); // Redis does not answer
      switch (String(taken[0])) {
        case 'session': {
          const session = this.opened(ref, taken[2]!);
          if (session && callbacks.accepts(session)) return session;
          unwanted = String(taken[1]);
          break;
        }
        case 'wait':
          await release.happensWithin(Math.min(Math.max(Number(taken[1]), 0) + 1, POLL_MS));
          break;
        case 'locked': {
          const session = await this.logIn(ref, holder, callbacks);
          if (session) return session;
        }
      }
    }
    throw new AppError('device_login_failed', { reason: 'another replica did not finish its login' });
  }

  /** Fires when the holder of an account's lock is done. Logins with one account take turns, so one is enough. */
  private watchRelease(ref: SessionRef): { happensWithin(ms: number): Promise<void> } {
    const released = new Promise<void>((resolve) => this.releases.set(this.keys(ref)[1], resolve));
    return { happensWithin: (ms) => withTimeout(ms, released, () => undefined) };
  }

  /** @returns null when the lock was lost: the new session is ended, and another replica has made one */
  private async logIn(ref: SessionRef, holder: string, callbacks: SessionCallbacks): Promise<ValidSession | null> {
    const { redis, optional, channel } = this;
    const keys = this.keys(ref);
    const renewal = setInterval(() => void optional.ask(() => redis.renewLock(...keys, holder, LOCK_MS)), RENEW_MS);
    try {
      const session = await callbacks.login();
      const [id, sealed, livesMs] = [this.idOf(session.token), this.sealed(ref, session), this.livesMs(session)];
      const stored = await optional.ask(() => redis.storeSession(...keys, holder, channel, id, sealed, livesMs));
      if (stored !== 0) return session;
      callbacks.discard(session);
      return null;
    } catch (error) {
      await optional.ask(() => redis.releaseLock(...keys, holder, channel));
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  private async sayAlive(): Promise<void> {
    await this.optional.ask(() => this.redis.reportReplica(this.replicasKey, this.replica));
  }

  private sealed(ref: SessionRef, session: ValidSession): Buffer {
    return this.setup.secrets.seal(JSON.stringify(session), secretLocation(ref));
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

  private keys({ deviceId, accountId, index }: SessionRef): SessionKeys {
    return [this.key(`session:${deviceId}:${accountId}:${index}`), this.key(`login:${deviceId}:${accountId}`)];
  }

  private loginsKey(accountId: string, day: string): string {
    return this.key(`logins:${accountId}:${day}`);
  }

  private get replicasKey(): string {
    return this.key('replicas');
  }

  private key(name: string): string {
    return `{${this.setup.prefix}}:${name}`;
  }
}

/** What the sealed bytes are bound to. There is no such table: Redis has them under the keys of the session. */
const secretLocation = ({ deviceId, accountId }: SessionRef) => ({
  table: 'session',
  column: 'token',
  rowId: `${deviceId}:${accountId}`,
});

export async function openSessionStore(
  config: Pick<GatewayConfig, 'REDIS_URL' | 'REDIS_PREFIX'>,
  secrets: Secrets,
  clock: Clock,
  log: Logger,
): Promise<SessionStore> {
  if (!config.REDIS_URL) return new MemorySessionStore();
  const now = () => clock.now().getTime();
  const store = new RedisSessionStore({ url: config.REDIS_URL, prefix: config.REDIS_PREFIX, secrets, log, now });
  await store.open();
  return store;
}
