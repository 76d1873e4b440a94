import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { copyOf, type TestDatabase } from './database.js';

/** A database as the squashed migrations left it. @param without names of migrations that did not run, by its own list */
export async function oldDatabase(without: readonly string[] = []): Promise<TestDatabase> {
  const database = await copyOf('template1');
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query(await readFile('test/platform/database/old-schema.sql', 'utf8'));
    await client.query('delete from public.migrations where name = any($1)', [without]);
  } finally {
    await client.end();
  }
  return database;
}
