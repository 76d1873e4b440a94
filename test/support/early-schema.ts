import { Client } from 'pg';

/** Makes a migrated database say that it is of before the first release. @param last the last migration that ran there */
export async function makeEarly(url: string, last: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('delete from public.migrations');
    await client.query(`insert into public.migrations (timestamp, name) values (right($1, 13)::bigint, $1)`, [last]);
  } finally {
    await client.end();
  }
}
