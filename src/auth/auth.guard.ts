import { type CanActivate, type ExecutionContext, Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost, Reflector } from '@nestjs/core';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ENDPOINT, type EndpointInfo } from '../http/endpoint.js';
import { AnonymousRequests } from './limits/anonymous-requests.js';
import { Access, type Principal } from './access/access.js';
import { type RunningAnswer, RunningAnswers } from './access/running-answers.js';
import { Locks } from './access/locks.service.js';
import { SAFE_METHODS } from './access/session-cookie.js';
import { infoOf, isPermission } from './rights/permissions.js';
import { RateLimits } from './limits/rate-limits.js';
import { StepUp } from './people/step-up.js';

/**
 * Refuses every route that declares no permission. Authentication and authorization happen before the body is read, so
 * that a caller without rights cannot make the gateway read anything.
 */
@Injectable()
export class AuthGuard implements CanActivate, OnModuleInit {
  private readonly anonymous = new AnonymousRequests();

  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(Access) private readonly access: Access,
    @Inject(Locks) private readonly locks: Locks,
    @Inject(StepUp) private readonly stepUp: StepUp,
    @Inject(RunningAnswers) private readonly answers: RunningAnswers,
    @Inject(RateLimits) private readonly limits: RateLimits,
    @Inject(HttpAdapterHost) private readonly http: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    const server = this.http.httpAdapter.getInstance<FastifyInstance>();
    server.addHook('onRequest', (request, reply, done) => {
      if (request.isPassthrough) return done();
      const declared = request.routeOptions.config.endpoint;
      if (declared && declared.permission !== 'anonymous') {
        this.checkRequest(request, reply, declared).then(() => done(), done);
        return;
      }
      done();
    });
    // The first hook after the body.
    server.addHook('preValidation', (request, reply, done) => {
      const declared = request.routeOptions.config.endpoint;
      if (request.isPassthrough || (declared && declared.permission !== 'anonymous')) return done();
      try {
        this.anonymous.begin(request, reply);
        done();
      } catch (error) {
        done(error as Error);
      }
    });
  }

  /**
   * The last check, when Nest has found the handler: a route without a declaration stays closed. A body can take long.
   * When the caller was revoked, locked or lost rights since, the request is refused.
   */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const handler = context.getHandler();
    const declared = this.reflector.get<EndpointInfo | undefined>(ENDPOINT, handler);
    if (!declared) throw new Error(`${context.getClass().name}.${handler.name} declares no permission`);
    if (declared.permission === 'anonymous') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (request.actor === undefined) return false;
    if (request.body !== undefined) this.authorize(await this.identify(request), request, declared);
    return true;
  }

  private async checkRequest(request: FastifyRequest, reply: FastifyReply, declared: EndpointInfo): Promise<void> {
    const actor = await this.identify(request);
    const waiting = this.limits.take(actor, 1, (name, value) => void reply.header(name, value));
    if (waiting) await waiting;
    this.authorize(actor, request, declared);
    if (declared.stepUp) await this.stepUp.require(actor);
    this.endWithLock(actor, reply, 'text/event-stream' in (declared.produces ?? {}));
  }

  private async identify(request: FastifyRequest): Promise<Principal> {
    const actor = await this.access.authenticate(request);
    request.actor = actor;
    return actor;
  }

  private authorize(
    actor: Principal,
    request: FastifyRequest,
    { permission, whileLocked, onlyReads }: EndpointInfo,
  ): void {
    if (!isPermission(permission)) throw new Error(`There is no permission ${permission}`);
    this.access.require(actor, permission);
    const isOwn = infoOf(permission).about === 'self';
    if (!SAFE_METHODS.has(request.method) && !whileLocked && !onlyReads && !isOwn) this.locks.refuseWrites();
  }

  /** Long answers (event streams, exports, fan-outs) end when their reader is locked. */
  private endWithLock(actor: Principal, reply: FastifyReply, isEventStream: boolean): void {
    const answer: RunningAnswer = {
      actor,
      device: null,
      isEventStream: isEventStream,
      checkedRights: null,
      lasts: false,
      index: -1,
      cut: () => void reply.raw.destroy(),
    };
    this.answers.add(answer);
    reply.raw.once('close', () => this.answers.remove(answer));
  }
}
