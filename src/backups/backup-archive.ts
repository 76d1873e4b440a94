import { createDecipheriv, createHash, pbkdf2 } from 'node:crypto';
import { type Readable, Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';

/*
 * The contents of a backup: a tar.gz of a device's settings (observed-devices.md 3). Bytes of a device are not
 * trusted: size and number are bounded, names are data and never become paths here.
 */

/** Unpacked; real ones have a few hundred kilobytes. */
const MAX_UNPACKED_BYTES = 32 * 1024 * 1024;

/** An archive is read into memory to be decrypted. */
export const MAX_ARCHIVE_BYTES = 32 * 1024 * 1024;

const MAX_ENTRIES = 10_000;
const MAX_NAME = 1_000;

/** How OpenSSL marks it; 10,000 rounds are its default. */
const SALTED = Buffer.from('Salted__');
const SALT_BYTES = 8;
const ROUNDS = 10_000;

const derive = promisify(pbkdf2);

export interface BackupFile {
  readonly name: string;
  readonly content: Buffer;
}

/** Why a backup cannot be opened; the message is for people and contains none of the bytes. */
export class BackupUnreadable extends Error {}

/** @returns its files, ordered by name; of equal names the last one, as for tar. @throws BackupUnreadable */
export async function openBackup(archive: Readable): Promise<BackupFile[]> {
  const files = new Map<string, Buffer>();
  const tar = extract();
  // Not awaited before the entries are: it ends with them, and with the same error.
  const flowing = pipeline(archive, createGunzip(), limit(MAX_UNPACKED_BYTES), tar);
  flowing.catch(() => undefined);
  let entries = 0;
  try {
    for await (const entry of tar) {
      if (++entries > MAX_ENTRIES) throw new BackupUnreadable(`it holds more than ${MAX_ENTRIES} files`);
      const { name, type } = entry.header;
      if (name.length > MAX_NAME) throw new BackupUnreadable('it contains a name that is too long');
      const content = await buffer(entry);
      if (type === 'file' || type === 'contiguous-file') files.set(name, content);
    }
    await flowing;
  } catch (error) {
    archive.destroy();
    throw error instanceof BackupUnreadable
      ? error
      : new BackupUnreadable('it is not a complete tar.gz', { cause: error });
  }
  if (files.size === 0) throw new BackupUnreadable('it contains no file');
  return [...files].map(([name, content]) => ({ name, content })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Decrypts a backup that a device encrypted with a passphrase: the form of `openssl enc -aes-256-cbc -pbkdf2`.
 * @returns the archive; the same bytes when they are not encrypted
 * @throws BackupUnreadable when there is no passphrase, or it is wrong
 */
export async function decryptBackup(bytes: Buffer, passphrase: () => Promise<string | null>): Promise<Buffer> {
  if (!bytes.subarray(0, SALTED.length).equals(SALTED)) return bytes;
  const clear = await passphrase();
  if (clear === null) throw new BackupUnreadable('it is encrypted, and its passphrase is not stored');
  const salt = bytes.subarray(SALTED.length, SALTED.length + SALT_BYTES);
  const derived = await derive(clear, salt, ROUNDS, 48, 'sha256');
  const decipher = createDecipheriv('aes-256-cbc', derived.subarray(0, 32), derived.subarray(32));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(SALTED.length + SALT_BYTES)), decipher.final()]);
  } catch (error) {
    throw new BackupUnreadable('its passphrase is wrong', { cause: error });
  }
}

/** Of names and bytes of all files: backups of the same settings have the same digest, whatever their dates are. */
export function contentDigest(files: readonly BackupFile[]): string {
  const hash = createHash('sha256');
  for (const { name, content } of files)
    hash.update(`${Buffer.byteLength(name)}:${name}:${content.length}:`).update(content);
  return hash.digest('hex');
}

function limit(maxBytes: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(new BackupUnreadable(`it unpacks to more than ${maxBytes} bytes`));
      else done(null, chunk);
    },
  });
}
