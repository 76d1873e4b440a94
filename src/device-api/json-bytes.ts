import { isUtf8 } from 'node:buffer';

/**
 * The text of bytes from outside.
 * @throws SyntaxError for bytes that are not UTF-8: decoded, each would become U+FFFD, and another text would go on than
 *   the one that was sent
 */
export function utf8Text(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new SyntaxError(`The bytes are not UTF-8 from byte ${foreignByteAt(bytes)} on`);
  return bytes.toString('utf8');
}

/** Where the first byte is that belongs to no character in UTF-8, from 0. @param bytes not UTF-8 */
function foreignByteAt(bytes: Buffer): number {
  let [good, bad] = [0, bytes.length];
  // A start that cuts a character is no UTF-8 either, so the search ends at the begin of the first bad character.
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isUtf8(bytes.subarray(0, cutOf(bytes, middle)))) good = middle;
    else bad = middle;
  }
  return cutOf(bytes, good);
}

/** The same place, or the begin of the character that it cuts: at most three bytes earlier. */
function cutOf(bytes: Buffer, at: number): number {
  let start = at;
  while (start > 0 && at - start < 3 && (bytes[start]! & 0xc0) === 0x80) start--;
  return start;
}

/** Parses JSON from outside. @throws SyntaxError for what is not JSON in UTF-8 */
export function parseJson(bytes: Buffer): unknown {
  return JSON.parse(utf8Text(bytes));
}
