import { Redis } from 'ioredis';
import { type Logger } from 'pino';
import { OptionalRedis } from '../../database/optional-redis.js';
import { refuseMode } from '../../database/redis-connection.js';
import { withTimeout } from '../../platform/with-timeout.js';
import { LOCK_MS, POLL_MS, type SealedSession, type SessionBoard, type TakenSession } from './session-board.js';
import { openSessionRedis, type SessionKeys, type SessionRedis } from './session-scripts.js';
import { type SessionRef } from './shared-sessions.js';

/*
 * The board of all replicas, in Redis. A session expires there with its end. The lock of an account is SET NX PX; who waits
 * for it is woken by a message, or looks again. While Redis is unavailable each replica works alone: a device may have more
 * than one session for a while, and no caller gets an error.
 */

const COMMAND_MS = 5_000;

/** A connection whose packets vanish is opened anew after this time; without it, the system gives up after a quarter of an hour. */
const SILENT_MS = 15_000;
const RECONNECT_MS = 2_000;

/** Each replica reports at this interval; one without a report for three intervals no longer counts. */
const ALIVE_EVERY_MS = 10_000;

const LOGINS_KEPT_S = 2 * 86_400;

export interface RedisBoardSetup {
  readonly url: string;
  /** The prefix of every key, in braces, so that a cluster stores all keys in one hash slot. */
  readonly prefix: string;
  /** The id of this replica. */
  readonly replica: string;
  readonly log: Logger;
}

export class RedisSessionBoard implements SessionBoard {
  private readonly redis: SessionRedis;
  private readonly listener: Redis;
  /** Waiters for the end of a login: the key of the lock, and the function that wakes the waiter. */
  private readonly releases = new Map<string, () => void>();
  private readonly channel: string;
  private alive: NodeJS.Timeout | undefined;
  private readonly optional: OptionalRedis;

  constructor(private readonly setup: RedisBoardSetup) {
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

  async take(ref: SessionRef, holder: string, unwantedId: string): Promise<TakenSession | null> {
    const keys = this.keys(ref);
    const released = this.watchRelease(keys); // before the request, so that no release is missed between the answer and the wait
    try {
      const taken = await this.optional.ask(() => this.redis.takeSessionBuffer(...keys, holder, LOCK_MS, unwantedId));
      if (!taken) return null;
      const says = String(taken[0]);
      if (says === 'session') return { id: String(taken[1]), sealed: taken[2]! };
      if (says === 'locked') return 'locked';
      const waitMs = Math.min(Math.max(Number(taken[1]), 0) + 1, POLL_MS);
      await withTimeout(waitMs, released, () => undefined);
      return 'again';
    } finally {
      this.releases.delete(keys[1]);
    }
  }

  renew(ref: SessionRef, holder: string): Promise<unknown> {
    return this.optional.ask(() => this.redis.renewLock(...this.keys(ref), holder, LOCK_MS));
  }

  async store(ref: SessionRef, holder: string, { id, sealed }: SealedSession, livesMs: number) {
    const { redis, optional, channel } = this;
    const stored = await optional.ask(() =>
      redis.storeSession(...this.keys(ref), holder, channel, id, sealed, livesMs),
    );
    return stored === null ? null : stored !== 0;
  }

  release(ref: SessionRef, holder: string): Promise<unknown> {
    return this.optional.ask(() => this.redis.releaseLock(...this.keys(ref), holder, this.channel));
  }

  find(ref: SessionRef): Promise<Buffer | null> {
    return this.optional.ask(() => this.redis.hgetBuffer(this.keys(ref)[0], 'sealed'));
  }

  prolong(ref: SessionRef, { id, sealed }: SealedSession, livesMs: number): Promise<unknown> {
    return this.optional.ask(() => this.redis.prolongSession(...this.keys(ref), id, sealed, livesMs));
  }

  forget(ref: SessionRef, id: string): Promise<unknown> {
    return this.optional.ask(() => this.redis.forgetSession(...this.keys(ref), id));
  }

  countLogin(accountId: string, day: string): Promise<unknown> {
    return this.optional.ask(() => this.redis.countLogin(this.loginsKey(accountId, day), LOGINS_KEPT_S));
  }

  async loginsOn(accountId: string, day: string): Promise<number | null> {
    const count = await this.optional.ask(() => this.redis.get(this.loginsKey(accountId, day)));
    return count === null ? null : Number(count);
  }

  /** Leaves the sessions to other replicas, if there are some. */
  async leave(replica: string): Promise<boolean> {
    clearInterval(this.alive);
    // The connection keeps the order: all that was asked before is done with this.
    const others = await this.optional.ask(() =>
      this.redis.removeReplica(this.replicasKey, replica, 3 * ALIVE_EVERY_MS),
    );
    return others === 0;
  }

  close(): void {
    clearInterval(this.alive);
    this.redis.disconnect();
    this.listener.disconnect();
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

  /** Happens when the holder of an account's lock is done. Logins with one account take turns, so one is enough. */
  private watchRelease([, lock]: SessionKeys): Promise<void> {
    return new Promise((resolve) => this.releases.set(lock, resolve));
  }

  private async sayAlive(): Promise<void> {
    await this.optional.ask(() => this.redis.reportReplica(this.replicasKey, this.setup.replica));
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
