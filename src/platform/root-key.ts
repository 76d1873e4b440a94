import { randomBytes } from 'node:crypto';
import { access, link, mkdir, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Logger } from 'pino';
import { type GatewayConfig } from './config.js';
import { rootKeyId } from './secrets.js';

const KEY_BYTES = 32;

const KEY_MADE =
  'A root key was made; keep a copy of this file apart from the database: without it no stored secret can be opened';

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
  if (config.FLEETGATE_KEY_FILE) return fromFile(config.FLEETGATE_KEY_FILE);
  const file = path.join(config.DATA_DIR, 'root.key');
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (isThere) return fromFile(file, true);
  if (neededKeyId) {
    throw new Error(
      `The stored secrets need the root key ${neededKeyId}, and ${file} is not there. Put the copy of that file back, ` +
        'or set FLEETGATE_KEY or FLEETGATE_KEY_FILE.',
    );
  }
  await mkdir(config.DATA_DIR, { recursive: true });
  // Written aside and linked into place: of two processes that start together one makes the key, both read it whole.
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, file);
    const keyId = rootKeyId(await fromFile(file));
    log.warn({ keyId, path: file }, KEY_MADE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
  return fromFile(file, true);
}

/** @param isOurs a file that the gateway made itself, and that nobody else needs to read */
async function fromFile(file: string, isOurs = false): Promise<Buffer> {
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
