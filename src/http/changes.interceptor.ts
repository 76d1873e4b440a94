import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { ChangeReasons } from '../platform/change-reasons.js';
import { refuseIfMatch } from './etag.js';
import { ENDPOINT, takesIdempotencyKey, type EndpointInfo } from './endpoint.js';
import { Idempotency } from './idempotency.js';

/*
 * Common rules of all changing routes, by their declaration: a change reason where the configuration requires one, an
 * If-Match that can hold, and an Idempotency-Key. The interceptor runs outside the serializer, so it stores and replays the answer as it was sent.
 */

/** Headers that a replayed answer repeats. */
const STORED_HEADERS = ['location', 'etag', 'preference-applied', 'content-location'] as const;

interface StoredAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

@Injectable()
export class ChangesInterceptor implements NestInterceptor {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(Idempotency) private readonly idempotency: Idempotency,
    @Inject(ChangeReasons) private readonly reasons: ChangeReasons,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const info = this.reflector.get<EndpointInfo | undefined>(ENDPOINT, context.getHandler());
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const { actor } = request;
    if (!info?.audit || !actor || request.method === 'GET' || request.method === 'HEAD') return next.handle();
    refuseIfMatch(info, request.headers['if-match']);
    if (info.replay !== 'by the route') this.reasons.check(info.audit, actor);
    const key = request.headers['idempotency-key'];
    if (!takesIdempotencyKey(info) || (key === undefined && info.replay !== 'required')) return next.handle();
    return from(this.once(request, http.getResponse<FastifyReply>(), next));
  }

  private async once(request: FastifyRequest, reply: FastifyReply, next: CallHandler): Promise<unknown> {
    const header = request.headers['idempotency-key'];
    const key = typeof header === 'string' ? header : undefined;
    const actor = request.actor!;
    const content = { method: request.method, url: request.url, body: request.body ?? null };
    const before = await this.idempotency.begin(key, actor, content);
    if (before !== null) return replayed(JSON.parse(before) as StoredAnswer, reply);
    let answer: unknown;
    try {
      answer = await lastValueFrom(next.handle(), { defaultValue: undefined });
    } catch (error) {
      await this.idempotency.fail(key!, actor, error);
      throw error;
    }
    if (answer instanceof StreamableFile) {
      await this.idempotency.release(key!, actor); // a fault of the route's declaration: it must declare that it takes no key
      return answer;
    }
    const stored: StoredAnswer = { status: reply.statusCode, headers: storedHeaders(reply), body: answer ?? null };
    await this.idempotency.finish(key!, actor, JSON.stringify(stored));
    return answer;
  }
}

function replayed({ status, headers, body }: StoredAnswer, reply: FastifyReply): unknown {
  void reply.status(status).headers({ ...headers, 'idempotency-replayed': 'true' });
  return body ?? undefined;
}

function storedHeaders(reply: FastifyReply): Record<string, string> {
  return Object.fromEntries(
    STORED_HEADERS.flatMap((name) => {
      const value = reply.getHeader(name);
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );
}
