import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type Logger } from 'pino';
import { AuditModule } from '../audit/audit.module.js';
import { Clock } from '../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { LOG } from '../platform/platform.module.js';
import { Access } from './access.js';
import { AuthController } from './auth.controller.js';
import { AuthGuard } from './auth.guard.js';
import { Authors } from './authors.service.js';
import { ApiKey, Operator } from './operator.entity.js';
import { OperatorsService } from './operators.service.js';
import { SetupService } from './setup.service.js';
import { Accounts } from './accounts.service.js';
import { AccountsController } from './accounts.controller.js';
import { Buckets, openBuckets } from './buckets.js';
import { ApiKeys } from './keys.service.js';
import { KeysController } from './keys.controller.js';
import { Oidc } from './oidc.service.js';
import { OidcController } from './oidc.controller.js';
import { LoginThrottle } from './login-throttle.js';
import { OperatorSessions } from './operator-sessions.service.js';
import { Passwords } from './passwords.js';
import { RateLimits } from './rate-limits.js';
import { SecondFactorController } from './second-factor.controller.js';
import { SecondFactors } from './second-factors.service.js';
import { SignIn } from './sign-in.service.js';
import { SignInController } from './sign-in.controller.js';
import { RightsService } from './rights.service.js';
import { Locks } from './locks.service.js';
import { RolesService } from './roles.service.js';
import { RolesController } from './roles.controller.js';
import { StepUp } from './step-up.js';
import { WaysIn } from './ways-in.js';
import { Approvals } from './approvals.service.js';
import { LiveStreams } from './live-streams.js';

@Module({
  imports: [AuditModule, TypeOrmModule.forFeature([Operator, ApiKey])],
  controllers: [
    AuthController,
    RolesController,
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
    LiveStreams,
    Approvals,
    Authors,
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
    Oidc,
    SignIn,
    WaysIn,
    {
      provide: Buckets,
      useFactory: (config: GatewayConfig, clock: Clock, log: Logger) => openBuckets(config, clock, log),
      inject: [CONFIG, Clock, LOG],
    },
    { provide: APP_GUARD, useClass: AuthGuard },
  ],
  exports: [Access, Approvals, Authors, LiveStreams, Locks, RateLimits, RightsService, RolesService, StepUp],
})
export class AuthModule implements OnApplicationShutdown {
  constructor(@Inject(Buckets) private readonly buckets: Buckets) {}

  async onApplicationShutdown(): Promise<void> {
    await this.buckets.close();
  }
}
