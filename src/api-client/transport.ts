import { ApiError, ConnectionError, errorOf, isProblem, isRedirect } from './api-error.js';
import { delay, Pace, retryAfterMs } from './pace.js';

/*
 * One request, from its pacing to its answer. Every request of the client goes through `send`, so these rules have no
 * exceptions: no redirect is followed, a time limit applies, and only what the gateway cannot carry out twice is repeated.
 *
 *   answer 429 with Retry-After   repeated: the gateway did nothing
 *   answer 503 with Retry-After   repeated when it only reads
 *   no answer                     repeated when it only reads, or has an Idempotency-Key
 *
 * A body that is a stream cannot be sent twice, so such a request is never repeated.
 */

/** The pause before a request is repeated that got no answer; it doubles with each attempt. */
const FIRST_PAUSE_MS = 250;

/** Chromium gives these a body, too, and refuses to build a Response of one. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

export interface TransportOptions {
  /** Longest wait for a complete answer, in milliseconds; of a stream, for its first byte. */
  readonly timeoutMs: number;
  /** How often a request is sent at most. */
  readonly attempts: number;
  /** Longest time that one request waits for its turn and for `Retry-After`, in milliseconds. */
  readonly maxWaitMs: number;
  readonly fetch: (request: Request, init: RequestInit) => Promise<Response>;
}

export interface SendOptions {
  /** Whether the caller reads the body as it comes in. */
  readonly isStream: boolean;
  /** Whether an error status without a problem document is an answer, too: that of a device. */
  readonly takesAnyStatus?: boolean;
}

export class RequestTransport {
  private readonly pace = new Pace();

  constructor(private readonly options: TransportOptions) {}

  /**
   * Sends a request.
   * @returns the answer; unless it is a stream, its body is in memory
   * @throws ApiError when the answer is a problem document, a redirect, the page of a proxy, or has an error status
   * @throws ConnectionError when no answer came
   */
  async send(request: Request, options: SendOptions): Promise<Response> {
    const { attempts, maxWaitMs } = this.options;
    const waits = new Waits(maxWaitMs, request.signal);
    for (let attempt = 1; ; attempt++) {
      await waits.add(this.pace.reserve(Date.now()));
      const next = attempt < attempts && isRepeatable(request) ? request.clone() : null;
      const outcome = await this.once(request, options);
      if (outcome instanceof Response) return outcome;
      const pauseMs = next === null ? null : pauseBefore(next, outcome, attempt);
      if (next === null || pauseMs === null || !waits.allow(pauseMs)) throw outcome.error;
      await waits.add(pauseMs);
      request = next;
    }
  }

  private async once(request: Request, options: SendOptions): Promise<Response | Failure> {
    const limit = new TimeLimit(this.options.timeoutMs, request.signal);
    try {
      const answer = await this.options.fetch(request, { signal: limit.signal, redirect: 'manual' });
      this.pace.take(answer.headers);
      if (!isAnswer(answer, options)) {
        return { error: await errorOf(answer), retryAfterMs: isProblem(answer) ? retryAfterMs(answer.headers) : null };
      }
      if (options.isStream || answer.body === null) return answer;
      if (WITHOUT_BODY.has(answer.status)) return new Response(null, answer);
      return new Response(await answer.arrayBuffer(), answer);
    } catch (error) {
      request.signal.throwIfAborted();
      return { error: connectionError(error, request.url, limit), retryAfterMs: null };
    } finally {
      limit.end();
    }
  }
}

/** A request without an answer that the caller may have. */
interface Failure {
  readonly error: ApiError | ConnectionError;
  /** What the gateway asks for; null when it does not, and for devices and proxies, which have reasons of their own. */
  readonly retryAfterMs: number | null;
}

const isAnswer = (answer: Response, { takesAnyStatus }: SendOptions): boolean =>
  !isOfAProxy(answer) && (answer.ok || (takesAnyStatus === true && !isProblem(answer) && !isRedirect(answer)));

/** The gateway names the request in each answer, also in those of a device. An error or a page without a name is not its own. */
const isOfAProxy = ({ status, headers }: Response): boolean =>
  !headers.has('x-request-id') && (status >= 400 || (headers.get('content-type') ?? '').startsWith('text/html'));

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

function isRepeatable(request: Request): boolean {
  return request.body === null || (request.headers.get('content-type') ?? '').startsWith('application/json');
}

/** @returns the pause before a request is sent again, in milliseconds; null when it is not */
function pauseBefore(request: Request, { error, retryAfterMs }: Failure, attempt: number): number | null {
  if (error instanceof ApiError) {
    return error.status === 429 || (error.status === 503 && isRead(request)) ? retryAfterMs : null;
  }
  const isSafe = isRead(request) || request.headers.has('idempotency-key');
  return isSafe && error.reason === 'network' ? FIRST_PAUSE_MS * 2 ** (attempt - 1) : null;
}

/** The waiting of one request, all in all. */
class Waits {
  private leftMs: number;

  constructor(
    maxMs: number,
    private readonly signal: AbortSignal,
  ) {
    this.leftMs = maxMs;
  }

  allow(ms: number): boolean {
    return ms <= this.leftMs;
  }

  /** Waits, for no longer than is left. */
  async add(ms: number): Promise<void> {
    const now = Math.min(ms, this.leftMs);
    this.leftMs -= now;
    if (now > 0) await delay(now, this.signal);
  }
}

/** A signal that aborts when a time has passed, or when another one does. */
class TimeLimit {
  private readonly controller = new AbortController();
  private readonly timer: ReturnType<typeof setTimeout>;
  readonly signal = this.controller.signal;
  hasPassed = false;

  constructor(
    readonly ms: number,
    private readonly outer: AbortSignal,
  ) {
    this.timer = setTimeout(() => {
      this.hasPassed = true;
      this.controller.abort();
    }, ms);
    outer.addEventListener('abort', this.abort, { once: true });
    if (outer.aborted) this.abort();
  }

  private readonly abort = (): void => this.controller.abort(this.outer.reason);

  /** Ends the time limit. The outer signal still applies, since the body may be a stream. */
  end(): void {
    clearTimeout(this.timer);
  }
}

function connectionError(error: unknown, address: string, { hasPassed, ms }: TimeLimit): ConnectionError {
  const { origin } = new URL(address);
  if (hasPassed) return new ConnectionError('timeout', `${origin} did not answer within ${ms / 1_000} s`, error);
  const made = new ConnectionError('network', `No answer from ${origin}`, error);
  if (made.systemCode !== null) made.message += ` (${made.systemCode})`;
  return made;
}
