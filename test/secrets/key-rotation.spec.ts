import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { systemActor } from '../../src/platform/actor.js';
import { pooledClients } from '../../src/database/database.js';
import { appTerms } from '../../src/database/connection/session-terms.js';
import { KeyRotation, RETIRE_AFTER_MS, type Rotation } from '../../src/secrets/key-rotation.js';
import { LocalRootKey, RootKeys } from '../../src/secrets/root-keys.js';
import { SEALED_COLUMNS } from '../../src/secrets/sealed-columns.js';
import { Secrets } from '../../src/secrets/secrets.js';
import { freshDatabase } from '../support/database.js';
import { FakeClock } from '../support/fake-clock.js';
import { casesOf } from '../support/forms.js';

/* Two processes with keys on one database: `here` rotates, `there` is the replica that must not be left behind. */

/** How many statements of a step a process lives through, at least: with 28 each step is done. */
const STATEMENTS = Array.from({ length: 29 }, (_, statements) => statements);

const rootKey = randomBytes(32);
const actor = systemActor('test');
const nothing = async () => undefined;

let database: Awaited<ReturnType<typeof freshDatabase>>;
let db: DataSource;
let clock: FakeClock;
let here: Secrets;
let there: Secrets;
let rotation: KeyRotation;

const place = (rowId: string) => ({ table: 'device_account', column: 'sealed_password', rowId });

async function load(keys: RootKeys | Buffer = rootKey): Promise<Secrets> {
  const secrets = new Secrets(keys);
  await secrets.load(db);
  return secrets;
}

function rotationOf(secrets: Secrets): KeyRotation {
  return new KeyRotation(db, secrets, clock);
}

/** Accounts with passwords `secret 0`, `secret 1`, ... */
async function seedAccounts(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  await db.query(
    `insert into device (id, name, base_url, created_at, updated_at)
     select id, 'd' || n, 'https://d' || n || '.example', now(), now() from unnest($1::uuid[]) with ordinality as d (id, n)`,
    [ids],
  );
  await db.query(
    `insert into device_account (id, device_id, username, sealed_password, changed_at)
     select id, id, 'admin', sealed, now() from unnest($1::uuid[], $2::bytea[]) as a (id, sealed)`,
    [ids, ids.map((id, n) => there.seal(`secret ${n}`, place(id)))],
  );
  return ids;
}

async function sealedOf(id: string): Promise<Buffer> {
  const [row] = await db.query<{ sealed: Buffer }[]>(
    'select sealed_password as sealed from device_account where id = $1',
    [id],
  );
  return row!.sealed;
}

const phase = async () => (await rotation.status()).rotation?.phase;

/** Lets the other process hear of what changed, and goes on, until nothing moves without time. */
async function settle(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await rotation.sweep();
    await here.refresh();
    await there.refresh();
  }
  await rotation.sweep();
}

beforeEach(async () => {
  database = await freshDatabase();
  db = await new DataSource({
    type: 'postgres',
    url: database.url,
    extra: { ...pooledClients(appTerms()) }, // with the rights of the application
  }).initialize();
  clock = new FakeClock();
  here = await load();
  there = await load();
  rotation = rotationOf(here);
});

afterEach(async () => {
  await db.destroy();
  await database.drop();
});

describe('the columns of sealed values', () => {
  it('are those of the schema, each with a rule that keeps its key alive', async () => {
    const columns = await db.query<{ name: string }[]>(
      `select table_name || '.' || column_name as name from information_schema.columns
        where table_schema = 'public' and data_type = 'bytea' and column_name like 'sealed\\_%' order by 1`,
    );
    const declared = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).sort();
    expect(declared).toEqual(columns.map(({ name }) => name));
    const rules = await db.query<{ rule: string }[]>(
      `select conrelid::regclass || '.' || conname as rule from pg_constraint
        where contype = 'f' and confrelid = 'data_key'::regclass order by 1`,
    );
    expect(rules.map(({ rule }) => rule)).toEqual(
      SEALED_COLUMNS.map(({ table, column }) => `${table}.${table}_${column}_keeps_its_key_alive`).sort(),
    );
  });
});

