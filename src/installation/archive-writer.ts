import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import { hashed, type ArchivedEntry } from './archive-format.js';

/** Fast: most of the bytes are sealed, hashed or compressed already. */
const GZIP_LEVEL = 3;

/** Writes one archive. It has a temporary name until it is complete and on the disk, and only its owner may read it. */
export class ArchiveWriter {
  readonly entries: ArchivedEntry[] = [];
  private readonly pack: Pack = pack();
  private readonly written: Promise<void>;

  private constructor(
    private readonly file: string,
    private readonly handle: FileHandle,
  ) {
    this.written = pipeline(this.pack, createGzip({ level: GZIP_LEVEL }), handle.createWriteStream({ flush: true }));
    this.written.catch(() => undefined); // reported by the write that waits, and at the end
  }

  /** @throws Error when there is a file of this name already, or none can be made */
  static async create(file: string): Promise<ArchiveWriter> {
    if (existsSync(file)) throw new Error(`${file} already exists: give another name, or remove it.`);
    await rm(draftOf(file), { force: true }); // of a backup that was broken off
    const handle = await open(draftOf(file), 'wx', 0o600).catch((cause: unknown) => {
      throw new Error(`${file} cannot be written: ${(cause as Error).message}`, { cause });
    });
    return new ArchiveWriter(file, handle);
  }

  /** Adds an entry that is in memory. */
  async add(name: string, content: Buffer | string): Promise<void> {
    const bytes = Buffer.from(content);
    this.entries.push({ name, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
    await this.orFailure(
      new Promise<void>((resolve, reject) => {
        this.pack.entry({ name, size: bytes.length }, (error) => (error ? reject(error) : resolve())).end(bytes);
      }),
    );
  }

  /** Adds an entry that comes as a stream of a known size. @throws Error when it has another size */
  async addStream(name: string, size: number, content: Readable): Promise<void> {
    const hash = createHash('sha256');
    await this.orFailure(pipeline(hashed(content, hash), this.pack.entry({ name, size })));
    this.entries.push({ name, bytes: size, sha256: hash.digest('hex') });
  }

  /** Ends the file and gives it its name. @returns its size in bytes */
  async finish(): Promise<number> {
    this.pack.finalize();
    await this.written;
    await rename(draftOf(this.file), this.file);
    const folder = await open(path.dirname(path.resolve(this.file)), 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
    return (await stat(this.file)).size;
  }

  /** Removes what was written. */
  async discard(): Promise<void> {
    this.pack.destroy();
    await this.written.catch(() => undefined);
    await this.handle.close().catch(() => undefined);
    await rm(draftOf(this.file), { force: true });
  }

  /** A disk that is full ends the file, and with it what waits to be written to it. */
  private async orFailure(work: Promise<void>): Promise<void> {
    const failed = this.written.then(() => {
      throw new Error(`${this.file} ended before everything was written`);
    });
    await Promise.race([work, failed]);
  }
}

const draftOf = (file: string): string => `${file}.part`;
