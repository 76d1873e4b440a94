import { utf8Text } from './json-bytes.js';

/*
 * JSON that comes from a device, or goes to one, bounded before anything walks through it. What is built to be deep breaks every recursive
 * reader, `JSON.stringify` among them; what is built of a million small parts stops the event loop for seconds, in schemas
 * and in redaction. The look at the bytes takes 4 ms for a mebibyte.
 *
 * A device passes names of others on as bytes: a Wi-Fi network or a host may have any name. So an answer is decoded with
 * the replacement character U+FFFD. What goes to a device must be UTF-8: another text would be written than the one sent.
 */

/** Deeper than any answer of a device; the real ones have some six levels. */
const MAX_DEPTH = 64;

/** Values in one answer: some 8,000 entries of a log. To read so many takes about 100 ms. */
const MAX_VALUES = 50_000;

/** Why a body cannot be read; the message is for people and holds nothing of the bytes. */
export class UnreadableJson extends Error {}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Reads the answer of a device; bytes that are not UTF-8 become U+FFFD. @throws UnreadableJson */
export function readDeviceJson(bytes: Buffer): unknown {
  checkShape(bytes);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new UnreadableJson('it is not JSON', { cause });
  }
}

/** Reads a body for a device. @throws UnreadableJson, with the place of a byte that is not UTF-8 */
export function readRequestJson(bytes: Buffer): unknown {
  checkShape(bytes);
  let text: string;
  try {
    text = utf8Text(bytes);
  } catch (cause) {
    throw new UnreadableJson(`it is not JSON in UTF-8: ${(cause as Error).message}`, { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UnreadableJson('it is not JSON in UTF-8', { cause });
  }
}

/** As `readRequestJson`; undefined for what cannot be read. */
export function requestJson(bytes: Buffer): unknown {
  try {
    return readRequestJson(bytes);
  } catch {
    return undefined;
  }
}

/** As `readDeviceJson`; undefined for what cannot be read. */
export function deviceJson(bytes: Buffer): unknown {
  try {
    return readDeviceJson(bytes);
  } catch {
    return undefined;
  }
}

/** Every value but the first of a list or an object follows a comma. */
function checkShape(bytes: Buffer): void {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfText(bytes, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > MAX_DEPTH) throw new UnreadableJson('it is nested too deeply');
        values++;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
      case 0x2c: // ,
        values++;
    }
    if (values > MAX_VALUES) throw new UnreadableJson('it holds too many values');
  }
}

function endOfText(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
