import { createPublicKey, verify, type KeyObject } from 'node:crypto';

/*
 * Signatures of artifacts: Ed25519 over the 32 bytes of the SHA-256 digest, so that a file of any size is signed and
 * checked while it streams. `docs/howto/sign-artifacts.md` shows how one is made with openssl. Pure.
 */

/** The public keys that are trusted, by the names that operators gave them. */
export type SigningKeys = ReadonlyMap<string, KeyObject>;

/** RFC 8410, section 4: the bytes before the 32 bytes of an Ed25519 public key in its SPKI form. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Reads `name=base64` entries: the raw 32 bytes, or the DER of openssl. @throws Error that names the wrong entry */
export function readSigningKeys(entries: readonly string[]): SigningKeys {
  return new Map(
    entries.map((entry) => {
      const cut = entry.indexOf('=');
      const name = entry.slice(0, cut);
      if (cut < 1) throw new Error(`"${entry}" must have the form name=base64`);
      return [name, keyOf(name, Buffer.from(entry.slice(cut + 1), 'base64'))];
    }),
  );
}

/** @returns the name of the key that a signature was made with; null when it is none of ours, or no signature */
export function signerOf(sha256: string, signature: string, keys: SigningKeys): string | null {
  const digest = Buffer.from(sha256, 'hex');
  const bytes = Buffer.from(signature, 'base64');
  for (const [name, key] of keys) if (verify(null, digest, key, bytes)) return name;
  return null;
}

function keyOf(name: string, bytes: Buffer): KeyObject {
  const der = bytes.length === 32 ? Buffer.concat([SPKI_PREFIX, bytes]) : bytes;
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // said below
  }
  throw new Error(`the key ${name} is not an Ed25519 public key`);
}
