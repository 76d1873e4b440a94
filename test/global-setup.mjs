/*
 * Once per run: a Postgres for the tests (embedded and thrown away, or the one that TEST_DATABASE_URL names), and in
 * it one migrated database that every test file clones (test/support/database.ts). It is not compiled, so it takes
 * what it needs from the build.
 */
import { createHash } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { prepareDatabase } from '../dist/src/database/database.js';
import { startEmbeddedPostgres } from '../dist/src/embedded-postgres/embedded-postgres.js';

const FOLDER_PREFIX = 'fleetgate-test-';
const MIGRATIONS = new URL('../migrations/', import.meta.url);

/** A folder that is older than this belongs to a run that was killed. */
const LEFT_BEHIND_AFTER_MS = 6 * 60 * 60_000;

export default async function setup() {
  const run = { stop: async () => {} };
  if (!process.env.TEST_DATABASE_URL) await startServer(run);
  const template = `fleetgate_template_${await digestOfMigrations()}_${process.pid}`;
  await makeTemplate(template);
  process.env.TEST_DATABASE_TEMPLATE = template;
  return async () => {
    await dropDatabases(template);
    await run.stop();
  };
}

async function startServer(run) {
  await removeLeftBehind();
  const folder = await mkdtemp(path.join(os.tmpdir(), FOLDER_PREFIX));
  await chmod(folder, 0o711); // as root the server runs as another user, who has to get there
  const server = await startEmbeddedPostgres({ root: path.join(folder, 'postgres'), ephemeral: true });
  run.stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  // An interrupted run has no teardown.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => void run.stop().finally(() => process.exit(1)));
  }
  process.env.TEST_DATABASE_URL = server.url;
}

async function makeTemplate(name) {
  const admin = new Client({ connectionString: process.env.TEST_DATABASE_URL });
  await admin.connect();
  try {
    await admin.query(`create database ${name}`);
    const url = new URL(process.env.TEST_DATABASE_URL);
    url.pathname = `/${name}`;
    await prepareDatabase(url.href);
    // Nobody can be cloned from while someone is connected to it.
    await admin.query(`alter database ${name} with allow_connections false`);
  } finally {
    await admin.end();
  }
}

async function digestOfMigrations() {
  const hash = createHash('sha256');
  for (const name of (await readdir(MIGRATIONS)).sort()) hash.update(await readFile(new URL(name, MIGRATIONS)));
  return hash.digest('hex').slice(0, 12);
}

async function removeLeftBehind() {
  for (const name of await readdir(os.tmpdir())) {
    if (!name.startsWith(FOLDER_PREFIX)) continue;
    const folder = path.join(os.tmpdir(), name);
    const { mtimeMs, uid } = await stat(folder).catch(() => ({ mtimeMs: Infinity, uid: -1 }));
    const isOurs = process.getuid === undefined || uid === process.getuid();
    if (isOurs && Date.now() - mtimeMs > LEFT_BEHIND_AFTER_MS) await rm(folder, { recursive: true, force: true });
  }
}

/** The template and every clone of it that a test file left. */
async function dropDatabases(template) {
  const admin = new Client({ connectionString: process.env.TEST_DATABASE_URL });
  await admin.connect();
  try {
    const { rows } = await admin.query(
      `select datname from pg_database where datname = $1 or starts_with(datname, $1 || '_')`,
      [template],
    );
    for (const { datname } of rows) await admin.query(`drop database "${datname}" with (force)`);
  } finally {
    await admin.end();
  }
}
