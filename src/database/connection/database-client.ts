import { type Socket } from 'node:net';
import { Client, type ClientConfig, DatabaseError } from 'pg';
import { isDatabaseAway, OF_DATABASE } from '../../platform/errors.js';
import { faultOf, READ_FACTS, type SessionFacts, type SessionTerms, setUp } from './session-terms.js';
import { withTimeout } from '../../platform/with-timeout.js';

/*
 * Every connection to Postgres. A new one is set up by statements, not by start-up parameters, since a pooler drops or
 * refuses those; then it says what it is, and is refused when that is not what it has to be. That costs two round trips
 * for a connection, and none for a statement.
 *
 * A statement without an answer is looked at after some seconds: a server that answers nothing is given up, together with
 * the statement. A slow statement of a live server has its own limit there (`statement_timeout`).
 */

/** No byte for this long while a statement is under way: the server is asked whether it is there. */
const SILENT_MS = 5_000;

/** PostgreSQL, Appendix A: sqlclient_unable_to_establish_sqlconnection, and connection_failure. */
const UNUSABLE = '08001';
const LOST = '08006';

/** The connection cannot be used, or has been lost; its code is one of Postgres's own for that. */
class ConnectionFault extends Error {
  constructor(
    message: string,
    readonly code: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ConnectionFault';
  }
}

export interface DatabaseClientConfig extends ClientConfig {
  readonly terms?: SessionTerms;
}

/** A connection that keeps its terms from the first statement on. A pool makes its connections of it, too. */
export class DatabaseClient extends Client {
  /** What the session has said of itself; null before it is connected. */
  facts: SessionFacts | null = null;
  private readonly terms: SessionTerms | null;
  private readonly address: ClientConfig;

  constructor(config: DatabaseClientConfig = {}) {
    super(config);
    this.terms = config.terms ?? null;
    this.address = config;
    // Before the driver's own listener: the error goes on to the statement under way, whose caller is not at fault.
    this.connection.on('error', (error: Error) => Object.assign(error, OF_DATABASE));
    // Where connections of the server are shared, a name that one of them knows is unknown to the next one.
    if (this.terms?.canSet === false) this.query = withoutName(this.query.bind(this)) as never;
  }

  /** @throws Error in an operator's words when the session is not what it has to be */
  override connect(): Promise<this>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<this> | void {
    // Until its user listens, an error that is no answer would end the process.
    this.on('error', ignore);
    const opened = this.open();
    if (!callback) return opened.finally(() => this.off('error', ignore));
    void opened
      .then(
        () => (callback as (error: Error | null) => void)(null),
        (error: Error) => callback(error),
      )
      .finally(() => this.off('error', ignore));
  }

  private async open(): Promise<this> {
    try {
      await super.connect();
      this.watch();
      if (this.terms) await this.keep(this.terms);
      return this;
    } catch (error) {
      void super.end().catch(ignore);
      throw asFault(error);
    }
  }

  /** Sets the session up and checks it. */
  private async keep(terms: SessionTerms): Promise<void> {
    if (terms.canSet) {
      await super.query(setUp(terms)).catch((cause: unknown) => {
        throw new ConnectionFault(setUpFault(cause, terms), UNUSABLE, { cause });
      });
    }
    const { rows } = await super.query<SessionFacts>(READ_FACTS, [Object.keys(terms.settings)]);
    const fault = faultOf(rows[0]!, terms);
    if (fault !== null) throw new ConnectionFault(fault, UNUSABLE);
    this.facts = rows[0]!;
  }

  /** The socket tells of its silence by itself, once until the next byte, also while the connection waits for work. */
  private watch(): void {
    const socket = this.socket;
    socket.setTimeout(SILENT_MS);
    socket.on('timeout', () => void this.askForLife(socket));
  }

  private async askForLife(socket: Socket): Promise<void> {
    if (this.isWaitingForWork) return;
    // Behind a pooler that shares sessions the server process of a statement is not the one of the set-up.
    const pid = this.terms?.canSet === false ? null : (this.facts?.pid ?? null);
    const silence = await silenceOf(this.address, pid);
    if (this.isWaitingForWork) return;
    if (silence === null) socket.setTimeout(SILENT_MS);
    else socket.destroy(new ConnectionFault(silence, LOST));
  }

  /** These two are the driver's own, and missing in its types. */
  private get isWaitingForWork(): boolean {
    return (this as unknown as { readyForQuery: boolean }).readyForQuery;
  }

  private get socket(): Socket {
    return (this.connection as unknown as { stream: Socket }).stream;
  }
}

function ignore(): void {}

type Query = (statement: unknown, ...rest: unknown[]) => unknown;

/** Sends named statements without their names. */
function withoutName(query: Query): Query {
  return (statement, ...rest) => {
    const isNamed = typeof statement === 'object' && statement !== null && 'name' in statement;
    return query(isNamed && !('submit' in statement) ? { ...statement, name: undefined } : statement, ...rest);
  };
}

/** Whatever prevents a connection means that there is no database now, for a caller. Its message stays for the operator. */
function asFault(error: unknown): unknown {
  if (error instanceof ConnectionFault || isDatabaseAway(error)) return error;
  const first = error instanceof AggregateError ? (error.errors[0] as Error) : (error as Error);
  return new ConnectionFault(first.message, UNUSABLE, { cause: error });
}

function setUpFault(cause: unknown, { role }: SessionTerms): string {
  const { message } = cause as Error;
  return role === null
    ? `The connection could not be set up: ${message}`
    : `The connection could not become ${role}: ${message}. As an administrator of the database: grant ${role} to the login of DATABASE_URL.`;
}

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
async function silenceOf({ connectionString = '' }: ClientConfig, pid: number | null): Promise<string | null> {
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
