import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../platform/clock.js';
import { CONFIG, type GatewayConfig, VERSION } from '../platform/config.js';
import { Metrics } from '../platform/metrics.js';
import { ALIVE_MS, Processes } from './processes.sweeper.js';
import { Storage } from './storage.js';
import { type SystemView } from './system.contract.js';
import { isWarning, WARNINGS } from './warnings.js';

/** The rows of processes that an answer lists, the newest first. */
const PROCESSES_MAX = 100;

type Process = SystemView['processes'][number];
type ProcessRow = Omit<Process, 'alive' | 'sweepers'> & {
  readonly sweepers: Readonly<Record<string, { readonly at: string; readonly outcome: 'done' | 'failed' }>>;
};

/** Reads the state of the installation from the database. */
@Injectable()
export class SystemService {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'DATABASE_URL' | 'REDIS_URL'>,
    @Inject(Processes) private readonly processes: Processes,
    @Inject(Storage) private readonly storage: Storage,
    @Inject(Metrics) private readonly metrics: Pick<Metrics, 'traffic'>,
  ) {}

  async read(): Promise<SystemView> {
    await this.processes.describe(); // the process that answers is in the answer, also just after its start
    const now = this.clock.now();
    // One after the other: all at once would take six connections of the pool from other callers.
    const processes = await this.readProcesses(now);
    const jobs = await this.readJobs(now);
    const audit = await this.readCheckpoint(now);
    const warnings = await this.readWarnings();
    const storage = await this.storage.read(now);
    const [database] = await this.db.query<[{ version: string }]>(
      `select current_setting('server_version') as version`,
    );
    return {
      version: VERSION,
      processes,
      jobs,
      traffic: await this.metrics.traffic(),
      database: { version: database.version, embedded: this.config.DATABASE_URL === undefined },
      queue: this.config.REDIS_URL === undefined ? 'postgres' : 'redis',
      audit,
      storage,
      lastBackup: await this.readLastBackup(),
      warnings,
    };
  }

  private async readProcesses(now: Date): Promise<Process[]> {
    const rows = await this.db.query<ProcessRow[]>(
      `select id, role, host, version, node, checks, sweepers, started_at as "startedAt", alive_at as "aliveAt"
         from gateway_process order by alive_at desc, id limit $1`,
      [PROCESSES_MAX],
    );
    return rows.map(({ sweepers, ...row }) => ({
      ...row,
      alive: now.getTime() - row.aliveAt.getTime() <= ALIVE_MS,
      sweepers: Object.entries(sweepers)
        .map(([name, { at, outcome }]) => ({ name, at: new Date(at), outcome }))
        .sort((one, other) => one.name.localeCompare(other.name)),
    }));
  }

  private async readJobs(now: Date): Promise<SystemView['jobs']> {
    const [row] = await this.db.query<[{ due: number; running: number; oldest: Date | null }]>(
      `select count(*) filter (where phase = 'queued' and wake_at <= $1)::int as due,
              count(*) filter (where phase in ('dispatched', 'running'))::int as running,
              min(wake_at) filter (where phase = 'queued' and wake_at <= $1) as oldest
         from job where phase <> 'ended'`,
      [now],
    );
    const { due, running, oldest } = row;
    return { due, oldestDueMs: oldest ? now.getTime() - oldest.getTime() : 0, running };
  }

  private async readCheckpoint(now: Date): Promise<SystemView['audit']> {
    const [latest] = await this.db.query<{ size: number; signedAt: Date }[]>(
      'select size::float8 as size, signed_at as "signedAt" from audit_checkpoint order by size desc limit 1',
    );
    return latest ? { ...latest, ageMs: Math.max(0, now.getTime() - latest.signedAt.getTime()) } : null;
  }

  private async readLastBackup(): Promise<SystemView['lastBackup']> {
    const [latest] = await this.db.query<{ madeAt: Date; bytes: number }[]>(
      'select made_at as "madeAt", bytes::float8 as bytes from installation_backup order by made_at desc limit 1',
    );
    return latest ?? null;
  }

  private async readWarnings(): Promise<SystemView['warnings']> {
    const rows = await this.db.query<{ code: string; since: Date }[]>(
      'select code, since from system_warning order by since, code',
    );
    // A process of another version may know further warnings.
    return rows.map(({ code, since }) => ({ code, since, text: isWarning(code) ? WARNINGS[code] : code }));
  }
}
