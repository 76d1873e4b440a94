/*
 * Rules for passwords (NIST SP 800-63B-4, section 3.1.1.2): long ones, and none that attackers try first. No rules
 * about kinds of characters: they make passwords worse.
 */

const LENGTH_MIN = 12;

/** Long enough for any sentence. There is a limit because the slow hash reads all of it. */
const PASSWORD_LENGTH_MAX = 128;

/** ASCII characters that people append to a word to vary it. */
const FIGURE_OR_SIGN = /[\d\s!-/:-@[-`{-~]/;

let loaded: ReadonlySet<string> | null = null;

/** Loaded on first use: the dictionary takes 15 MB, and most processes never see a new password. */
async function loadCommon(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return (loaded ??= new Set(dictionary['passwords-common']));
}

/** Normalized, so that a password is the same on every keyboard. */
export const normalPassword = (password: string) => password.normalize('NFKC');

/** Null when there is none. @param names well-known names of the account, which a password must not consist of */
export async function faultOf(password: string, names: readonly string[]): Promise<string | null> {
  const normal = normalPassword(password);
  const { length } = Array.from(normal);
  if (length < LENGTH_MIN || length > PASSWORD_LENGTH_MAX) {
    return `It must have ${LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters.`;
  }
  const lower = normal.toLowerCase();
  const known = loaded ?? (await loadCommon());
  const isCommon = (text: string) => isGuessed(text, known);
  if (isCommon(lower)) return 'It is a common password.';
  // Whether the password without the name is a common one.
  const isLittleMore = (name: string) => lower.includes(name) && isCommon(lower.replaceAll(name, ''));
  return names.map((name) => name.toLowerCase()).some(isLittleMore)
    ? 'It is too similar to the name of the account.'
    : null;
}

function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && FIGURE_OR_SIGN.test(text[end - 1]!)) end--;
  return text.slice(0, end);
}

/** Whether it is a word of the list, also with digits and signs after it, a repeated text, or only digits and signs. */
function isGuessed(lower: string, common: ReadonlySet<string>): boolean {
  if (lower.length < 4 || common.has(lower)) return true;
  const word = withoutEnd(lower);
  if (word === '' || common.has(word)) return true;
  const repeated = /^(.{1,11}?)\1+$/su.exec(lower)?.[1];
  return repeated !== undefined;
}
