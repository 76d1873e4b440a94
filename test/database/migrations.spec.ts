import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../../migrations/index.js';
import { prepareDatabase } from '../../src/database/database.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

/* The migrations make the schema that the entities read, and its rules have names. */

let world: TestGateway;
let db: DataSource;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  db = world.gateway.app.get(DataSource);
});
afterAll(() => world.close());

describe('the migrations', () => {
  it('are registered one by one, in the order of their files', () => {
    const files = readdirSync('migrations')
      .filter((name) => name !== 'index.ts')
      .sort();
    expect(MIGRATIONS).toHaveLength(files.length);
    const stamps = MIGRATIONS.map(({ name }) => Number(/\d+$/.exec(name)?.[0]));
    expect(stamps).toEqual([...stamps].sort((a, b) => a - b));
  });

  it('make every column of every entity, with its type and nullability', async () => {
    const columns = await db.query<{ at: string; type: string; nullable: boolean }[]>(
      `select table_name || '.' || column_name as at, udt_name as type, is_nullable = 'YES' as nullable
         from information_schema.columns where table_schema = 'public'`,
    );
    const inDatabase = new Map(columns.map((column) => [column.at, column]));
    const udt: Record<string, string> = {
      integer: 'int4',
      bigint: 'int8',
      boolean: 'bool',
      timestamptz: 'timestamptz',
      'timestamp with time zone': 'timestamptz',
    };
    for (const { tableName, columns: declared } of db.entityMetadatas) {
      for (const column of declared) {
        const at = `${tableName}.${column.databaseName}`;
        const type = db.driver.normalizeType(column);
        expect({ at, type: (column.isArray ? '_' : '') + (udt[type] ?? type), nullable: column.isNullable }).toEqual(
          inDatabase.get(at),
        );
      }
    }
    expect(db.entityMetadatas.length).toBeGreaterThanOrEqual(6);
  });

  it('name every rule themselves, and say what each table is for', async () => {
    const unnamed = await db.query(
      `select conrelid::regclass || ': ' || conname as rule from pg_constraint
        where connamespace = 'public'::regnamespace and contype <> 'n' and conrelid <> 'migrations'::regclass
          and conname ~ '_(check[0-9]*|fkey|key)$'`,
    );
    expect(unnamed).toEqual([]);
    const silent = await db.query(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
          and relname <> 'migrations' and obj_description(oid) is null`,
    );
    expect(silent).toEqual([]);
  });

  it('may run again, and find nothing to do', async () => {
    const owner = await new DataSource({ type: 'postgres', url: world.databaseUrl }).initialize();
    const done = () => owner.query<{ count: string }[]>('select count(*) from migrations');
    const before = await done();
    await Promise.all([prepareDatabase(world.databaseUrl), prepareDatabase(world.databaseUrl)]);
    expect(await done()).toEqual(before);
    await owner.destroy();
  });

  it('leave the application a role that cannot change the schema', async () => {
    await expect(db.query('create table public.sneaky ()')).rejects.toThrow(/permission denied/);
    await expect(db.query('alter table device add column sneaky text')).rejects.toThrow(/must be owner/);
  });
});
