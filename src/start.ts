import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { actionProblem } from './audit/entries/audit-actions.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres/embedded-postgres.js';
import { type GatewayConfig } from './platform/config.js';

/* What comes before the application: of a gateway with one process, or in the parent of several. */

export interface StartResources {
  /** PORT, or a free one for 0, and the address that HOST is. */
  readonly listener: Pick<AddressInfo, 'port' | 'address'>;
  /** The embedded database; null: settings name another one. */
  readonly database: EmbeddedPostgres | null;
}

/**
 * Checks what can be checked before anything starts, and starts the embedded database. A set-up token, or a schema, of a
 * gateway that cannot answer would mislead.
 * @throws Error EADDRINUSE; in an operator's words; as `startEmbeddedPostgres`
 */
export async function prepareStart(config: GatewayConfig): Promise<StartResources> {
  refuseUnknownActions(config);
  const listener = await freeListener(config);
  const root = path.join(config.DATA_DIR, 'postgres');
  return { listener, database: config.DATABASE_URL ? null : await startEmbeddedPostgres({ root }) };
}

/** A pattern that no change matches would ask for no reason, and the operator would never know. @throws Error */
function refuseUnknownActions({ REQUIRE_CHANGE_REASON: patterns }: GatewayConfig): void {
  const problems = patterns.flatMap((pattern) => {
    const problem = pattern === '*' ? null : actionProblem(pattern);
    return problem === null ? [] : [`  REQUIRE_CHANGE_REASON: ${pattern}: ${problem}`];
  });
  if (problems.length > 0) throw new Error(`The configuration is not valid:\n${problems.join('\n')}`);
}

/** Where this process could listen now. @throws Error EADDRINUSE */
export async function freeListener({
  PORT,
  HOST,
}: Pick<GatewayConfig, 'PORT' | 'HOST'>): Promise<Pick<AddressInfo, 'port' | 'address'>> {
  const trial = createServer().listen({ port: PORT, host: HOST, exclusive: true }); // not through a parent
  await once(trial, 'listening');
  const { port, address } = trial.address() as AddressInfo;
  trial.close();
  await once(trial, 'close');
  return { port, address };
}
