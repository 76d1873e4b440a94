import { createPublicKey, hash, sign, verify, type KeyObject } from 'node:crypto';

/*
 * Signed notes and verifier keys as C2SP signed-note has them, with Ed25519, and the cosignatures of witnesses as C2SP
 * tlog-cosignature has them. Pure.
 *
 *   text, ending in a newline
 *   (empty line)
 *   — <name> <base64 of: key id (4) | signature>
 */

const ED25519 = 1;
const COSIGNATURE = 4;

/** The bytes before the 32 bytes of an Ed25519 public key in SPKI (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

const SIGNATURE_LINE = /^— (\S+) ([A-Za-z0-9+/]+={0,2})$/;

export interface VerifierKey {
  readonly name: string;
  readonly publicKey: Buffer;
  readonly isWitness: boolean;
}

export interface SignedNote {
  /** The signed text, its last newline included. */
  readonly text: string;
  readonly signatures: readonly { readonly name: string; readonly keyId: Buffer; readonly bytes: Buffer }[];
}

/** The first four bytes of SHA-256(name | newline | algorithm | key): says which key signed. */
function keyIdOf({ name, publicKey, isWitness }: VerifierKey): Buffer {
  const algorithm = Buffer.of(isWitness ? COSIGNATURE : ED25519);
  return hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), algorithm, publicKey]), 'buffer').subarray(0, 4);
}

/** The key as text: `<name>+<key id>+<base64 of: algorithm | key>`. */
export function formatVerifierKey(key: VerifierKey): string {
  const algorithm = Buffer.of(key.isWitness ? COSIGNATURE : ED25519);
  const encoded = Buffer.concat([algorithm, key.publicKey]).toString('base64');
  return `${key.name}+${keyIdOf(key).toString('hex')}+${encoded}`;
}

/** Reads a verifier key; null when it is not one, or its id is not that of its key. */
export function parseVerifierKey(text: string): VerifierKey | null {
  const [, name, keyId, encoded] = /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text.trim()) ?? [];
  if (!name || !keyId || !encoded) return null;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length !== 33 || (bytes[0] !== ED25519 && bytes[0] !== COSIGNATURE)) return null;
  const key = { name, publicKey: bytes.subarray(1), isWitness: bytes[0] === COSIGNATURE };
  return keyIdOf(key).toString('hex') === keyId ? key : null;
}

/** Signs a text, which must end in a newline. */
export function signNote(text: string, key: VerifierKey, privateKey: KeyObject): string {
  const signature = sign(null, Buffer.from(text), privateKey);
  return `${text}\n— ${key.name} ${Buffer.concat([keyIdOf(key), signature]).toString('base64')}\n`;
}

/** Takes a note apart; null when it has not the form of one. Signatures are not checked here. */
export function parseNote(note: string): SignedNote | null {
  const cut = note.lastIndexOf('\n\n');
  if (cut < 0 || !note.endsWith('\n')) return null;
  const signatures = parseSignatures(note.slice(cut + 2));
  return signatures && { text: note.slice(0, cut + 1), signatures };
}

/** Reads signature lines; null when there is none, or one is not well formed. */
export function parseSignatures(lines: string): SignedNote['signatures'] | null {
  const signatures = [];
  for (const line of lines.trimEnd().split('\n')) {
    const [, name, encoded] = SIGNATURE_LINE.exec(line) ?? [];
    const bytes = Buffer.from(encoded ?? '', 'base64');
    if (!name || bytes.length <= 4) return null;
    signatures.push({ name, keyId: bytes.subarray(0, 4), bytes: bytes.subarray(4) });
  }
  return signatures;
}

/** Whether a note has a valid signature (or, for the key of a witness, a valid cosignature) of this key. */
export function isSignedBy(note: SignedNote, key: VerifierKey): boolean {
  const keyId = keyIdOf(key);
  const spki = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, key.publicKey]), format: 'der', type: 'spki' });
  return note.signatures.some(({ name, keyId: signer, bytes }) => {
    if (name !== key.name || !signer.equals(keyId)) return false;
    if (!key.isWitness) return verify(null, Buffer.from(note.text), spki, bytes);
    if (bytes.length !== 72) return false;
    const signed = `cosignature/v1\ntime ${bytes.readBigUInt64BE(0)}\n${note.text}`;
    return verify(null, Buffer.from(signed), spki, bytes.subarray(8));
  });
}

/** The bytes of an Ed25519 public key. */
export function publicKeyBytes(key: KeyObject): Buffer {
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(SPKI_PREFIX.length);
}
