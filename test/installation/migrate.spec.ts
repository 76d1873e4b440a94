import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { itInFull } from '../support/forms.js';
import { Client } from 'pg';
import { KNOWN_MIGRATIONS } from '../../src/database/database.js';
import { VERSION } from '../../src/platform/config.js';
import { copyOf, freshDatabase, type TestDatabase } from '../support/database.js';
import { PROJECT } from '../support/source/project.js';

/* `migrate` of the image: the job before an installation starts, or starts with a newer version. */

const MAIN = fileURLToPath(new URL('dist/src/installation/main.js', PROJECT));

let database: TestDatabase | undefined;

afterEach(async () => {
  await database?.drop();
  database = undefined;
});

async function migrate(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [MAIN, 'migrate'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [said, complaint, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: code as number, said, complaint };
}

async function ask<Row extends object>(sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: database!.url });
  await client.connect();
  const { rows } = await client.query<Row>(sql);
  await client.end();
  return rows;
}

const DONE = `The schema of the database is that of Fleetgate ${VERSION}.\n`;

it('gives an empty database the schema of this version, and ends', async () => {
  database = await copyOf('template1');
  expect(await migrate({ DATABASE_URL: database.url })).toEqual({ code: 0, said: DONE, complaint: '' });
  const names = (await ask<{ name: string }>('select name from migrations')).map(({ name }) => name);
  expect(new Set(names)).toEqual(KNOWN_MIGRATIONS);
});

itInFull('changes nothing where all is done', async () => {
  database = await freshDatabase();
  expect(await migrate({ DATABASE_URL: database.url })).toEqual({ code: 0, said: DONE, complaint: '' });
});

itInFull('refuses the database of a newer version', async () => {
  database = await freshDatabase();
  await ask(`insert into migrations (timestamp, name) values (9999999999999, 'Later9999999999999')`);
  const { code, complaint } = await migrate({ DATABASE_URL: database.url });
  expect([code, complaint]).toEqual([2, expect.stringContaining('Later9999999999999')]);
});

it('says that the embedded database needs no migration', async () => {
  const { code, complaint } = await migrate({});
  expect([code, complaint]).toEqual([2, expect.stringContaining('Set DATABASE_URL')]);
});
