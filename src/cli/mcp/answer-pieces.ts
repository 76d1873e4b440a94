import { isRow } from '../output/cells.js';
import { printable } from '../output/text.js';

/*
 * What an assistant gets to read. Names and answers of devices are hostile: such a text may tell the assistant what to do. So
 * every text that is no plain word, id or time of the gateway stands between « and », and the instructions of the server say
 * that these are data. An answer has at most 8 kB; what is left of it comes with a cursor.
 */

/** Of UTF-8. A long answer fills the memory of an assistant and costs its owner money. */
export const ANSWER_BYTES = 8_000;
/** For the line that names the cursor. */
const CURSOR_BYTES = 200;
/** Answers that are not read to their end; the oldest is forgotten. */
const OPEN_ANSWERS = 20;

/** Words such as `credentials_refused`, ids, digests, times: too short, or too regular, for a sentence. */
const PLAIN =
  /^(?:[a-z][a-z_.]{0,23}|[A-Z][A-Z_]{0,9}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}|\d{4}-\d\d-\d\dT[\d:.]{8,12}Z)$/;
/** Names of fields have capitals, too: `trust.offeredPin`. */
const PLAIN_NAME = /^[A-Za-z][A-Za-z0-9_]{0,31}$/;

/** A text between marks. Marks in it become other quotation marks, so that it cannot end them. */
export const marked = (text: string): string =>
  `«${text.split('\n').map(printable).join('\n').replaceAll('«', '‹').replaceAll('»', '›')}»`;

/** A value with its texts marked as data, in JSON. Fields without a value are left out: they cost room and say nothing. */
export const markedJson = (value: unknown): string => JSON.stringify(markedValue(value));

function markedValue(value: unknown): unknown {
  if (typeof value === 'string') return PLAIN.test(value) ? value : marked(value);
  if (Array.isArray(value)) return value.map(markedValue);
  if (!isRow(value)) return value;
  const fields = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(
    fields.map(([name, inner]) => [PLAIN_NAME.test(name) ? name : marked(name), markedValue(inner)]),
  );
}

/** What an assistant copies from an answer, without its marks. */
export const unmarked = (text: string): string => text.replace(/^«(.*)»$/su, '$1');

/** Gives answers in pieces of at most 8 kB. */
export class AnswerPieces {
  private readonly open = new Map<string, Rest>();

  /** The first piece of an answer. @throws what its lines throw */
  first(lines: AsyncIterator<string>): Promise<string> {
    return this.piece({ lines, text: '' });
  }

  /** The next piece. A cursor is valid once. @throws RangeError for another cursor */
  next(cursor: string): Promise<string> {
    const rest = this.open.get(cursor);
    if (!rest) throw new RangeError('The cursor was used, or is too old: ask the question again');
    this.open.delete(cursor);
    return this.piece(rest);
  }

  private async piece({ lines, text }: Rest): Promise<string> {
    const room = ANSWER_BYTES - CURSOR_BYTES;
    while (Buffer.byteLength(text) <= room) {
      const line = await lines.next();
      if (line.done) return text === '' ? 'Nothing was found' : text;
      text += text === '' ? line.value : `\n${line.value}`;
    }
    const end = endOf(text, room);
    const given = text.slice(0, end);
    const rest = text.slice(end).replace(/^\n/, '');
    // A text that is cut is marked in both pieces, or its rest would look like words of the gateway.
    const isCut = given.lastIndexOf('«') > given.lastIndexOf('»');
    const cursor = crypto.randomUUID();
    this.open.set(cursor, { lines, text: isCut ? `«${rest}` : rest });
    if (this.open.size > OPEN_ANSWERS) this.open.delete(this.open.keys().next().value!);
    return `${given}${isCut ? '»' : ''}\nThere is more: call read with {"cursor":"${cursor}"}, or ask for less.`;
  }
}

interface Rest {
  readonly lines: AsyncIterator<string>;
  /** Read, and not given yet. */
  readonly text: string;
}

/** Where a text is cut that has more than this many bytes: after a line where there is one, else between two characters. */
function endOf(text: string, bytes: number): number {
  // A cut character becomes U+FFFD at the end.
  const whole = Buffer.from(text)
    .subarray(0, bytes)
    .toString('utf8')
    .replace(/\ufffd$/, '').length;
  const line = text.lastIndexOf('\n', whole);
  return line > 0 ? line : whole;
}
