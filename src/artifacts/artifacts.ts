import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError, isDiskFull } from '../platform/errors.js';

/** Bytes that were written but are not in the store yet: they are kept or discarded once their digest is known. */
export interface Draft {
  /** SHA-256 of the bytes, in hex. */
  readonly sha256: string;
  readonly bytes: number;
  /** Puts them into the store; they are durable when this resolves. */
  keep(): Promise<void>;
  discard(): Promise<void>;
}

/** Reserves space for the bytes that `take` lets through. @throws AppError `artifact_quota_exceeded` */
export interface Quota {
  during(source: Readable, take: (reserved: Readable) => Promise<Draft>): Promise<Draft>;
}

/** Where the bytes of artifacts are stored, each under its SHA-256. Writing the same bytes twice does no harm. */
export abstract class ArtifactStore {
  constructor(private readonly quota: Quota | null = null) {}

  /** Makes the store ready and removes what an earlier process left half-written. */
  abstract prepare(): Promise<void>;

  /**
   * Stores bytes as they come; it holds none of them in memory.
   * @param tooLarge the error for more than `limitBytes`
   * @throws AppError `tooLarge`; `artifact_quota_exceeded`; `disk_full`; the error of the source when it breaks off
   */
  write(source: Readable, limitBytes: number, tooLarge?: TooLarge): Promise<Draft> {
    const digest = new DigestStream(limitBytes, tooLarge);
    return this.quota
      ? this.quota.during(source, (reserved) => this.take(reserved, digest))
      : this.take(source, digest);
  }

  /** Opens bytes for reading, after it compared them with their digest. @throws AppError `artifact_damaged` */
  async read(sha256: string): Promise<Readable> {
    const digest = new DigestStream(Number.MAX_SAFE_INTEGER);
    digest.resume();
    try {
      await pipeline(await this.open(sha256), digest);
    } catch (cause) {
      throw new AppError('artifact_damaged', { sha256 }, { cause });
    }
    const found = digest.total().sha256;
    if (found !== sha256) throw new AppError('artifact_damaged', { sha256, found });
    return this.open(sha256);
  }

  /** Everything that is stored, in no order. */
  abstract list(): AsyncIterable<StoredBytes>;

  /** Stores something small and removes it. @throws AppError `disk_full`; why it cannot; for the readiness of the process */
  abstract checkRoom(): Promise<void>;

  /** Removes bytes, unless they were stored again after `storedBefore`. @returns whether they were removed */
  abstract remove(sha256: string, storedBefore: Date): Promise<boolean>;

  protected abstract take(source: Readable, digest: DigestStream): Promise<Draft>;
  protected abstract open(sha256: string): Readable | Promise<Readable>;
}

/** Errors for more bytes than allowed, by where they come from. */
export type TooLarge = 'device_answer_too_large' | 'body_too_large';

export interface StoredBytes {
  readonly sha256: string;
  readonly storedAt: Date;
}

export const SHA256 = /^[0-9a-f]{64}$/;

/** A leftover of another host, whose processes cannot be asked, is removed after this. */
const LEFTOVER_MS = 24 * 60 * 60_000;

/** Less free space than this is no space: a small image of firmware does not go in (chosen). */
const LEAST_ROOM_BYTES = 16 * 1024 * 1024;

/**
 * The store as files: `<folder>/ab/abcd…`, and `<folder>/incoming` for what is being written. A file gets its
 * name by a rename after its bytes are on the disk, so under a digest there are all bytes or none.
 */
export class FileArtifactStore extends ArtifactStore {
  private readonly incoming: string;

  constructor(
    private readonly folder: string,
    quota?: Quota | null,
  ) {
    super(quota);
    this.incoming = path.join(folder, 'incoming');
  }

