import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sizeOf } from '../support/forms.js';
import { digestsOf, dumpOf, findCanaries, formsOf } from '../support/canaries.js';
import { canaries, SECRET_USES, ROOT_KEYS } from '../support/secret-uses.js';
import { CONTROL, SecretWorld, type Store } from '../support/secret-world.js';
import { until } from '../support/until.js';

/*
 * Secrets appear nowhere but sealed. They are planted, everything that uses them is done, with success and with every
 * failure that holds them, and then everything that the gateway said, kept and sent is searched, in every form. A search
 * that finds nothing proves something only where it can find: each place holds a text that was put there to be found.
 */

/** The twelve of the acceptance, and by which planted names they are covered. */
const TWELVE: Readonly<Record<string, RegExp>> = {
  'device password': /^(given |refused |imported |made )?device password$/,
  'device token': /^device token \d+$/,
  'API key': /API key/,
  session: /session/,
  'TOTP seed': /^TOTP seed$/,
  'root key': /root key/,
  '`private_key` in an answer': /^private key of a tunnel$/,
  'webhook secret': /^webhook secret/,
  'OIDC secret': /^OIDC client secret$/,
  'backup passphrase': /backup passphrase$/,
  'multipart body': /^multipart body$/,
  'password in a failing bulk item': /^password in a failing bulk item$/,
};

const STORES: readonly Store[] = ['log', 'answers', 'tables', 'queue', 'deliveries', 'streams', 'exports', 'metrics'];

/** After how many uses the tables are searched. */
const USES_PER_SEARCH = sizeOf({ short: 10, long: 1 });

let world: SecretWorld;

beforeAll(async () => {
  world = await SecretWorld.start({
    devicePassword: canaries['device password'],
    clientSecret: canaries['OIDC client secret'],
    rootKeys: ROOT_KEYS,
  });
  for (const [index, useSecret] of Object.values(SECRET_USES).entries()) {
    await useSecret(world);
    if (index % USES_PER_SEARCH === 0) await world.look();
  }
  await world.look();
}, 300_000);
afterAll(() => world.close());

/** The address of a webhook stands in its row as it is (THREATS.md), and its receiver gets it. */
function withoutAddress(): Record<string, string> {
  const { 'token in the address of a webhook': _address, ...others } = canaries;
  return others;
}

/** What must be found in a place, for it was put there. */
async function controlOf(store: Store): Promise<string> {
  if (store === 'metrics') return 'fleetgate_device_call_seconds';
  if (store !== 'queue') return CONTROL;
  const { rows } = await world.db.query<{ id: string }>('select id from job');
  return rows.find(({ id }) => world.textOf('queue').includes(id))?.id ?? 'none of the jobs';
}

describe('the search', () => {
  it('knows each of the twelve secrets', () => {
    const names = Object.keys(canaries);
    const unknown = Object.entries(TWELVE).filter(([, pattern]) => !names.some((name) => pattern.test(name)));
    expect(unknown.map(([name]) => name)).toEqual([]);
    for (const [name, secret] of Object.entries(canaries)) expect([name, secret.length >= 16]).toEqual([name, true]);
  });

  it('finds each of them in every form', () => {
    for (const secret of Object.values(canaries)) {
      for (const form of formsOf(secret)) expect(findCanaries(`…${form}…`, canaries).length).toBeGreaterThan(0);
      const inner = Buffer.from(`x${secret}y`);
      for (const form of ['base64', 'base64url', 'hex'] as const) {
        expect(findCanaries(inner.toString(form), canaries).length).toBeGreaterThan(0);
      }
      expect(findCanaries(JSON.stringify({ text: JSON.stringify({ secret }) }), canaries).length).toBeGreaterThan(0);
    }
  });

  it.each(STORES)('finds in the %s what was put there to be found', async (store) => {
    const control = await controlOf(store);
    expect(findCanaries(world.textOf(store), { control })).not.toEqual([]);
  });

  it('finds in Redis what was put there to be found', () => {
    const found = findCanaries(world.textOf('Redis'), { control: CONTROL });
    expect(found.length > 0).toBe(world.hasRedis);
  });
});

