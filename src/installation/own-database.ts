import path from 'node:path';
import { type Client } from 'pg';
import { type GatewayConfig } from '../platform/config.js';
import { type DatabaseUrls, databaseUrls } from '../database/database.js';
import { DatabaseClient } from '../database/connection/database-client.js';
import { OWNER_TERMS } from '../database/connection/session-terms.js';
import { joinEmbeddedPostgres, startEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.js';

export interface OwnDatabase {
  readonly urls: DatabaseUrls;
  /** A connection as the owner, without a limit on the time of statements. */
  readonly client: Client;
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
  const urls = databaseUrls(config, embedded?.url ?? '');
  const client = new DatabaseClient({
    connectionString: urls.ownerUrl,
    connectionTimeoutMillis: 10_000,
    application_name: `fleetgate-${purpose}`,
    terms: { ...OWNER_TERMS, settings: { ...OWNER_TERMS.settings, statement_timeout: '0', lock_timeout: '30s' } },
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
