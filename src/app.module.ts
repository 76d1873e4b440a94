import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { StandardSchemaSerializerInterceptor } from '@nestjs/common';
import { ArtifactsModule } from './artifacts/artifacts.module.js';
import { AuditModule } from './audit/audit.module.js';
import { AuthModule } from './auth/auth.module.js';
import { BackupsModule } from './backups/backups.module.js';
import { CertificatesModule } from './certificates/certificates.module.js';
import { DevicesModule } from './devices/devices.module.js';
import { EventsModule } from './events/events.module.js';
import { JobsModule } from './jobs/jobs.module.js';
import { MetricsController } from './metrics.controller.js';
import { ChangesInterceptor } from './platform/http/changes.interceptor.js';
import { InputPipe } from './platform/http/input.pipe.js';
import { PlatformModule, type PlatformParts } from './platform/platform.module.js';
import { ProblemFilter } from './platform/http/problem.filter.js';
import { ProxyModule } from './proxy/proxy.module.js';
import { SecretsController } from './secrets/secrets.controller.js';
import { RolloutsModule } from './rollouts/rollouts.module.js';

/** The only list of rooms, in the order of import. */
@Module({})
export class AppModule {
  static with(parts: PlatformParts): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.with(parts),
        AuditModule,
        AuthModule,
        DevicesModule,
        ProxyModule,
        ArtifactsModule,
        JobsModule,
        BackupsModule,
        CertificatesModule,
        RolloutsModule,
        EventsModule,
      ],
      controllers: [MetricsController, SecretsController],
      providers: [
        { provide: APP_PIPE, useClass: InputPipe },
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: APP_INTERCEPTOR, useClass: ChangesInterceptor }, // before the serializer: it keeps what went out
        { provide: APP_INTERCEPTOR, useClass: StandardSchemaSerializerInterceptor },
      ],
    };
  }
}
