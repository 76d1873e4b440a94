import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  access,
  chmod,
  chown,
  constants,
  mkdir,
  readFile,
  realpath,
  rename,
  rm,
  statfs,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { findBlockedFolder, findServerUser, prepareBinaries } from './embedded-binaries.js';
import {
  findServer,
  run,
  startServer,
  stopServer,
  SUPERUSER,
  requestStop,
  type ServerFolder,
} from './embedded-server.js';
import { lockFolder } from './folder-lock.js';

/*
 * The embedded Postgres: real server programs in a separate process on a free loopback port, with data in one folder:
 *
 *   data/      the data folder of Postgres; created under another name and renamed when complete
 *   password   of the superuser, random, mode 0600
 *   server.log the server's log of this start; the one before is server.log.1
 *   owner      the process that started it (folder-lock.ts); a second gateway on the same folder is refused
 *
 * The server has its own process group, so that Ctrl-C reaches only the gateway, which can finish its work with the
 * database. The server stops by `stop()` and when this process exits. After a kill of the gateway it keeps running. The
 * next start finds it by its pid file, checks that it is ours, uses it, and stops it at the end.
 */

/** An empty database takes 40 MiB, its log of writes up to 80 before the first checkpoint, a copy of the programs 60. */
const NEW_DATA_MB = 200;

export interface EmbeddedPostgres {
  /** The address with superuser and password. */
  readonly url: string;
  readonly port: number;
  /** Whether it was already running, left by a start that crashed. */
  readonly reused: boolean;
  /** Stops the server and waits until it is down. A second call is allowed. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** The folder of this server, used for nothing else. */
  readonly root: string;
  /** For tests: data need not survive a power cut. */
  readonly ephemeral?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Starts the server of `root`, and creates its data the first time.
 * @throws Error with advice: folder not usable or in use, data of another Postgres version
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const root = await openFolder(options.root);
  const unlock = await lockFolder(
    path.join(root, 'owner'),
    (pid) =>
      `The database in ${root} is in use by another Fleetgate (process ${pid}). ` +
      'Stop that one, or set DATA_DIR to another folder. Several processes on one database need DATABASE_URL.',
  );
  try {
    const site = await prepareSite(root, options.ephemeral ?? false);
    const found = await findServer(site);
    const running = found ?? (await startServer(site, options.settings ?? {}));
    const stopNow = () => requestStop(site);
    process.once('exit', stopNow);
    let stopped: Promise<void> | undefined;
    return {
      url: running.url,
      port: running.port,
      reused: found !== null,
      stop: () =>
        (stopped ??= stopServer(site, running).then(async () => {
          process.off('exit', stopNow);
          await unlock();
        })),
    };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/**
 * The server of `root` for a command beside the gateway. A running server is used and left running, else one is
 * started.
 * @throws Error when there is no database in `root`, or as `startEmbeddedPostgres`
 */
export async function joinEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  if (!existsSync(path.join(options.root, 'data'))) {
    throw new Error(`There is no database in ${options.root}: set DATA_DIR or DATABASE_URL as for npm start.`);
  }
  const found = await findServer(await prepareSite(await openFolder(options.root), options.ephemeral ?? false));
  if (!found) return startEmbeddedPostgres(options);
  return { url: found.url, port: found.port, reused: true, stop: async () => undefined };
}

/** Creates a missing folder. The server's user can traverse the folders created here. */
async function openFolder(folder: string): Promise<string> {
  try {
    let made = await mkdir(folder, { recursive: true });
    if (made !== undefined) {
      for (let step = path.resolve(folder); step.length >= made.length; step = path.dirname(step)) {
        await chmod(step, 0o711);
      }
    }
    await access(folder, constants.R_OK | constants.W_OK);
    return await realpath(folder);
  } catch (cause) {
    throw new Error(`The folder ${folder} cannot be used: make it writable, or set DATA_DIR to another folder.`, {
      cause,
    });
  }
}

async function prepareSite(root: string, ephemeral: boolean): Promise<ServerFolder> {
  const data = path.join(root, 'data');
  const user = await findServerUser(data);
  const barrier = user && (await findBlockedFolder(root, user));
  if (barrier) {
    throw new Error(
      `Postgres runs as user ${user.name}, which has no access to ${barrier}. ` +
        `Set DATA_DIR to another folder, or run: chmod o+x ${barrier}`,
    );
  }
  if (!existsSync(data)) await requireRoom(root);
  const binaries = await prepareBinaries(root, user);
  const site = {
    root,
    data,
    log: path.join(root, 'server.log'),
    passwordFile: path.join(root, 'password'),
    user,
    binaries,
    ephemeral,
  };
  if (existsSync(data)) await refuseForeignData(site);
  else await makeData(site);
  return site;
}

/** A disk that is full in the middle of initdb leaves its errors alone. @throws Error with the free and the needed room */
async function requireRoom(root: string): Promise<void> {
  const { bavail, bsize } = await statfs(root);
  const freeMb = Math.floor((bavail * bsize) / 1024 ** 2);
  if (freeMb >= NEW_DATA_MB) return;
  throw new Error(
    `${root} has ${freeMb} MiB free, and a new database needs ${NEW_DATA_MB}: make room, or set DATA_DIR to a folder on another disk.`,
  );
}

async function refuseForeignData({ data, passwordFile, binaries }: ServerFolder): Promise<void> {
  const version = (await readFile(path.join(data, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
  if (version === '') {
    throw new Error(`${data} is not a readable database: move it away, or start as the user that owns it.`);
  }
  if (version !== binaries.major) {
    throw new Error(
      `The data in ${data} were created by Postgres ${version}; this version of Fleetgate brings Postgres ` +
        `${binaries.major}, which cannot open them. Run a Postgres ${version} on that folder and set DATABASE_URL, ` +
        'or move the folder away to start with an empty database.',
    );
  }
  if (!existsSync(passwordFile)) {
    throw new Error(`The password of the database, ${passwordFile}, is missing: restore it from a backup.`);
  }
}

async function makeData(site: ServerFolder): Promise<void> {
  const { data, passwordFile, user, ephemeral } = site;
  const draft = `${data}.draft`;
  await rm(draft, { recursive: true, force: true });
  await rm(passwordFile, { force: true });
  await mkdir(draft, { mode: 0o700 });
  const password = `${randomBytes(24).toString('base64url')}\n`;
  await writeFile(passwordFile, password, { flag: 'wx', mode: 0o600, flush: true });
  if (user) for (const made of [draft, passwordFile]) await chown(made, user.uid, user.gid);
  await run(site, 'initdb', [
    `--pgdata=${draft}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--set=scram_iterations=1', // 192 random bits need no more; the default costs each connection 5 ms of processor time
    // The same sort order on every machine, independent of its locales.
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(ephemeral ? ['--no-sync'] : []),
  ]);
  await rename(draft, data);
}
