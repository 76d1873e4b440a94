import { Body, Controller, Inject, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { type ErrorCode } from '../../platform/errors.js';
import { type Principal } from '../access/access.js';
import { Accounts } from './accounts.service.js';
import { OperatorsService } from './operators.service.js';
import { SecondFactors } from './second-factors.service.js';
import * as contract from './sign-in.contract.js';
import { requireSession } from './sign-in.controller.js';

const CODE_ERRORS: readonly ErrorCode[] = [
  'session_required',
  'totp_not_found',
  'second_factor_refused',
  'login_throttled',
];

/** The caller's second factor. All routes require a session: a stolen key must not take over the account. */
@ApiTags('Sign-in')
@Controller('v1/self')
export class SecondFactorController {
  constructor(
    @Inject(SecondFactors) private readonly factors: SecondFactors,
    @Inject(Accounts) private readonly accounts: Accounts,
    @Inject(OperatorsService) private readonly operators: OperatorsService,
  ) {}

  @Post('totp')
  @Endpoint({
    summary: 'Starts to set up a second factor; it is in force after a first code',
    permission: 'self.change',
    audit: 'second_factor.begin',
    replay: 'no: its answer has a secret that is shown once',
    status: 201,
    answer: contract.enrolmentView,
    errors: ['session_required', 'totp_exists', 'login_refused', 'login_throttled', 'login_queue_full'],
  })
  async begin(@Body({ schema: contract.enrolInput }) body: contract.EnrolInput, @CurrentActor() actor: Principal) {
    requireSession(actor);
    // A person at an unlocked screen must not be able to lock its owner out.
    if ((await this.operators.get(actor.operatorId)).hasPassword) {
      await this.accounts.confirmPassword(body.password ?? '', actor);
    }
    return this.factors.begin(actor);
  }

  @Post('totp/confirm')
  @Endpoint({
    summary: 'Confirms the second factor with a first code, and returns recovery codes',
    permission: 'self.change',
    audit: 'second_factor.confirm',
    replay: 'no: its answer has a secret that is shown once',
    answer: contract.recoveryCodesView,
    errors: [...CODE_ERRORS, 'totp_exists'],
  })
  async confirm(@Body({ schema: contract.codeInput }) body: contract.CodeInput, @CurrentActor() actor: Principal) {
    requireSession(actor);
    return { recoveryCodes: await this.factors.confirm(body.code, actor) };
  }

  @Post('totp/remove')
  @Endpoint({
    summary: 'Removes your second factor',
    permission: 'self.change',
    audit: 'second_factor.remove',
    status: 204,
    errors: CODE_ERRORS,
  })
  remove(@Body({ schema: contract.codeInput }) body: contract.CodeInput, @CurrentActor() actor: Principal) {
    requireSession(actor);
    return this.factors.remove(body.code, actor);
  }

  @Post('recovery-codes')
  @Endpoint({
    summary: 'Creates new recovery codes; the old ones stop working',
    permission: 'self.change',
    audit: 'second_factor.renew_codes',
    replay: 'no: its answer has a secret that is shown once',
    answer: contract.recoveryCodesView,
    errors: CODE_ERRORS,
  })
  async renew(@Body({ schema: contract.codeInput }) body: contract.CodeInput, @CurrentActor() actor: Principal) {
    requireSession(actor);
    return { recoveryCodes: await this.factors.renewRecoveryCodes(body.code, actor) };
  }

  @Post('second-factor')
  @Endpoint({
    summary: 'Shows the second factor in this session, for actions that need a recent one',
    permission: 'self.read',
    audit: 'second_factor.show',
    replay: 'no: a code works once, and a second attempt needs another one',
    answer: contract.secondFactorView,
    errors: CODE_ERRORS,
  })
  async show(@Body({ schema: contract.codeInput }) body: contract.CodeInput, @CurrentActor() actor: Principal) {
    requireSession(actor);
    return { secondFactorAt: await this.factors.show(body.code, actor) };
  }
}
