import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { BASELINE, MIGRATIONS } from '../../../migrations/index.js';
import { startGateway } from '../../../src/gateway.js';
import { readConfig } from '../../../src/platform/config.js';
import { prepareDatabase } from '../../../src/platform/database/database.js';
import { SQUASHED } from '../../../src/platform/database/squashed-migrations.js';
import { catalogOf } from '../../support/catalog.js';
import { copyOf, freshDatabase, type TestDatabase } from '../../support/database.js';
import { casesOf } from '../../support/forms.js';
import { oldDatabase } from '../../support/old-schema.js';

/* Databases of before the first release, whose migrations were squashed into a baseline (old-schema.sql is a dump of one). */

const names = MIGRATIONS.map(({ name }) => name);
const databases: TestDatabase[] = [];
const mine = async (database: Promise<TestDatabase>): Promise<string> => {
  databases.push(await database);
  return (await database).url;
};
afterAll(() => Promise.all(databases.map((database) => database.drop())));

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows.map((row) => Object.values(row)[0]);
  } finally {
    await client.end();
  }
}

const MIGRATED = 'select name from migrations order by id';

describe('a database of before the baseline', () => {
  it('has every table, column, rule, index, function, trigger, right and comment that the baseline makes', async () => {
    const [old, baseline] = [await mine(oldDatabase()), await mine(copyOf('template1'))];
    await prepareDatabase(baseline, baseline, new Set(BASELINE.map(({ name }) => name)));
    const wanted = await catalogOf(baseline);
    expect(wanted.length).toBeGreaterThan(1000);
    expect(await catalogOf(old)).toEqual(wanted);
    await Promise.all([prepareDatabase(old), prepareDatabase(old)]);
    const fresh = await mine(freshDatabase());
    expect(await catalogOf(old)).toEqual(await catalogOf(fresh));
    const roles = `select to_jsonb(role) - 'updated_at' from role order by name`;
    expect(await query(old, roles)).toEqual(await query(fresh, roles));
  });

  it('is taken for one of this version, once', async () => {
    const old = await mine(oldDatabase());
    await query(old, `insert into operator (id, name, created_at) values (gen_random_uuid(), 'Ada', now())`);
    const folder = await mkdtemp(path.join(tmpdir(), 'fleetgate-old-'));
    try {
      const config = readConfig({ DATA_DIR: folder, DATABASE_URL: old, PORT: '0', LOG_LEVEL: 'fatal' });
      const gateway = await startGateway({ config });
      expect((await fetch(new URL('/health/ready', gateway.url))).status).toBe(200);
      await gateway.close();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    expect(await query(old, MIGRATED)).toEqual(names);
    expect(await query(old, 'select migration from schema_release order by 1')).toEqual([...names].sort());
    expect(await query(old, 'select name from operator')).toEqual(['Ada']);
    await prepareDatabase(old);
    expect(await query(old, MIGRATED)).toEqual(names);
  });

  it.each(casesOf([SQUASHED[0]!, SQUASHED[9]!, SQUASHED.at(-1)!], 1))(
    'is refused when %s did not run, and is left as it is',
    async (missing) => {
      const old = await mine(oldDatabase([missing]));
      const before = await query(old, MIGRATED);
      await expect(prepareDatabase(old)).rejects.toThrow(
        new RegExp(
          `1 of the ${SQUASHED.length} migrations before this version did not run, the first of them ${missing}\\. Start the last`,
        ),
      );
      expect(await query(old, MIGRATED)).toEqual(before);
    },
  );

  it('is refused when it is of an earlier version, and is left as it is', async () => {
    const old = await mine(oldDatabase(SQUASHED));
    await query(old, `insert into migrations (timestamp, name) values (1763719200000, 'Foundation1763719200000')`);
    await expect(prepareDatabase(old)).rejects.toThrow(`${SQUASHED.length} of the ${SQUASHED.length} migrations`);
    expect(await query(old, MIGRATED)).toEqual(['Foundation1763719200000']);
  });

  it('is refused when a newer version migrated it further, and is left as it is', async () => {
    const old = await mine(oldDatabase());
    await query(old, `insert into migrations (timestamp, name) values (1893456000000, 'Later1893456000000')`);
    const before = await query(old, MIGRATED);
    await expect(prepareDatabase(old)).rejects.toThrow('belongs to a newer version');
    expect(await query(old, MIGRATED)).toEqual(before);
  });
});

describe('the baseline', () => {
  it('can be taken back step by step', async () => {
    const url = await mine(freshDatabase());
    const source = await new DataSource({ type: 'postgres', url, migrations: MIGRATIONS }).initialize();
    for (const _ of MIGRATIONS) await source.undoLastMigration();
    await source.destroy();
    const left = (await catalogOf(url)).filter((line) => !/\bmigrations\b|migrations_id_seq|index PK_/.test(line));
    const bare = await mine(copyOf('template1'));
    expect(left).toEqual(await catalogOf(bare));
  });
});
