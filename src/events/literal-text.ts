/* Texts of people and devices in messages to others. Pure. */

/** Longer names are cut: twenty of them must fit into a message. */
const LENGTH_MAX = 64;

/** One line without control and format characters (such as changes of direction), cut to a length. */
export function plain(text: string, lengthMax = LENGTH_MAX): string {
  const line = text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
  const letters = [...line];
  if (letters.length > lengthMax) return `${letters.slice(0, lengthMax - 1).join('')}…`;
  return line === '' ? '(none)' : line;
}

/** As `plain`, where a program looks for links, mentions and functions in plain text: a joiner without width breaks them. */
export const literal = (text: string, lengthMax?: number): string =>
  plain(text, lengthMax).replaceAll(/[@.:{#](?=\S)/g, (sign) => `${sign}\u2060`);
