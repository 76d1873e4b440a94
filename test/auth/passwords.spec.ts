import { describe, expect, it } from 'vitest';
import { Passwords } from '../../src/auth/people/passwords.js';
import { Metrics } from '../../src/platform/metrics.js';

const make = () => {
  const metrics = new Metrics();
  const hashes = async () => (await metrics.passwordHashes.get()).values[0]?.value ?? 0;
  return { passwords: new Passwords(metrics), hashes };
};

describe('passwords', () => {
  it('fit their own hash alone, whoever composed their letters', async () => {
    const { passwords } = make();
    const hashed = await passwords.hash('Zu\u0308rich bei Nacht');
    expect(hashed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await passwords.matches('Z\u00fcrich bei Nacht', hashed)).toBe(true);
    expect(await passwords.matches('Zurich bei Nacht', hashed)).toBe(false);
    expect(passwords.isOld(hashed)).toBe(false);
  });

  it('take the same work when there is no hash, and never fit', async () => {
    const { passwords, hashes } = make();
    expect(await passwords.matches('anything', null)).toBe(false);
    expect(await hashes()).toBe(1);
  });

  it('wait in a short queue: who finds it full is sent away at once, and the others are served', async () => {
    const { passwords, hashes } = make();
    const tries = Array.from({ length: 60 }, () => passwords.matches('anything', null));
    const settled = await Promise.allSettled(tries);
    const refused = settled.filter((one) => one.status === 'rejected');
    expect(refused).toHaveLength(60 - 52);
    for (const { reason } of refused) {
      expect(reason).toMatchObject({ code: 'login_queue_full', facts: { retryAfterSeconds: 2 } });
    }
    expect(await hashes()).toBe(52);
    expect(await passwords.matches('anything', null)).toBe(false);
  });
});
