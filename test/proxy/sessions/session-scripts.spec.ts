import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Redis } from 'ioredis';
import { SessionScripts } from '../../../src/proxy/sessions/session-scripts.js';

/* That operations of one moment share a script, and that each is done and answered for itself. */

const REDIS_URL = process.env['TEST_REDIS_URL'];
const CHANNEL = 'ended';
const LOCK_MS = 5_000;

it('operations with shared sessions are all without an answer where Redis has none, and fail nobody', async () => {
  const callBuffer = () => Promise.reject(new Error('never asked'));
  const scripts = new SessionScripts({ callBuffer }, () => Promise.resolve(null));
  const keys = { session: 'session', lock: 'lock' };
  const answers = [scripts.take(keys, 'ours', LOCK_MS, ''), scripts.execute(keys, 'forget', 'id')];
  expect(await Promise.all(answers)).toEqual([null, null]);
});

(REDIS_URL ? describe : describe.skip)('operations with shared sessions', () => {
  let redis: Redis;
  let prefix: string;
  let scripts: SessionScripts;
  let sent: number;

  beforeEach(() => {
    redis = new Redis(REDIS_URL!);
    prefix = `{test-${randomUUID()}}`;
    sent = 0;
    const callBuffer = (...command: Parameters<Redis['callBuffer']>) => {
      sent++;
      return redis.callBuffer(...command);
    };
    scripts = new SessionScripts({ callBuffer: callBuffer as Redis['callBuffer'] }, (command) => command());
  });
  afterEach(async () => {
    const left = await redis.keys(`${prefix}:*`);
    if (left.length > 0) await redis.del(left);
    redis.disconnect();
  });

  const keysOf = (device: number) => ({ session: `${prefix}:session:${device}`, lock: `${prefix}:login:${device}` });
  const saysOf = (taken: readonly unknown[] | null) => String(taken?.[0]);

  it('of one moment go as one script, and each gets its own answer', async () => {
    const taken = await Promise.all(
      Array.from({ length: 100 }, (_, index) => scripts.take(keysOf(index % 50), `holder ${index}`, LOCK_MS, '')),
    );
    expect(sent).toBe(1);
    expect(taken.map(saysOf)).toEqual([...Array<string>(50).fill('locked'), ...Array<string>(50).fill('wait')]);

    const stored = await Promise.all(
      Array.from({ length: 50 }, (_, device) => {
        const holder = device % 2 === 0 ? `holder ${device}` : 'no holder';
        return scripts.execute(
          keysOf(device),
          'store',
          holder,
          CHANNEL,
          `id ${device}`,
          Buffer.from([0, 255, device]),
          60_000,
        );
      }),
    );
    expect(sent).toBe(2);
    expect(stored).toEqual(Array.from({ length: 50 }, (_, device) => device % 2 === 0));

    const found = await Promise.all(
      Array.from({ length: 50 }, (_, device) => scripts.take(keysOf(device), 'late', LOCK_MS, '')),
    );
    expect(found.map(saysOf)).toEqual(Array.from({ length: 50 }, (_, device) => (device % 2 ? 'wait' : 'session')));
    expect(found[48]).toEqual([Buffer.from('session'), Buffer.from('id 48'), Buffer.from([0, 255, 48])]);
  });

  it('of different kinds share a script, and none is done with a holder or a session that is not the one', async () => {
    await Promise.all([1, 2, 3].map((device) => scripts.take(keysOf(device), 'ours', LOCK_MS, '')));
    await scripts.execute(keysOf(3), 'store', 'ours', CHANNEL, 'there', Buffer.from('sealed'), 60_000);
    sent = 0;

    const done = await Promise.all([
      scripts.execute(keysOf(1), 'renew', 'ours', LOCK_MS),
      scripts.execute(keysOf(2), 'renew', 'theirs', LOCK_MS),
      scripts.execute(keysOf(1), 'release', 'ours', CHANNEL),
      scripts.execute(keysOf(2), 'release', 'theirs', CHANNEL),
      scripts.execute(keysOf(3), 'prolong', 'there', Buffer.from('anew'), 60_000),
      scripts.execute(keysOf(3), 'prolong', 'gone', Buffer.from('never'), 60_000),
      scripts.execute(keysOf(3), 'forget', 'gone'),
    ]);

    expect(sent).toBe(1);
    expect(done).toEqual([true, false, true, false, true, false, false]);
    expect(await redis.exists(keysOf(1).lock)).toBe(0);
    expect(await redis.get(keysOf(2).lock)).toBe('ours');
    expect(await redis.hget(keysOf(3).session, 'sealed')).toBe('anew');
  });
});
