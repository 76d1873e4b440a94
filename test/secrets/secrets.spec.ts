import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { DataSource } from 'typeorm';
import { rootKeyId } from '../../src/secrets/root-keys.js';
import { Secrets } from '../../src/secrets/secrets.js';
import { freshDatabase } from '../support/database.js';
import { until } from '../support/until.js';

const place = { table: 'device_account', column: 'sealed_password', rowId: 'a' };

describe('sealed secrets', () => {
  const rootKey = randomBytes(32);
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: DataSource;
  let secrets: Secrets;

  beforeAll(async () => {
    database = await freshDatabase();
    db = await new DataSource({ type: 'postgres', url: database.url }).initialize();
    secrets = new Secrets(rootKey);
    await secrets.load(db);
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });
  afterAll(async () => {
    await db.destroy();
    await database.drop();
  });

  it('open where they were sealed', () => {
    expect(secrets.open(secrets.seal('pässword', place), place)).toBe('pässword');
  });

  it('are sealed with the newest key, however late an older look at the keys ends', async () => {
    const process = new Secrets(rootKey);
    await process.load(db);
    const before = process.activeKeyId;
    const query = db.manager.query.bind(db.manager);
    let lookEnds!: () => void;
    const late = new Promise<void>((resolve) => (lookEnds = resolve));
    const spy = vi.spyOn(db.manager, 'query').mockImplementationOnce(async (...args: Parameters<typeof query>) => {
      const rows: unknown = await query(...args);
      await late;
      return rows;
    });
    const older = process.refresh();
    await until(() => spy.mock.calls.length > 0);
    const next = await db.transaction(async (tx) => {
      const id = await process.announceKey(tx);
      await tx.query('update data_key set active = (id = $1) where purpose = $2', [id, 'seal']);
      return id;
    });
    await process.refresh();
    lookEnds();
    await older;
    expect(process.activeKeyId).toBe(next);
    expect(next).not.toBe(before);
  });

  it('are different each time, though the text is the same', () => {
    expect(secrets.seal('x', place)).not.toEqual(secrets.seal('x', place));
  });

  it.each([
    ['row', { ...place, rowId: 'b' }],
    ['column', { ...place, column: 'other' }],
    ['table', { ...place, table: 'other' }],
  ])('do not open in another %s', (_what, other) => {
    expect(() => secrets.open(secrets.seal('x', place), other)).toThrow(
      expect.objectContaining({ code: 'secret_unreadable' }),
    );
  });

  it('do not open when any one byte was altered', () => {
    const sealed = secrets.seal('x', place);
    for (let index = 0; index < sealed.length; index++) {
      const altered = Buffer.from(sealed);
      altered[index]! ^= 1;
      expect(() => secrets.open(altered, place)).toThrow(expect.objectContaining({ code: 'secret_unreadable' }));
    }
  });

  it('do not open when cut short at any place', () => {
    const sealed = secrets.seal('x', place);
    for (let length = 0; length < sealed.length; length++) {
      expect(() => secrets.open(sealed.subarray(0, length), place)).toThrow(
        expect.objectContaining({ code: 'secret_unreadable' }),
      );
    }
  });

  it('open in the next process with the same root key', async () => {
    const sealed = secrets.seal('x', place);
    const next = new Secrets(rootKey);
    await next.load(db);
    expect(next.open(sealed, place)).toBe('x');
    expect(next.fingerprint('x')).toBe(secrets.fingerprint('x'));
  });

  it('refuse to start with another root key, and name the one that is needed', async () => {
    const wrong = new Secrets(randomBytes(32));
    await expect(wrong.load(db)).rejects.toThrow(new RegExp(`need the root key ${rootKeyId(rootKey)}`));
  });

  it('have fingerprints that tell same from other, and nothing else', () => {
    expect(secrets.fingerprint('x')).toBe(secrets.fingerprint('x'));
    expect(secrets.fingerprint('x')).not.toBe(secrets.fingerprint('y'));
  });
});