describe('a planted secret', () => {
  it('is in no line of the log, though everything was logged', () => {
    expect(world.textOf('log')).toContain('"level":"debug"');
    expect(findCanaries(world.textOf('log'), canaries)).toEqual([]);
  });

  it('is in no answer of the gateway, but those that show it to whom it belongs', () => {
    expect(world.answers.length).toBeGreaterThan(150);
    const found = world.answers.flatMap((answer) =>
      findCanaries(answer, canaries).map((what) => [answer.slice(-400), what]),
    );
    expect(found).toEqual([]);
  });

  it('is in no table at any moment, those of the queue included, sealed columns or not', async () => {
    const names = [...(await dumpOf(world.db)).keys()];
    expect(names).toEqual(expect.arrayContaining(['public.device_account', 'public.audit_entry']));
    if (!world.hasRedis) expect(names.some((name) => name.startsWith('bullmq.'))).toBe(true);
    expect(findCanaries(world.textOf('tables'), withoutAddress())).toEqual([]);
  });

  it.each(['queue', 'Redis', 'metrics', 'deliveries', 'streams', 'exports'] as const)('is not in the %s', (store) => {
    expect(findCanaries(world.textOf(store), store === 'deliveries' ? withoutAddress() : canaries)).toEqual([]);
  });

  it('cannot be guessed from a stolen dump, when it is one of a device: no digest of it without a key', () => {
    const text = world.textOf('tables');
    const ofDevices = Object.entries(canaries).filter(([name]) =>
      /password|passphrase|private key|device token/.test(name),
    );
    expect(ofDevices.length).toBeGreaterThan(8);
    for (const [name, secret] of ofDevices) {
      const guesses = [secret, JSON.stringify({ username: 'admin', password: secret })];
      const found = guesses.flatMap((guess) => digestsOf(guess).filter((digest) => text.includes(digest)));
      expect([name, found]).toEqual([name, []]);
    }
  });

  it('of a device account is in nothing that the gateway sent to a device, but the login and its own replacement', () => {
    const sent = world.fleet.ledger.entries();
    expect(sent.some(({ path }) => path.includes('/login'))).toBe(true);
    const ofAccounts = Object.entries(canaries).filter(([name]) => name.endsWith('device password'));
    expect(findCanaries(JSON.stringify(sent), Object.fromEntries(ofAccounts))).toEqual([]);
  });
});

describe('two sealed values that somebody swapped', () => {
  it('are refused and reported, and the device hears nothing', async () => {
    const { db, fleet } = world;
    const credentials = { username: 'admin', password: canaries['device password'] };
    const third = fleet.devices[2]!;
    await world.ask('POST', '/v1/devices', { json: { name: 'third', baseUrl: third.baseUrl, credentials } });
    // The gateway asks by itself who a new device is; when it knows, it asks no more on this day.
    await until(async () => {
      const known = `select from device where name = 'third' and identify_at > now() + interval '2 hours'`;
      return (await db.query(known)).rowCount !== 0;
    });
    const swap = () =>
      db.query(
        `update device_account a set sealed_password = b.sealed_password
           from device_account b, device good, device third
          where good.name = 'good' and third.name = 'third'
            and ((a.device_id = good.id and b.device_id = third.id) or (a.device_id = third.id and b.device_id = good.id))`,
      );
    // Whether it is there is asked every second, without a secret.
    const heard = () =>
      fleet.ledger.entries({ device: third.index }).filter(({ path }) => !path.startsWith('/api/unauthorized/')).length;
    let before: number;
    await swap();
    try {
      await world.ask('POST', '/v1/devices/name:third/session/reset');
      before = heard();
      const refused = (await world.ask('GET', '/v1/devices/name:third/api/system/device/status')) as { code: string };
      expect([refused.code, heard()]).toEqual(['secret_unreadable', before]);
    } finally {
      await swap(); // back again
    }
    expect(world.textOf('log')).toContain('A stored secret cannot be decrypted');
    const entry = await until(async () => {
      const { rows } = await db.query<{ subject: string; outcome: string }>(
        `select subject, outcome from audit_entry join audit_outcome on entry_id = id where action = 'secret.unreadable'`,
      );
      return rows[0];
    });
    expect(entry).toEqual({
      subject: expect.stringMatching(/^device_account\.sealed_password:/),
      outcome: 'failed',
    });
    expect(heard()).toBe(before);
  });
});