describe('a rotation of the data key', () => {
  it('waits until every live process knows the new key before it is used, and then seals everything anew', async () => {
    const ids = await seedAccounts(250);
    const before = await sealedOf(ids[0]!);
    const { keyId } = await rotation.start('data_key', actor, nothing);
    expect([await rotation.sweep(), await phase(), here.activeKeyId === keyId]).toEqual([
      { steps: 0 },
      'announced',
      false,
    ]);

    await there.refresh();
    await rotation.sweep();
    expect(await phase()).toBe('switched'); // nobody seals with it yet
    await settle();
    expect(await phase()).toBe('retiring');
    expect([here.activeKeyId, there.activeKeyId]).toEqual([keyId, keyId]);
    expect((await rotation.status()).rotation?.done).toBe(250);
    for (const [n, id] of ids.entries()) {
      expect(there.open(await sealedOf(id), place(id))).toBe(`secret ${n}`);
    }
    expect(await sealedOf(ids[0]!)).not.toEqual(before);
    expect(there.open(before, place(ids[0]!))).toBe('secret 0'); // what was read before still opens

    clock.pass(RETIRE_AFTER_MS);
    await rotation.sweep();
    expect(await phase()).toBe('finished');
    const keys = await db.query<{ id: string; purpose: string }[]>(
      `select id, purpose from data_key where purpose = 'seal'`,
    );
    expect(keys.map(({ id }) => id)).toEqual([keyId]);
  });

  it('keeps fingerprints what they are', async () => {
    const before = here.fingerprint('x');
    await rotation.start('data_key', actor, nothing);
    await settle();
    clock.pass(RETIRE_AFTER_MS);
    await rotation.sweep();
    expect(await phase()).toBe('finished');
    expect((await load()).fingerprint('x')).toBe(before);
  });

  it('is not held up by a process that is gone', async () => {
    await rotation.start('data_key', actor, nothing);
    await db.query(`update secret_holder set seen_at = seen_at - interval '31 seconds' where id = $1`, [
      there.holderId,
    ]);
    await rotation.sweep();
    await here.refresh();
    await rotation.sweep();
    expect(await phase()).toBe('retiring');
  });

  it('goes on from where it stood, whichever step it died in', async () => {
    const ids = await seedAccounts(230);
    await rotation.start('data_key', actor, nothing);
    // A new process each time that dies after one step, at any statement of the next.
    const deaths = casesOf(STATEMENTS, 6);
    const seen = new Set<string | undefined>();
    for (let crash = 0; crash < 400 && (await phase()) !== 'finished'; crash++) {
      seen.add(await phase());
      await there.refresh();
      const next = await load();
      await dieAfter(deaths[crash % deaths.length]!, next);
      await next.leave();
      await here.refresh();
      if ((await phase()) === 'retiring') clock.pass(RETIRE_AFTER_MS);
    }
    expect([...seen]).toEqual(['announced', 'switched', 'resealing', 'retiring']);
    expect(await phase()).toBe('finished');
    await there.refresh();
    for (const [n, id] of ids.entries()) expect(there.open(await sealedOf(id), place(id))).toBe(`secret ${n}`);
  });

  /** Sweeps with a connection that breaks after some statements. */
  async function dieAfter(statements: number, secrets: Secrets): Promise<void> {
    let left = statements;
    const dying = Object.create(db) as DataSource;
    dying.transaction = (async (work: (tx: unknown) => Promise<unknown>) =>
      db.transaction((tx) => {
        const cut = Object.create(tx) as typeof tx;
        cut.query = (async (sql: string, values?: unknown[]) => {
          if (left-- <= 0) throw new Error('the process died');
          return tx.query(sql, values);
        }) as typeof tx.query;
        return work(cut);
      })) as unknown as DataSource['transaction'];
    await new KeyRotation(dying, secrets, clock).sweep().catch((error: Error) => {
      expect(error.message).toBe('the process died');
    });
  }

  it('leaves a value that does not open as it is, names it, and keeps its key', async () => {
    const ids = await seedAccounts(5);
    const [one, two] = ids as [string, string];
    await db.query(
      `update device_account as a set sealed_password = b.sealed_password from device_account as b
        where a.id = $1 and b.id = $2`,
      [one, two],
    );
    const swapped = await sealedOf(one);
    const unreadable: string[] = [];
    here.onUnreadable(({ rowId }) => unreadable.push(rowId));
    const ended: Rotation[] = [];
    rotation.onEnd(async (_tx, end) => void ended.push(end));
    await rotation.start('data_key', actor, nothing);
    await settle();
    expect(ended).toMatchObject([{ phase: 'blocked', done: 4, unreadable: [{ table: 'device_account', rowId: one }] }]);
    expect(unreadable).toEqual([one]);
    expect(await sealedOf(one)).toEqual(swapped);
    // The database itself keeps the key, whoever asks.
    await expect(db.query(`delete from data_key where purpose = 'seal' and not active`)).rejects.toThrow(
      /device_account_sealed_password_keeps_its_key_alive/,
    );
  });

  it('is one at a time', async () => {
    await rotation.start('data_key', actor, nothing);
    await expect(rotation.start('data_key', actor, nothing)).rejects.toMatchObject({ code: 'rotation_running' });
    await expect(rotation.start('root_key', actor, nothing)).rejects.toMatchObject({ code: 'rotation_running' });
  });
});

describe('a rotation of the root key', () => {
  const nextKey = randomBytes(32);
  const old = new LocalRootKey(rootKey);
  const next = new LocalRootKey(nextKey);
  const both = new RootKeys([old, next], next);

  it('wraps all data keys anew, and the old root key opens nothing any more', async () => {
    await db.query('delete from secret_holder');
    const secrets = await load(both);
    const [id] = await seedAccounts(1);
    const { phase: at, done } = await rotationOf(secrets).start('root_key', actor, nothing);
    expect([at, done]).toEqual(['finished', 2]);
    expect((await load(nextKey)).open(await sealedOf(id!), place(id!))).toBe('secret 0');
    await expect(load(rootKey)).rejects.toThrow(new RegExp(`need the root key ${next.id}`));
    await expect(rotationOf(secrets).start('root_key', actor, nothing)).rejects.toMatchObject({
      code: 'rotation_needless',
    });
  });

  it('is refused while a live process was not given the new key', async () => {
    const secrets = await load(both); // `here` and `there` know the old one only
    await expect(rotationOf(secrets).start('root_key', actor, nothing)).rejects.toMatchObject({
      code: 'rotation_unready',
    });
    expect(await load(rootKey)).toBeDefined();
  });

  it('changes nothing when it fails half-way', async () => {
    await db.query('delete from secret_holder');
    const flaky = Object.create(next) as LocalRootKey;
    let wraps = 0;
    flaky.wrap = async (key, context) => {
      if (wraps++ === 1) throw new Error('the server went away');
      return next.wrap(key, context);
    };
    const secrets = await load(new RootKeys([old, flaky], flaky));
    await expect(rotationOf(secrets).start('root_key', actor, nothing)).rejects.toThrow('the server went away');
    expect((await load(rootKey)).fingerprint('x')).toBe(here.fingerprint('x'));
  });
});
