import { describe, expect, it } from 'vitest';
import { Passwords } from '../../src/auth/people/passwords.js';
import { Metrics } from '../../src/platform/metrics.js';
import { casesOf, itInFull } from '../support/forms.js';

const HERE = '192.0.2.1';

const make = () => {
  const metrics = new Metrics();
  const hashes = async () => (await metrics.passwordHashes.get()).values[0]?.value ?? 0;
  return { passwords: new Passwords(metrics), hashes };
};

/** A check of a password is slow, so the short form takes one of each. */
const OTHERS: [string, string | null, string | null][] = [
  ['addresses of one network', '127.0.0.2', '127.0.0.3'],
  ['two /64 of IPv6', '2001:db8:0:1::1', '2001:db8:0:2::1'],
  ['two IPv4 addresses', '192.0.2.1', '192.0.2.2'],
  ['IPv4 and IPv6', '192.0.2.1', '2001:db8::1'],
  ['a source without an address', null, '192.0.2.1'],
  ['an address beside callers without one', '192.0.2.1', null],
];
const SAME: [string, string | null, string | null][] = [
  ['an IPv4 address as IPv6 writes it', '192.0.2.1', '::ffff:192.0.2.1'],
  ['the addresses of one /64', '2001:db8::1', '2001:db8::ffff:2'],
  ['a written out address of IPv6', '2001:db8::1', '2001:0db8:0:0:0:0:0:1'],
  ['callers without an address', null, 'unknown'],
];

describe('passwords', () => {
  it('fit their own hash alone, whoever composed their letters', async () => {
    const { passwords } = make();
    const hashed = await passwords.hash('Zu\u0308rich bei Nacht', HERE);
    expect(hashed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await passwords.matches('Z\u00fcrich bei Nacht', hashed, HERE)).toBe(true);
    expect(await passwords.matches('Zurich bei Nacht', hashed, HERE)).toBe(false);
    expect(passwords.isOld(hashed)).toBe(false);
  });

  it('take the same work when there is no hash, and never fit', async () => {
    const { passwords, hashes } = make();
    expect(await passwords.matches('anything', null, HERE)).toBe(false);
    expect(await hashes()).toBe(1);
  });

  it('wait in a short queue: who finds it full is sent away at once, and the others are served', async () => {
    const { passwords, hashes } = make();
    const tries = Array.from({ length: 60 }, () => passwords.matches('anything', null, HERE));
    const settled = await Promise.allSettled(tries);
    const refused = settled.filter((one) => one.status === 'rejected');
    expect(refused).toHaveLength(60 - 52);
    for (const { reason } of refused) {
      expect(reason).toMatchObject({ code: 'login_queue_full', facts: { retryAfterSeconds: 2 } });
    }
    expect(await hashes()).toBe(52);
    expect(await passwords.matches('anything', null, HERE)).toBe(false);
  });

  it.each(casesOf(OTHERS, 1))('are checked for each source in turn: %s', async (_what, full, other) => {
    const { passwords, hashes } = make();
    const flood = Array.from({ length: 53 }, () => passwords.matches('anything', null, full));
    const done = Promise.allSettled(flood);
    expect(await passwords.matches('anything', null, other)).toBe(false);
    expect(await hashes()).toBeLessThan(26); // half of the queue: those that run end in any order
    const refused = (await done).filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(1); // the 53rd of the source that is full
  });

  it.each(casesOf(SAME, 1))('know one source in its spellings: %s', async (_what, first, second) => {
    const { passwords } = make();
    const flood = Promise.allSettled(Array.from({ length: 52 }, () => passwords.matches('anything', null, first)));
    await expect(passwords.matches('anything', null, second)).rejects.toMatchObject({ code: 'login_queue_full' });
    await flood;
  });

  itInFull('wait in a bounded number of all sources', async () => {
    const { passwords } = make();
    const from = (source: number) =>
      Array.from({ length: 50 }, () => passwords.matches('x', null, `192.0.2.${source}`));
    const settled = await Promise.allSettled(Array.from({ length: 12 }, (_none, source) => from(source)).flat());
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(502);
  });
});
