import { unexpectedAnswer } from './api-error.js';

/*
 * Streams of lines: NDJSON, and server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). The
 * length of a line is bounded, so that no server can fill the memory of its client.
 */

/** A line of a fan-out holds the answer of a device, at most 256 KiB; JSON can write each byte as six characters. */
const LINE_MAX = 2 * 1024 * 1024;

/** A server-sent event, or an id alone, with empty data. */
export interface ServerSentEvent {
  /** The last id of the stream; empty when it had none. */
  readonly id: string;
  readonly type: string;
  readonly data: string;
}

/**
 * The values of a stream of NDJSON, one for each line.
 * @throws SyntaxError for a line that is no JSON, RangeError for one that is too long, ApiError for the page of a proxy
 */
export async function* jsonLines<Value>(body: ReadableStream<Uint8Array>): AsyncGenerator<Value> {
  for await (const line of textLines(body)) {
    if (line.trim() === '') continue; // a space alone: the stream lived, and broke off
    if (line.trimStart().startsWith('<')) throw unexpectedAnswer(200, line); // no JSON begins so
    yield JSON.parse(line) as Value;
  }
}

/**
 * The events of a stream.
 * @param silenceMs the stream counts as dead after this time without a byte
 * @throws SilenceError, RangeError as `textLines`
 */
export async function* serverSentEvents(
  body: ReadableStream<Uint8Array>,
  silenceMs = Infinity,
): AsyncGenerator<ServerSentEvent> {
  let id = '';
  let told = '';
  let type = '';
  let data: string[] = [];
  let length = 0;
  for await (const line of textLines(body, silenceMs)) {
    if (line === '') {
      if (data.length > 0 || id !== told) yield { id, type: type === '' ? 'message' : type, data: data.join('\n') };
      [told, type, data, length] = [id, '', [], 0];
      continue;
    }
    const at = line.indexOf(':');
    const field = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? '' : line.slice(line[at + 1] === ' ' ? at + 2 : at + 1);
    if (field === 'data') {
      data.push(value);
      length += value.length;
      if (length > LINE_MAX) throw tooLong();
    } else if (field === 'event') type = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
  }
}

/**
 * The lines of a stream, without their ends. What follows the last end counts as a line unless it is empty.
 * @param silenceMs the stream counts as dead after this time without a byte
 */
export async function* textLines(body: ReadableStream<Uint8Array>, silenceMs = Infinity): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let start: string[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await within(silenceMs, reader.read());
      const lines = (done ? decoder.decode() : decoder.decode(value, { stream: true })).split('\n');
      const rest = lines.pop()!;
      for (const line of lines) {
        yield withoutReturn(start.length === 0 ? line : start.join('') + line);
        [start, length] = [[], 0];
      }
      start.push(rest);
      length += rest.length;
      if (length > LINE_MAX) throw tooLong();
      if (!done) continue;
      if (length > 0) yield withoutReturn(start.join(''));
      return;
    }
  } finally {
    void reader.cancel().catch(() => undefined); // also when the caller stops reading: it ends the request
  }
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);

const tooLong = () => new RangeError(`A line of the answer is longer than ${LINE_MAX} characters`);

/** A stream sent nothing for too long. */
export class SilenceError extends Error {
  constructor(silenceMs: number) {
    super(`The stream sent nothing for ${silenceMs / 1_000} s`);
    this.name = 'SilenceError';
  }
}

async function within<Value>(ms: number, value: Promise<Value>): Promise<Value> {
  if (ms === Infinity) return value;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new SilenceError(ms)), ms);
  });
  try {
    return await Promise.race([value, silence]);
  } finally {
    clearTimeout(timer);
  }
}
