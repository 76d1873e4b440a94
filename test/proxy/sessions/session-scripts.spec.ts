import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSessionRedis, type SessionKeys, type SessionRedis } from '../../../src/proxy/sessions/session-scripts.js';
import { RedisServer } from '../../support/redis-server.js';

const CHANNEL = 'ended';
const LOCK_MS = 5_000;
const LIVES_MS = 60_000;

(RedisServer.isInstalled ? describe : describe.skip)('operations with shared sessions', () => {
  let server: RedisServer;
  let redis: SessionRedis;

  beforeEach(async () => {
    server = await RedisServer.make();
    await server.start();
    redis = openSessionRedis(server.url, {});
  });
  afterEach(async () => {
    redis.disconnect();
    await server.remove();
  });

  const keysOf = (device: number): SessionKeys => [`session:${device}`, `login:${device}`];
  const take = (device: number, holder: string, unwantedId = '') =>
    redis.takeSessionBuffer(...keysOf(device), holder, LOCK_MS, unwantedId);
  const saysOf = (taken: readonly unknown[]) => String(taken[0]);
  const devices = Array.from({ length: 50 }, (_, device) => device);

  it('of one moment get an answer each', async () => {
    const taken = await Promise.all([...devices, ...devices].map((device, index) => take(device, `holder ${index}`)));
    expect(taken.map(saysOf)).toEqual([...Array<string>(50).fill('locked'), ...Array<string>(50).fill('wait')]);

    const stored = await Promise.all(
      devices.map((device) => {
        const holder = device % 2 === 0 ? `holder ${device}` : 'no holder';
        const sealed = Buffer.from([0, 255, device]);
        return redis.storeSession(...keysOf(device), holder, CHANNEL, `id ${device}`, sealed, LIVES_MS);
      }),
    );
    expect(stored).toEqual(devices.map((device) => (device % 2 === 0 ? 1 : 0)));

    const found = await Promise.all(devices.map((device) => take(device, 'late')));
    expect(found.map(saysOf)).toEqual(devices.map((device) => (device % 2 ? 'wait' : 'session')));
    expect(found[48]).toEqual([Buffer.from('session'), Buffer.from('id 48'), Buffer.from([0, 255, 48])]);
  });

  it('do nothing for another holder or another session', async () => {
    await Promise.all([1, 2, 3].map((device) => take(device, 'ours')));
    await redis.storeSession(...keysOf(3), 'ours', CHANNEL, 'there', Buffer.from('sealed'), LIVES_MS);

    const done = await Promise.all([
      redis.renewLock(...keysOf(1), 'ours', LOCK_MS),
      redis.renewLock(...keysOf(2), 'theirs', LOCK_MS),
      redis.releaseLock(...keysOf(1), 'ours', CHANNEL),
      redis.releaseLock(...keysOf(2), 'theirs', CHANNEL),
      redis.prolongSession(...keysOf(3), 'there', Buffer.from('prolonged'), LIVES_MS),
      redis.prolongSession(...keysOf(3), 'gone', Buffer.from('never'), LIVES_MS),
      redis.forgetSession(...keysOf(3), 'gone'),
    ]);

    expect(done).toEqual([1, 0, 1, 0, 1, 0, 0]);
    expect(await redis.exists(keysOf(1)[1])).toBe(0);
    expect(await redis.get(keysOf(2)[1])).toBe('ours');
    expect(await redis.hget(keysOf(3)[0], 'sealed')).toBe('prolonged');
  });

  it('are three commands for a login', async () => {
    await take(0, 'first');
    await redis.config('RESETSTAT');
    await Promise.all(
      devices.slice(1).map(async (device) => {
        const id = `id ${device}`;
        await take(device, id);
        await redis.countLogin(`logins:${device}`, 60);
        await redis.storeSession(...keysOf(device), id, CHANNEL, id, Buffer.from('sealed'), LIVES_MS);
      }),
    );
    expect(scriptsIn(await redis.info('commandstats'))).toBe(3 * 49);
  });

  it('go on after a restart of Redis with an empty disk', async () => {
    expect(saysOf(await take(1, 'before'))).toBe('locked');
    redis.on('error', () => undefined);
    await server.kill();
    await server.emptyDisk();
    await server.start();
    expect(saysOf(await take(1, 'after'))).toBe('locked');
    expect(saysOf(await take(1, 'late'))).toBe('wait');
  });
});

/** How many scripts were asked for, whether by their text or by their digest. */
function scriptsIn(stats: string): number {
  const calls = [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d{1,9}),/gm)];
  return calls.reduce((sum, [, count]) => sum + Number(count), 0);
}
