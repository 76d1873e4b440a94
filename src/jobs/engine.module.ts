import { Inject, Module, type OnApplicationBootstrap, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type Logger } from 'pino';
import { AuditModule } from '../audit/audit.module.js';
import { DeviceCertificate } from '../devices/registry/device-certificate.entity.js';
import { AuthModule } from '../auth/auth.module.js';
import { Locks } from '../auth/access/locks.service.js';
import { DevicesModule } from '../devices/devices.module.js';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { type DatabaseUrls, DATABASE_URLS } from '../database/database.js';
import { errorFields, LOG } from '../platform/log.js';
import { Readiness } from '../http/readiness.js';
import { ProxyModule } from '../proxy/proxy.module.js';
import { ArtifactsModule } from '../artifacts/artifacts.module.js';
import { BackupPasswords } from './rows/backup-passwords.js';
import { Dispatcher } from './engine/dispatcher.js';
import { ExpiredLeasesSweeper } from './engine/expired-leases.sweeper.js';
import { Heartbeat } from './engine/heartbeat.js';
import { Job, JobLogLine } from './rows/job.entity.js';
import { JobBatches } from './engine/job-batches.js';
import { JobQueue } from './engine/job-queue.js';
import { JobRights } from './engine/job-rights.js';
import { JobRows } from './engine/job-rows.js';
import { KINDS } from './engine/job-kinds.js';
import { JobRunner } from './engine/job-runner.js';
import { JobSignals } from './engine/job-signals.js';
import { JOB_KINDS, type JobKinds } from './kinds/index.js';
import { Leases } from './engine/leases.js';
import { PasswordRotation } from './password-rotation/password-rotation.js';
import { SealedValuesModule } from './sealed-values/sealed-values.module.js';
import { SilentConsumerSweeper } from './engine/silent-consumer.sweeper.js';
import { SpecRights } from './engine/spec-rights.js';
import { StepContextFactory } from './engine/step-context-factory.js';
import { StepCredentials } from './engine/step-credentials.js';
import { TemplateSource } from './engine/template-source.js';

/** Running jobs may take this long to save their rows; the lease brings back what takes longer. */
const STOP_MS = 10_000;

const makeQueue = (config: GatewayConfig, urls: DatabaseUrls, log: Logger) =>
  new JobQueue(
    {
      postgresUrl: urls.sessionUrl ?? urls.appUrl,
      postgresPoolSize: config.QUEUE_POOL_SIZE,
      redisUrl: config.REDIS_URL,
      redisPrefix: `{${config.REDIS_PREFIX}}`,
      redisMayForget: config.REDIS_MAY_FORGET,
    },
    log,
  );

/** The job engine: rows and leases, the queue of tickets, the runner. */
@Module({
  imports: [
    AuditModule,
    AuthModule,
    DevicesModule,
    ProxyModule,
    ArtifactsModule,
    SealedValuesModule,
    TypeOrmModule.forFeature([Job, JobLogLine, DeviceCertificate]),
  ],
  providers: [
    { provide: KINDS, useValue: JOB_KINDS },
    { provide: JobQueue, useFactory: makeQueue, inject: [CONFIG, DATABASE_URLS, LOG] },
    BackupPasswords,
    Dispatcher,
    ExpiredLeasesSweeper,
    Heartbeat,
    JobBatches,
    JobRights,
    JobRows,
    JobRunner,
    JobSignals,
    Leases,
    PasswordRotation,
    SilentConsumerSweeper,
    SpecRights,
    StepContextFactory,
    StepCredentials,
    TemplateSource,
  ],
  exports: [KINDS, JobBatches, JobRights, JobRows, JobSignals, SpecRights, TemplateSource],
})
export class EngineModule implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(KINDS) private readonly kinds: JobKinds,
    @Inject(JobRows) private readonly rows: JobRows,
    @Inject(JobSignals) private readonly signals: JobSignals,
    @Inject(JobQueue) private readonly queue: JobQueue,
    @Inject(JobRunner) private readonly runner: JobRunner,
    @Inject(Dispatcher) private readonly dispatcher: Dispatcher,
    @Inject(Leases) private readonly leases: Leases,
    @Inject(Heartbeat) private readonly heartbeat: Heartbeat,
    @Inject(Readiness) private readonly readiness: Readiness,
    @Inject(Locks) private readonly locks: Locks,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** A process with the role `api` starts and reads jobs. It needs no queue, since the queue is filled from rows. */
  private get isWorker(): boolean {
    return this.config.ROLE !== 'api';
  }

  async onModuleInit(): Promise<void> {
    await this.refuseUnknownKinds();
    if (this.isWorker) {
      await this.queue.open();
      this.readiness.add('queue', () => this.queue.ping());
    }
  }

  onApplicationBootstrap(): void {
    if (!this.isWorker) return;
    this.queue.consume((ticket, stop) => this.runner.run(ticket, stop), this.config.JOB_CONCURRENCY);
    this.dispatcher.start(this.signals);
    this.heartbeat.start();
    this.locks.onChange(() => {
      const woken = this.rows.wakeLocked().then(() => this.signals.emit('due'));
      woken.catch((error: unknown) =>
        this.log.warn(errorFields(error), 'Jobs of lifted locks were not woken; they check again later'),
      );
    });
  }

  /** In the first shutdown hook, while devices and the database are still reachable. */
  async onModuleDestroy(): Promise<void> {
    try {
      await this.dispatcher.stop();
    } finally {
      // A database error of the dispatcher must not stop the closing of the queue.
      await this.queue.close(STOP_MS);
      await this.rows.clearLossCountsOf(this.leases.owner).catch(() => undefined); // without the database they count as lost
      await this.heartbeat.stop();
    }
  }

  /** @throws Error that names kinds whose jobs would never end */
  private async refuseUnknownKinds(): Promise<void> {
    const unknown = (await this.rows.openKinds()).filter((kind) => !this.kinds.has(kind));
    if (unknown.length === 0) return;
    throw new Error(
      `Jobs of the kind ${unknown.join(', ')} have not ended, and this version cannot run them. ` +
        'Start the version that started them, or cancel them there.',
    );
  }
}
