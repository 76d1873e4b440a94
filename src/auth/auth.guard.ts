import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type FastifyRequest } from 'fastify';
import { ENDPOINT, type EndpointInfo } from '../platform/endpoint.js';
import { Access } from './access.js';

/** Lets nobody through to a route that does not say who may use it. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(Access) private readonly access: Access,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const declared = this.reflector.get<EndpointInfo | undefined>(ENDPOINT, context.getHandler());
    if (!declared) {
      throw new Error(`${context.getClass().name}.${context.getHandler().name} declares no permission`);
    }
    if (declared.permission === 'anonymous') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    request.actor = await this.access.authenticate(request);
    this.access.require(request.actor, declared.permission);
    return true;
  }
}
