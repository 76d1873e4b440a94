import { type Hash } from 'node:crypto';
import { z } from 'zod';

/*
 * A backup of an installation is one gzipped tar file. Its entries, in this order:
 *
 *   manifest.json             what the file is: format, version, schema, tables, root keys
 *   tables/<table>/<part>     rows as Postgres copies them out (text), in parts
 *   artifacts/<sha256>        the bytes of artifacts, once for each digest
 *   audit-archive/<file>      segments of the audit that left the database
 *   contents.json             digest and size of every entry before it, counts, sequences
 *
 * The contents come last, so that both directions need one pass and little memory. A file that was cut has none.
 */

export const ARCHIVE_FORMAT = 1;

export const MANIFEST_NAME = 'manifest.json';
export const CONTENTS_NAME = 'contents.json';

export const FOLDERS = { tables: 'tables', artifacts: 'artifacts', auditArchive: 'audit-archive' } as const;

/** Rows of a table are cut into parts of about this size: a tar entry says its size before its bytes. */
export const PART_BYTES = 4 * 1024 * 1024;

/** Manifest and contents are read into memory; a larger one is no backup of ours. */
export const INDEX_BYTES_MAX = 256 * 1024 * 1024;

const tableSchema = z.strictObject({ name: z.string().max(63), columns: z.array(z.string().max(63)).min(1) });

export const manifestSchema = z.strictObject({
  product: z.literal('fleetgate'),
  format: z.literal(ARCHIVE_FORMAT),
  version: z.string().max(100),
  madeAt: z.iso.datetime(),
  migrations: z.array(z.string().max(200)).min(1),
  /** Ids of the root keys that open its data keys. */
  rootKeys: z.array(z.string().max(500)),
  tables: z.array(tableSchema).min(1),
  /** Whether the bytes of artifacts are in the file. */
  hasArtifacts: z.boolean(),
});
export type Manifest = z.output<typeof manifestSchema>;

export type ArchivedTable = Manifest['tables'][number];

const entrySchema = z.strictObject({
  name: z.string().max(300),
  bytes: z.number().int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type ArchivedEntry = z.output<typeof entrySchema>;

export const contentsSchema = z.strictObject({
  entries: z.array(entrySchema),
  rows: z.record(z.string(), z.number().int().min(0)),
  sequences: z.array(
    z.strictObject({
      name: z.string().max(63),
      value: z
        .string()
        .regex(/^-?\d{1,20}$/)
        .nullable(),
    }),
  ),
  /** Digests of artifacts whose bytes were gone: their retention ended while the backup was made, or they were damaged. */
  missingArtifacts: z.array(z.string().regex(/^[0-9a-f]{64}$/)),
});
export type ArchiveContents = z.output<typeof contentsSchema>;

/** Tables whose rows are of one database or one process, and mean nothing in another one. */
export const TABLES_LEFT_OUT: ReadonlySet<string> = new Set([
  'migrations',
  'schema_release',
  'secret_holder',
  'work_mark',
]);

/** Passes bytes on, and adds them to a hash. */
export async function* hashed(bytes: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
}
