import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Client } from 'pg';
import { makeArtifactStore } from '../artifacts/artifact-stores.js';
import { archiveFolder } from '../audit/log/archived-segments.js';
import { VERSION, type GatewayConfig } from '../platform/config.js';
import { listMigrations } from '../database/schema-release.js';
import { readLocalRootKeys, writeRootKey } from '../secrets/root-key-source.js';
import { rootKeyId } from '../secrets/root-keys.js';
import {
  ARCHIVE_FORMAT,
  CONTENTS_NAME,
  FOLDERS,
  MANIFEST_NAME,
  type ArchiveContents,
  type Manifest,
} from './archive-format.js';
import { ArchiveWriter } from './archive-writer.js';
import { openOwnDatabase } from './own-database.js';
import { type ProgressLine } from './progress.js';
import { copyOut, listSequences, listTables } from './tables.js';

export interface BackupOptions {
  readonly config: GatewayConfig;
  /** The file to make; it must not exist. */
  readonly file: string;
  /** Where a copy of the root key goes; absent: none is made. */
  readonly rootKeyFile?: string | undefined;
  /** Without the bytes of artifacts: they are backed up elsewhere, as a bucket can be. */
  readonly withoutArtifacts?: boolean;
  readonly progress: ProgressLine;
}

export interface BackupSummary {
  readonly file: string;
  readonly bytes: number;
  readonly rows: number;
  readonly artifacts: number;
  readonly missingArtifacts: readonly string[];
  /** Files of archived segments of the audit that are not there, or have other bytes than when they were archived. */
  readonly missingSegments: readonly string[];
  readonly rootKeys: readonly string[];
}

/**
 * Backs an installation up: all rows in one snapshot, the bytes of artifacts, the archived segments of the audit. The
 * gateway may run.
 * @throws Error in an operator's words; no file is left then
 */
export async function backUp(options: BackupOptions): Promise<BackupSummary> {
  const database = await openOwnDatabase(options.config, 'backup');
  try {
    const writer = await ArchiveWriter.create(options.file);
    try {
      return await new Backup(options, database.client, writer).run();
    } catch (error) {
      await writer.discard();
      throw error;
    }
  } finally {
    await database.close();
  }
}

class Backup {
  private readonly rows: Record<string, number> = {};
  private readonly missingArtifacts: string[] = [];
  private readonly missingSegments: string[] = [];
  private artifacts = 0;

  constructor(
    private readonly options: BackupOptions,
    private readonly db: Client,
    private readonly writer: ArchiveWriter,
  ) {}

  async run(): Promise<BackupSummary> {
    await this.db.query('begin isolation level repeatable read read only');
    const manifest = await this.manifest();
    const copiedKey = await this.copyRootKey(manifest.rootKeys);
    await this.writer.add(MANIFEST_NAME, JSON.stringify(manifest));
    await this.addTables(manifest.tables);
    const sequences = await listSequences(this.db);
    const artifacts = manifest.hasArtifacts ? await this.artifactRows() : [];
    const { rows: segments } = await this.db.query<Segment>(
      'select file_name as name, file_sha256 as sha256 from audit_segment order by number',
    );
    await this.db.query('commit'); // what follows needs no snapshot, and one that stays open holds up the clean-up of rows
    if (copiedKey !== null) await this.noteCopy(copiedKey);
    await this.addArtifacts(artifacts);
    await this.addAuditArchive(segments);
    const { rows, missingArtifacts } = this;
    const contents: ArchiveContents = { entries: this.writer.entries, rows, sequences, missingArtifacts };
    await this.writer.add(CONTENTS_NAME, JSON.stringify(contents));
    const bytes = await this.writer.finish();
    await this.noteBackup(bytes);
    return {
      file: this.options.file,
      bytes,
      rows: Object.values(rows).reduce((sum, count) => sum + count, 0),
      artifacts: this.artifacts,
      missingArtifacts,
      missingSegments: this.missingSegments,
      rootKeys: manifest.rootKeys,
    };
  }

  private async manifest(): Promise<Manifest> {
    const { rows: keys } = await this.db.query<{ id: string }>('select distinct root_key_id as id from data_key');
    return {
      product: 'fleetgate',
      format: ARCHIVE_FORMAT,
      version: VERSION,
      madeAt: new Date().toISOString(),
      migrations: await listMigrations(this.db),
      rootKeys: keys.map(({ id }) => id),
      tables: await listTables(this.db),
      hasArtifacts: !this.options.withoutArtifacts,
    };
  }

