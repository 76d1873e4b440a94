import {
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationBootstrap,
  StandardSchemaSerializerInterceptor,
} from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE, DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { ArtifactsModule } from './artifacts/artifacts.module.js';
import { AuditModule } from './audit/audit.module.js';
import { AuthModule } from './auth/auth.module.js';
import { ScansInterceptor } from './auth/limits/caller-scans.js';
import { BackupsModule } from './backups/backups.module.js';
import { CertificatesModule } from './certificates/certificates.module.js';
import { DevicesModule } from './devices/devices.module.js';
import { DiscoveriesModule } from './discovery/discoveries.module.js';
import { FanOutsModule } from './fan-outs/fan-outs.module.js';
import { EventsModule } from './events/events.module.js';
import { JobsModule } from './jobs/jobs.module.js';
import { MetricsController } from './metrics.controller.js';
import { MonitoringModule } from './monitoring/monitoring.module.js';
import { CONFIG, type GatewayConfig } from './platform/config.js';
import { ChangesInterceptor } from './http/changes.interceptor.js';
import { EtagInterceptor } from './http/etag.js';
import { InputPipe } from './http/input.pipe.js';
import { PlatformModule, type PlatformParts } from './platform.module.js';
import { PARENT, type ParentProcess } from './processes/parent-process.js';
import { ProblemFilter } from './http/http-server.js';
import { ProxyModule } from './proxy/proxy.module.js';
import { SystemModule } from './system/system.module.js';
import { SweeperRunner } from './platform/sweeper.js';
import { RolloutsModule } from './rollouts/rollouts.module.js';
import { TemplatesModule } from './templates/templates.module.js';

/** The only list of modules, in the order of import. */
@Module({})
export class AppModule implements OnApplicationBootstrap {
  constructor(
    @Inject(SweeperRunner) private readonly sweepers: SweeperRunner,
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'ROLE'>,
    @Inject(PARENT) private readonly parent: ParentProcess | null,
  ) {}

  static with(parts: PlatformParts): DynamicModule {
    return {
      module: AppModule,
      imports: [
        DiscoveryModule,
        PlatformModule.with(parts),
        AuditModule,
        AuthModule,
        DevicesModule,
        ProxyModule,
        FanOutsModule,
        MonitoringModule,
        DiscoveriesModule,
        ArtifactsModule,
        JobsModule,
        BackupsModule,
        CertificatesModule,
        RolloutsModule,
        TemplatesModule,
        EventsModule,
        SystemModule,
      ],
      controllers: [MetricsController],
      providers: [
        { provide: APP_PIPE, useClass: InputPipe },
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: APP_INTERCEPTOR, useClass: ScansInterceptor }, // the first: all others work within its turn
        { provide: APP_INTERCEPTOR, useClass: ChangesInterceptor }, // before the serializer: it stores what went out
        { provide: APP_INTERCEPTOR, useClass: StandardSchemaSerializerInterceptor },
        { provide: APP_INTERCEPTOR, useClass: EtagInterceptor }, // after the serializer: it needs what the handler returned
      ],
    };
  }

  /** After the hooks of all other modules: sweepers need what these load at the start, such as the locks. */
  onApplicationBootstrap(): void {
    const providers = this.discovery.getProviders().map(({ instance }): unknown => instance);
    this.sweepers.startAll(providers, this.config.ROLE !== 'api', this.parent?.task.hasWorker);
  }
}
