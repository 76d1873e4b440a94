import { Body, Controller, Delete, Get, Inject, Param, Post, Req } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CurrentActor, Endpoint } from '../platform/endpoint.js';
import { type Principal } from './access.js';
import * as contract from './auth.contract.js';
import { OperatorsService } from './operators.service.js';
import { holds, PERMISSIONS, type Permission } from './permissions.js';
import { SetupService } from './setup.service.js';

@Controller('v1')
export class AuthController {
  constructor(
    @Inject(OperatorsService) private readonly operators: OperatorsService,
    @Inject(SetupService) private readonly setups: SetupService,
  ) {}

  @Post('setup')
  @Endpoint({
    summary: 'Makes the first administrator, with the token printed at the start',
    permission: 'anonymous',
    audit: 'operator.create',
    status: 201,
    answer: contract.setupView,
    errors: ['invalid_input', 'setup_finished', 'setup_token_refused'],
  })
  async setup(@Body({ schema: contract.setupInput }) body: contract.SetupInput, @Req() request: FastifyRequest) {
    const { operator, issued } = await this.setups.finish(body.token, body.operatorName, {
      requestId: request.id,
      address: request.ip,
    });
    return { operator, apiKey: { ...issued.apiKey, key: issued.key } };
  }

  @Get('self')
  @Endpoint({ summary: 'Who you are and what you may do', permission: 'self.read', answer: contract.selfView })
  self(@CurrentActor() actor: Principal) {
    const permissions = (Object.keys(PERMISSIONS) as Permission[]).filter((name) => holds(actor.role, name));
    return { subject: actor.subject, name: actor.name, role: actor.role, permissions };
  }

  @Get('operators')
  @Endpoint({ summary: 'Lists operators', permission: 'operator.manage', answer: contract.operatorList })
  async listOperators() {
    return { items: await this.operators.list() };
  }

  @Post('operators')
  @Endpoint({
    summary: 'Adds an operator',
    permission: 'operator.manage',
    audit: 'operator.create',
    status: 201,
    answer: contract.operatorView,
    errors: ['operator_exists'],
  })
  createOperator(
    @Body({ schema: contract.operatorInput }) body: contract.OperatorInput,
    @CurrentActor() actor: Principal,
  ) {
    return this.operators.create(body.name, body.role, actor);
  }

  @Get('api-keys')
  @Endpoint({ summary: 'Lists API keys, without the keys', permission: 'key.manage', answer: contract.keyList })
  async listKeys() {
    return { items: await this.operators.listKeys() };
  }

  @Post('api-keys')
  @Endpoint({
    summary: 'Issues an API key; the answer is the only place where it is seen',
    permission: 'key.manage',
    audit: 'api_key.issue',
    status: 201,
    answer: contract.issuedKeyView,
    errors: ['operator_not_found'],
  })
  async issueKey(@Body({ schema: contract.keyInput }) body: contract.KeyInput, @CurrentActor() actor: Principal) {
    const operatorId = body.operatorId ?? actor.operatorId;
    const { apiKey, key } = await this.operators.issueKey(operatorId, body.name, body.expiresAt ?? null, actor);
    return { ...apiKey, key };
  }

  @Delete('api-keys/:keyId')
  @Endpoint({
    summary: 'Ends an API key, everywhere within a second',
    permission: 'key.manage',
    audit: 'api_key.revoke',
    status: 204,
    errors: ['api_key_not_found', 'last_administrator'],
  })
  revokeKey(@Param('keyId', { schema: z.uuid() }) keyId: string, @CurrentActor() actor: Principal) {
    return this.operators.revokeKey(keyId, actor);
  }
}
