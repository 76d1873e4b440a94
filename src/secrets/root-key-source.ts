import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Logger } from 'pino';
import { type GatewayConfig } from '../platform/config.js';
import { LocalRootKey, rootKeyId, RootKeys, type RootKey } from './root-keys.js';
import { TransitRootKey } from './transit-root-key.js';

const KEY_BYTES = 32;

const KEY_MADE =
  'A root key was created; store a copy of this file apart from the database: without it no stored secret can be decrypted';

/**
 * Reads all configured root keys: the present one, the next one, a transit server's.
 * @param neededKeyId the root key that the database was set up with; null when it is new
 * @throws Error as `readRootKey`
 */
export async function readRootKeys(config: GatewayConfig, log: Logger, neededKeyId: string | null): Promise<RootKeys> {
  const { FLEETGATE_KEY_NEXT: written } = config;
  const next = written ? new LocalRootKey(Buffer.from(written, 'base64')) : null;
  const transit = config.TRANSIT_URL ? new TransitRootKey(config.TRANSIT_URL, config) : null;
  const known: RootKey[] = [];
  // With a transit server no key is created, but an existing one may be needed until it is replaced.
  if (!transit || hasLocalKey(config)) {
    known.push(new LocalRootKey(await readRootKey(config, log, neededKeyId)));
  }
  if (transit) known.push(transit);
  if (next) known.push(next);
  return new RootKeys(known, next ?? transit ?? known[0]!);
}

/** All root keys of 32 bytes in the settings, and the file in DATA_DIR. It creates none. */
export async function readLocalRootKeys(config: GatewayConfig): Promise<Buffer[]> {
  const given = [config.FLEETGATE_KEY, config.FLEETGATE_KEY_NEXT].flatMap((text) => text ?? []);
  const keys: Buffer[] = given.map((text) => Buffer.from(text, 'base64'));
  if (existsSync(ownFile(config))) keys.push(await readRootKeyFile(ownFile(config)));
  return keys;
}

/** Whether a root key exists, so that the start would create none. */
export function hasRootKey(config: GatewayConfig): boolean {
  return config.TRANSIT_URL !== undefined || hasLocalKey(config);
}

function hasLocalKey(config: GatewayConfig): boolean {
  return config.FLEETGATE_KEY !== undefined || existsSync(ownFile(config));
}

/** Writes a root key to its file in DATA_DIR. @throws Error when one is there already */
export async function placeRootKey(config: GatewayConfig, key: Buffer): Promise<void> {
  await mkdir(config.DATA_DIR, { recursive: true });
  await writeRootKey(ownFile(config), key);
}

/** Writes a root key file that only its owner can read. @throws Error when the file exists */
export async function writeRootKey(file: string, key: Buffer): Promise<void> {
  await writeFile(file, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
}

const ownFile = (config: GatewayConfig): string => path.join(config.DATA_DIR, 'root.key');

/**
 * Finds the root key: FLEETGATE_KEY, or a file in DATA_DIR, created at the first start.
 * @param neededKeyId the root key that the database was set up with; null when it is new
 * @returns 32 bytes
 * @throws Error with advice when a file cannot be read, can be read by others, or holds no key
 */
export async function readRootKey(
  config: GatewayConfig,
  log: Logger,
  neededKeyId: string | null = null,
): Promise<Buffer> {
  if (config.FLEETGATE_KEY) return Buffer.from(config.FLEETGATE_KEY, 'base64');
  const file = ownFile(config);
  if (existsSync(file)) return readRootKeyFile(file, true);
  if (neededKeyId) {
    throw new Error(
      `The stored secrets need the root key ${neededKeyId}, and ${file} does not exist. Restore the copy of that file, ` +
        'or set FLEETGATE_KEY or FLEETGATE_KEY_FILE.',
    );
  }
  await mkdir(config.DATA_DIR, { recursive: true });
  // Written to a temporary file, then linked: when two processes start together, one creates the key and both read a
  // complete file.
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeRootKey(draft, randomBytes(KEY_BYTES));
  try {
    await link(draft, file);
    const keyId = rootKeyId(await readRootKeyFile(file));
    log.warn({ keyId, path: file }, KEY_MADE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
  return readRootKeyFile(file, true);
}

/**
 * @param isOurs a file that the gateway created, which no other user needs to read
 * @throws Error with advice when it cannot be read, is open to others, or holds no key
 */
export async function readRootKeyFile(file: string, isOurs = false): Promise<Buffer> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error(`The root key file ${file} cannot be read`, { cause });
  });
  const { mode } = await stat(file);
  // Secrets of containers are mounted with mode 0444; those must only not be writable by others.
  if (process.platform !== 'win32' && (mode & (isOurs ? 0o077 : 0o022)) !== 0) {
    throw new Error(`The root key file ${file} can be read or changed by others; run chmod 600 on it`);
  }
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== KEY_BYTES) throw new Error(`The root key file ${file} must hold ${KEY_BYTES} bytes in base64`);
  return key;
}