  /**
   * The key goes into a file of its own: a backup that holds it opens every secret for its finder.
   * @returns its id; null: no copy was asked for
   */
  private async copyRootKey(rootKeys: readonly string[]): Promise<string | null> {
    const { rootKeyFile, config } = this.options;
    if (rootKeyFile === undefined) return null;
    const key = (await readLocalRootKeys(config)).find((known) => rootKeys.includes(rootKeyId(known)));
    if (!key) {
      throw new Error(
        `The secrets are sealed under the root key ${rootKeys.join(', ') || '(none yet)'}, and the settings name none of ` +
          'them: it is elsewhere, for example on a transit server, and must be backed up there.',
      );
    }
    await writeRootKey(rootKeyFile, key).catch((cause: unknown) => {
      throw new Error(`The root key cannot be written to ${rootKeyFile}: ${(cause as Error).message}`, { cause });
    });
    return rootKeyId(key);
  }

  /** Ends the warning of the gateway that its root key has no copy. */
  private async noteCopy(rootKey: string): Promise<void> {
    await this.db.query(
      `insert into root_key_copy (root_key_id, copied_at) values ($1, now())
       on conflict (root_key_id) do update set copied_at = excluded.copied_at`,
      [rootKey],
    );
  }

  /** A database of an earlier release has no place for it, and its backup is as good. */
  private async noteBackup(bytes: number): Promise<void> {
    await this.db
      .query('insert into installation_backup (made_at, bytes) values (now(), $1) on conflict do nothing', [bytes])
      .catch(() => undefined);
  }

  private async addTables(tables: Manifest['tables']): Promise<void> {
    for (const [index, table] of tables.entries()) {
      let part = 0;
      const onEnd = (rows: number) => (this.rows[table.name] = rows);
      for await (const bytes of copyOut(this.db, table, onEnd)) {
        await this.writer.add(`${FOLDERS.tables}/${table.name}/${String(part++).padStart(6, '0')}`, bytes);
        this.options.progress.show(`tables: ${index + 1} of ${tables.length} (${table.name})`);
      }
    }
    this.options.progress.done(`tables: ${tables.length}`);
  }

  private async artifactRows(): Promise<{ sha256: string; bytes: number }[]> {
    const { rows } = await this.db.query<{ sha256: string; bytes: string }>(
      'select sha256, max(bytes) as bytes from artifact group by sha256 order by sha256',
    );
    return rows.map(({ sha256, bytes }) => ({ sha256, bytes: Number(bytes) }));
  }

  private async addArtifacts(artifacts: readonly { sha256: string; bytes: number }[]): Promise<void> {
    if (artifacts.length === 0) return;
    const store = await makeArtifactStore(this.options.config);
    for (const [index, { sha256, bytes }] of artifacts.entries()) {
      const content = await store.read(sha256).catch(() => null); // compared with its digest before the first byte
      if (content === null) this.missingArtifacts.push(sha256);
      else {
        await this.writer.addStream(`${FOLDERS.artifacts}/${sha256}`, bytes, content);
        this.artifacts++;
      }
      this.options.progress.show(`artifacts: ${index + 1} of ${artifacts.length}`);
    }
    this.options.progress.done(`artifacts: ${this.artifacts}`);
  }

  /** Segments are written once and never changed, and their rows are nowhere else. */
  private async addAuditArchive(segments: readonly Segment[]): Promise<void> {
    const folder = archiveFolder(this.options.config);
    for (const { name, sha256 } of segments) {
      const bytes = await readFile(path.join(folder, name)).catch(() => null);
      const isWhole = bytes !== null && createHash('sha256').update(bytes).digest().equals(sha256);
      if (isWhole) await this.writer.add(`${FOLDERS.auditArchive}/${name}`, bytes);
      else this.missingSegments.push(name);
    }
    if (segments.length > 0) {
      this.options.progress.done(`archived segments of the audit: ${segments.length - this.missingSegments.length}`);
    }
  }
}

interface Segment {
  readonly name: string;
  readonly sha256: Buffer;
}
