import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { ENDPOINT, type EndpointInfo, readsFor } from '../../platform/http/endpoint.js';
import { type Principal } from '../access/access.js';
import { CallerReads } from './caller-reads.js';

/*
 * Every route that reads for a caller takes its turn, by its declaration. It is the outermost interceptor: a refused request
 * uses no Idempotency-Key, and its answer is made within its turn.
 */
@Injectable()
export class ReadsInterceptor implements NestInterceptor {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(CallerReads) private readonly reads: CallerReads,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const info = this.reflector.get<EndpointInfo | undefined>(ENDPOINT, context.getHandler());
    const { actor } = context.switchToHttp().getRequest<FastifyRequest>();
    const reads = info && actor ? readsFor(info) : null;
    if (reads === null) return next.handle();
    const work = () => lastValueFrom(next.handle(), { defaultValue: undefined });
    const reader = actor as Principal;
    return from(reads === 'only' ? this.reads.inTime(reader, work, discard) : this.reads.inTurn(reader, work));
  }
}

/** Frees the file of an answer that came too late. */
function discard(answer: unknown): void {
  if (answer instanceof StreamableFile) answer.getStream().destroy();
}
