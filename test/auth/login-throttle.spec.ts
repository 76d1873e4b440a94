import { beforeEach, describe, expect, it } from 'vitest';
import { Buckets } from '../../src/platform/limits/token-bucket.js';
import { LoginThrottle } from '../../src/auth/limits/login-throttle.js';
import { type Actor } from '../../src/platform/actor.js';
import { FakeClock } from '../support/fake-clock.js';
import { sizeOf } from '../support/forms.js';

/* How many tries there are, from where. What a sign-in makes of it is in `sign-in.http.spec.ts`. */

const TRIES = 5;
const PER_ADDRESS = 50;

/** Buckets that are remembered, and places that try: more than those. */
const MEMORY = sizeOf({ short: 1_000, long: 50_000 });
const PLACES = sizeOf({ short: 1_200, long: 60_000 });

let throttle: LoginThrottle;
let clock: FakeClock;
/** Entries of the audit: one for each place in ten minutes. */
let told: number;

beforeEach(() => {
  clock = new FakeClock();
  told = 0;
  const parts = [
    new Buckets(clock, MEMORY),
    { LOGIN_TRIES: TRIES, LOGIN_TRIES_PER_ADDRESS: PER_ADDRESS },
    { manager: null },
    { record: () => Promise.resolve(void told++) },
    clock,
    { refusedByLimit: { inc: () => undefined } },
  ] as unknown as ConstructorParameters<typeof LoginThrottle>;
  throttle = new LoginThrottle(...parts);
});

/** How many of some tries at one account may be made. */
async function tries(account: string, addresses: Iterable<string>): Promise<number> {
  let made = 0;
  for (const address of addresses) {
    await throttle.begin(account, { address } as Actor).then(
      () => made++,
      () => undefined,
    );
  }
  return made;
}

/** An address in each /64 of a /48. */
function* placesOf(site: string, count: number): Generator<string> {
  for (let number = 0; number < count; number++) yield `${site}:${number.toString(16)}::1`;
}

describe('tries to sign in', () => {
  it('from all places of one /48 are no more than those of four places', async () => {
    expect(await tries('admin', placesOf('2001:db8:1', PLACES / 3))).toBe(PER_ADDRESS * 4);
    expect(told).toBe(1);
    expect(await tries('admin', placesOf('2001:db8:2', 10))).toBe(10);
  });

  it('stay counted for an account, however many places of the same /48 try after it', async () => {
    const here = Array.from({ length: 10 }, () => '2001:db8:1:ffff::1');
    expect(await tries('admin', here)).toBe(TRIES);
    await tries('other', placesOf('2001:db8:1', PLACES));
    expect(await tries('admin', here)).toBe(0);
  });

  it('are counted for an IPv4 address by itself, in IPv6 form too', async () => {
    const addresses = ['192.0.2.1', '::ffff:192.0.2.1'].flatMap((address) => Array.from({ length: 4 }, () => address));
    expect(await tries('admin', addresses)).toBe(TRIES);
    expect(await tries('admin', ['192.0.2.2'])).toBe(1);
  });

  it('that were refused for the account do not use up what the place and the /48 have', async () => {
    const here = Array.from({ length: 500 }, () => '2001:db8:1::1');
    expect(await tries('admin', here)).toBe(TRIES);
    expect(await tries('eve', ['2001:db8:1::1', '2001:db8:1:1::1'])).toBe(2);
  });
});

describe('a try of a source whose account is not known yet', () => {
  const actor = { address: '192.0.2.1' } as Actor;

  it('is refused before the account is asked for, and given back when there was no try', async () => {
    for (let i = 0; i < PER_ADDRESS; i++) await throttle.beginAt(actor);
    await expect(throttle.beginAt(actor)).rejects.toMatchObject({ code: 'login_throttled' });
    clock.pass(60 * 60_000);
    for (let i = 0; i < PER_ADDRESS * 2; i++) await (await throttle.beginAt(actor)).refund();
    expect(await tries('admin', ['192.0.2.1'])).toBe(1);
  });
});

describe('counts in memory', () => {
  it('forget the one that was used longest ago when they are too many, and no other', async () => {
    const buckets = new Buckets(clock, 100);
    const policy = { capacity: 1, windowMs: 60_000 };
    const take = async (name: number) => (await buckets.take(String(name), policy, 1)).granted;
    for (let name = 0; name < 100; name++) expect(await take(name)).toBe(1);
    expect(await take(0)).toBe(0); // used just now
    expect(await take(100)).toBe(1);
    for (const name of [0, 2, 50, 99, 100]) expect([name, await take(name)]).toEqual([name, 0]);
    expect(await take(1)).toBe(1);
  });
});
