import { createHash, timingSafeEqual } from 'node:crypto';
import { decrypt, encrypt } from './sealing.js';

/*
 * Who wraps data keys. A root key is 32 bytes that the operator keeps, or a key that never leaves a transit server; the
 * rows of data keys name theirs. While it is replaced, a process is given both.
 */

export interface WrappedKey {
  readonly rootKeyId: string;
  readonly wrapped: Buffer;
}

export interface RootKey {
  /** Its public name, without its version where it has versions. */
  readonly id: string;
  /** Whether it is the one that a row names. */
  opens(rootKeyId: string): boolean;
  /** Whether a row that names `rootKeyId` is as it would be wrapped now. */
  isCurrent(rootKeyId: string): Promise<boolean>;
  /** @param context binds the data key to its row */
  wrap(key: Buffer, context: string): Promise<WrappedKey>;
  /** @throws Error that holds no secret */
  unwrap(wrapped: Buffer, context: string): Promise<Buffer>;
}

/** The public name of a root key of 32 bytes: tells which key is needed without telling the key. */
export function rootKeyId(rootKey: Buffer): string {
  return createHash('sha256').update('fleetgate root key id\0').update(rootKey).digest('hex').slice(0, 16);
}

/** A root key that the process holds: from the environment or a file. */
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

/** The root keys that a process was given. */
export class RootKeys {
  /**
   * @param known all of them
   * @param target the one that wraps from now on
   */
  constructor(
    private readonly known: readonly RootKey[],
    readonly target: RootKey,
  ) {}

  /** One key of 32 bytes, and nothing to replace it. */
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

  /** @throws Error that names the root key that is needed when it was not given */
  async unwrap({ rootKeyId: needed, wrapped }: WrappedKey, context: string): Promise<Buffer> {
    const key = this.known.find((one) => one.opens(needed));
    if (key) return key.unwrap(wrapped, context);
    throw new Error(
      `The stored secrets need the root key ${needed}, but the key given is ${this.ids.join(', ')}. ` +
        'Set FLEETGATE_KEY, FLEETGATE_KEY_FILE or TRANSIT_URL to the key that this database was set up with.',
    );
  }

  /**
   * Wraps a data key with the target.
   * @throws Error when it does not come out of it as it went in: nothing may be stored then
   */
  async wrap(key: Buffer, context: string): Promise<WrappedKey> {
    const wrapped = await this.target.wrap(key, context);
    const again = await this.target.unwrap(wrapped.wrapped, context);
    if (again.length !== key.length || !timingSafeEqual(again, key)) {
      throw new Error(`The root key ${this.target.id} does not open what it wraps`);
    }
    return wrapped;
  }
}
