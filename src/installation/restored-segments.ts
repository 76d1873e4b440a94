import { createWriteStream } from 'node:fs';
import { link, mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Archived segments of the audit, written under temporary names until the complete backup has been compared. */
export class RestoredSegments {
  private readonly names: string[] = [];

  /** @param folder where archived segments are */
  constructor(private readonly folder: string) {}

  async take(name: string, bytes: Readable): Promise<void> {
    if (!/^\w[\w.-]{0,200}$/.test(name)) throw new Error('The backup contains an audit segment with a wrong name');
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    this.names.push(name);
    await pipeline(bytes, createWriteStream(this.draftOf(name), { mode: 0o600, flush: true }));
  }

  /** Gives the files their names. @throws Error where another file has the name: a restore overwrites nothing */
  async place(): Promise<void> {
    for (const name of this.names) {
      const file = path.join(this.folder, name);
      try {
        await link(this.draftOf(name), file);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        const [there, restored] = await Promise.all([readFile(file), readFile(this.draftOf(name))]);
        if (there.equals(restored)) continue;
        throw new Error(`${file} already exists with other bytes: set AUDIT_ARCHIVE_DIR to an empty folder.`, {
          cause: error,
        });
      }
    }
  }

  /** Removes what was written beside the names. */
  async tidyUp(): Promise<void> {
    for (const name of this.names) await rm(this.draftOf(name), { force: true });
  }

  private draftOf(name: string): string {
    return path.join(this.folder, `${name}.restored`);
  }
}
