import { redact, redactQuery } from '../../device-api/redaction.js';

/*
 * A job's spec is stored and shown, so it must not contain secrets. A value that looks like one, by the rules that also
 * hide secrets in answers, is refused with the name of the field. Pure.
 */

/** Never part of a real value. */
const MARK = '\u{FFFF}hidden';

const mark = () => MARK;

const MAX_NAMED = 10;

/** Paths to the likely secrets in a value. */
export function secretsIn(value: unknown, devicePath: string): string[][] {
  const found: string[][] = [];
  const visit = (part: unknown, at: string[]): void => {
    if (found.length >= MAX_NAMED) return;
    if (typeof part === 'string' && part.includes(MARK)) found.push(at);
    if (part === null || typeof part !== 'object') return;
    for (const [name, inner] of Object.entries(part)) {
      if (name === MARK) found.push(at);
      else visit(inner, [...at, name]);
    }
  };
  const { value: marked, hidden } = redact(value, devicePath, mark);
  if (hidden > 0) visit(marked, []);
  return found;
}

/** Whether the query of a device path contains likely secrets. */
export function hasSecretQuery(devicePath: string): boolean {
  const cut = devicePath.indexOf('?');
  return cut >= 0 && redactQuery(devicePath.slice(cut + 1), devicePath.slice(0, cut), mark).hidden > 0;
}

/** The advice for a secret in a spec. */
export const INSTEAD_OF_SECRETS =
  'it looks like a secret, and a spec is stored and shown: use the kind `users` for accounts of the device, ' +
  '`credentials` for the password of the gateway, `configure` with a sealed value for an option';
