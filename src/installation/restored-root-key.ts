import { type GatewayConfig } from '../platform/config.js';
import { createLog } from '../platform/log.js';
import { hasRootKey, placeRootKey, readRootKeyFile, readRootKeys } from '../platform/secrets/root-key.js';
import { rootKeyId, type RootKeys } from '../platform/secrets/root-keys.js';

/**
 * Finds the root key of a restored installation; a copy that is given goes to its place in DATA_DIR.
 * @param neededIds the root keys that open the backup's secrets
 * @returns null when no key is there yet
 * @throws Error when the key that is there is another one
 */
export async function findRootKey(
  config: GatewayConfig,
  copy: string | undefined,
  neededIds: readonly string[],
): Promise<RootKeys | null> {
  if (copy !== undefined) await putInPlace(config, copy, neededIds);
  if (!hasRootKey(config)) return null;
  const keys = await readRootKeys(config, createLog('silent'), neededIds[0] ?? null);
  const missing = neededIds.filter((id) => !keys.opens(id));
  if (missing.length === 0) return keys;
  throw new Error(
    `The secrets of the backup need the root key ${missing.join(', ')}, and the key of this installation is ` +
      `${keys.ids.join(', ')}. Set FLEETGATE_KEY or FLEETGATE_KEY_FILE to that key, or copy it to DATA_DIR.`,
  );
}

async function putInPlace(config: GatewayConfig, copy: string, neededIds: readonly string[]): Promise<void> {
  const key = await readRootKeyFile(copy);
  const id = rootKeyId(key);
  if (!neededIds.includes(id)) {
    throw new Error(`${copy} has the root key ${id}, and the backup needs ${neededIds.join(', ')}.`);
  }
  if (!hasRootKey(config)) await placeRootKey(config, key); // another one is refused by the caller
}
