import { mkdtemp, chmod, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { MIGRATIONS } from '../../migrations/index.js';
import { startGateway } from '../../src/gateway.js';
import { readConfig, VERSION } from '../../src/platform/config.js';
import { prepareDatabase } from '../../src/database/database.js';
import { startEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { makeEarly } from '../support/early-schema.js';

/* A version that does not know the schema of its database does not start. */

const LATER = 'Later1893456000000';

async function query<Row extends object>(url: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** As the newer version leaves the database behind. */
async function upgrade(url: string, version: string | null): Promise<void> {
  await query(url, 'insert into migrations (timestamp, name) values (1893456000000, $1)', [LATER]);
  if (version !== null)
    await query(url, 'insert into schema_release (migration, version) values ($1, $2)', [LATER, version]);
}

const refusal = async (start: Promise<{ close(): Promise<void> } | void>): Promise<string> => {
  try {
    await (await start)?.close();
    return 'it started';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('a database of a newer version', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.drop());

  it('is refused, with the version that is needed, and is left as it is', async () => {
    await upgrade(database.url, '9.4.0');
    const roles = () => query(database.url, 'select * from migrations order by id');
    const before = await roles();
    const said = await refusal(prepareDatabase(database.url));
    expect(said).toContain('The database belongs to a newer version of Fleetgate');
    expect(said).toContain(`this one (${VERSION})`);
    expect(said).toContain('Start Fleetgate 9.4.0 or a newer one');
    expect(said).toContain(LATER);
    expect(await roles()).toEqual(before);
  });

  it('is refused also when it does not say which version that was', async () => {
    await query(database.url, 'drop table schema_release');
    expect(await refusal(prepareDatabase(database.url))).toContain('Start the version that made it or a newer one');
  });
});

describe('a database of before the first release', () => {
  it.each([
    'Foundation1763719200000',
    'Foundation1795428000000',
    'Jobs1795432200000',
    'NetworkOperator1795600800000',
    'Foundation1795633200000',
    'Fleet1795641000000',
    'DeviceConflicts1795654800000',
    'FirmwareVersions1795655200000',
    'DeviceChangesChecked1795661700000',
    'ArtifactForms1795662000000',
  ])('is refused when its last migration is %s, and is left as it is', async (last) => {
    const database = await freshDatabase();
    try {
      await makeEarly(database.url, last);
      const said = await refusal(prepareDatabase(database.url));
      expect(said).toContain(`before the first release; its last migration is ${last}.`);
      expect(said).toContain('Start it on an empty database');
      expect(await query(database.url, 'select name from migrations')).toEqual([{ name: last }]);
    } finally {
      await database.drop();
    }
  });
});

describe('the embedded database of a newer version', () => {
  it('ends the start with the same words, and its server is stopped', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'fleetgate-newer-'));
    try {
      await chmod(folder, 0o711); // as root the server runs as another user
      const root = path.join(folder, 'postgres');
      const server = await startEmbeddedPostgres({ root, ephemeral: true });
      await prepareDatabase(server.url);
      await upgrade(server.url, '9.4.0');
      await server.stop();
      const config = readConfig({ DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'fatal' });
      expect(await refusal(startGateway({ config }))).toContain('Start Fleetgate 9.4.0 or a newer one');
      const again = await startEmbeddedPostgres({ root, ephemeral: true });
      expect(again.reused).toBe(false);
      await again.stop();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('a database of this version', () => {
  it('says which version ran each migration', async () => {
    const database = await freshDatabase();
    try {
      const rows = await query<{ migration: string; version: string }>(
        database.url,
        'select migration, version from schema_release order by migration',
      );
      expect(rows.map(({ migration }) => migration).sort()).toEqual(MIGRATIONS.map(({ name }) => name).sort());
      expect(new Set(rows.map(({ version }) => version))).toEqual(new Set([VERSION]));
      await prepareDatabase(database.url);
    } finally {
      await database.drop();
    }
  });
});
