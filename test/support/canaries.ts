import { createHash } from 'node:crypto';
import { type Redis } from 'ioredis';
import pg from 'pg';
import { AppError } from '../../src/platform/errors.js';
import { SEALED_COLUMNS } from '../../src/secrets/sealed-columns.js';
import { type Secrets } from '../../src/secrets/secrets.js';

/* Looks for secrets where none may be: in clear, and in the forms that software likes to turn a text into. */

/** Shorter forms are found in any text by chance. */
const SHORTEST_FORM = 8;

/** The forms in which a text leaks. */
export function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // Base64 of a text inside a longer one begins at one of three places, so its inner part is searched for.
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, -4),
  );
  const url = base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = bytes.toString('hex');
  const json = inJson(secret);
  const encoded = encodeURIComponent(secret.toWellFormed());
  const forms = [
    secret,
    json,
    inJson(json),
    reversed(secret),
    encoded,
    encoded.toLowerCase(),
    encoded.replaceAll('%20', '+'),
    encodeURIComponent(encoded),
    hex,
    hex.toUpperCase(),
    ...base64,
    ...url,
  ];
  return [...new Set(forms.filter((form) => form.length >= SHORTEST_FORM))];
}

/** What a dump might hold of a secret that nobody sealed: digests without a key. */
export function digestsOf(secret: string): string[] {
  return ['md5', 'sha1', 'sha256', 'sha512'].flatMap((name) => {
    const digest = createHash(name).update(secret).digest();
    return [digest.toString('hex'), digest.toString('base64').replace(/=+$/, '')];
  });
}

/** The names of the secrets that a text holds, each with the form. */
export function findCanaries(text: string, secrets: Readonly<Record<string, string>>): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) =>
    formsOf(secret)
      .filter((form) => text.includes(form))
      .map((form) => `${name} as ${form}`),
  );
}

/** Every table of a database that has rows as text, those of the queue included; columns of bytes in hex and as Latin-1. */
export async function dumpOf(db: Pick<pg.Client, 'query'>, schema = '%'): Promise<Map<string, string>> {
  const { rows: tables } = await db.query<{ name: string }>(
    `select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where relkind = 'r' and nspname !~ '^pg_' and nspname <> 'information_schema' and nspname like $1
        and pg_relation_size(pg_class.oid) > 0`,
    [schema],
  );
  // One round trip for all. With two statements before them the answer is a list, also where there is no table.
  const reads = tables.map(({ name }) => `select t.*, row_to_json(t)::text as whole_row from ${name} t`);
  const answers = (await db.query(['select', 'select', ...reads].join(';'))) as unknown as pg.QueryResult[];
  return new Map(tables.map(({ name }, at) => [name, answers[at + 2]!.rows.map(textOf).join('\n')]));
}

/** A row as text; its bytes in hex and as Latin-1. */
function textOf(row: Record<string, unknown>): string {
  const bytes = Object.values(row).filter((value) => Buffer.isBuffer(value));
  return [String(row['whole_row']), ...bytes.map((value) => value.toString('latin1'))].join('\n');
}

/** How each type of key is read; `DUMP` would give them compressed, and nothing would be found. */
const REDIS_READS: Readonly<Record<string, (redis: Redis, key: string) => Promise<unknown>>> = {
  string: (redis, key) => redis.getBuffer(key).then((value) => value?.toString('latin1')),
  hash: (redis, key) => redis.hgetall(key),
  list: (redis, key) => redis.lrange(key, '0', '-1'),
  set: (redis, key) => redis.smembers(key),
  zset: (redis, key) => redis.zrange(key, '0', '-1'),
  stream: (redis, key) => redis.xrange(key, '-', '+'),
};

/** Every key of a Redis, with all that it holds. */
export async function redisTextOf(redis: Redis): Promise<string> {
  const lines: string[] = [];
  for (const key of await redis.keys('*')) {
    const type = await redis.type(key);
    const read = REDIS_READS[type];
    if (type === 'none') continue; // it has ended meanwhile
    if (!read) throw new Error(`A key of Redis is of the type ${type}, which nobody reads here`);
    const value = await read(redis, key);
    lines.push(key, typeof value === 'string' ? value : JSON.stringify(value));
    if (Array.isArray(value)) lines.push(...value.flat(9).map(String));
    else if (typeof value === 'object' && value !== null) lines.push(...Object.values(value).map(String));
  }
  return lines.join('\n');
}

/** Of each column of sealed values, as many are opened to be looked for: a test of size has thousands. */
const OPENED_MAX = 20;

/**
 * What is sealed in these tables, in clear, by the name of its column: passwords of devices, seeds, secrets of webhooks. What does
 * not open is left out.
 */
async function sealedIn(db: pg.Client, tables: ReadonlySet<string>, secrets: Secrets): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  // Nobody is told of what does not open: a test may have meant that.
  const quiet = Object.create(secrets, { unreadableListeners: { value: [] } }) as Secrets;
  for (const { table, column, rowId } of SEALED_COLUMNS.filter(({ table }) => tables.has(`public.${table}`))) {
    const { rows } = await db.query<{ id: string; sealed: Buffer }>(
      `select ${rowId} as id, ${column} as sealed from ${table} where ${column} is not null limit ${OPENED_MAX}`,
    );
    for (const { id, sealed } of rows) {
      try {
        found[`${table}.${column} of ${id}`] = quiet.open(sealed, { table, column, rowId: id });
      } catch (error) {
        if ((error as { code?: string }).code !== 'secret_unreadable') throw error;
      }
    }
  }
  return found;
}

/**
 * What a gateway of any test leaves behind: what it sealed, and these texts, must be in no line of its log and in no row.
 * @param texts by what they are, such as API keys
 * @param secrets opens what the gateway sealed
 * @returns an error that names where one was found; null when none was
 */
export async function leaksOf(
  texts: Readonly<Record<string, string>>,
  log: string,
  databaseUrl: string,
  secrets: Secrets,
): Promise<Error | null> {
  const db = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  let dump = new Map<string, string>();
  let all = texts;
  try {
    await db.connect();
    dump = await dumpOf(db);
    all = { ...(await sealedIn(db, new Set(dump.keys()), secrets)), ...texts };
  } catch (error) {
    // A test that took its database away has nothing in it.
    if (error instanceof AppError) throw error;
  } finally {
    await db.end().catch(() => undefined);
  }
  const found = [['the log', log] as const, ...dump].flatMap(([place, text]) =>
    findCanaries(text, all).map((what) => `${place}: ${what}`),
  );
  return found.length > 0 ? new Error(`A secret was left behind in ${found.slice(0, 5).join('; ')}`) : null;
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
const reversed = (text: string): string => text.split('').toReversed().join('');
