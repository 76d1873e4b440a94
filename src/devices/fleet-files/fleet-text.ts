import { isUtf8 } from 'node:buffer';
import { AppError } from '../../platform/errors.js';
import { type EventLoopTurns } from '../../platform/event-loop.js';

/*
 * Decodes an import. UTF-8 is the default. A spreadsheet writes UTF-16 with a byte order mark, or the code page of its
 * machine, which is Windows-1252 in Western Europe. A file that is not UTF-8 is therefore read as Windows-1252, and the
 * answer reports that. A caller can declare another `charset` in the content type.
 */

export interface FleetText {
  readonly encoding: string;
  /** Whether the encoding was neither declared nor marked: letters beyond ASCII may be wrong. */
  readonly isGuess: boolean;
  readonly text: Iterable<string>;
}

/** The size of a piece in bytes. */
const PIECE = 64 * 1024;

const LINE_FEED = 0x0a;

export const badFile = (detail: string) => new AppError('invalid_input', { errors: [{ pointer: '/body', detail }] });

/**
 * @param charset of the content type; null when it has none
 * @throws AppError `invalid_input` with the first line that does not match the encoding
 */
export async function decodeFleet(bytes: Buffer, charset: string | null, turns: EventLoopTurns): Promise<FleetText> {
  const marked = markOf(bytes);
  const encoding = marked ?? declared(charset) ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252');
  if (encoding === 'utf-8' && !isUtf8(bytes)) {
    throw badFile(
      `line ${await firstBadLine(bytes, turns)} is not UTF-8: save the file as "CSV UTF-8", or give its charset`,
    );
  }
  const isGuess = marked === null && charset === null && encoding !== 'utf-8';
  return { encoding, isGuess, text: pieces(bytes, encoding) };
}

/** Lines of a text that must be UTF-8, each with whether it is. */
export function* utf8Lines(bytes: Buffer): Generator<{ text: string; isUtf8: boolean }> {
  let from = markOf(bytes) === 'utf-8' ? 3 : 0;
  while (from < bytes.length) {
    const end = bytes.indexOf(LINE_FEED, from);
    const line = bytes.subarray(from, end < 0 ? bytes.length : end);
    yield { text: line.toString('utf8'), isUtf8: isUtf8(line) };
    from = end < 0 ? bytes.length : end + 1;
  }
}

function markOf(bytes: Buffer): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null;
}

function declared(charset: string | null): string | null {
  if (charset === null) return null;
  try {
    return new TextDecoder(charset).encoding;
  } catch {
    const detail = 'a known charset such as utf-8, utf-16le or windows-1252';
    throw new AppError('invalid_input', { errors: [{ pointer: '/header/content-type', detail }] });
  }
}

async function firstBadLine(bytes: Buffer, turns: EventLoopTurns): Promise<number> {
  let line = 1;
  for (const { isUtf8: isFine } of utf8Lines(bytes)) {
    if (!isFine) return line;
    line++;
    if (turns.isOver) await turns.next();
  }
  return line;
}

/** Windows-1252 from 0x80, where it differs from Latin-1. Five bytes stay control characters, as WHATWG has it. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** `TextDecoder` of Node 20 reads Windows-1252 as Latin-1. */
function fromWindows1252(bytes: Buffer): string {
  return bytes.toString('latin1').replaceAll(/[\x80-\x9f]/g, (letter) => WINDOWS_1252[letter.charCodeAt(0) - 0x80]!);
}

function* pieces(bytes: Buffer, encoding: string): Generator<string> {
  if (encoding === 'windows-1252') {
    for (let from = 0; from < bytes.length; from += PIECE) yield fromWindows1252(bytes.subarray(from, from + PIECE));
    return;
  }
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for (let from = 0; from < bytes.length; from += PIECE) {
      yield decoder.decode(bytes.subarray(from, from + PIECE), { stream: from + PIECE < bytes.length });
    }
  } catch (cause) {
    if (cause instanceof TypeError) throw badFile(`the file is not ${encoding}`);
    throw cause;
  }
}
