import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { granted, type ValidSession } from '../../../src/device-api/session.js';
import { RedisSessionBoard } from '../../../src/proxy/sessions/redis-session-board.js';
import { SharedSessionStore } from '../../../src/proxy/sessions/shared-session-store.js';
import {
  MemorySessionStore,
  type SessionRef,
  type SessionCallbacks,
} from '../../../src/proxy/sessions/shared-sessions.js';
import { until } from '../../support/until.js';

/* The store of sessions by itself: who may log in, who waits, and what happens when the one who logs in is lost. */

const REDIS_URL = process.env['TEST_REDIS_URL'];
const place: SessionRef = { deviceId: randomUUID(), accountId: randomUUID(), index: 0 };
const credential = {
  accountId: place.accountId,
  changedAtMs: 1,
  baseUrl: 'https://192.0.2.1',
  failedLogins: 0,
  refused: false,
};

const session = (token: string) => granted(credential, { token, expiresS: 300, sliding: true }, Date.now());

/** Anything that seals and opens; that the real one seals is tested with whole gateways. */
const secrets = {
  seal: (text: string) => Buffer.from(Buffer.from(text).toString('base64')),
  open: (sealed: Buffer) => Buffer.from(sealed.toString(), 'base64').toString(),
  fingerprint: (text: string) => `digest of ${text}`,
};

type RedisStore = SharedSessionStore & { open(): Promise<void> };

interface SessionSetup extends SessionCallbacks {
  readonly logins: () => number;
  readonly discarded: string[];
}

/** Takes what it is offered, and else logs in as told. */
function wishFor(login: () => Promise<ValidSession>): SessionSetup {
  let logins = 0;
  const discarded: string[] = [];
  return {
    accepts: () => true,
    login: () => {
      logins++;
      return login();
    },
    discard: ({ token }) => void discarded.push(token),
    logins: () => logins,
    discarded,
  };
}

