import { createHmac, createPrivateKey, generateKeyPairSync, hkdfSync, randomUUID, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { formatCheckpoint, type Checkpoint } from '../../merkle-log/checkpoint.js';
import { formatVerifierKey, publicKeyBytes, signNote, type VerifierKey } from '../../merkle-log/signed-note.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { Secrets } from '../../secrets/secrets.js';
import { LEAF_KINDS, type LeafKind } from '../entries/canonical.js';

/*
 * The identity of the log: its name and its Ed25519 key. The key is created with the log and sealed in its row, or
 * configured as a file, for installations that store it apart. A second key, derived from it, authenticates each leaf
 * and its place by a MAC (`seal`). An attacker who can write into the database, but lacks the key, cannot make a valid
 * leaf. So verification finds an alteration at its row, not only in the root above many.
 */

export interface LogKey {
  readonly verifier: VerifierKey;
  readonly privateKey: KeyObject;
  readonly sealKey: Buffer;
}

interface LogRow {
  readonly id: string;
  readonly origin: string;
  readonly sealed: Buffer | null;
}

const SEAL_BYTES = 16;

@Injectable()
export class AuditLog {
  private opened: Promise<LogKey> | null = null;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Secrets) private readonly secrets: Pick<Secrets, 'seal' | 'open'>,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'AUDIT_KEY_FILE' | 'AUDIT_ORIGIN'>,
  ) {}

  /** The key of the log; the first call on an empty database creates the log. */
  key(): Promise<LogKey> {
    this.opened ??= this.open().catch((error: unknown) => {
      this.opened = null;
      throw error;
    });
    return this.opened;
  }

  /** The public key as text, for auditors and witnesses. */
  async verifierKey(): Promise<string> {
    return formatVerifierKey((await this.key()).verifier);
  }

  /** Signs the log at one size. @returns the note */
  async sign(of: Omit<Checkpoint, 'origin'>): Promise<string> {
    const { verifier, privateKey } = await this.key();
    return signNote(formatCheckpoint({ ...of, origin: verifier.name }), verifier, privateKey);
  }

  private async open(): Promise<LogKey> {
    const row = (await this.find()) ?? (await this.create());
    const pem = this.config.AUDIT_KEY_FILE
      ? await readFile(this.config.AUDIT_KEY_FILE, 'utf8').catch((cause: unknown) => {
          throw new Error(`The audit key file ${this.config.AUDIT_KEY_FILE} cannot be read`, { cause });
        })
      : this.unseal(row);
    const privateKey = createPrivateKey(pem);
    if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error('The audit key is not an Ed25519 key');
    const secret = privateKey.export({ format: 'der', type: 'pkcs8' });
    return {
      verifier: { name: row.origin, publicKey: publicKeyBytes(privateKey), isWitness: false },
      privateKey,
      sealKey: Buffer.from(hkdfSync('sha256', secret, '', 'fleetgate audit leaf', 32)),
    };
  }

  private unseal({ id, sealed }: LogRow): string {
    if (!sealed) throw new Error('The key of this audit log is in a file: set AUDIT_KEY_FILE');
    return this.secrets.open(sealed, locationOf(id));
  }

  private async find(): Promise<LogRow | null> {
    const [row] = await this.db.query<LogRow[]>('select id, origin, sealed_key as sealed from audit_log');
    return row ?? null;
  }

  /** When two processes start together, the second one uses the log of the first. */
  private async create(): Promise<LogRow> {
    const id = randomUUID();
    const { privateKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
    await this.db.query(
      'insert into audit_log (id, origin, sealed_key) values ($1, $2, $3) on conflict (only_one) do nothing',
      [
        id,
        this.config.AUDIT_ORIGIN ?? `fleetgate/audit/${id}`,
        this.config.AUDIT_KEY_FILE ? null : this.secrets.seal(pem, locationOf(id)),
      ],
    );
    return (await this.find())!;
  }
}

const locationOf = (id: string) => ({ table: 'audit_log', column: 'sealed_key', rowId: id });

export interface Leaf {
  readonly sequence: number;
  readonly kind: number;
  readonly rowId: string;
  readonly hash: Buffer;
}

/** The MAC of a leaf and its place. */
export function sealOf({ sequence, kind, rowId, hash }: Leaf, sealKey: Buffer): Buffer {
  const mac = createHmac('sha256', sealKey).update(`${sequence} ${kind} ${rowId} `).update(hash);
  return mac.digest().subarray(0, SEAL_BYTES);
}

export const kindName = (kind: number): LeafKind => LEAF_KINDS[kind] ?? 'entry';
