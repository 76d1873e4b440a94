import { type ServerResponse } from 'node:http';
import { type FastifyReply } from 'fastify';
import { type AnswerHeaders, type Flow } from '../../device-api/http.js';
import { SECURITY_HEADERS } from '../../platform/http/bare-answer.js';
import { type CallSink, type Timing } from '../connections/attempt.js';
import { Cancellation } from '../connections/cancellation.js';
import { statusOfAnswer } from './proxy-status.js';

/** Headers of a device that the caller gets. Cookies, redirects and connection headers are dropped. */
const FORWARDED: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-range',
  'accept-ranges',
  'etag',
  'last-modified',
  'allow',
  'retry-after',
]);

/** A page of a device must not act as a page of the gateway. */
const ALWAYS = Object.entries({
  ...SECURITY_HEADERS,
  'content-security-policy': "default-src 'none'; sandbox",
}).flat();

const INVISIBLE = /[^\t -~]/;

const AT_ONCE = 'queue;dur=0.0, login;dur=0.0, device;dur=';

/**
 * Streams the answer of a device to the caller: status and bytes unchanged. Its head is written as one list:
 * `reply.header` would go through it, and copy it, twice.
 */
export class ReplySink implements CallSink {
  /** Happens when the caller disconnects before the answer is complete. */
  readonly cancellation = new Cancellation();
  private readonly raw: ServerResponse;
  /** Alternating names and values. */
  private readonly addedHeaders: string[] = [];
  /** Missing bytes of the answer; unknown without Content-Length. */
  private left = Number.NaN;
  private flow: Flow | null = null;
  private isFull = false;

  /** @param answered called when the answer was sent completely */
  constructor(
    private readonly reply: FastifyReply,
    private readonly answered: () => void,
  ) {
    this.raw = reply.raw;
    this.raw.on('close', () => (this.raw.writableFinished ? this.answered() : this.cancellation.cancel()));
  }

  /** Adds a header to the answer before it begins. */
  addHeader(name: string, value: string): void {
    this.addedHeaders.push(name, value);
  }

  /** Gives the added headers to an answer of the gateway. */
  applyHeaders(): void {
    for (let at = 0; at < this.addedHeaders.length; at += 2)
      void this.reply.header(this.addedHeaders[at]!, this.addedHeaders[at + 1]!);
  }

  head(status: number, headers: AnswerHeaders, flow: Flow, timing: Timing): void {
    const out = ['x-request-id', this.reply.request.id, ...ALWAYS, ...this.addedHeaders];
    for (const name in headers) {
      const value = headers[name];
      if (value === undefined || !FORWARDED.has(name)) continue;
      if (typeof value === 'string') out.push(name, visible(value));
      else for (const one of value) out.push(name, visible(one));
    }
    out.push('proxy-status', statusOfAnswer(status), 'server-timing', serverTiming(timing));
    this.left = Number(headers['content-length'] ?? Number.NaN);
    this.flow = flow;
    this.reply.hijack();
    this.raw.writeHead(status, out);
  }

  data(chunk: Buffer): void {
    this.left -= chunk.length;
    if (this.left === 0) {
      this.raw.end(chunk);
      return;
    }
    // Further parts of the same read still arrive: they add no second listener.
    if (this.raw.write(chunk) || this.isFull) return;
    this.isFull = true;
    this.flow?.pause();
    this.raw.once('drain', () => {
      this.isFull = false;
      this.flow?.resume();
    });
  }

  /** The answer is complete. */
  end(): void {
    if (!this.raw.writableEnded) this.raw.end();
  }

  /** The answer broke off after its head: the caller must notice. */
  cut(): void {
    this.raw.destroy();
  }
}

/**
 * A value in visible ASCII, with other bytes percent-encoded. `writeHead` throws for some bytes, depending on the other
 * headers, and then no answer is possible. undici reads each byte of a head as one character.
 */
function visible(value: string): string {
  if (!INVISIBLE.test(value)) return value;
  return Array.from(value, (sign) =>
    INVISIBLE.test(sign) ? `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}` : sign,
  ).join('');
}

function serverTiming({ queueMs, loginMs, deviceMs }: Timing): string {
  if (queueMs === 0 && loginMs === 0) return AT_ONCE + deviceMs.toFixed(1);
  return `queue;dur=${queueMs.toFixed(1)}, login;dur=${loginMs.toFixed(1)}, device;dur=${deviceMs.toFixed(1)}`;
}
