import { type AnswerHeaders } from '../../device-api/exchange.js';
import { deviceJson } from '../../device-api/device-json.js';
import { REFUSAL_MAX, type TokenDoubt } from './dead-token.js';

/*
 * An answer that may be one to a dead token: its caller sees nothing of it before that is clear. Devices send a refusal
 * in parts, so the first part does not decide.
 */

/** A refusal is an envelope with a few error objects, the page of a login is short; a larger answer is neither. */
const MAX_HELD_BYTES = 64 * 1024;

/** How long an answer with a status of success is held. Devices pause between two parts of a refusal for some milliseconds. */
const HELD_MS = 1_000;

const OBJECT = '{'.charCodeAt(0);

/** White space, and the mark that some programs write before a text in UTF-8. */
const BEFORE_OBJECT: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

export class HeldAnswer {
  readonly parts: Buffer[] = [];
  /** Then its caller gets what is there: the rest may be long in coming. By `performance.now()`. */
  readonly until: number;
  private readonly length: number;
  private bytes = 0;

  /** @param headAt when its head came */
  constructor(
    status: number,
    readonly headers: AnswerHeaders,
    private readonly doubt: Exclude<TokenDoubt, 'none'>,
    headAt: number,
  ) {
    this.until = status < 300 ? headAt + HELD_MS : Infinity;
    this.length = Number(headers['content-length'] ?? NaN);
  }

  /** Takes a part. @returns whether the answer may still be one to a dead token */
  add(part: Buffer): boolean {
    this.bytes += part.length;
    this.parts.push(part);
    if (this.doubt !== 'body') return this.bytes <= MAX_HELD_BYTES;
    if (this.bytes > REFUSAL_MAX || (this.parts.length === 1 && !mayBeginObject(part))) return false;
    return this.bytes !== this.length || this.mayBeRefusal();
  }

  /** Whether the complete answer may be one to a dead token. */
  mayBeRefusal(): boolean {
    return this.doubt !== 'body' || this.content().includes('"errors"');
  }

  /** The complete answer, parsed; undefined when it is not JSON. */
  json(): unknown {
    return this.bytes > 0 ? deviceJson(this.content()) : undefined;
  }

  private content(): Buffer {
    return this.parts.length === 1 ? this.parts[0]! : Buffer.concat(this.parts);
  }
}

function mayBeginObject(part: Buffer): boolean {
  const first = part.find((byte) => !BEFORE_OBJECT.has(byte));
  return first === undefined || first === OBJECT;
}
