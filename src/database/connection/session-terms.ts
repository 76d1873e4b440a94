/*
 * What a connection of the gateway has to be before it is used. Everything that the rules rest on is named here: the lesser
 * role, and settings that a pooler, a login or a database may have changed. Pure.
 */

/** Cannot change the schema, and may only insert and read audit rows. */
export const APP_ROLE = 'fleetgate_app';

/** A statement of the gateway that takes longer is a fault. */
const STATEMENT_TIMEOUT_MS = 30_000;
const IDLE_IN_TRANSACTION_MS = 60_000;

/** The settings of a connection, with values as Postgres shows them. */
export type SessionSettings = Readonly<Record<string, string>>;

export interface SessionTerms {
  /** The role that it works as; null: the login itself, the owner of the schema. */
  readonly role: typeof APP_ROLE | null;
  readonly settings: SessionSettings;
  /** Sessions last: the client sets what is needed. Otherwise the login must bring it, and the client only looks. */
  readonly canSet: boolean;
}

/** A duration as Postgres shows it: in the largest unit without a remainder. */
export function pgDuration(ms: number): string {
  const units = [
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
  ] as const;
  const [unit, size] = units.find(([, length]) => ms !== 0 && ms % length === 0) ?? ['ms', 1];
  return ms === 0 ? '0' : `${ms / size}${unit}`;
}

/*
 * `DateStyle`: the driver reads ISO dates only. `default_transaction_isolation`: locks of rows assume read committed.
 * `lock_timeout`: one that the login brings would end statements that wait in turn. `search_path`: a schema with the name of
 * the login must not hide the gateway's tables.
 */
const SETTINGS: SessionSettings = {
  search_path: 'public',
  statement_timeout: pgDuration(STATEMENT_TIMEOUT_MS),
  idle_in_transaction_session_timeout: pgDuration(IDLE_IN_TRANSACTION_MS),
  lock_timeout: '0',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  DateStyle: 'ISO, MDY',
};

/** The terms of every connection of the application. @param differing settings in the place of the usual ones */
export function appTerms(differing: SessionSettings = {}, canSet = true): SessionTerms {
  return { role: APP_ROLE, settings: { ...SETTINGS, ...differing }, canSet };
}

/** The terms of a connection that changes the schema or archives the audit: no limits of time. */
export const OWNER_TERMS: SessionTerms = {
  role: null,
  settings: {
    search_path: 'public',
    default_transaction_isolation: 'read committed',
    default_transaction_read_only: 'off',
    DateStyle: 'ISO, MDY',
  },
  canSet: true,
};

/** The statement that makes a session so. Values are the gateway's own. */
export function setUp({ role, settings }: SessionTerms): string {
  const sets = Object.entries(settings).map(([name, value]) => `select set_config('${name}', '${value}', false)`);
  return [`set role ${role ?? 'none'}`, ...sets].join('; ');
}

/** What a session says of itself. */
export interface SessionFacts {
  readonly login: string;
  readonly role: string;
  readonly pid: number;
  /** Tables of the audit whose rows it could change or remove. */
  readonly changeable: readonly string[];
  readonly replica: boolean;
  /** `session_replication_role`: with `replica` no trigger runs, so no change would be notified. */
  readonly triggers: string;
  readonly settings: SessionSettings;
}

/** Rows of these are only ever added. Two of them have columns that the application may change. */
const AUDIT_TABLES = ['audit_entry', 'audit_outcome', 'audit_leaf', 'audit_node', 'audit_checkpoint', 'audit_segment'];

/** Reads the facts, in one row; $1 has the names of the settings. A schema of an older version may lack tables. */
export const READ_FACTS = `
  select session_user::text as login, current_user::text as role, pg_backend_pid() as pid,
         pg_is_in_recovery() as replica, current_setting('session_replication_role') as triggers,
         array(select name from unnest(array[${AUDIT_TABLES.map((table) => `'${table}'`).join(', ')}]) as name
                where to_regclass('public.' || name) is not null
                  and (has_table_privilege(current_user, 'public.' || name, 'update, delete, truncate')
                       or has_any_column_privilege(current_user, 'public.' || name, 'update'))) as changeable,
         (select json_object_agg(name, current_setting(name)) from unnest($1::text[]) as name) as settings`;

export const REPLICA =
  'The database is a read-only replica. Give the address of the primary; after a fail-over, that of the new one.';

/** Why a connection must not be used; null: it is as it has to be. */
export function faultOf(facts: SessionFacts, terms: SessionTerms): string | null {
  if (terms.role === null) return null; // a backup may be made of a replica
  if (facts.replica) return REPLICA;
  const wrong = Object.entries(terms.settings).filter(([name, value]) => facts.settings[name] !== value);
  if (facts.role !== terms.role) {
    return `The connection works as ${facts.role} instead of ${terms.role}, and could change the audit. ${cure(facts, terms, wrong)}`;
  }
  if (facts.changeable.length > 0) {
    return (
      `The role ${terms.role} may change rows of the audit (${facts.changeable.join(', ')}). As an administrator of the ` +
      `database: revoke update, delete, truncate on ${facts.changeable.join(', ')} from ${terms.role}, and no membership ` +
      'of it in another role may give them.'
    );
  }
  if (facts.triggers !== 'origin') {
    return `session_replication_role is ${facts.triggers}, so changed rows are not notified. Reset it for the login ${facts.login}.`;
  }
  if (wrong.length === 0) return null;
  const shown = wrong.map(([name, value]) => `${name} is ${facts.settings[name] ?? 'unknown'} instead of ${value}`);
  return `The connection has other settings than the gateway needs: ${shown.join('; ')}. ${cure(facts, terms, wrong)}`;
}

function cure(facts: SessionFacts, terms: SessionTerms, wrong: readonly (readonly [string, string])[]): string {
  if (terms.canSet)
    return 'A pooler between the gateway and Postgres drops them: use session mode, or connect directly.';
  const role = facts.role === terms.role ? [] : [`alter role "${facts.login}" set role = '${terms.role}'`];
  const settings = wrong.map(([name, value]) => `alter role "${facts.login}" set ${name} = '${value}'`);
  return (
    'Behind a pooler in transaction mode the login of DATABASE_URL must bring them. As an administrator of the database: ' +
    `${[...role, ...settings].join('; ')}; then reconnect the pooler.`
  );
}
