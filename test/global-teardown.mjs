import { Client } from 'pg';

/** Removes the template and every clone of it that a test file left, and stops the server that was started. */
export default async function teardown() {
  const template = process.env.TEST_DATABASE_TEMPLATE;
  if (template) {
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
  await globalThis.fleetgateTestRun.stop();
}
