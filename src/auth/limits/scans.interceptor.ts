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
import { ENDPOINT, type EndpointInfo, untilClosed } from '../../platform/http/endpoint.js';
import { type Principal } from '../access/access.js';
import { CallerScans } from './caller-scans.js';

/*
 * Every route that declares `scans` takes its turn. A change has no limit of time: its devices are read first, then changed.
 * It is the outermost interceptor: a refused request uses no Idempotency-Key, and its answer is made within its turn.
 */
@Injectable()
export class ScansInterceptor implements NestInterceptor {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(CallerScans) private readonly scans: CallerScans,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const info = this.reflector.get<EndpointInfo | undefined>(ENDPOINT, context.getHandler());
    if (!info?.scans) return next.handle();
    const http = context.switchToHttp();
    const reader = http.getRequest<FastifyRequest>().actor as Principal;
    const gone = untilClosed(http.getResponse<FastifyReply>());
    const work = () => lastValueFrom(next.handle(), { defaultValue: undefined });
    return from(
      info.audit === undefined
        ? this.scans.inTime(reader, work, discard, gone)
        : this.scans.inTurn(reader, work, { gone }),
    );
  }
}

/** Frees the file of an answer that came too late. */
function discard(answer: unknown): void {
  if (answer instanceof StreamableFile) answer.getStream().destroy();
}
