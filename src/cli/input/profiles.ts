import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { UsageError } from '../exit-codes.js';

/* Where gateways are, and the keys for them: one file that its owner alone may read (XDG Base Directory). */

export interface GatewayProfile {
  readonly url: string;
  readonly key?: string;
}

export interface Profiles {
  readonly current: string;
  readonly profiles: Readonly<Record<string, GatewayProfile>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const NAME = /^[a-z0-9][a-z0-9_.-]{0,62}$/i;
const NONE: Profiles = { current: 'default', profiles: {} };

export function profilesFile(environment: Environment): string {
  const base = environment['XDG_CONFIG_HOME'] || path.join(environment['HOME'] ?? os.homedir(), '.config');
  return path.join(base, 'fleetgate', 'profiles.json');
}

/**
 * Reads the profiles; there are none before the first sign-in.
 * @throws UsageError when others may read the file, or when it is damaged
 */
export async function readProfiles(environment: Environment): Promise<Profiles> {
  const file = profilesFile(environment);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return NONE;
  const { mode } = await stat(file);
  if (process.platform !== 'win32' && mode & 0o077) {
    throw new UsageError(`${file} holds keys, and others may read it: run chmod 600 ${file}`);
  }
  const value = parsedObject(text);
  if (!value) throw new UsageError(`${file} is damaged: correct it, or remove it and sign in again`);
  return value;
}

/** Writes the profiles so that a reader sees the old file or the new one. */
export async function writeProfiles(environment: Environment, profiles: Profiles): Promise<string> {
  const file = profilesFile(environment);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const beside = `${file}.${process.pid}`;
  await writeFile(beside, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
  await rename(beside, file);
  return file;
}

/** @throws UsageError when it is no name of a profile */
export function requireProfileName(name: string): string {
  if (!NAME.test(name)) throw new UsageError('The name of a profile has letters, digits and - _ . alone');
  return name;
}

function parsedObject(text: string): Profiles | null {
  try {
    const value = JSON.parse(text) as Partial<Profiles> | null;
    const isValid = typeof value?.current === 'string' && typeof value.profiles === 'object' && value.profiles !== null;
    return isValid ? (value as Profiles) : null;
  } catch {
    return null;
  }
}
