import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Extract } from 'tar-stream';
import { type z } from 'zod';
import {
  CONTENTS_NAME,
  contentsSchema,
  hashed,
  INDEX_BYTES_MAX,
  MANIFEST_NAME,
  manifestSchema,
  type ArchivedEntry,
  type ArchiveContents,
  type Manifest,
} from './archive-format.js';

export interface ArchiveTarget {
  /** Before anything else. */
  begin(manifest: Manifest): Promise<void>;
  /** Each entry in its order. The bytes must be read to their end. */
  entry(name: string, bytes: Readable, size: number): Promise<void>;
}

/**
 * Reads an archive once, and compares each entry with the digest that the archive gives for it.
 * @returns the contents, after every entry was compared
 * @throws Error that says what is wrong with the file
 */
export async function readArchive(file: string, target: ArchiveTarget): Promise<ArchiveContents> {
  await access(file).catch((cause: unknown) => {
    throw new Error(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  });
  const entries = extract();
  const reading = pipeline(createReadStream(file), createGunzip(), entries).catch((cause: unknown) => {
    throw new Error(`${file} is damaged, or not a backup of Fleetgate: ${(cause as Error).message}`, { cause });
  });
  const [taken, read] = await Promise.allSettled([takeEntries(file, entries, target), reading]);
  if (taken.status === 'fulfilled' && read.status === 'fulfilled') return taken.value;
  // What is wrong with the file, unless what takes the entries has met something else.
  const isOfFile =
    read.status === 'rejected' && (taken.status === 'fulfilled' || taken.reason === causeOf(read.reason));
  throw isOfFile ? read.reason : (taken as PromiseRejectedResult).reason;
}

const causeOf = (error: unknown): unknown => (error as Error).cause;

async function takeEntries(file: string, entries: Extract, target: ArchiveTarget): Promise<ArchiveContents> {
  const seen: ArchivedEntry[] = [];
  let contents: ArchiveContents | null = null;
  for await (const entry of entries) {
    const { name, size } = entry.header;
    if (contents) throw new Error(`${file} continues after its end`);
    if (seen.length === 0 && name !== MANIFEST_NAME) throw new Error(`${file} is not a backup of Fleetgate`);
    // Its declared type knows nothing of its bytes.
    const bytes = entry as unknown as AsyncIterable<Buffer>;
    if (name === CONTENTS_NAME) contents = parse(file, contentsSchema, await textOf(bytes, size));
    else seen.push(await takeEntry(file, name, size, bytes, target));
  }
  if (!contents) throw new Error(`${file} has no end: it was cut, or its backup was interrupted.`);
  compare(file, seen, contents.entries);
  return contents;
}

async function takeEntry(
  file: string,
  name: string,
  size: number,
  entry: AsyncIterable<Buffer>,
  target: ArchiveTarget,
): Promise<ArchivedEntry> {
  const hash = createHash('sha256');
  if (name === MANIFEST_NAME) {
    const text = await textOf(entry, size);
    hash.update(text);
    await target.begin(parse(file, manifestSchema, text));
  } else {
    await target.entry(name, Readable.from(hashed(entry, hash), { objectMode: false }), size);
  }
  return { name, bytes: size, sha256: hash.digest('hex') };
}

function compare(file: string, seen: readonly ArchivedEntry[], expected: readonly ArchivedEntry[]): void {
  for (const [index, wanted] of expected.entries()) {
    const found = seen[index];
    if (found?.name === wanted.name && found.bytes === wanted.bytes && found.sha256 === wanted.sha256) continue;
    throw new Error(`${file} is damaged: ${wanted.name} was changed after the backup.`);
  }
  if (seen.length !== expected.length)
    throw new Error(`${file} is damaged: it contains entries that were not backed up.`);
}

function parse<T extends z.ZodType>(file: string, schema: T, text: string): z.output<T> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file} is not a backup of Fleetgate`, { cause });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { product, format, version } = (value ?? {}) as Record<string, unknown>;
  if (product === 'fleetgate' && typeof format === 'number') {
    throw new Error(
      `${file} has format ${format} of Fleetgate ${String(version)}, which this version cannot read. Use that version.`,
    );
  }
  throw new Error(`${file} is not a backup of Fleetgate`);
}

async function textOf(entry: AsyncIterable<Buffer>, size: number): Promise<string> {
  if (size > INDEX_BYTES_MAX) throw new Error('The index of the backup is too large');
  return readText(entry);
}
