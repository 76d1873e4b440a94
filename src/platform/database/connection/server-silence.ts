import { Client, type ClientConfig, DatabaseError } from 'pg';
import { withTimeout } from '../../with-timeout.js';

/*
 * Whether a server that is silent on a connection is still there. A frozen server (a stopped machine, a lost disk) accepts
 * connections and answers none; a busy one answers a new connection, and says that it works on the statement.
 */

/** A machine with more work than it can do has answered within four seconds. */
const ANSWER_WITHIN_MS = 8_000;

/** The server processes that have work, as far as it said. */
type Answer = ReadonlySet<number> | 'refused' | 'silent';

/** Answers by address: twenty silent connections ask once. */
const asked = new Map<string, Promise<Answer>>();

/**
 * @param address of the connection that is silent
 * @param pid of its server process; null: unknown, such as behind a pooler that shares its connections
 * @returns why the connection is to be given up; null: the server works on its statement
 */
export async function silenceOf({ connectionString = '' }: ClientConfig, pid: number | null): Promise<string | null> {
  const answering = asked.get(connectionString) ?? ask(connectionString).finally(() => asked.delete(connectionString));
  asked.set(connectionString, answering);
  const answer = await answering;
  if (answer === 'silent') return 'The database has not answered for several seconds, also not on a new connection';
  if (answer === 'refused' || pid === null || answer.has(pid)) return null;
  return 'The connection to the database was lost without a word';
}

async function ask(connectionString: string): Promise<Answer> {
  const client = new Client({
    connectionString,
    application_name: 'fleetgate silence',
    connectionTimeoutMillis: ANSWER_WITHIN_MS,
  });
  client.on('error', () => undefined);
  const reading = client
    .connect()
    .then(() => client.query<{ pid: number }>(`select pid from pg_stat_activity where state <> 'idle'`))
    .then(
      ({ rows }): Answer => new Set(rows.map(({ pid }) => pid)),
      (error: unknown): Answer => (isRefusal(error) ? 'refused' : 'silent'),
    );
  try {
    return await withTimeout(ANSWER_WITHIN_MS, reading, (): Answer => 'silent');
  } finally {
    void client.end().catch(() => undefined);
  }
}

/**
 * A refusal by Postgres is an answer: there are too many connections, or the server is starting. Codes of the operating
 * system, such as `EPIPE`, can have five characters, too.
 */
const isRefusal = (error: unknown): boolean => error instanceof DatabaseError;
