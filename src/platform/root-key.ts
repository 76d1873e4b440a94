import { randomBytes } from 'node:crypto';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Logger } from 'pino';
import { type GatewayConfig } from './config.js';
import { rootKeyId } from './secrets.js';

const KEY_BYTES = 32;

/**
 * Finds the root key: FLEETGATE_KEY, FLEETGATE_KEY_FILE, or a file in DATA_DIR that is made on first start.
 * @returns 32 bytes
 * @throws Error that says what to do when a file cannot be read, can be read by others, or holds no key
 */
export async function readRootKey(config: GatewayConfig, log: Logger): Promise<Buffer> {
  if (config.FLEETGATE_KEY) return Buffer.from(config.FLEETGATE_KEY, 'base64');
  if (config.FLEETGATE_KEY_FILE) return fromFile(config.FLEETGATE_KEY_FILE);
  const file = path.join(config.DATA_DIR, 'root.key');
  await mkdir(config.DATA_DIR, { recursive: true });
  try {
    // `wx`: of two processes that start together one writes, the other reads what it wrote.
    await writeFile(file, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
    const key = await fromFile(file);
    log.warn(
      { keyId: rootKeyId(key), path: file },
      'A root key was made; keep a copy of this file apart from the database: without it no stored secret can be opened',
    );
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return fromFile(file);
  }
}

async function fromFile(file: string): Promise<Buffer> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error(`The root key file ${file} cannot be read`, { cause });
  });
  const { mode } = await stat(file);
  // Container secrets are mounted read-only with mode 0444, so only a writable file must be private.
  if (process.platform !== 'win32' && (mode & 0o022) !== 0) {
    throw new Error(`The root key file ${file} can be changed by others; run chmod 600 on it`);
  }
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== KEY_BYTES) throw new Error(`The root key file ${file} must hold ${KEY_BYTES} bytes in base64`);
  return key;
}
