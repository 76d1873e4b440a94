import path from 'node:path';
import { type Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { makeArtifactStore } from '../artifacts/artifact-stores.js';
import { type ArtifactStore } from '../artifacts/artifacts.js';
import { archiveFolder } from '../audit/log/archived-segments.js';
import { type GatewayConfig, VERSION } from '../platform/config.js';
import { KNOWN_MIGRATIONS, prepareDatabase } from '../database/database.js';
import { listMigrations, refuseEarlySchema } from '../database/schema-release.js';
import { type ArchiveContents, type ArchivedTable, FOLDERS, type Manifest } from './archive-format.js';
import { type ArchiveTarget, readArchive } from './archive-reader.js';
import { openOwnDatabase, type OwnDatabase } from './own-database.js';
import { type ProgressLine } from './progress.js';
import {
  dropNotifications,
  findRootKey,
  holdAlerts,
  holdBack,
  moveEvents,
  proveRestored,
  RestoredSegments,
  type RestoreProof,
} from './restored-installation.js';
import { listTables, openTables, setSequences, TableLoader } from './tables.js';

export interface RestoreOptions {
  readonly config: GatewayConfig;
  readonly file: string;
  /** A copy of the root key; absent: the settings name it, or it follows later. */
  readonly rootKeyFile?: string | undefined;
  readonly progress: ProgressLine;
}

export interface RestoreSummary {
  readonly manifest: Manifest;
  readonly contents: ArchiveContents;
  /** What the audit's proof says; null: it could not be verified, as without the root key. */
  readonly proof: RestoreProof | null;
  /** Why it could not. */
  readonly trouble: string | null;
}

/** Reads a backup to its end and compares every digest. Nothing is written. */
export async function checkBackup(file: string): Promise<{ manifest: Manifest; contents: ArchiveContents }> {
  let manifest: Manifest | null = null;
  const contents = await readArchive(file, {
    begin: async (found) => {
      manifest = found;
      refuseOtherVersion(found);
    },
    entry: async (_name, bytes) => {
      await finished(bytes.resume()); // read for its digest
    },
  });
  return { manifest: manifest!, contents };
}

/**
 * Restores a backup into an empty database, checks it, and verifies the audit. All rows are restored in one transaction:
 * either the complete backup is restored, or nothing. A failed restore ends its connection, and with it the transaction.
 */
export async function restore(options: RestoreOptions): Promise<RestoreSummary> {
  const { config, file } = options;
  const database = await openOwnDatabase(config, 'restore');
  try {
    const restoring = new RestoreTarget(options, database);
    try {
      const contents = await readArchive(file, restoring);
      await restoring.commit(contents);
      const manifest = restoring.manifest!;
      return { manifest, contents, ...(await prove(options, database, manifest)) };
    } finally {
      await restoring.segments.tidyUp();
    }
  } finally {
    await database.close();
  }
}

/** The rows are there from here on, whatever is found. */
async function prove(
  { config, rootKeyFile, progress }: RestoreOptions,
  { urls }: OwnDatabase,
  manifest: Manifest,
): Promise<Pick<RestoreSummary, 'proof' | 'trouble'>> {
  try {
    await prepareDatabase(urls.ownerUrl, urls.appUrl);
    const key = await findRootKey(config, rootKeyFile, manifest.rootKeys);
    if (!key) return { proof: null, trouble: missingKey(config, manifest) };
    progress.done('the root key decrypts the stored secrets');
    return { proof: await proveRestored(config, urls, key, manifest), trouble: null };
  } catch (error) {
    return { proof: null, trouble: error instanceof Error ? error.message : String(error) };
  }
}

const missingKey = ({ DATA_DIR }: GatewayConfig, { rootKeys }: Manifest): string =>
  `The root key ${rootKeys.join(', ')} is missing. Copy it to ${path.join(DATA_DIR, 'root.key')}, or set FLEETGATE_KEY or ` +
  `FLEETGATE_KEY_FILE`;

class RestoreTarget implements ArchiveTarget {
  manifest: Manifest | null = null;
  private tables: ArchivedTable[] = [];
  private loader!: TableLoader;
  private close!: () => Promise<void>;
  private store: ArtifactStore | null = null;
  private artifacts = 0;
  readonly segments: RestoredSegments;

  constructor(
    private readonly options: RestoreOptions,
    private readonly database: OwnDatabase,
  ) {
    this.segments = new RestoredSegments(archiveFolder(options.config));
  }

  /** Everything that can be refused is refused here, before anything is written. */
  async begin(manifest: Manifest): Promise<void> {
    const { config, rootKeyFile } = this.options;
    refuseOtherVersion(manifest);
    await refuseContent(this.database, manifest);
    await findRootKey(config, rootKeyFile, manifest.rootKeys);
    const { client, urls } = this.database;
    await prepareDatabase(urls.ownerUrl, urls.appUrl, new Set(manifest.migrations));
    this.manifest = manifest;
    this.tables = await listTables(client);
    refuseOtherTables(this.tables, manifest.tables);
    this.loader = new TableLoader(client, new Map(manifest.tables.map((table) => [table.name, table])));
    await client.query('begin');
    this.close = await openTables(client, this.tables);
  }

  async entry(name: string, bytes: Readable, size: number): Promise<void> {
    const [folder = '', item = ''] = name.split('/');
    if (folder === FOLDERS.tables) {
      await this.loader.take(item, bytes);
      this.options.progress.show(`tables: ${item}`);
      return;
    }
    await this.loader.end();
    if (folder === FOLDERS.artifacts) await this.takeArtifact(item, bytes, size);
    else if (folder === FOLDERS.auditArchive) await this.segments.take(item, bytes);
    else throw new Error(`The backup contains ${name}, which this version does not know`);
  }

  /** Puts rules back, compares counts, and commits what was read. */
  async commit(contents: ArchiveContents): Promise<void> {
    const { client } = this.database;
    await this.loader.end();
    for (const { name } of this.manifest!.tables) {
      const [wanted = 0, found = 0] = [contents.rows[name], this.loader.rows[name]];
      if (wanted !== found) throw new Error(`The backup has ${wanted} rows of ${name}, and ${found} were restored`);
    }
    this.options.progress.show('foreign keys');
    await this.close();
    await setSequences(client, contents.sequences);
    await holdBack(client, this.manifest!.madeAt);
    await moveEvents(client);
    // A backup of an older version has none.
    const has = (table: string, column: string) =>
      this.manifest!.tables.some(({ name, columns }) => name === table && columns.includes(column));
    if (has('alert_told', 'device_id')) await dropNotifications(client);
    if (has('alert', 'forwarded_at')) await holdAlerts(client);
    await this.segments.place();
    await client.query('commit');
    await client.query('analyze');
    const rows = Object.values(this.loader.rows).reduce((sum, count) => sum + count, 0);
    this.options.progress.done(`tables: ${this.manifest!.tables.length}, ${rows} rows`);
    if (this.artifacts > 0) this.options.progress.done(`artifacts: ${this.artifacts}`);
  }

  private async takeArtifact(sha256: string, bytes: Readable, size: number): Promise<void> {
    this.store ??= await makeArtifactStore(this.options.config);
    if (this.artifacts === 0) await this.store.prepare();
    const draft = await this.store.write(bytes, size);
    if (draft.sha256 !== sha256) {
      await draft.discard();
      throw new Error(`The backup is damaged: artifact ${sha256} has other bytes`);
    }
    await draft.keep();
    this.options.progress.show(`artifacts: ${++this.artifacts}`);
  }
}

function refuseOtherVersion({ migrations, version }: Manifest): void {
  refuseEarlySchema(migrations, KNOWN_MIGRATIONS);
  if (migrations.every((name) => KNOWN_MIGRATIONS.has(name))) return;
  throw new Error(
    `The backup was made by Fleetgate ${version}, whose database is newer than that of this version (${VERSION}). ` +
      `Restore it with Fleetgate ${version} or newer.`,
  );
}

/** A restore never overwrites: it wants a database in which nothing was set up, and no gateway on it. */
async function refuseContent({ client }: OwnDatabase, { migrations }: Manifest): Promise<void> {
  const { rows: gateways } = await client.query(
    `select from pg_stat_activity where datname = current_database() and application_name like 'fleetgate %' limit 1`,
  );
  if (gateways.length > 0) throw new Error('A gateway uses this database: stop it first.');
  const present = await listMigrations(client);
  refuseEarlySchema(present, KNOWN_MIGRATIONS);
  const wanted = new Set(migrations);
  const isOlder = present.every((name) => wanted.has(name));
  if (present.length > 0) {
    const { rows } = await client.query(
      'select where exists (select from operator) or exists (select from device) or exists (select from audit_entry)',
    );
    if (rows.length > 0) throw new Error(NOT_EMPTY);
  }
  if (!isOlder) {
    throw new Error(`The database has a newer schema than the backup. ${USE_AN_EMPTY_ONE}`);
  }
}

const USE_AN_EMPTY_ONE = 'Restore into an empty one: set DATA_DIR to a new folder, or DATABASE_URL to a new database.';
const NOT_EMPTY = `The database is not empty, and a restore overwrites nothing. ${USE_AN_EMPTY_ONE}`;

function refuseOtherTables(present: readonly ArchivedTable[], wanted: readonly ArchivedTable[]): void {
  const shape = (tables: readonly ArchivedTable[]) =>
    JSON.stringify(tables.map(({ name, columns }) => [name, [...columns].sort()]));
  if (shape(present) !== shape(wanted)) throw new Error('The tables of the backup are not those of its own version');
}
