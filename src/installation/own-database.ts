import path from 'node:path';
import pg from 'pg';
import { type GatewayConfig } from '../platform/config.js';
import { type DatabaseUrls } from '../platform/database/database.js';
import { joinEmbeddedPostgres, startEmbeddedPostgres } from '../platform/database/embedded-postgres.js';

export interface OwnDatabase {
  readonly urls: DatabaseUrls;
  /** A connection as the owner, without a limit on the time of statements. */
  readonly client: pg.Client;
  /** Closes it; stops the embedded server when this command started it. */
  close(): Promise<void>;
}

/**
 * Opens the database that the settings name, embedded or not.
 * @param purpose `backup` may use the embedded server of a gateway that runs; `restore` wants the folder for itself
 * @throws Error in an operator's words when it cannot be reached, or is in use
 */
export async function openOwnDatabase(config: GatewayConfig, purpose: 'backup' | 'restore'): Promise<OwnDatabase> {
  const root = path.join(config.DATA_DIR, 'postgres');
  const open = purpose === 'backup' ? joinEmbeddedPostgres : startEmbeddedPostgres;
  const embedded = config.DATABASE_URL ? null : await open({ root });
  const appUrl = config.DATABASE_URL ?? embedded!.url;
  const urls = { appUrl, ownerUrl: config.DATABASE_OWNER_URL ?? appUrl };
  const client = new pg.Client({
    connectionString: urls.ownerUrl,
    connectionTimeoutMillis: 10_000,
    application_name: `fleetgate-${purpose}`,
    options: '-c statement_timeout=0 -c lock_timeout=30000',
  });
  try {
    await client.connect();
  } catch (cause) {
    await embedded?.stop();
    throw new Error(`The database cannot be reached: ${(cause as Error).message}`, { cause });
  }
  client.on('error', () => undefined); // the statement under way meets it
  return {
    urls,
    client,
    async close() {
      await client.end().catch(() => undefined);
      await embedded?.stop();
    },
  };
}
