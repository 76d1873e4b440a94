import { describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { freshDatabase } from '../support/database.js';

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows.map((row) => Object.values(row)[0]);
  } finally {
    await client.end();
  }
}

describe('a fresh database for a test', () => {
  it('is migrated, ours and the queue’s tables alike', async () => {
    const database = await freshDatabase();
    try {
      const schemas = `select distinct table_schema::text from information_schema.tables
        where (table_schema, table_name) in (('public', 'device'), ('bullmq', 'job')) or table_schema = 'bullmq'
        order by 1`;
      expect(await query(database.url, schemas)).toEqual(['bullmq', 'public']);
    } finally {
      await database.drop();
    }
  });

  it('can be made many times at once, each apart from the others', async () => {
    const databases = await Promise.all(Array.from({ length: 6 }, () => freshDatabase()));
    try {
      for (const { url } of databases) await query(url, 'create table mine ()');
      expect(new Set(databases.map(({ url }) => url)).size).toBe(6);
    } finally {
      await Promise.all(databases.map((database) => database.drop()));
    }
  });
});
