import { randomBytes } from 'node:crypto';
import { access, link, mkdir, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Logger } from 'pino';
import { type GatewayConfig } from '../config.js';
import { LocalRootKey, rootKeyId, RootKeys, type RootKey } from './root-keys.js';
import { TransitRootKey } from './transit-root-key.js';

const KEY_BYTES = 32;

const KEY_MADE =
  'A root key was made; keep a copy of this file apart from the database: without it no stored secret can be opened';

/**
 * Finds all root keys that the configuration names: the present one, the one that is to follow, a transit server's.
 * @param neededKeyId the root key that the database was set up with; null when it is new
 * @throws Error as `readRootKey`
 */
export async function readRootKeys(config: GatewayConfig, log: Logger, neededKeyId: string | null): Promise<RootKeys> {
  const next = await readNext(config);
  const transit = config.TRANSIT_URL ? transitOf(config.TRANSIT_URL, config) : null;
  const known: RootKey[] = [];
  // With a transit server no key is made, but one that is there may still be needed until it has been replaced.
  if (!transit || (await hasLocalKey(config))) {
    known.push(new LocalRootKey(await readRootKey(config, log, neededKeyId)));
  }
  if (transit) known.push(transit);
  if (next) known.push(next);
  return new RootKeys(known, next ?? transit ?? known[0]!);
}

async function readNext(config: GatewayConfig): Promise<RootKey | null> {
  if (config.FLEETGATE_KEY_NEXT) return new LocalRootKey(Buffer.from(config.FLEETGATE_KEY_NEXT, 'base64'));
  if (config.FLEETGATE_KEY_NEXT_FILE) return new LocalRootKey(await readRootKeyFile(config.FLEETGATE_KEY_NEXT_FILE));
  return null;
}

function transitOf(url: string, config: GatewayConfig): TransitRootKey {
  return new TransitRootKey({
    url,
    mount: config.TRANSIT_MOUNT,
    key: config.TRANSIT_KEY,
    token: config.TRANSIT_TOKEN,
    tokenFile: config.TRANSIT_TOKEN_FILE,
    namespace: config.TRANSIT_NAMESPACE,
  });
}

/** All root keys of 32 bytes that the settings name, and the file in DATA_DIR. None is made. */
export async function readLocalRootKeys(config: GatewayConfig): Promise<Buffer[]> {
  const given = [config.FLEETGATE_KEY, config.FLEETGATE_KEY_NEXT].flatMap((text) => text ?? []);
  const files = [config.FLEETGATE_KEY_FILE, config.FLEETGATE_KEY_NEXT_FILE].flatMap((file) => file ?? []);
  if (await isThere(ownFile(config))) files.push(ownFile(config));
  const keys: Buffer[] = given.map((text) => Buffer.from(text, 'base64'));
  for (const file of files) keys.push(await readRootKeyFile(file));
  return keys;
}

/** Whether a root key is there, so that none would be made at the start. */
export async function hasRootKey(config: GatewayConfig): Promise<boolean> {
  return config.TRANSIT_URL !== undefined || hasLocalKey(config);
}

async function hasLocalKey(config: GatewayConfig): Promise<boolean> {
  return Boolean(config.FLEETGATE_KEY ?? config.FLEETGATE_KEY_FILE) || isThere(ownFile(config));
}

/** Puts a root key into DATA_DIR, where the gateway looks for it. @throws Error when one is there already */
export async function placeRootKey(config: GatewayConfig, key: Buffer): Promise<void> {
  await mkdir(config.DATA_DIR, { recursive: true });
  await writeRootKey(ownFile(config), key);
}

/** Writes a root key as the gateway reads it, for its owner alone. @throws Error when the file exists */
export async function writeRootKey(file: string, key: Buffer): Promise<void> {
  await writeFile(file, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
}

const ownFile = (config: GatewayConfig): string => path.join(config.DATA_DIR, 'root.key');

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/**
 * Finds the root key: FLEETGATE_KEY, FLEETGATE_KEY_FILE, or a file in DATA_DIR that is made on first start.
 * @param neededKeyId the root key that the database was set up with; null when it is new
 * @returns 32 bytes
 * @throws Error that says what to do when a file cannot be read, can be read by others, or holds no key
 */
export async function readRootKey(
  config: GatewayConfig,
  log: Logger,
  neededKeyId: string | null = null,
): Promise<Buffer> {
  if (config.FLEETGATE_KEY) return Buffer.from(config.FLEETGATE_KEY, 'base64');
  if (config.FLEETGATE_KEY_FILE) return readRootKeyFile(config.FLEETGATE_KEY_FILE);
  const file = ownFile(config);
  if (await isThere(file)) return readRootKeyFile(file, true);
  if (neededKeyId) {
    throw new Error(
      `The stored secrets need the root key ${neededKeyId}, and ${file} is not there. Put the copy of that file back, ` +
        'or set FLEETGATE_KEY or FLEETGATE_KEY_FILE.',
    );
  }
  await mkdir(config.DATA_DIR, { recursive: true });
  // Written aside and linked into place: of two processes that start together one makes the key, both read it whole.
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
 * Reads a root key file.
 * @param isOurs a file that the gateway made itself, and that no other user needs to read
 * @throws Error that says what to do when it cannot be read, is open to others, or holds no key
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
