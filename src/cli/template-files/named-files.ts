import { open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Readable } from 'node:stream';
import { UsageError } from '../exit-codes.js';

/* The files that a person names: one by one, all of a folder, or standard input. Bounded: a wrong folder is not read to its end. */

export interface NamedFile {
  /** As people find it; `-` is standard input. */
  readonly file: string;
  readonly content: string;
}

const FILES_MAX = 1_000;
const FOLDERS_DEEP_MAX = 5;

/** Of all together; a template has at most a quarter of a megabyte. */
const BYTES_MAX = 4 * 1024 * 1024;

/**
 * Reads what is named. Of a folder that are its `.yaml` and `.yml` files, and those of the folders in it, by name.
 * @throws UsageError for what is too large or has no such file; Error of the system
 */
export async function readNamedFiles(named: readonly string[], stdin: Readable): Promise<NamedFile[]> {
  const files = (await Promise.all(named.map((one) => filesAt(one)))).flat();
  if (files.length > FILES_MAX) throw new UsageError(`These are more than ${FILES_MAX} files`);
  const read: NamedFile[] = [];
  let left = BYTES_MAX;
  for (const file of new Set(files)) {
    const bytes = file === '-' ? await bytesOf(stdin, left) : await bytesOfFile(file, left);
    left -= bytes.length;
    if (left < 0) throw new UsageError(`${file}: all files together may have at most ${BYTES_MAX >> 20} MB`);
    read.push({ file, content: bytes.toString('utf8') });
  }
  return read;
}

async function filesAt(named: string): Promise<string[]> {
  if (named === '-' || !(await stat(named)).isDirectory()) return [named];
  const found = await filesIn(named, 1);
  if (found.length === 0) throw new UsageError(`${named} has no .yaml or .yml file`);
  return found;
}

/** Links are not followed: they can lead out of the folder, and around. */
async function filesIn(folder: string, depth: number): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const inner = path.join(folder, entry.name);
    if (entry.isFile() && /\.ya?ml$/.test(entry.name)) found.push(inner);
    else if (entry.isDirectory() && !entry.name.startsWith('.') && depth < FOLDERS_DEEP_MAX)
      found.push(...(await filesIn(inner, depth + 1)));
    if (found.length > FILES_MAX) break;
  }
  return found;
}

/** One byte more than allowed, at most: then it is too large. */
async function bytesOfFile(file: string, left: number): Promise<Buffer> {
  const handle = await open(file);
  try {
    return await bytesOf(handle.createReadStream({ end: left, autoClose: false }), left);
  } finally {
    await handle.close();
  }
}

async function bytesOf(stream: AsyncIterable<Buffer | string>, left: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of stream) {
    parts.push(Buffer.from(part));
    length += part.length;
    if (length > left) break;
  }
  return Buffer.concat(parts);
}
