/* MAC addresses in the spellings of vendors, and their one form in the registry: `00:1e:42:aa:bb:cc`. Pure. */

/** Six, three or two groups with one separator, or none: `00-1E-42-AA-BB-CC`, `001e.42aa.bbcc`, `001E42-AABBCC`. */
const SPELLINGS = [
  /^[0-9a-f]{12}$/,
  /^[0-9a-f]{1,2}(?::[0-9a-f]{1,2}){5}$/,
  /^[0-9a-f]{2}([-. ])[0-9a-f]{2}(?:\1[0-9a-f]{2}){4}$/,
  /^[0-9a-f]{4}([-.:])[0-9a-f]{4}\1[0-9a-f]{4}$/,
  /^[0-9a-f]{6}[-:][0-9a-f]{6}$/,
];

/** No spelling is longer. */
const LONGEST = 17;

/** @returns the form of the registry; null when the text is no MAC address */
export function canonicalMac(text: string): string | null {
  const mac = text.length > 2 * LONGEST ? '' : text.trim().toLowerCase();
  if (!SPELLINGS.some((spelling) => spelling.test(mac))) return null;
  // `0:1e:42:a:b:c`, as some systems show it.
  const digits = mac
    .split(':')
    .map((group) => (group.length === 1 ? `0${group}` : group))
    .join('')
    .replaceAll(/[-. ]/g, '');
  return inPairs(digits);
}

const NAMED = /mac|bssid/i;

/** The value of a field as people read it: a MAC address in the form of the registry where the name of the field says that it is one. */
export const shownMac = (name: string, value: string): string =>
  NAMED.test(name.slice(0, 64)) ? (canonicalMac(value) ?? value) : value;

/**
 * A pattern for MAC addresses in any spelling, with `*` at its beginning or its end, as a pattern for the form of the
 * registry. @returns null when it can match none
 */
export function macPattern(text: string): string | null {
  if (text.length > 2 * LONGEST) return null;
  const given = text.toLowerCase();
  if (!given.includes('*')) return canonicalMac(given);
  // A group of one digit between separators, or between one and an end of the text, is complete.
  const pattern = given.replaceAll(/(?<=^|[-.: ])[0-9a-f](?=[-.: ])|(?<=[-.: ])[0-9a-f]$/g, '0$&');
  if (/^[0-9a-f:*]*$/.test(pattern) && pattern.split('*').every(isInPairs)) return pattern;
  const [front = '', back = ''] = pattern.split('*').map((part) => part.replaceAll(/[-.: ]/g, ''));
  const isPlain = /^[0-9a-f-.: ]*\*[0-9a-f-.: ]*$/.test(pattern) && front.length + back.length <= 12;
  if (!isPlain) return null;
  const isOdd = back.length % 2;
  return `${inPairs(front)}*${[back.slice(0, isOdd), inPairs(back.slice(isOdd))].filter((part) => part !== '').join(':')}`;
}

const inPairs = (digits: string): string => digits.replaceAll(/(..)(?!$)/g, '$1:');

/** Whether a piece of a pattern has colons where the form of the registry has them. */
const isInPairs = (piece: string): boolean =>
  /^:?(?:[0-9a-f]{0,2}|[0-9a-f]{1,2}(?::[0-9a-f]{2})*(?::[0-9a-f]?)?)$/.test(piece);
