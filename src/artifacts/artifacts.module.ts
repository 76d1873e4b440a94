import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { DevicesModule } from '../devices/devices.module.js';
import { CONFIG } from '../platform/config.js';
import { Readiness } from '../http/readiness.js';
import { ArtifactKeepers } from './artifact-keepers.js';
import { ArtifactQuota } from './artifact-quota.js';
import { makeArtifactStore } from './artifact-stores.js';
import { ArtifactUse } from './artifact-use.entity.js';
import { Artifact } from './artifact.entity.js';
import { ArtifactsController } from './artifacts.controller.js';
import { ArtifactsService } from './artifacts.service.js';
import { ArtifactsSweeper } from './artifacts.sweeper.js';
import { ArtifactStore } from './artifacts.js';

@Module({
  imports: [AuditModule, AuthModule, DevicesModule, TypeOrmModule.forFeature([Artifact, ArtifactUse])],
  controllers: [ArtifactsController],
  providers: [
    { provide: ArtifactStore, useFactory: makeArtifactStore, inject: [CONFIG, ArtifactQuota] },
    ArtifactKeepers,
    ArtifactQuota,
    ArtifactsService,
    ArtifactsSweeper,
  ],
  exports: [ArtifactKeepers, ArtifactsService, ArtifactStore],
})
export class ArtifactsModule implements OnModuleInit {
  constructor(
    @Inject(ArtifactStore) private readonly store: ArtifactStore,
    @Inject(Readiness) private readonly readiness: Readiness,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.store.prepare();
    this.readiness.add('artifacts', () => this.store.checkRoom());
  }
}
