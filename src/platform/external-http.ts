import { Agent, EnvHttpProxyAgent, request, type Dispatcher } from 'undici';

/*
 * Requests to other systems than devices: key servers, sign-in providers, witnesses. They follow no redirect, ask for no
 * compression, and keep no connection. undici 7 can end the process when a server closes while its parser is paused
 * (nodejs/undici#5360, docs/adr/0004-undici-for-device-calls.md). Here it never pauses: the largest answer fits into the
 * buffer of a body, and a larger one ends its connection before.
 */

export interface ExternalLimits {
  /** Longest time for a complete answer. */
  readonly timeoutMs: number;
  readonly answerMaxBytes: number;
  /** Whether it goes through the proxy of HTTP_PROXY and HTTPS_PROXY. */
  readonly usesProxy?: boolean;
}

export interface ExternalRequest {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
}

export interface ExternalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export class ExternalHttp {
  private readonly dispatcher: Dispatcher;

  constructor(private readonly limits: ExternalLimits) {
    const options = { maxResponseSize: limits.answerMaxBytes };
    this.dispatcher = limits.usesProxy ? new EnvHttpProxyAgent(options) : new Agent(options);
  }

  /** @throws Error of undici or the system, which has no part of the request, when no complete answer came within the limits */
  async send(url: string, { method, headers, body, signal }: ExternalRequest): Promise<ExternalAnswer> {
    const { timeoutMs, answerMaxBytes } = this.limits;
    const limit = AbortSignal.timeout(timeoutMs);
    const answer = await request(url, {
      method,
      headers: { ...headers },
      body: body ?? null,
      dispatcher: this.dispatcher,
      signal: signal ? AbortSignal.any([limit, signal]) : limit,
      reset: true,
      highWaterMark: answerMaxBytes + 1,
    });
    return { status: answer.statusCode, headers: answer.headers, body: Buffer.from(await answer.body.arrayBuffer()) };
  }
}
