import { createHash } from 'node:crypto';
import pg from 'pg';

/* Looks for secrets where none may be: in clear, and in the forms that software likes to turn a text into. */

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
  const json = JSON.stringify(secret).slice(1, -1);
  const forms = [secret, json, encodeURIComponent(secret), hex, hex.toUpperCase(), reversed(secret), ...base64, ...url];
  return [...new Set(forms.filter((form) => form.length >= 8))];
}

/** What a dump might hold of a secret that nobody sealed: digests without a key. */
export function digestsOf(secret: string): string[] {
  return ['md5', 'sha1', 'sha256', 'sha512'].flatMap((name) => {
    const digest = createHash(name).update(secret).digest();
    return [digest.toString('hex'), digest.toString('base64').replace(/=+$/, '')];
  });
}

/** The names of the secrets that a text holds, each with the form. */
export function findPlanted(text: string, secrets: Readonly<Record<string, string>>): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) =>
    formsOf(secret)
      .filter((form) => text.includes(form))
      .map((form) => `${name} as ${form}`),
  );
}

/** Every table of a database as text, those of the queue included; columns of bytes in hex and as Latin-1. */
export async function dumpOf(db: pg.Client): Promise<Map<string, string>> {
  const { rows: tables } = await db.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const dump = new Map<string, string>();
  for (const { name } of tables) {
    const { rows } = await db.query<Record<string, unknown>>(
      `select t.*, row_to_json(t)::text as whole_row from ${name} t`,
    );
    const lines = rows.map((row) => {
      const bytes = Object.values(row).filter((value) => Buffer.isBuffer(value));
      return [String(row['whole_row']), ...bytes.map((value) => value.toString('latin1'))].join('\n');
    });
    dump.set(name, lines.join('\n'));
  }
  return dump;
}

/**
 * What a gateway of any test leaves behind: its keys must be in no line of its log and in no row.
 * @returns an error that names where one was found; null when none was
 */
export async function leaksOf(
  keys: Readonly<Record<string, string>>,
  log: string,
  databaseUrl: string,
): Promise<Error | null> {
  const found = findPlanted(log, keys).map((what) => `the log: ${what}`);
  const db = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  try {
    await db.connect();
    for (const [table, text] of await dumpOf(db)) {
      found.push(...findPlanted(text, keys).map((what) => `${table}: ${what}`));
    }
  } catch {
    // A test that took its database away has nothing in it.
  } finally {
    await db.end().catch(() => undefined);
  }
  return found.length > 0 ? new Error(`A secret was left behind in ${found.slice(0, 5).join('; ')}`) : null;
}

const reversed = (text: string): string => text.split('').toReversed().join('');
