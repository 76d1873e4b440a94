import { type ServerResponse } from 'node:http';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Principal } from '../../auth/access/access.js';
import { type RunningAnswer } from '../../auth/access/running-answers.js';
import { type Rights } from '../../auth/rights/rights.js';
import { type AnswerHeaders, type Flow } from '../../device-api/exchange.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { type DeviceWithAccounts } from '../../devices/registry/device.queries.js';
import { type AppError } from '../../platform/errors.js';
import { SECURITY_HEADERS, STREAM_HEADERS } from '../../http/bare-answer.js';
import { type RedactionStyle } from '../../secrets/redactor.js';
import { type AnswerNotes, type CallContext, type CallSink, type PreparedRequest } from '../calls/call-context.js';
import { type CloseRead } from '../calls/secret-reads.js';
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
const PAGE_HEADERS = { ...SECURITY_HEADERS, 'content-security-policy': "default-src 'none'; sandbox" };

const ALWAYS = Object.entries(PAGE_HEADERS).flat();

/** With an answer of unknown length, which the device may send bit by bit. */
const STREAMED = Object.entries({ ...PAGE_HEADERS, ...STREAM_HEADERS }).flat();

const INVISIBLE = /[^\t -~]/;

/** The begin of `Server-Timing` of a call that did not wait. */
const AT_ONCE = 'queue;dur=0.0, login;dur=0.0, device;dur=';

/** An entry point for operators: its prefix, its references to devices, its format of refusals. */
export interface EntryPoint {
  readonly prefix: string;
  /** The route's name in metrics. */
  readonly route: string;
  /** Writes a refusal of the gateway. */
  readonly refuse: (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => void;
  /** The references that a name in the address may mean, in the order of attempts. */
  readonly refsOf: (name: string) => readonly string[];
  readonly redaction: RedactionStyle;
  /** The answer to one refused item of a bulk request; absent: such an item refuses the whole request. */
  readonly answerRefusedItem?: (error: AppError) => object;
  /** Is told of each authorized request. */
  readonly onForward?: (context: PassthroughRequest) => void;
}

/**
 * One request to a device, from the first check to the last byte of its answer: one object, since each costs time. As a
 * sink it streams the device's answer to the caller, status and bytes unchanged. The head is written as one list:
 * `reply.header` would go through it, and copy it, twice.
 */
export class PassthroughRequest extends Cancellation implements CallSink, RunningAnswer {
  readonly startedAt = performance.now();
  readonly raw: ServerResponse;
  /** Set with the authorization, like the device and the prepared request. */
  actor!: Principal;
  registered!: DeviceWithAccounts;
  prepared!: PreparedRequest;
  /** Receives the device's answer: this request, or what rewrites it. */
  sink: CallSink = this;
  closeRead: CloseRead | null = null;
  /** Settles with whether the caller has the complete answer, of the device or the gateway. */
  readonly closed: Promise<boolean>;
  /** This and the next three: see `RunningAnswer`. */
  readonly isEventStream = false;
  checkedRights: Rights | null = null;
  lasts = false;
  index = -1;
  /** Alternating names and values. */
  private readonly addedHeaders: string[] = [];
  /** Missing bytes of the answer; unknown without Content-Length. */
  private left = Number.NaN;
  private flow: Flow | null = null;
  private isFull = false;

  constructor(
    readonly request: FastifyRequest,
    readonly reply: FastifyReply,
    readonly entryPoint: EntryPoint,
  ) {
    super();
    this.raw = reply.raw;
    this.closed = new Promise((resolve) => {
      this.raw.on('close', () => {
        if (!this.raw.writableFinished) this.cancel();
        resolve(this.raw.writableFinished);
      });
    });
  }

  get device(): Readonly<Device> {
    return this.registered.device;
  }

  get deviceId(): string {
    return this.registered.device.id;
  }

  get context(): CallContext {
    return { actor: this.actor, unlocked: this.registered };
  }

  /** Adds a header to the answer, of the device or the gateway, before it begins. */
  readonly addHeader = (name: string, value: string): void => {
    this.addedHeaders.push(name, value);
  };

  /** Gives the added headers to an answer of the gateway. */
  applyHeaders(): void {
    for (let at = 0; at < this.addedHeaders.length; at += 2)
      void this.reply.header(this.addedHeaders[at]!, this.addedHeaders[at + 1]!);
  }

  head(status: number, headers: AnswerHeaders, flow: Flow, notes: AnswerNotes): void {
    const length = headers['content-length'];
    const own = length === undefined ? STREAMED : ALWAYS;
    const out = ['x-request-id', this.request.id, ...own, ...this.addedHeaders];
    for (const name in headers) {
      const value = headers[name];
      if (value === undefined || !FORWARDED.has(name)) continue;
      if (typeof value === 'string') out.push(name, visible(value));
      else for (const one of value) out.push(name, visible(one));
    }
    out.push('proxy-status', statusOfAnswer(status, notes.demand), 'server-timing', serverTiming(notes));
    this.left = Number(length ?? Number.NaN);
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

  /** The answer of the device is complete. */
  end(): void {
    if (!this.raw.writableEnded) this.raw.end();
  }

  /** Closes the connection, so that the caller notices that the answer is not complete. */
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

function serverTiming({ queueMs, loginMs, deviceMs }: AnswerNotes): string {
  if (queueMs === 0 && loginMs === 0) return AT_ONCE + deviceMs.toFixed(1);
  return `queue;dur=${queueMs.toFixed(1)}, login;dur=${loginMs.toFixed(1)}, device;dur=${deviceMs.toFixed(1)}`;
}
