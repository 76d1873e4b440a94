import { randomBytes } from 'node:crypto';
import { type Socket } from 'node:net';
import { Client } from 'pg';

/** A database of a test file's own. */
export interface TestDatabase {
  /** Address with the rights of the owner. */
  readonly url: string;
  readonly drop: () => Promise<void>;
}

/** Two clones at once may meet in the catalogue of the server. */
const CLONE_ATTEMPTS = 10;
const OBJECT_IN_USE = '55006';

/** A migrated, empty database, cloned from the template that test/global-setup.mjs made (some 30 ms). */
export function freshDatabase(): Promise<TestDatabase> {
  return copyOf(given('TEST_DATABASE_TEMPLATE'));
}

/** A copy of a database to which nobody is connected, by its name. */
export async function copyOf(source: string): Promise<TestDatabase> {
  const server = given('TEST_DATABASE_URL');
  const template = given('TEST_DATABASE_TEMPLATE');
  // The template's name in front: the teardown finds by it what a test file did not drop.
  const name = `${template}_${randomBytes(6).toString('hex')}`;
  await clone(server, source, name);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => run(server, `drop database if exists ${name} with (force)`) };
}

async function clone(server: string, template: string, name: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      // Files are copied: through the log, which is the default, it takes twice the time.
      return await run(server, `create database ${name} template ${template} strategy file_copy`);
    } catch (error) {
      if ((error as { code?: string }).code !== OBJECT_IN_USE || attempt === CLONE_ATTEMPTS) throw error;
    }
  }
}

/** One connection of this process makes and drops all its databases: a new one costs the server 5 ms of processor time. */
let admin: Client | null = null;
/** The end of the last statement: a connection takes one at a time. */
let lastEnd: Promise<unknown> = Promise.resolve();

function run(server: string, sql: string): Promise<void> {
  const end = lastEnd.then(async () => {
    admin ??= await connected(server);
    await admin.query(sql);
  });
  lastEnd = end.catch(() => undefined);
  return end;
}

async function connected(server: string): Promise<Client> {
  const client = new Client({ connectionString: server });
  client.on('error', () => (admin = null)); // the next statement connects again
  await client.connect();
  (client as unknown as { connection: { stream: Socket } }).connection.stream.unref(); // it keeps no process alive
  return client;
}

function given(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: start the tests with npm test`);
  return value;
}
