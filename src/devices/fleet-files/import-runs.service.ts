import { randomUUID } from 'node:crypto';
import { type Readable } from 'node:stream';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { DataSource, type EntityManager } from 'typeorm';
import { type Principal } from '../../auth/access/access.js';
import { AppError, type ErrorCode } from '../../platform/errors.js';
import { errorFields, LOG } from '../../platform/log.js';
import { KeyedSlots, type SlotLimits } from '../../platform/limits/keyed-slots.js';
import { toAppError } from '../../http/problem.js';
import { type Sweeper } from '../../platform/sweeper.js';
import { type ImportOperation, type ImportQuery, type ImportView } from '../devices.contract.js';
import { type FleetFormat, FleetImportService, type ImportCallbacks } from './fleet-import.service.js';
import { readFleetFile } from './fleet-lines.js';

/*
 * Runs imports, a few at a time per process, also without a waiting caller. The file contains passwords, so it
 * stays in the memory of its process; the row stores progress and result. The import and the row's success are one
 * transaction. An import whose process dies has changed nothing, and the sweeper of another process records that.
 */

/** Simultaneous imports of one process: each holds a file and its lines in memory, and a database connection. */
const RUNNING: SlotLimits = { total: 4, perKey: 2 };

/** Files that arrive: each holds up to 64 MB in memory. A slow sender takes none of the slots above. */
const ARRIVING: SlotLimits = { total: 8, perKey: 2 };

/** The interval of heartbeats in the row, and the age of the last one after which the import counts as failed. */
const HEARTBEAT_MS = 5_000;
const SILENT_AFTER_S = 60;

/** Days for which the result of an import can be read. */
const RETENTION_DAYS = 7;

const COLUMNS = `id, state, dry_run as "dryRun", lines, done_lines as "doneLines", result, failure,
  created_by_name as "createdByName", created_at as "createdAt", ended_at as "endedAt"`;

@Injectable()
export class ImportRuns implements Sweeper, BeforeApplicationShutdown {
  readonly name = 'imports';
  readonly everyMs = 10_000;

