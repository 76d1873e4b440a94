import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/*
 * Root keys wrap data keys. A root key is 32 bytes that the operator stores, or a key that never leaves a transit
 * server. Each data key's row names its root key. During a rotation a process has both root keys.
 */

export interface WrappedKey {
  readonly rootKeyId: string;
  readonly wrapped: Buffer;
}

export interface RootKey {
  /** Its public name, without a version. */
  readonly id: string;
  /** Whether a row's name means this key. */
  opens(rootKeyId: string): boolean;
  /** Whether a new wrap would have this name, too; not so after a transit server has rotated its key. */
  isCurrent(rootKeyId: string): Promise<boolean>;
  /** @param context binds the data key to its row */
  wrap(key: Buffer, context: string): Promise<WrappedKey>;
  /** @throws Error that holds no secret */
  unwrap(wrapped: Buffer, context: string): Promise<Buffer>;
}

/** The public name of a root key of 32 bytes: identifies the key without revealing it. */
export function rootKeyId(rootKey: Buffer): string {
  return createHash('sha256').update('fleetgate root key id\0').update(rootKey).digest('hex').slice(0, 16);
}

/** A root key in this process's memory, from the environment or a file. */
export class LocalRootKey implements RootKey {
  readonly id: string;

  constructor(private readonly key: Buffer) {
    this.id = rootKeyId(key);
  }

  opens(id: string): boolean {
    return id === this.id;
  }

  async isCurrent(id: string): Promise<boolean> {
    return id === this.id;
  }

  async wrap(key: Buffer, context: string): Promise<WrappedKey> {
    return { rootKeyId: this.id, wrapped: encrypt(this.key, key, context) };
  }

  async unwrap(wrapped: Buffer, context: string): Promise<Buffer> {
    return decrypt(this.key, wrapped, context);
  }
}

export class RootKeys {
  /** @param target the one of `known` that wraps from now on */
  constructor(
    private readonly known: readonly RootKey[],
    readonly target: RootKey,
  ) {}

  /** One key of 32 bytes, without a next one. */
  static of(key: Buffer): RootKeys {
    const only = new LocalRootKey(key);
    return new RootKeys([only], only);
  }

  get ids(): string[] {
    return this.known.map(({ id }) => id);
  }

  /** Whether one of them is the key that a row names. */
  opens(rootKeyId: string): boolean {
    return this.known.some((key) => key.opens(rootKeyId));
  }

  /** @throws Error that names the needed root key when it is missing */
  async unwrap({ rootKeyId: needed, wrapped }: WrappedKey, context: string): Promise<Buffer> {
    const key = this.known.find((one) => one.opens(needed));
    if (key) return key.unwrap(wrapped, context);
    throw new Error(
      `The stored secrets need the root key ${needed}, but the key given is ${this.ids.join(', ')}. ` +
        'Set FLEETGATE_KEY, FLEETGATE_KEY_FILE or TRANSIT_URL to the key that this database was set up with.',
    );
  }

  /** Wraps a data key with the target. @throws Error when unwrapping gives other bytes: nothing may be stored then */
  async wrap(key: Buffer, context: string): Promise<WrappedKey> {
    const wrapped = await this.target.wrap(key, context);
    const again = await this.target.unwrap(wrapped.wrapped, context);
    if (again.length !== key.length || !timingSafeEqual(again, key)) {
      throw new Error(`The root key ${this.target.id} cannot decrypt what it wraps`);
    }
    return wrapped;
  }
}

/*
 * AES-256-GCM for all sealed data: nonce | tag | ciphertext. Nonces are random: a key seals far fewer than 2^32 values
 * (NIST SP 800-38D, 8.3). The additional data bind a value to its location: the column of a row.
 */

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Bytes that sealing adds to a text. */
export const SEAL_BYTES = NONCE_BYTES + TAG_BYTES;

export function encrypt(key: Buffer, clear: Buffer, additional: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(additional));
  const body = Buffer.concat([cipher.update(clear), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** @throws Error when it was altered, or sealed with another key or for another location */
export function decrypt(key: Buffer, sealed: Buffer, additional: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(additional))
    .setAuthTag(sealed.subarray(NONCE_BYTES, SEAL_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(SEAL_BYTES)), decipher.final()]);
}
