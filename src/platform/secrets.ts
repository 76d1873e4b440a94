import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  randomUUID,
} from 'node:crypto';
import { type DataSource } from 'typeorm';
import { AppError } from './errors.js';

/*
 * Secrets at rest. A root key, which only the operator has, wraps data keys, which are rows; a data key seals values
 * with AES-256-GCM. The additional data bind each value to the table, column and row it was sealed for, so a value
 * that someone copies into another row does not open. Rotating the root key means wrapping few keys anew.
 *
 * Nothing outside this file sees a key, and a value leaves it in clear only through `open`.
 *
 *   sealed value:  1 | data key id (16) | nonce (12) | tag (16) | ciphertext
 */

const FORMAT = 1;
const ID_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + ID_BYTES + NONCE_BYTES + TAG_BYTES;

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
  readonly root_key_id: string;
  readonly wrapped: Buffer;
}

/** The public name of a root key: tells which key is needed without telling the key. */
export function rootKeyId(rootKey: Buffer): string {
  return createHash('sha256').update('fleetgate root key id\0').update(rootKey).digest('hex').slice(0, 16);
}

export class Secrets {
  private readonly dataKeys = new Map<string, DataKey>();
  private active!: DataKey;
  private fingerprintKey!: Buffer;

  constructor(private readonly rootKey: Buffer) {}

  /**
   * Reads the data keys, or makes the first one.
   * @throws Error that names the root key that is needed when this one is not it
   */
  async load(db: DataSource): Promise<void> {
    const rows = await db.transaction(async (tx) => {
      // Two processes that start together on an empty database must not make two first keys.
      await tx.query(`select pg_advisory_xact_lock(hashtext('fleetgate.data_key'))`);
      const found: DataKeyRow[] = await tx.query(
        'select id, root_key_id, wrapped from data_key order by created_at, id',
      );
      if (found.length > 0) return found;
      const id = randomUUID();
      const wrapped = encrypt(this.rootKey, randomBytes(32), wrapData(id));
      const row = { id, root_key_id: rootKeyId(this.rootKey), wrapped };
      await tx.query('insert into data_key (id, root_key_id, wrapped) values ($1, $2, $3)', [
        id,
        row.root_key_id,
        wrapped,
      ]);
      return [row];
    });
    for (const row of rows) this.unwrap(row);
    this.active = this.dataKeys.get(rows.at(-1)!.id)!;
    const first = this.dataKeys.get(rows[0]!.id)!;
    this.fingerprintKey = Buffer.from(hkdfSync('sha256', first.key, '', 'fleetgate fingerprint', 32));
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
    const dataKey = sealed[0] === FORMAT && sealed.length >= HEADER_BYTES && this.dataKeys.get(idOf(sealed));
    if (!dataKey) throw new AppError('secret_unreadable', { table: place.table, column: place.column });
    try {
      return decrypt(dataKey.key, sealed.subarray(1 + ID_BYTES), placeData(place)).toString('utf8');
    } catch (cause) {
      throw new AppError('secret_unreadable', { table: place.table, column: place.column }, { cause });
    }
  }

  /** A keyed digest: equal secrets have equal fingerprints, and nothing can be guessed from one without the key. */
  fingerprint(text: string): string {
    return `hmac:${createHmac('sha256', this.fingerprintKey).update(text).digest('hex').slice(0, 16)}`;
  }

  private unwrap(row: DataKeyRow): void {
    const given = rootKeyId(this.rootKey);
    if (row.root_key_id !== given) {
      throw new Error(
        `The stored secrets need the root key ${row.root_key_id}, but the key given is ${given}. ` +
          'Set FLEETGATE_KEY or FLEETGATE_KEY_FILE to the key that this database was set up with.',
      );
    }
    this.dataKeys.set(row.id, { id: row.id, key: decrypt(this.rootKey, row.wrapped, wrapData(row.id)) });
  }
}

const wrapData = (id: string) => `fleetgate:data_key:${id}`;

// A JSON array, so that no table, column and row can be cut in two ways.
const placeData = (place: SecretPlace) => JSON.stringify(['fleetgate', FORMAT, place.table, place.column, place.rowId]);

function idOf(sealed: Buffer): string {
  const hex = sealed.subarray(1, 1 + ID_BYTES).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** nonce | tag | ciphertext. Nonces are random: a data key seals far fewer than 2^32 values (NIST SP 800-38D, 8.3). */
function encrypt(key: Buffer, clear: Buffer, additional: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(additional));
  const body = Buffer.concat([cipher.update(clear), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

function decrypt(key: Buffer, sealed: Buffer, additional: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(additional))
    .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}
