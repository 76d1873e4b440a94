/* Text for a terminal. Names and answers of devices are hostile: none of them may move the cursor or change the direction. */

/** Control characters, marks of direction, and characters without a width. */
const UNSAFE = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\p{Cs}]/gu;
/** Characters that take two columns: East Asian wide ones and most pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
/** Nearly all texts; the other rules look at each character. */
const PLAIN = /^[ -~]*$/;
const COMBINING = /\p{Mn}/u;

/** The text with each unsafe character written as `\u{…}`. */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** Columns that a text takes in a terminal. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += COMBINING.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** The text in at most `width` columns, with `…` where something is left out. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let cut = '';
  let used = 0;
  for (const character of text) {
    used += widthOf(character);
    if (used > width - 1) break;
    cut += character;
  }
  return `${cut}…`;
}

/** The text filled with spaces to `width` columns. */
export const padTo = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));
