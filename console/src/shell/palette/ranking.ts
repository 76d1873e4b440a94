/* How well a text is what a person typed. Pure. */

const SCORES = { same: 100, begins: 80, wordBegins: 60, contains: 40, letters: 20 } as const;

/** The most letters of a text that are looked at: names of devices and rollouts are as long as anyone makes them. */
const LETTERS_MAX = 200;

/**
 * @param words further words for the same thing; they count for less than the text itself
 * @returns more for a better match; 0: it does not match
 */
export function scoreOf(typed: string, text: string, words = ''): number {
  const wanted = typed.trim().toLowerCase();
  if (wanted === '') return 1;
  return Math.max(scoreOfText(wanted, text.toLowerCase()), scoreOfText(wanted, words.toLowerCase()) / 2);
}

function scoreOfText(wanted: string, text: string): number {
  if (text === '') return 0;
  if (text === wanted) return SCORES.same;
  if (text.startsWith(wanted)) return SCORES.begins;
  const at = text.indexOf(wanted);
  if (at > 0) return /[\p{L}\p{N}]/u.test(text[at - 1]!) ? SCORES.contains : SCORES.wordBegins;
  return hasLetters(wanted, text) ? SCORES.letters : 0;
}

/** Whether a text has these letters in this order, as `vlnpump` is in `vilnius-pump-01`. Two letters are in too many texts. */
function hasLetters(wanted: string, text: string): boolean {
  if (wanted.length < 3) return false;
  let at = 0;
  for (const letter of text.slice(0, LETTERS_MAX)) if (letter === wanted[at]) at++;
  return at === wanted.length;
}