  private readonly running = new Map<string, Promise<void>>();
  private readonly slots = new KeyedSlots(RUNNING);
  private readonly uploads = new KeyedSlots(ARRIVING);
  private readonly stopping = new AbortController();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(FleetImportService) private readonly imports: FleetImportService,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Ends running imports, which then change nothing; their rows store the reason. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running.values());
  }

  /** Runs an import while the caller waits. @throws AppError `too_many_imports` */
  async run(source: Readable, format: FleetFormat, query: ImportQuery, actor: Principal, watch: ImportCallbacks) {
    const file = await this.read(source, actor);
    const release = this.take(this.slots, actor);
    try {
      return await this.imports.run(file, format, query, actor, watch);
    } finally {
      release();
    }
  }

  /** Reads a file and imports it in the background. @throws AppError `too_many_imports` */
  async start(source: Readable, format: FleetFormat, query: ImportQuery, actor: Principal): Promise<ImportOperation> {
    const file = await this.read(source, actor);
    const release = this.take(this.slots, actor);
    try {
      return await this.begin(file, format, query, actor, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Reads a file to its end. The slot of an import is taken after it: the sender decides how long this takes. */
  private async read(source: Readable, actor: Principal): Promise<Buffer> {
    const release = this.take(this.uploads, actor);
    try {
      return await readFleetFile(source);
    } finally {
      release();
    }
  }

  /** By operator: all operators may make keys of their own. @returns releases the slot @throws AppError `too_many_imports` */
  private take(slots: KeyedSlots, { operatorId }: Principal): () => void {
    const release = this.stopping.signal.aborted ? null : slots.take(operatorId);
    if (!release) throw new AppError('too_many_imports');
    return release;
  }

  private async begin(
    file: Buffer,
    format: FleetFormat,
    query: ImportQuery,
    actor: Principal,
    release: () => void,
  ): Promise<ImportOperation> {
    const id = randomUUID();
    const begun = this.db.query<[ImportOperation]>(
      `insert into fleet_import (id, state, dry_run, operator_id, created_by, created_by_name, created_at, alive_at)
       values ($1, 'running', $2, $3, $4, $5, now(), now()) returning ${COLUMNS}`,
      [id, query.dryRun, actor.operatorId, actor.actorId, actor.name],
    );
    const work = begun.then(
      () => this.execute(id, file, format, query, actor),
      () => undefined, // the caller gets the error
    );
    // Registered before the first await, so that a stop waits for it.
    this.running.set(id, work);
    void work.finally(() => {
      this.running.delete(id);
      release();
    });
    const [row] = await begun;
    return row;
  }

  /** @throws AppError `import_not_found`, also for one of another operator */
  async get(id: string, { operatorId }: Principal): Promise<ImportOperation> {
    const sql = `select ${COLUMNS} from fleet_import where id = $1 and operator_id = $2`;
    const [row] = await this.db.query<ImportOperation[]>(sql, [id, operatorId]);
    if (!row) throw new AppError('import_not_found');
    return row;
  }

  /** The state shows when the import has ended. @throws AppError `import_not_found`, `import_ended` */
  async cancel(id: string, actor: Principal): Promise<ImportOperation> {
    await this.get(id, actor);
    const [rows] = await this.db.query<[unknown[], number]>(
      `update fleet_import set cancel_asked_at = coalesce(cancel_asked_at, now())
        where id = $1 and state = 'running' returning id`,
      [id],
    );
    if (rows.length === 0) throw new AppError('import_ended');
    return this.get(id, actor);
  }

  /** Marks imports without a living process as failed, and deletes old rows. */
  async sweep(): Promise<Record<string, number>> {
    const [silent] = await this.db.query<[unknown[], number]>(
      `update fleet_import set state = 'failed', failure = $2, ended_at = now()
        where state = 'running' and alive_at < now() - $1 * interval '1 second' returning id`,
      [SILENT_AFTER_S, failureOf(new AppError('import_interrupted'))],
    );
    const [old] = await this.db.query<[unknown[], number]>(
      `delete from fleet_import where ended_at < now() - $1 * interval '1 day' returning id`,
      [RETENTION_DAYS],
    );
    return { givenUp: silent.length, forgotten: old.length };
  }

  private async execute(id: string, file: Buffer, format: FleetFormat, query: ImportQuery, actor: Principal) {
    const timer = setInterval(() => {
      this.heartbeat(id).catch(() => undefined); // the next heartbeat follows in seconds
    }, HEARTBEAT_MS);
    try {
      const view = await this.imports.run(file, format, query, actor, this.watchOf(id));
      if (query.dryRun) await this.end(this.db.manager, id, 'succeeded', { result: view });
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code === 'internal_error') this.log.error({ import: id, ...errorFields(thrown) }, 'An import failed');
      const state = error.code === 'import_cancelled' ? 'cancelled' : 'failed';
      // If this fails too, the sweep ends the row: the transaction was rolled back.
      await this.end(this.db.manager, id, state, { failure: failureOf(error) }).catch(() => undefined);
    } finally {
      clearInterval(timer);
    }
  }

  private watchOf(id: string): ImportCallbacks {
    return {
      onProgress: async (done, lines) => {
        if (this.stopping.signal.aborted) throw new AppError('import_interrupted');
        await this.heartbeat(id, done, lines);
      },
      commit: async (tx, view) => {
        if (!(await this.end(tx, id, 'succeeded', { result: view }))) throw await this.endError(id);
      },
    };
  }

  /** @throws AppError `import_cancelled`, `import_interrupted` */
  private async heartbeat(id: string, done?: number, lines?: number): Promise<void> {
    const [rows] = await this.db.query<[unknown[], number]>(
      `update fleet_import set alive_at = now(), done_lines = coalesce($2, done_lines), lines = coalesce($3, lines)
        where id = $1 and state = 'running' and cancel_asked_at is null returning id`,
      [id, done ?? null, lines ?? null],
    );
    if (rows.length === 0) throw await this.endError(id);
  }

  /** @returns false when it had ended before */
  private async end(
    tx: EntityManager,
    id: string,
    state: ImportOperation['state'],
    { result = null, failure = null }: { result?: ImportView | null; failure?: object | null },
  ): Promise<boolean> {
    const [rows] = await tx.query<[unknown[], number]>(
      `update fleet_import set state = $2, result = $3, failure = $4, ended_at = now(),
              done_lines = case when $2 = 'succeeded' then coalesce(lines, done_lines) else done_lines end
        where id = $1 and state = 'running' and ($2 <> 'succeeded' or cancel_asked_at is null) returning id`,
      [id, state, result, failure],
    );
    return rows.length > 0;
  }

  private async endError(id: string): Promise<AppError> {
    const sql = `select from fleet_import where id = $1 and state = 'running' and cancel_asked_at is not null`;
    const code: ErrorCode =
      (await this.db.query<unknown[]>(sql, [id])).length > 0 ? 'import_cancelled' : 'import_interrupted';
    return new AppError(code);
  }
}

function failureOf({ code, message, facts }: AppError): object {
  return { code, detail: message, errors: facts['errors'] ?? [] };
}