/** A promise that the test settles. */
function pending<Value>() {
  let resolve!: (value: Value) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<Value>((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
}

describe('the store of one process', () => {
  it('lets one login with an account run at a time, and the next one also after a failure', async () => {
    const store = new MemorySessionStore();
    const [first, second] = [pending<ValidSession>(), pending<ValidSession>()];
    const wishes = [wishFor(() => first.promise), wishFor(() => second.promise)] as const;

    const failing = store.obtain(place, wishes[0]);
    const waiting = store.obtain({ ...place, index: 1 }, wishes[1]);
    expect(wishes[1].logins()).toBe(0);
    first.reject(new Error('no'));
    await expect(failing).rejects.toThrow('no');
    second.resolve(session('two'));

    expect((await waiting).token).toBe('two');
  });

  it('counts logins by the day', async () => {
    const store = new MemorySessionStore();
    for (const day of ['2026-01-01', '2026-01-02', '2026-01-02']) await store.countLogin('a', day);
    expect([await store.loginsOn('a', '2026-01-02'), await store.loginsOn('a', '2026-01-03')]).toEqual([2, 0]);
  });
});

describe('a store whose Redis is away', () => {
  it('logs in by itself, finds nothing, fails nobody, and says so once', async () => {
    const lines: string[] = [];
    const store = storeAt('redis://127.0.0.1:1', 'nowhere', lines);
    await store.open();

    for (const token of ['one', 'two']) {
      expect(
        (
          await store.obtain(
            place,
            wishFor(async () => session(token)),
          )
        ).token,
      ).toBe(token);
    }
    await store.forget(place, 'one');
    await store.countLogin('a', '2026-01-01');

    expect(await store.find(place)).toBeNull();
    expect(await store.loginsOn('a', '2026-01-01')).toBe(1);
    expect(lines).toEqual([expect.stringContaining('Redis is unavailable')]);
    await store.close();
  });
});

(REDIS_URL ? describe : describe.skip)('stores of two replicas with one Redis', () => {
  let redis: Redis;
  let listener: Redis;
  let prefix: string;
  let stores: RedisStore[];
  let lines: string[];

  beforeEach(async () => {
    redis = new Redis(REDIS_URL!);
    listener = redis.duplicate();
    prefix = `test-${randomBytes(6).toString('hex')}`;
    lines = [];
    stores = [storeAt(REDIS_URL!, prefix, lines), storeAt(REDIS_URL!, prefix, lines)];
    for (const store of stores) await store.open();
  });
  afterEach(async () => {
    for (const store of stores) await store.close();
    const keys = await redis.keys(`{${prefix}}:*`);
    if (keys.length > 0) await redis.del(keys);
    redis.disconnect();
    listener.disconnect();
  });

  const lockKey = () => `{${prefix}}:login:${place.deviceId}:${place.accountId}`;
  const lockIsThere = async () => (await redis.exists(lockKey())) === 1;

  it('log in once, and the one that waits adopts what the other made', async () => {
    const login = pending<ValidSession>();
    const [ours, theirs] = [wishFor(() => login.promise), wishFor(async () => session('theirs'))];
    const made = stores[0]!.obtain(place, ours);
    await until(lockIsThere);
    const adopted = stores[1]!.obtain(place, theirs);

    login.resolve(session('ours'));

    expect([(await made).token, (await adopted).token, theirs.logins()]).toEqual(['ours', 'ours', 0]);
    expect(await lockIsThere()).toBe(false);
  });

  it('go on when the one that logged in failed', async () => {
    const login = pending<ValidSession>();
    const failing = stores[0]!.obtain(
      place,
      wishFor(() => login.promise),
    );
    await until(lockIsThere);
    const next = stores[1]!.obtain(
      place,
      wishFor(async () => session('theirs')),
    );

    login.reject(new Error('refused'));

    await expect(failing).rejects.toThrow('refused');
    expect((await next).token).toBe('theirs');
  });

  it('say that a login has ended to those who wait for it, and to nobody else', async () => {
    const said: string[] = [];
    listener.on('message', (_channel: string, key: string) => said.push(key));
    await listener.subscribe(`{${prefix}}:session-turns`);
    const alone = { ...place, accountId: 'alone' };
    await stores[0]!.obtain(
      alone,
      wishFor(async () => session('nobody waits')),
    );
    const login = pending<ValidSession>();
    const made = stores[0]!.obtain(
      place,
      wishFor(() => login.promise),
    );
    await until(lockIsThere);
    const adopted = stores[1]!.obtain(
      place,
      wishFor(async () => session('theirs')),
    );
    await until(async () => (await redis.get(lockKey()))?.endsWith('+'));

    login.resolve(session('ours'));

    expect([(await made).token, (await adopted).token]).toEqual(['ours', 'ours']);
    await until(() => said.length > 0);
    expect(said).toEqual([lockKey()]);
  });

  it('wait for a killed holder no longer than its lock lives, which is 5 s at most', async () => {
    const never = pending<ValidSession>();
    const killed = stores[0]!.obtain(
      place,
      wishFor(() => never.promise),
    );
    await until(lockIsThere);
    await stores[0]!.close(); // its connection is gone, and with it the renewal of its lock
    const lockEndsInMs = await redis.pttl(lockKey());

    const next = await stores[1]!.obtain(
      place,
      wishFor(async () => session('theirs')),
    );

    expect(lockEndsInMs).toBeGreaterThan(0);
    expect(lockEndsInMs).toBeLessThanOrEqual(5_000);
    expect(next.token).toBe('theirs');
    never.reject(new Error('killed'));
    await expect(killed).rejects.toThrow('killed');
  });

  it('renew the lock for as long as a login runs', async () => {
    const login = pending<ValidSession>();
    const made = stores[0]!.obtain(
      place,
      wishFor(() => login.promise),
    );
    await until(lockIsThere);
    await redis.pexpire(lockKey(), 3_000);

    await until(async () => (await redis.pttl(lockKey())) > 4_000);

    login.resolve(session('ours'));
    expect((await made).token).toBe('ours');
  });

  it('keep nothing that was made after the turn was lost: it is ended, and the session of the other adopted', async () => {
    const login = pending<ValidSession>();
    const slow = wishFor(() => login.promise);
    const late = stores[0]!.obtain(place, slow);
    await until(lockIsThere);
    await redis.del(lockKey()); // as if it had ended while the process stood still
    await stores[1]!.obtain(
      place,
      wishFor(async () => session('theirs')),
    );

    login.resolve(session('ours'));

    expect((await late).token).toBe('theirs');
    expect(slow.discarded).toEqual(['ours']);
  });

  it('delete a dead token, and never the one that took its place', async () => {
    await stores[0]!.obtain(
      place,
      wishFor(async () => session('first')),
    );
    await stores[1]!.forget(place, 'another');
    expect((await stores[1]!.find(place))?.token).toBe('first');

    await stores[1]!.forget(place, 'first');

    expect(await stores[0]!.find(place)).toBeNull();
  });

  it('have done at a stop what they were asked for in its last moment', async () => {
    await stores[0]!.obtain(
      place,
      wishFor(async () => session('dead')),
    );
    // A group that is under way and a rest behind it are what the last ones wait for.
    const before = Array.from({ length: 10 }, () => stores[0]!.forget(place, 'never there'));
    await new Promise(setImmediate);
    void stores[0]!.forget(place, 'dead');

    await stores[0]!.leave();
    await stores[0]!.close();

    expect(await stores[1]!.find(place)).toBeNull();
    await Promise.all(before);
  });

  it('prolong what is used, and let what is not used end', async () => {
    const made = session('first');
    await stores[0]!.obtain(
      place,
      wishFor(async () => made),
    );

    await stores[0]!.prolong(place, { ...made, endsAt: made.endsAt + 100_000 });

    expect((await stores[1]!.find(place))?.endsAt).toBe(made.endsAt + 100_000);
    const [key] = await redis.keys(`{${prefix}}:session:*`);
    const livesMs = await redis.pttl(key!);
    expect(livesMs).toBeGreaterThan(300_000);
    expect(livesMs).toBeLessThanOrEqual(400_000);
  });

  it('count logins together', async () => {
    await stores[0]!.countLogin('a', '2026-01-01');
    await stores[1]!.countLogin('a', '2026-01-01');
    expect(await stores[0]!.loginsOn('a', '2026-01-01')).toBe(2);

    const many = Array.from({ length: 600 }, (_, index) =>
      stores[index % 2]!.countLogin(`of-${index % 3}`, '2026-01-02'),
    );
    await Promise.all(many);
    for (const account of ['of-0', 'of-1', 'of-2']) {
      expect(await stores[0]!.loginsOn(account, '2026-01-02')).toBe(200);
      expect(await redis.ttl(`{${prefix}}:logins:${account}:2026-01-02`)).toBeGreaterThan(86_400);
    }
  });

  it('tell the last one that it is the last', async () => {
    expect([await stores[0]!.leave(), await stores[1]!.leave()]).toEqual([false, true]);
  });

  it('are each on their own while Redis is away, and together again when it is back', async () => {
    const relay = await startRelay(REDIS_URL!);
    const store = storeAt(relay.url, prefix, lines);
    stores.push(store);
    await store.open();
    await store.obtain(
      place,
      wishFor(async () => session('first')),
    );

    relay.cut();
    const alone = await store.obtain(
      place,
      wishFor(async () => session('alone')),
    );
    expect(alone.token).toBe('alone');
    relay.mend();
    await until(async () => (await store.find(place)) !== null);

    expect((await store.find(place))?.token).toBe('first');
    expect(lines).toEqual([expect.stringContaining('Redis is unavailable'), expect.stringContaining('again')]);
    relay.close();
  });
});

function storeAt(url: string, prefix: string, lines: string[]): RedisStore {
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const replica = randomUUID();
  const board = new RedisSessionBoard({ url, prefix, replica, log });
  const close = () => board.close();
  const store = new SharedSessionStore({ board, close, process: replica, secrets, now: Date.now });
  return Object.assign(store, { open: () => board.open() });
}

/** A way to Redis that can be cut. */
async function startRelay(target: string) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server: Server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(Number(port || 6379), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const drop = () => sockets.forEach((socket) => socket.destroy());
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      isCut = true;
      drop();
    },
    mend: () => {
      isCut = false;
    },
    close: () => {
      drop();
      server.close();
    },
  };
}
