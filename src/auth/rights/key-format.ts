import { createHash, randomInt } from 'node:crypto';

/*
 * An API key reads `fg_<prefix>_<secret><check>`. The name in front lets secret scanners find a leaked key, the prefix
 * finds the row, the check tells a mistyped key without asking the database. The secret has 238 bits, so a plain
 * SHA-256 of it is as good as a slow hash, and answers in a microsecond.
 */

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX_LENGTH = 8;
const SECRET_LENGTH = 40;
const CHECK_LENGTH = 6;

const FORM = new RegExp(
  `^fg_([0-9A-Za-z]{${PREFIX_LENGTH}})_([0-9A-Za-z]{${SECRET_LENGTH}})([0-9a-f]{${CHECK_LENGTH}})$`,
);

export interface NewKey {
  /** What the operator gets, once. */
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

/** The prefix of a key that is well formed and whose check is right; null for anything else. */
export function prefixOf(key: string): string | null {
  const parts = FORM.exec(key);
  if (!parts) return null;
  const body = key.slice(0, -CHECK_LENGTH);
  return check(body) === parts[3] ? parts[1]! : null;
}

const SESSION_TOKEN = /^fgs_[0-9A-Za-z]{43}$/;

/** The token of a session, of 256 bits: what a person's cookie holds. Kept as a digest, like a key. */
export const makeSessionToken = () => `fgs_${randomText(43)}`;

/** Whether a text has the form of a session's token. */
export const isSessionToken = (text: string) => SESSION_TOKEN.test(text);

/** A SHA-256, for secrets that are too random to be guessed. */
export function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const check = (body: string) => digest(body).toString('hex').slice(0, CHECK_LENGTH);
