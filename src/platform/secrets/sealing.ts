import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

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
