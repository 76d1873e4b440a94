import { Body, Controller, Delete, Get, Headers, Inject, Param, Patch, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ownUrl } from '../../platform/addresses/own-address.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { contentTag, tagged } from '../../http/etag.js';
import { type Principal } from '../access/access.js';
import { Accounts } from './accounts.service.js';
import * as contract from './auth.contract.js';
import { editableOf, OperatorsService, type OperatorDetails } from './operators.service.js';
import { SecondFactors } from './second-factors.service.js';
import { invitationView } from './sign-in.contract.js';

const operatorId = z.uuid();

@ApiTags('Operators and keys')
@Controller('v1/operators/:operatorId')
export class AccountsController {
  constructor(
    @Inject(OperatorsService) private readonly operators: OperatorsService,
    @Inject(Accounts) private readonly accounts: Accounts,
    @Inject(SecondFactors) private readonly factors: SecondFactors,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Get()
  @Endpoint({
    summary: 'Reads an operator',
    etag: true,
    permission: 'operator.read',
    scans: false,
    answer: contract.operatorView,
    errors: ['operator_not_found'],
  })
  async get(@Param('operatorId', { schema: operatorId }) id: string) {
    return answer(await this.operators.get(id));
  }

  @Patch()
  @Endpoint({
    summary: 'Renames, disables or enables an operator',
    description:
      'A disabled operator has no access from then on: their sessions end, and their keys stop until they are enabled again.',
    etag: true,
    permission: 'operator.manage',
    audit: 'operator.update',
    stepUp: true,
    answer: contract.operatorView,
    errors: ['operator_not_found', 'operator_exists', 'last_administrator', 'rights_not_held', 'version_changed'],
  })
  async update(
    @Param('operatorId', { schema: operatorId }) id: string,
    @Body({ schema: contract.operatorChange }) body: contract.OperatorChangeInput,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    await this.operators.requireCovered(id, actor);
    return answer(await this.operators.update(id, body, actor, ifMatch));
  }

  @Post('invitation')
  @Endpoint({
    summary: 'Creates a token with which the person sets a first or forgotten password, once',
    permission: 'operator.manage',
    audit: 'operator.invite',
    replay: 'no: its answer has a secret that is shown once',
    stepUp: true,
    status: 201,
    answer: invitationView,
    errors: ['operator_not_found', 'rights_not_held'],
  })
  async invite(
    @Param('operatorId', { schema: operatorId }) id: string,
    @CurrentActor() actor: Principal,
    @Req() request: FastifyRequest,
  ) {
    await this.operators.requireCovered(id, actor);
    const { token, expiresAt } = await this.accounts.invite(id, actor);
    return { token, expiresAt, url: ownUrl(`/console/invitation#invitation=${token}`, request, this.config) };
  }

  @Delete('totp')
  @Endpoint({
    summary: 'Removes the second factor of an operator who has lost it',
    permission: 'operator.manage',
    audit: 'second_factor.remove',
    stepUp: true,
    status: 204,
    errors: ['operator_not_found', 'totp_not_found', 'rights_not_held'],
  })
  async resetSecondFactor(@Param('operatorId', { schema: operatorId }) id: string, @CurrentActor() actor: Principal) {
    await this.operators.requireCovered(id, actor);
    await this.factors.reset(id, actor);
  }
}

const answer = (operator: OperatorDetails) => tagged(operator, contentTag(editableOf(operator)));
