import { Inject, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type FastifyInstance } from 'fastify';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { DevicesModule } from '../devices/devices.module.js';
import { Clock } from '../platform/clock.js';
import { CONFIG } from '../platform/config.js';
import { LOG } from '../platform/log.js';
import { PARENT } from '../processes/parent-process.js';
import { Secrets } from '../secrets/secrets.js';
import { Admission } from './admission/admission.js';
import { DeviceBreakers } from './calls/device-breakers.js';
import { CallExecutor } from './calls/call-executor.js';
import { DeviceCalls } from './calls/device-calls.js';
import { DeviceHealth } from './calls/device-health.js';
import { DeviceIdentity } from './sessions/device-identity.js';
import { DeviceLogin } from './sessions/device-login.js';
import { Facade } from './passthrough/facade.js';
import { FacadeStatus } from './passthrough/facade-status.js';
import { SingleLogins } from './sessions/single-logins.js';
import { AddressVisits } from './sessions/address-visits.js';
import { Passthrough } from './passthrough/passthrough.js';
import { ReachabilityWatch } from './connections/reachability-watch.js';
import { SecretReads } from './calls/secret-reads.js';
import { SessionLogins } from './sessions/session-logins.js';
import { SessionPool } from './sessions/session-pool.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsService } from './sessions.service.js';
import { openSessionStore } from './sessions/shared-session-store.js';
import { SessionStore } from './sessions/shared-sessions.js';
import { SharedReads } from './passthrough/shared-reads.js';
import { Transport } from './connections/transport.js';
import { WriteRecords } from './calls/write-record.js';

/** The only way to call devices, and its routes for operators. */
@Module({
  imports: [AuditModule, AuthModule, DevicesModule],
  controllers: [SessionsController],
  providers: [
    AddressVisits,
    Admission,
    DeviceBreakers,
    CallExecutor,
    DeviceCalls,
    DeviceHealth,
    DeviceIdentity,
    DeviceLogin,
    Facade,
    FacadeStatus,
    Passthrough,
    ReachabilityWatch,
    SecretReads,
    SessionLogins,
    SessionPool,
    { provide: SessionStore, useFactory: openSessionStore, inject: [CONFIG, PARENT, Secrets, Clock, LOG] },
    SessionsService,
    SharedReads,
    SingleLogins,
    Transport,
    WriteRecords,
  ],
  exports: [
    AddressVisits,
    Admission,
    CallExecutor,
    DeviceCalls,
    DeviceIdentity,
    DeviceLogin,
    ReachabilityWatch,
    SecretReads,
    SessionsService,
    SingleLogins,
  ],
})
export class ProxyModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    @Inject(HttpAdapterHost) private readonly http: HttpAdapterHost,
    @Inject(Passthrough) private readonly passthrough: Passthrough,
    @Inject(Facade) private readonly facade: Facade,
    @Inject(CallExecutor) private readonly executor: CallExecutor,
    @Inject(SessionPool) private readonly sessions: SessionPool,
    @Inject(Transport) private readonly transport: Transport,
  ) {}

  onModuleInit(): void {
    const server = this.http.httpAdapter.getInstance<FastifyInstance>();
    this.passthrough.register(server);
    this.facade.register(server);
  }

  /** The listener is closed and jobs are handed back by now; only sessions and connections are left. */
  async onApplicationShutdown(): Promise<void> {
    this.executor.close();
    await this.sessions.close();
    await this.transport.close();
  }
}
