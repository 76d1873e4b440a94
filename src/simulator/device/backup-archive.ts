/*
 * A device's settings as a tar.gz: one file per configuration service, the accounts, the certificates, and a history. With a password it is
 * encrypted as `openssl enc -aes-256-cbc -pbkdf2` does, so that it can be opened without the simulator.
 */
import { createCipheriv, createDecipheriv, createHash, pbkdf2Sync, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { extract, pack } from 'tar-stream';
import type { SimulatedDevice } from './device.js';

const CONFIG = 'etc/config/';
const CERTIFICATES = 'etc/certificates/';
const ACCOUNTS = 'etc/accounts.json';
const DEVICE = 'etc/device.json';
const HISTORY = 'usr/share/history.bin';

/** Unpacked, a backup is at most this large: an archive bomb is refused. */
const MAX_UNPACKED_BYTES = 16 * 1024 * 1024;

/** OpenSSL's own form: magic, salt, then the ciphertext; 10,000 rounds are its default. */
const SALTED = Buffer.from('Salted__');
const ROUNDS = 10_000;

export async function packBackup(device: SimulatedDevice, password?: string): Promise<Buffer> {
  const files = new Map<string, string>([
    [DEVICE, JSON.stringify({ model: device.model, firmware: device.firmware.version })],
    [ACCOUNTS, JSON.stringify(device.accounts.export())],
  ]);
  const history = historyOf(device);
  for (const [key, sections] of device.configuration.export()) files.set(CONFIG + key, sections);
  for (const [name, pem] of await device.certificates.export()) files.set(CERTIFICATES + name, pem);
  const archive = pack();
  const mtime = new Date(device.clock.now());
  for (const [name, content] of files) archive.entry({ name, mtime, mode: 0o600 }, content);
  if (history) archive.entry({ name: HISTORY, mtime, mode: 0o600 }, history);
  archive.finalize();
  const zipped = gzipSync(await buffer(archive));
  return password === undefined ? zipped : encrypt(zipped, password);
}

/** The files of an archive by name. @throws Error when it is no archive, or the password is not its own */
export async function unpackBackup(bytes: Buffer, password?: string): Promise<Map<string, string>> {
  const zipped = bytes.subarray(0, SALTED.length).equals(SALTED) ? decrypt(bytes, password ?? '') : bytes;
  const files = new Map<string, string>();
  const archive = extract();
  Readable.from([gunzipSync(zipped, { maxOutputLength: MAX_UNPACKED_BYTES })]).pipe(archive);
  for await (const entry of archive) files.set(entry.header.name, (await buffer(entry)).toString());
  if (!files.has(DEVICE)) throw new Error('The archive is no backup of a device');
  return files;
}

/** Puts the settings of an unpacked backup in the place of the device's own. */
export function applyBackup(device: SimulatedDevice, files: ReadonlyMap<string, string>): void {
  const under = (prefix: string): Map<string, string> =>
    new Map(
      [...files]
        .filter(([name]) => name.startsWith(prefix))
        .map(([name, content]) => [name.slice(prefix.length), content]),
    );
  device.configuration.restore(under(CONFIG));
  device.certificates.restore(under(CERTIFICATES));
  const accounts = files.get(ACCOUNTS);
  if (accounts !== undefined)
    device.accounts.restore(JSON.parse(accounts) as ReturnType<typeof device.accounts.export>);
}

export function modelOf(files: ReadonlyMap<string, string>): string {
  return String((JSON.parse(files.get(DEVICE) ?? '{}') as { model?: unknown }).model);
}

/** What makes a backup as large as those of real devices: bytes that do not compress, the same ones each time. */
function historyOf({ serial, setup: { backupBytes } }: SimulatedDevice): Buffer | null {
  if (!backupBytes) return null;
  const key = createHash('sha256').update(`history of ${serial}`).digest();
  const [least, most] = backupBytes;
  const size = Math.round(least + (most - least) * (key.readUInt32BE() / 2 ** 32));
  return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size));
}

function keyFor(password: string, salt: Buffer): { key: Buffer; iv: Buffer } {
  const derived = pbkdf2Sync(password, salt, ROUNDS, 48, 'sha256');
  return { key: derived.subarray(0, 32), iv: derived.subarray(32) };
}

function encrypt(plain: Buffer, password: string): Buffer {
  const salt = randomBytes(8);
  const { key, iv } = keyFor(password, salt);
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  return Buffer.concat([SALTED, salt, cipher.update(plain), cipher.final()]);
}

function decrypt(bytes: Buffer, password: string): Buffer {
  const { key, iv } = keyFor(password, bytes.subarray(8, 16));
  const decipher = createDecipheriv('aes-256-cbc', key, iv);
  return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]);
}
