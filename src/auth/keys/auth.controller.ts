import { Body, Controller, Get, Inject, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { type Principal } from '../access/access.js';
import * as contract from '../people/auth.contract.js';
import { OperatorsService } from '../people/operators.service.js';
import { infoOf, type Permission, PERMISSION_NAMES } from '../rights/permissions.js';
import { Locks } from '../access/locks.service.js';
import { RightsService } from '../rights/rights.service.js';
import { SetupService } from './setup.service.js';

@ApiTags('Operators and keys')
@Controller('v1')
export class AuthController {
  constructor(
    @Inject(OperatorsService) private readonly operators: OperatorsService,
    @Inject(SetupService) private readonly setups: SetupService,
    @Inject(RightsService) private readonly rights: RightsService,
    @Inject(Locks) private readonly locks: Locks,
  ) {}

  @Get('setup')
  @Endpoint({
    summary: 'Says whether the gateway has its first administrator',
    permission: 'anonymous',
    scans: false,
    answer: contract.setupStateView,
  })
  async setupState() {
    return { finished: await this.setups.isDone() };
  }

  @Post('setup')
  @Endpoint({
    summary: 'Creates the first administrator, with the token printed at the start',
    permission: 'anonymous',
    audit: 'operator.create',
    status: 201,
    answer: contract.setupView,
    errors: ['invalid_input', 'setup_finished', 'setup_token_refused', 'password_refused', 'login_queue_full'],
  })
  async setup(@Body({ schema: contract.setupInput }) body: contract.SetupInput, @Req() request: FastifyRequest) {
    const from = { requestId: request.id, address: request.callerAddress };
    const { operator, issued } = await this.setups.finish(body, from);
    return { operator, apiKey: { ...issued.apiKey, key: issued.key } };
  }

  @Get('self')
  @Endpoint({
    summary: 'Shows who you are and what you may do',
    permission: 'self.read',
    scans: false,
    answer: contract.selfView,
  })
  async self(@CurrentActor() actor: Principal) {
    const permissions = PERMISSION_NAMES.filter((action) => actor.rights.allows({ action }));
    const { roles, hasPassword, hasSecondFactor } = await this.operators.get(actor.operatorId);
    const lock = this.locks.lockOfAuthor(null);
    return {
      subject: actor.actorId,
      name: actor.name,
      operatorId: actor.operatorId,
      roles,
      hasPassword,
      hasSecondFactor,
      permissions,
      selectors: Object.fromEntries(permissions.flatMap((name) => this.selectorOf(name, actor))),
      frozen: lock && { by: lock.createdByName, reason: lock.reason, until: lock.endsAt },
    };
  }

  @Get('operators')
  @Endpoint({ summary: 'Lists operators', permission: 'operator.read', scans: true, answer: contract.operatorList })
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
    stepUp: true,
    errors: ['operator_exists', 'role_not_found', 'rights_not_held', 'too_many_saved'],
  })
  createOperator(
    @Body({ schema: contract.operatorInput }) body: contract.OperatorInput,
    @CurrentActor() actor: Principal,
  ) {
    return this.operators.create(body.name, body.role, actor);
  }

  /**
   * A permission with its devices, where those are not all. The text of a rule can name devices that the caller may not
   * see; then it is null.
   */
  private selectorOf(name: Permission, { rights }: Principal): [string, string | null][] {
    const selector = infoOf(name).about === 'self' ? null : rights.selector(name);
    if (selector === null) return [];
    const isShown =
      rights.scope('device.read') === null || this.rights.findSelector(selector)?.namesDevices() === false;
    return [[name, isShown ? selector : null]];
  }
}
