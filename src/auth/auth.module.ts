import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type Logger } from 'pino';
import { AuditModule } from '../audit/audit.module.js';
import { Clock } from '../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { LOG } from '../platform/log.js';
import { PARENT, type ParentProcess } from '../processes/parent-process.js';
import { Access } from './access/access.js';
import { AuthController } from './keys/auth.controller.js';
import { AuthGuard } from './auth.guard.js';
import { Authors } from './keys/authors.service.js';
import { WorkAuthors } from './keys/work-authors.js';
import { ApiKey, Operator } from './people/operator.entity.js';
import { OperatorsService } from './people/operators.service.js';
import { SetupService } from './keys/setup.service.js';
import { Accounts } from './people/accounts.service.js';
import { AccountsController } from './people/accounts.controller.js';
import { CallerScans } from './limits/caller-scans.js';
import { ApiKeys } from './keys/keys.service.js';
import { KeysController } from './keys/keys.controller.js';
import { Oidc } from './people/oidc.service.js';
import { OidcController } from './people/oidc.controller.js';
import { LoginThrottle } from './limits/login-throttle.js';
import { OperatorSessions } from './people/operator-sessions.service.js';
import { Passwords } from './people/passwords.js';
import { MachineBuckets, RateLimits, RedisBuckets } from './limits/rate-limits.js';
import { Buckets } from '../platform/limits/token-bucket.js';
import { SecondFactorController } from './people/second-factor.controller.js';
import { SecondFactors } from './people/second-factors.service.js';
import { SignIn } from './people/sign-in.service.js';
import { SignInController } from './people/sign-in.controller.js';
import { RightsService } from './rights/rights.service.js';
import { Locks } from './access/locks.service.js';
import { RolesService } from './access/roles.service.js';
import { RolesController } from './access/roles.controller.js';
import { StepUp } from './people/step-up.js';
import { IssuedCredentials } from './rights/issued-credentials.js';
import { ApprovalsController } from './access/approvals.controller.js';
import { Approvals } from './access/approvals.service.js';
import { LocksController } from './access/locks.controller.js';
import { RightsController } from './access/rights.controller.js';
import { RunningAnswers } from './access/running-answers.js';

function makeBuckets(
  { REDIS_URL, REDIS_PREFIX }: GatewayConfig,
  parent: ParentProcess | null,
  clock: Clock,
  log: Logger,
): Buckets {
  if (REDIS_URL) return new RedisBuckets(REDIS_URL, REDIS_PREFIX, clock, log);
  return parent ? new MachineBuckets(parent, clock) : new Buckets(clock);
}

@Module({
  imports: [AuditModule, TypeOrmModule.forFeature([Operator, ApiKey])],
  controllers: [
    AuthController,
    RolesController,
    RightsController,
    LocksController,
    ApprovalsController,
    KeysController,
    AccountsController,
    SignInController,
    OidcController,
    SecondFactorController,
  ],
  providers: [
    Access,
    StepUp,
    RolesService,
    Locks,
    RunningAnswers,
    Approvals,
    Authors,
    WorkAuthors,
    RightsService,
    OperatorsService,
    SetupService,
    ApiKeys,
    Accounts,
    Passwords,
    SecondFactors,
    OperatorSessions,
    LoginThrottle,
    RateLimits,
    CallerScans,
    Oidc,
    SignIn,
    IssuedCredentials,
    {
      provide: Buckets,
      useFactory: makeBuckets,
      inject: [CONFIG, PARENT, Clock, LOG],
    },
    { provide: APP_GUARD, useClass: AuthGuard },
  ],
  exports: [
    Access,
    Approvals,
    Authors,
    CallerScans,
    WorkAuthors,
    RunningAnswers,
    Locks,
    RateLimits,
    RightsService,
    RolesService,
    SetupService,
    StepUp,
  ],
})
export class AuthModule implements OnApplicationShutdown {
  constructor(@Inject(Buckets) private readonly buckets: Buckets) {}

  async onApplicationShutdown(): Promise<void> {
    await this.buckets.close();
  }
}
