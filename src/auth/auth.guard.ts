import { type CanActivate, type ExecutionContext, Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost, Reflector } from '@nestjs/core';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { ENDPOINT, type EndpointInfo } from '../platform/endpoint.js';
import { Access } from './access.js';
import { isPermission } from './permissions.js';

/**
 * Lets nobody through to a route that does not say who may use it. Who asks is found out, and whether they may, before
 * a byte of the body is read: a stranger can make the gateway read nothing.
 */
@Injectable()
export class AuthGuard implements CanActivate, OnModuleInit {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(Access) private readonly access: Access,
    @Inject(HttpAdapterHost) private readonly http: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    const server = this.http.httpAdapter.getInstance<FastifyInstance>();
    server.addHook('onRequest', async (request) => {
      const declared = request.routeOptions.config.endpoint;
      if (declared) await this.admit(request, declared);
    });
  }

  /** The last look, when Nest has found the handler: a route that declares nothing stays closed. */
  canActivate(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    const declared = this.reflector.get<EndpointInfo | undefined>(ENDPOINT, handler);
    if (!declared) throw new Error(`${context.getClass().name}.${handler.name} declares no permission`);
    if (declared.permission === 'anonymous') return true;
    if (!isPermission(declared.permission)) throw new Error(`There is no permission ${declared.permission}`);
    return context.switchToHttp().getRequest<FastifyRequest>().actor !== undefined;
  }

  private async admit(request: FastifyRequest, { permission }: EndpointInfo): Promise<void> {
    if (permission === 'anonymous') return;
    request.actor = await this.access.authenticate(request);
    this.access.require(request.actor, permission);
  }
}
