import { createHmac, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { type DataSource, type EntityManager } from 'typeorm';
import { ADVISORY_LOCK } from '../database/advisory-locks.js';
import { AppError } from '../platform/errors.js';
import { decrypt, encrypt, RootKeys, SEAL_BYTES } from './root-keys.js';

/*
 * Secrets at rest. A root key, which only the operator has, wraps data keys, which are rows. A data key seals values
 * with AES-256-GCM. The additional data bind each value to its table, column and row, so a value copied into another
 * row does not open. Rotating the root key wraps a few keys again. Rotating a data key reseals every value
 * (`key-rotation.ts`), while processes know both keys.
 *
 * No key leaves this file, and a value leaves it in clear only through `open`.
 *
 *   sealed value:  1 | data key id (16) | nonce (12) | tag (16) | ciphertext
 */

const FORMAT = 1;
const ID_BYTES = 16;
const HEADER_BYTES = 1 + ID_BYTES + SEAL_BYTES;
const KEY_BYTES = 32;

/** Stops two processes that start together on an empty database from creating two first keys. */
const DATA_KEY_LOCK = `select pg_advisory_xact_lock(${ADVISORY_LOCK.dataKeys})`;

/** The only column and row where a sealed value opens. */
export interface SecretLocation {
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
  /** The id of this process among the key holders. */
  readonly holderId = randomUUID();
  private readonly rootKeys: RootKeys;
  /** Retired keys stay: a value read before the retirement may be opened after it. */
  private readonly dataKeys = new Map<string, DataKey>();
  private readonly unreadableListeners: ((location: SecretLocation) => void)[] = [];
  private active!: DataKey;
  private fingerprintKey!: Buffer;
  private db: DataSource | null = null;
  /** Reads of the data keys are numbered; the active one is from read number `taken`. */
  private reads = 0;
  private latestRead = 0;

  /** @param rootKeys all root keys, or the only one as 32 bytes */
  constructor(rootKeys: RootKeys | Buffer) {
    this.rootKeys = Buffer.isBuffer(rootKeys) ? RootKeys.of(rootKeys) : rootKeys;
  }

  /** Reads the data keys, or creates the first one. @throws Error that names the needed root key when it is missing */
  async load(db: DataSource): Promise<void> {
    this.db = db;
    await this.publishHolder(); // before the keys are read: a rotation waits for processes that may not know its key
    try {
      await db.transaction(async (tx) => {
        await tx.query(DATA_KEY_LOCK);
        await this.apply(await dataKeyRows(tx));
        if (!this.active) await this.makeKey(tx, 'seal', randomBytes(KEY_BYTES), true);
        if (!this.fingerprintKey) await this.makeFingerprintKey(tx);
        await this.apply(await dataKeyRows(tx));
      });
    } catch (error) {
      await this.leave(); // no rotation must wait for a process that does not start
      throw error;
    }
    await this.publishHolder();
  }

  /** Reads new data keys, and publishes which ones this process knows. */
  async refresh(): Promise<void> {
    if (!this.db) return;
    const read = ++this.reads;
    await this.apply(await dataKeyRows(this.db.manager), read);
    await this.publishHolder();
  }

  /** At the end of this process: rotations no longer wait for it, and it publishes nothing more. */
  async leave(): Promise<void> {
    const { db } = this;
    this.db = null;
    await db?.query('delete from secret_holder where id = $1', [this.holderId]);
  }

  /** Seals a text for one column of one row. */
  seal(text: string, location: SecretLocation): Buffer {
    const sealed = encrypt(this.active.key, Buffer.from(text, 'utf8'), locationData(location));
    return Buffer.concat([Buffer.of(FORMAT), Buffer.from(this.active.id.replaceAll('-', ''), 'hex'), sealed]);
  }

  /** @throws AppError `secret_unreadable` when it was altered or moved, or its key is not known */
  open(sealed: Buffer, location: SecretLocation): string {
    try {
      const dataKey = sealed[0] === FORMAT && sealed.length >= HEADER_BYTES && this.dataKeys.get(idOf(sealed));
      if (!dataKey) throw new Error('It is sealed with an unknown key');
      return decrypt(dataKey.key, sealed.subarray(1 + ID_BYTES), locationData(location)).toString('utf8');
    } catch (cause) {
      for (const listener of this.unreadableListeners) listener(location);
      throw new AppError('secret_unreadable', { table: location.table, column: location.column }, { cause });
    }
  }

  /** A keyed digest: equal secrets have equal fingerprints, and without the key a fingerprint reveals nothing. */
  fingerprint(text: string): string {
    return `hmac:${createHmac('sha256', this.fingerprintKey).update(text).digest('hex').slice(0, 16)}`;
  }

  /** As `fingerprint`, as 32 bytes. */
  keyedDigest(text: string): Buffer {
    return createHmac('sha256', this.fingerprintKey).update('digest\0').update(text).digest();
  }

  /** Calls `listener` with the location of each value that does not open: it may have been moved there by an attacker. */
  onUnreadable(listener: (location: SecretLocation) => void): void {
    this.unreadableListeners.push(listener);
  }

  get activeKeyId(): string {
    return this.active.id;
  }

  get targetRootKey(): string {
    return this.rootKeys.target.id;
  }

  /** Creates a data key that seals nothing yet. */
  async announceKey(tx: EntityManager): Promise<string> {
    return this.makeKey(tx, 'seal', randomBytes(KEY_BYTES), false);
  }

  /** In a transaction: all or none. @returns how many were wrapped with another key or version */
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

  private async apply(rows: readonly DataKeyRow[], read = ++this.reads): Promise<void> {
    for (const row of rows) {
      if (!this.dataKeys.has(row.id)) {
        const wrapped = { rootKeyId: row.root_key_id, wrapped: row.wrapped };
        const key = await this.rootKeys.unwrap(wrapped, wrapData(row.id));
        if (row.purpose === 'fingerprint') this.fingerprintKey = key;
        this.dataKeys.set(row.id, { id: row.id, key });
      }
    }
    const active = rows.find((row) => row.active);
    // A read that began later and ended earlier knows more: the key that is active here must not seal any more.
    if (!active || read < this.latestRead) return;
    this.latestRead = read;
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
    await this.apply([{ id, purpose, active, root_key_id: rootKeyId, wrapped }]);
    return id;
  }

  /** The fingerprint key outlives all other keys. It was once derived from the first data key and must never change. */
  private async makeFingerprintKey(tx: EntityManager): Promise<void> {
    const [first] = this.dataKeys.values();
    const key = Buffer.from(hkdfSync('sha256', first!.key, '', 'fleetgate fingerprint', KEY_BYTES));
    await this.makeKey(tx, 'fingerprint', key, false);
  }

  private async publishHolder(): Promise<void> {
    await this.db?.query(
      `insert into secret_holder (id, knows, seals_with, root_keys, seen_at)
       values ($1, $2::uuid[], $3, $4::text[], clock_timestamp())
       on conflict (id) do update set knows = excluded.knows, seals_with = excluded.seals_with,
                                      root_keys = excluded.root_keys, seen_at = excluded.seen_at`,
      [this.holderId, [...this.dataKeys.keys()], this.active?.id ?? null, this.rootKeys.ids],
    );
  }
}

/** Oldest first. */
async function dataKeyRows(tx: EntityManager): Promise<DataKeyRow[]> {
  return tx.query('select id, purpose, active, root_key_id, wrapped from data_key order by created_at, id');
}

const wrapData = (id: string) => `fleetgate:data_key:${id}`;

// A JSON array, so that two different locations never give the same text.
const locationData = (location: SecretLocation) =>
  JSON.stringify(['fleetgate', FORMAT, location.table, location.column, location.rowId]);

function idOf(sealed: Buffer): string {
  const hex = sealed.subarray(1, 1 + ID_BYTES).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
