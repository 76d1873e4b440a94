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
  const decoded = Buffer.from(bytes.toString('utf8'));
  let at = 0;
  while (bytes[at] === decoded[at]) at++;
  return at;
}

/** Parses JSON from outside. @throws SyntaxError for what is not JSON in UTF-8 */
export function parseJson(bytes: Buffer): unknown {
  return JSON.parse(utf8Text(bytes));
}
