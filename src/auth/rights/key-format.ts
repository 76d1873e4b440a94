import { createHash, randomInt } from 'node:crypto';

/*
 * An API key has the form `fg_<prefix>_<secret><check>`. `fg_` lets secret scanners find a leaked key, the prefix finds
 * the row, the check detects a mistyped key without the database. The secret has 238 bits, so a plain SHA-256 is as
 * safe as a slow hash, and takes a microsecond.
 */

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX_LENGTH = 8;
const SECRET_LENGTH = 40;
const CHECK_LENGTH = 6;

const FORM = new RegExp(
  `^fg_([0-9A-Za-z]{${PREFIX_LENGTH}})_([0-9A-Za-z]{${SECRET_LENGTH}})([0-9a-f]{${CHECK_LENGTH}})$`,
);

export interface NewKey {
  /** The key for the operator, shown once. */
  readonly key: string;
  readonly prefix: string;
  readonly hash: Buffer;
}

/** A random text of letters and digits, without bias. */
export function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

export function makeKey(): NewKey {
  const prefix = randomText(PREFIX_LENGTH);
  const body = `fg_${prefix}_${randomText(SECRET_LENGTH)}`;
  const key = body + check(body);
  return { key, prefix, hash: digest(key) };
}

/** The prefix of a well-formed key with a correct check; null for anything else. */
export function prefixOf(key: string): string | null {
  const parts = FORM.exec(key);
  if (!parts) return null;
  const body = key.slice(0, -CHECK_LENGTH);
  return check(body) === parts[3] ? parts[1]! : null;
}

const SESSION_TOKEN = /^fgs_[0-9A-Za-z]{43}$/;

/** A session's token with 256 bits, for the cookie. Only its digest is stored. */
export const makeSessionToken = () => `fgs_${randomText(43)}`;

/** Whether a text has the form of a session's token. */
export const isSessionToken = (text: string) => SESSION_TOKEN.test(text);

/** SHA-256, for secrets with enough entropy. */
export function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const check = (body: string) => digest(body).toString('hex').slice(0, CHECK_LENGTH);
