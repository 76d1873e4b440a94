import { createHmac, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { type DataSource, type EntityManager } from 'typeorm';
import { ADVISORY_LOCK } from '../database/advisory-locks.js';
import { AppError } from '../errors.js';
import { RootKeys } from './root-keys.js';
import { decrypt, encrypt, SEAL_BYTES } from './sealing.js';

/*
 * Secrets at rest. A root key, which only the operator has, wraps data keys, which are rows; a data key seals values
 * with AES-256-GCM. The additional data bind each value to the table, column and row it was sealed for, so a value
 * that someone copies into another row does not open. Rotating the root key means wrapping few keys anew; rotating a
 * data key means sealing every value anew (`key-rotation.ts`), while processes know both.
 *
 * Nothing outside this file sees a key, and a value leaves it in clear only through `open`.
 *
 *   sealed value:  1 | data key id (16) | nonce (12) | tag (16) | ciphertext
 */

const FORMAT = 1;
const ID_BYTES = 16;
const HEADER_BYTES = 1 + ID_BYTES + SEAL_BYTES;
const KEY_BYTES = 32;

/** Two processes that start together on an empty database must not make two first keys. */
export const DATA_KEY_LOCK = `select pg_advisory_xact_lock(${ADVISORY_LOCK.dataKeys})`;

/** The one place that a sealed value belongs to. */
export interface SecretPlace {
  readonly table: string;
  readonly column: string;
  readonly rowId: string;
}

interface DataKey {
  readonly id: string;
  readonly key: Buffer;
}

interface DataKeyRow {
  readonly id: string;
  readonly purpose: 'seal' | 'fingerprint';
  readonly active: boolean;
  readonly root_key_id: string;
  readonly wrapped: Buffer;
}

export class Secrets {
  /** This process among those that hold keys. */
  readonly holderId = randomUUID();
  private readonly rootKeys: RootKeys;
  /** Keys that were retired stay: a value that was read before that may be opened after it. */
  private readonly dataKeys = new Map<string, DataKey>();
  private readonly unreadableListeners: ((place: SecretPlace) => void)[] = [];
  private active!: DataKey;
  private fingerprintKey!: Buffer;
  private db: DataSource | null = null;
  /** Looks at the data keys are numbered; the active one is of the look `taken`. */
  private looks = 0;
  private taken = 0;

  /** @param rootKeys all that were given, or the only one, 32 bytes */
  constructor(rootKeys: RootKeys | Buffer) {
    this.rootKeys = Buffer.isBuffer(rootKeys) ? RootKeys.of(rootKeys) : rootKeys;
  }

  /**
   * Reads the data keys, or makes the first one.
   * @throws Error that names the root key that is needed when this one is not it
   */
  async load(db: DataSource): Promise<void> {
    this.db = db;
    await this.tellHolding(); // before the keys are read: a rotation waits for whoever may not know its key
    try {
      await db.transaction(async (tx) => {
        await tx.query(DATA_KEY_LOCK);
        await this.take(await dataKeyRows(tx));
        if (!this.active) await this.makeKey(tx, 'seal', randomBytes(KEY_BYTES), true);
        if (!this.fingerprintKey) await this.makeFingerprintKey(tx);
        await this.take(await dataKeyRows(tx));
      });
    } catch (error) {
      await this.leave(); // nobody is to wait for a process that does not start
      throw error;
    }
    await this.tellHolding();
  }

  /** Reads what is new among the data keys, and says which ones this process knows now. */
  async refresh(): Promise<void> {
    if (!this.db) return;
    const look = ++this.looks;
    await this.take(await dataKeyRows(this.db.manager), look);
    await this.tellHolding();
  }

  /** This process ends: nobody waits for it. What it hears of keys from now on it keeps to itself. */
  async leave(): Promise<void> {
    const { db } = this;
    this.db = null;
    await db?.query('delete from secret_holder where id = $1', [this.holderId]);
  }

  /** Seals a text for one place. */
  seal(text: string, place: SecretPlace): Buffer {
    const sealed = encrypt(this.active.key, Buffer.from(text, 'utf8'), placeData(place));
    return Buffer.concat([Buffer.of(FORMAT), Buffer.from(this.active.id.replaceAll('-', ''), 'hex'), sealed]);
  }

  /**
   * Opens a sealed text.
   * @throws AppError `secret_unreadable` when it was altered, or sealed for another place, or its key is not known
   */
  open(sealed: Buffer, place: SecretPlace): string {
    try {
      const dataKey = sealed[0] === FORMAT && sealed.length >= HEADER_BYTES && this.dataKeys.get(idOf(sealed));
      if (!dataKey) throw new Error('It is sealed with a key that is not known');
      return decrypt(dataKey.key, sealed.subarray(1 + ID_BYTES), placeData(place)).toString('utf8');
    } catch (cause) {
      for (const listener of this.unreadableListeners) listener(place);
      throw new AppError('secret_unreadable', { table: place.table, column: place.column }, { cause });
    }
  }

  /** A keyed digest: equal secrets have equal fingerprints, and nothing can be guessed from one without the key. */
  fingerprint(text: string): string {
    return `hmac:${createHmac('sha256', this.fingerprintKey).update(text).digest('hex').slice(0, 16)}`;
  }

  /** As `fingerprint`, as 32 bytes. */
  keyedDigest(text: string): Buffer {
    return createHmac('sha256', this.fingerprintKey).update('digest\0').update(text).digest();
  }

  /** Calls `listener` with the place of each value that does not open: somebody may have moved it there. */
  onUnreadable(listener: (place: SecretPlace) => void): void {
    this.unreadableListeners.push(listener);
  }

  /** The data key that seals. */
  get activeKeyId(): string {
    return this.active.id;
  }

  /** The root key that wraps from now on. */
  get targetRootKey(): string {
    return this.rootKeys.target.id;
  }

  /** Makes a data key that is known but seals nothing yet. */
  async announceKey(tx: EntityManager): Promise<string> {
    return this.makeKey(tx, 'seal', randomBytes(KEY_BYTES), false);
  }

  /**
   * Wraps all data keys with the target root key, in a transaction: all are, or none is.
   * @returns how many were wrapped otherwise before
   */
  async rewrap(tx: EntityManager): Promise<number> {
    await tx.query(DATA_KEY_LOCK);
    let count = 0;
    for (const row of await dataKeyRows(tx)) {
      if (await this.rootKeys.target.isCurrent(row.root_key_id)) continue;
      const key = await this.rootKeys.unwrap({ rootKeyId: row.root_key_id, wrapped: row.wrapped }, wrapData(row.id));
      const { rootKeyId, wrapped } = await this.rootKeys.wrap(key, wrapData(row.id));
      await tx.query('update data_key set root_key_id = $2, wrapped = $3 where id = $1', [row.id, rootKeyId, wrapped]);
      count++;
    }
    return count;
  }

  private async take(rows: readonly DataKeyRow[], look = ++this.looks): Promise<void> {
    for (const row of rows) {
      if (!this.dataKeys.has(row.id)) {
        const wrapped = { rootKeyId: row.root_key_id, wrapped: row.wrapped };
        const key = await this.rootKeys.unwrap(wrapped, wrapData(row.id));
        if (row.purpose === 'fingerprint') this.fingerprintKey = key;
        this.dataKeys.set(row.id, { id: row.id, key });
      }
    }
    const active = rows.find((row) => row.active);
    // A look that began later and ended before knows more: with the key that is active here nothing is sealed any more.
    if (!active || look < this.taken) return;
    this.taken = look;
    this.active = this.dataKeys.get(active.id)!;
  }

  private async makeKey(tx: EntityManager, purpose: DataKeyRow['purpose'], key: Buffer, active: boolean) {
    const id = randomUUID();
    const { rootKeyId, wrapped } = await this.rootKeys.wrap(key, wrapData(id));
    await tx.query('insert into data_key (id, purpose, active, root_key_id, wrapped) values ($1, $2, $3, $4, $5)', [
      id,
      purpose,
      active,
      rootKeyId,
      wrapped,
    ]);
    await this.take([{ id, purpose, active, root_key_id: rootKeyId, wrapped }]);
    return id;
  }

  /** Fingerprints outlive all other keys. They were once derived from the first data key, and must stay what they are. */
  private async makeFingerprintKey(tx: EntityManager): Promise<void> {
    const [first] = this.dataKeys.values();
    const key = Buffer.from(hkdfSync('sha256', first!.key, '', 'fleetgate fingerprint', KEY_BYTES));
    await this.makeKey(tx, 'fingerprint', key, false);
  }

  /** What this process can open and what it seals with, for those who rotate keys. */
  private async tellHolding(): Promise<void> {
    await this.db?.query(
      `insert into secret_holder (id, knows, seals_with, root_keys, seen_at)
       values ($1, $2::uuid[], $3, $4::text[], clock_timestamp())
       on conflict (id) do update set knows = excluded.knows, seals_with = excluded.seals_with,
                                      root_keys = excluded.root_keys, seen_at = excluded.seen_at`,
      [this.holderId, [...this.dataKeys.keys()], this.active?.id ?? null, this.rootKeys.ids],
    );
  }
}

/** The oldest first. */
async function dataKeyRows(tx: EntityManager): Promise<DataKeyRow[]> {
  return tx.query('select id, purpose, active, root_key_id, wrapped from data_key order by created_at, id');
}

const wrapData = (id: string) => `fleetgate:data_key:${id}`;

// A JSON array, so that no table, column and row can be cut in two ways.
const placeData = (place: SecretPlace) => JSON.stringify(['fleetgate', FORMAT, place.table, place.column, place.rowId]);

function idOf(sealed: Buffer): string {
  const hex = sealed.subarray(1, 1 + ID_BYTES).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