  async prepare(): Promise<void> {
    await mkdir(this.incoming, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.incoming)) {
      const file = path.join(this.incoming, name);
      if (await isLeftover(file, name)) await rm(file, { force: true });
    }
  }

  protected async take(source: Readable, digest: DigestStream): Promise<Draft> {
    const file = path.join(this.incoming, `${os.hostname()}~${process.pid}~${randomUUID()}`);
    // Opened before a byte comes: a source that breaks off at once could otherwise be overtaken by the file's making.
    await this.writing(file, async () => {
      const handle = await open(file, 'wx', 0o600);
      await pipeline(source, digest, handle.createWriteStream());
    });
    const { sha256, bytes } = digest.total();
    return {
      sha256,
      bytes,
      keep: () => this.writing(file, () => this.moveIn(file, sha256)),
      discard: () => rm(file, { force: true }),
    };
  }

  protected open(sha256: string): Readable {
    return createReadStream(this.fileOf(sha256));
  }

  async *list(): AsyncGenerator<StoredBytes> {
    for (const prefix of await readdir(this.folder)) {
      if (!/^[0-9a-f]{2}$/.test(prefix)) continue;
      for (const name of await readdir(path.join(this.folder, prefix))) {
        const found = SHA256.test(name) && (await stat(path.join(this.folder, prefix, name)).catch(() => null));
        if (found) yield { sha256: name, storedAt: found.mtime };
      }
    }
  }

  async remove(sha256: string, storedBefore: Date): Promise<boolean> {
    const file = this.fileOf(sha256);
    const found = await stat(file).catch(() => null);
    if (!found || found.mtime >= storedBefore) return false;
    await rm(file, { force: true });
    return true;
  }

  async checkRoom(): Promise<void> {
    const { bavail, bsize, files, ffree } = await statfs(this.folder);
    const freeBytes = bavail * bsize;
    const hasNoNames = files > 0 && ffree === 0;
    if (freeBytes < LEAST_ROOM_BYTES || hasNoNames) throw new AppError('disk_full', { folder: this.folder, freeBytes });
    const file = path.join(this.incoming, `${os.hostname()}~${process.pid}~ready`);
    await this.writing(file, () => writeFile(file, 'ready', { mode: 0o600 }));
    await rm(file, { force: true });
  }

  /** Nothing of a file that could not be written is left. @throws AppError `disk_full`; what `write` throws */
  private async writing(file: string, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      await rm(file, { force: true });
      throw isDiskFull(error) ? new AppError('disk_full', {}, { cause: error }) : error;
    }
  }

  private async moveIn(file: string, sha256: string): Promise<void> {
    const target = this.fileOf(sha256);
    await syncToDisk(file);
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    await rename(file, target);
    await syncToDisk(path.dirname(target));
  }

  private fileOf(sha256: string): string {
    return path.join(this.folder, sha256.slice(0, 2), sha256);
  }
}

/** Passes bytes on, counts them and takes their digest. */
export class DigestStream extends Transform {
  private readonly hash = createHash('sha256');
  private bytes = 0;

  constructor(
    private readonly limitBytes: number,
    private readonly tooLarge: TooLarge = 'device_answer_too_large',
  ) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: string, done: (error: Error | null, chunk?: Buffer) => void): void {
    this.bytes += chunk.length;
    if (this.bytes > this.limitBytes) {
      done(new AppError(this.tooLarge, { limitBytes: this.limitBytes }));
      return;
    }
    this.hash.update(chunk);
    done(null, chunk);
  }

  total(): { sha256: string; bytes: number } {
    return { sha256: this.hash.digest('hex'), bytes: this.bytes };
  }
}

async function syncToDisk(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A file in `incoming` whose writer is gone: a process of this host that has ended, or anything of a day ago. */
async function isLeftover(file: string, name: string): Promise<boolean> {
  const [host, pid] = name.split('~');
  if (host === os.hostname() && (Number(pid) === process.pid || !isAlive(Number(pid)))) return true;
  const found = await stat(file).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > LEFTOVER_MS;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
