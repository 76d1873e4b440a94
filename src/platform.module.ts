import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Global,
  Inject,
  Module,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type Logger } from 'pino';
import { DataSource } from 'typeorm';
import { ChangeReasons } from './platform/change-reasons.js';
import { ClockSweeper } from './platform/clock.sweeper.js';
import { Clock, SystemClock } from './platform/clock.js';
import { configLoader, type GatewayConfig } from './platform/config.js';
import { DATABASE_URLS, rowsOptions, type DatabaseUrls } from './database/database.js';
import { HealthController } from './http/health.controller.js';
import { Idempotency } from './http/idempotency.js';
import { KeyRotation, SecretKeysSweeper } from './secrets/key-rotation.js';
import { Metrics } from './platform/metrics.js';
import { PgNotifications } from './database/pg-notifications.js';
import { PARENT, type ParentProcess } from './processes/parent-process.js';
import { Permits } from './processes/permits.js';
import { Redactor } from './secrets/redactor.js';
import { Readiness } from './http/readiness.js';
import { type RootKeys } from './secrets/root-keys.js';
import { Secrets } from './secrets/secrets.js';
import { SweeperRunner } from './platform/sweeper.js';
import { WorkMarks } from './database/work-marks.js';
import { LOG } from './platform/log.js';

/** Created before Nest starts. */
export interface PlatformParts {
  readonly config: GatewayConfig;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly urls: DatabaseUrls;
  readonly rootKeys: RootKeys;
  /** Tests inject their own clock. */
  readonly clock?: Clock;
  /** In a child of `npm start`. */
  readonly parent?: ParentProcess | null;
}

/** Services that every module uses and that depend on no other module. The only global module. */
@Global()
@Module({})
export class PlatformModule implements OnModuleInit, OnModuleDestroy, BeforeApplicationShutdown {
  static with(parts: PlatformParts): DynamicModule {
    const { config, log, metrics, urls, rootKeys, clock = new SystemClock(), parent = null } = parts;
    const given = [
      { provide: LOG, useValue: log },
      { provide: Metrics, useValue: metrics },
      { provide: PARENT, useValue: parent },
      { provide: Permits, useValue: new Permits(parent) },
      { provide: DATABASE_URLS, useValue: urls },
      { provide: Clock, useValue: clock },
      { provide: Readiness, useValue: new Readiness() },
      { provide: Secrets, useFactory: (db: DataSource) => loadSecrets(rootKeys, db), inject: [DataSource] },
      {
        provide: PgNotifications,
        useFactory: (db: DataSource) => makeNotifications(urls, db, log),
        inject: [DataSource],
      },
      { provide: SweeperRunner, useValue: new SweeperRunner(clock, log, metrics) },
    ];
    const services = [...given, ChangeReasons, Idempotency, KeyRotation, Redactor, WorkMarks];
    return {
      module: PlatformModule,
      imports: [
        ConfigModule.forRoot({ isGlobal: true, ignoreEnvFile: true, load: [configLoader(config)] }),
        // The server just answered the migrations. Three attempts of a second cover a fail-over.
        TypeOrmModule.forRoot({
          ...rowsOptions(urls, config),
          autoLoadEntities: true,
          retryAttempts: 3,
          retryDelay: 1_000,
        }),
      ],
      controllers: [HealthController],
      providers: services,
      exports: [...services, TypeOrmModule],
    };
  }

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Readiness) private readonly readiness: Readiness,
    @Inject(SweeperRunner) private readonly sweepers: SweeperRunner,
    @Inject(PgNotifications) private readonly notifications: PgNotifications,
    @Inject(Secrets) private readonly secrets: Secrets,
    @Inject(WorkMarks) private readonly marks: WorkMarks,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    // A commit, which a replica and a full disk refuse; its topic has no listener.
    this.readiness.add('database', () => this.notifications.notify(this.db.manager, 'ready', null));
    // An announced key must be known before it is used. The sweeper finds what a lost notification misses.
    this.notifications.on('data_key', () => void this.secrets.refresh().catch(() => undefined));
    await this.notifications.start();
    if (this.clock instanceof SystemClock) {
      const clock = new ClockSweeper(this.clock, this.db, this.log);
      await clock.sweep();
      this.sweepers.start(clock);
    }
    this.sweepers.start(new SecretKeysSweeper(this.secrets, this.db));
  }

  /** After all other modules: jobs are handed back. Audit entries of the last pass are committed in the next turn. */
  async onModuleDestroy(): Promise<void> {
    await this.sweepers.stop();
    await this.marks.leave().catch(() => undefined); // without the database they expire
  }

  /** Earlier than the last shutdown hook, where the database may close before this module runs. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.secrets.leave().catch(() => undefined);
    await this.notifications.close();
  }
}

function makeNotifications(urls: DatabaseUrls, db: DataSource, log: Logger): PgNotifications {
  const send = (channel: string, payload: string) => db.query('select pg_notify($1, $2)', [channel, payload]);
  return new PgNotifications(urls, send, log);
}

async function loadSecrets(rootKeys: RootKeys, db: DataSource): Promise<Secrets> {
  const secrets = new Secrets(rootKeys);
  await secrets.load(db);
  return secrets;
}
