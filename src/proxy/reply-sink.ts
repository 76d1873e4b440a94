import { type ServerResponse } from 'node:http';
import { type FastifyReply } from 'fastify';
import { type AnswerHeaders, type Flow } from '../device-api/http.js';
import { type CallSink, type Timing } from './attempt.js';
import { statusOfAnswer } from './proxy-status.js';

/** Headers of a device that mean something to its caller. Cookies, redirects and connection headers stay behind. */
const PASSED = [
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
] as const;

/** Writes the answer of a device to the caller of the gateway while it comes in: status and bytes unchanged. */
export class ReplySink implements CallSink {
  private readonly raw: ServerResponse;
  /** Bytes that must still come until the answer is complete; unknown without Content-Length. */
  private left = Number.NaN;
  private flow: Flow | null = null;

  constructor(private readonly reply: FastifyReply) {
    this.raw = reply.raw;
  }

  head(status: number, headers: AnswerHeaders, flow: Flow, timing: Timing): void {
    const out = this.reply.getHeaders() as Record<string, string | number | string[]>;
    for (const name of PASSED) {
      const value = headers[name];
      if (value !== undefined) out[name] = value;
    }
    out['proxy-status'] = statusOfAnswer(status);
    out['server-timing'] = serverTiming(timing);
    // A page that a device serves must not act in the name of the gateway's own pages.
    out['content-security-policy'] = "default-src 'none'; sandbox";
    this.left = Number(headers['content-length'] ?? Number.NaN);
    this.reply.hijack();
    this.raw.writeHead(status, out);
    this.flow = flow;
  }

  data(chunk: Buffer): void {
    this.left -= chunk.length;
    if (this.left === 0) {
      this.raw.end(chunk);
      return;
    }
    if (this.raw.write(chunk)) return;
    this.flow?.pause();
    this.raw.once('drain', () => this.flow?.resume());
  }

  /** The answer is complete. */
  end(): void {
    if (!this.raw.writableEnded) this.raw.end();
  }

  /** The answer broke off after its head: the caller must see that it did. */
  cut(): void {
    this.raw.destroy();
  }
}

function serverTiming({ queueMs, loginMs, deviceMs }: Timing): string {
  return `queue;dur=${queueMs.toFixed(1)}, login;dur=${loginMs.toFixed(1)}, device;dur=${deviceMs.toFixed(1)}`;
}
