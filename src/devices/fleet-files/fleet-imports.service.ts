import { randomUUID } from 'node:crypto';
import { type Readable } from 'node:stream';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Logger } from 'pino';
import { DataSource, type EntityManager } from 'typeorm';
import { type Principal } from '../../auth/access/access.js';
import { AppError, type ErrorCode } from '../../platform/errors.js';
import { errorFields } from '../../platform/log.js';
import { LOG } from '../../platform/platform.module.js';
import { toAppError } from '../../platform/http/problem.js';
import { SweeperRunner, type Sweeper } from '../../platform/sweeper.js';
import { type ImportOperation, type ImportQuery, type ImportView } from '../devices.contract.js';
import { type FleetFormat, FleetImportService, type ImportWatch } from './fleet-import.service.js';
import { readFleetFile } from './fleet-lines.js';

/*
 * Imports, each in one of few places, and those that go on without their sender. The file holds passwords, so it stays in the memory of the process that took
 * it; the row is what is told of it. The import and the row's success are one transaction: an import whose process dies
 * has changed nothing, and a sweep of any other process says so.
 */

/** Imports of one process at once: each holds a file and its lines in memory, and a connection of the database. */
const PLACES = 2;

/** So often the row is told that the process lives; a row that was not told for the second time is given up. */
const ALIVE_EVERY_MS = 5_000;
const SILENT_AFTER_S = 60;

/** So long it can be read what became of an import. */
const KEPT_DAYS = 7;

const COLUMNS = `id, state, dry_run as "dryRun", lines, done_lines as "doneLines", result, failure,
  created_by_name as "createdByName", created_at as "createdAt", ended_at as "endedAt"`;

@Injectable()
export class FleetImports implements Sweeper, OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly name = 'imports';
  readonly everyMs = 10_000;

  private readonly running = new Map<string, Promise<void>>();
  private taken = 0;
  private readonly stopping = new AbortController();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(FleetImportService) private readonly imports: FleetImportService,
    @Inject(SweeperRunner) private readonly sweepers: SweeperRunner,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.sweepers.start(this);
  }

  /** Imports under way end and change nothing; their rows say why. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running.values());
  }

  /** Reads a file and carries it out while its sender waits. @throws AppError `too_many_imports` */
  async run(source: Readable, format: FleetFormat, query: ImportQuery, actor: Principal, watch: ImportWatch) {
    const leave = this.takePlace();
    try {
      return await this.imports.run(await readFleetFile(source), format, query, actor, watch);
    } finally {
      leave();
    }
  }

  /** Reads a file and goes on with it. @throws AppError `too_many_imports` */
  async start(source: Readable, format: FleetFormat, query: ImportQuery, actor: Principal): Promise<ImportOperation> {
    const leave = this.takePlace();
    try {
      const file = await readFleetFile(source);
      if (this.stopping.signal.aborted) throw new AppError('too_many_imports');
      return await this.begin(file, format, query, actor, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Takes a place before the file is read: files that come slowly fill the memory, too. @returns gives it back */
  private takePlace(): () => void {
    if (this.taken >= PLACES || this.stopping.signal.aborted) throw new AppError('too_many_imports');
    this.taken++;
    let isLeft = false;
    return () => {
      if (!isLeft) this.taken--;
      isLeft = true;
    };
  }

  private async begin(
    file: Buffer,
    format: FleetFormat,
    query: ImportQuery,
    actor: Principal,
    leave: () => void,
  ): Promise<ImportOperation> {
    const id = randomUUID();
    // Known to a stop before anything is waited for.
    let begin: (row: boolean) => void = () => undefined;
    const begun = new Promise<boolean>((resolve) => (begin = resolve));
    const work = begun.then((isThere) => (isThere ? this.carryOut(id, file, format, query, actor) : undefined));
    this.running.set(id, work);
    void work.finally(() => {
      this.running.delete(id);
      leave();
    });
    try {
      const [row] = await this.db.query<[ImportOperation]>(
        `insert into fleet_import (id, state, dry_run, operator_id, created_by, created_by_name, created_at, alive_at)
         values ($1, 'running', $2, $3, $4, $5, now(), now()) returning ${COLUMNS}`,
        [id, query.dryRun, actor.operatorId, actor.subject, actor.name],
      );
      begin(true);
      return row;
    } catch (error) {
      begin(false);
      throw error;
    }
  }

  /** @throws AppError `import_not_found`, also for one of another operator */
  async get(id: string, { operatorId }: Principal): Promise<ImportOperation> {
    const sql = `select ${COLUMNS} from fleet_import where id = $1 and operator_id = $2`;
    const [row] = await this.db.query<ImportOperation[]>(sql, [id, operatorId]);
    if (!row) throw new AppError('import_not_found');
    return row;
  }

  /** Asks an import to end; it has ended when its state says so. @throws AppError `import_not_found`, `import_ended` */
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

  /** Gives up what no process works on any more, and forgets what ended long ago. */
  async sweep(): Promise<Record<string, number>> {
    const [silent] = await this.db.query<[unknown[], number]>(
      `update fleet_import set state = 'failed', failure = $2, ended_at = now()
        where state = 'running' and alive_at < now() - $1 * interval '1 second' returning id`,
      [SILENT_AFTER_S, failureOf(new AppError('import_interrupted'))],
    );
    const [old] = await this.db.query<[unknown[], number]>(
      `delete from fleet_import where ended_at < now() - $1 * interval '1 day' returning id`,
      [KEPT_DAYS],
    );
    return { givenUp: silent.length, forgotten: old.length };
  }

  private async carryOut(id: string, file: Buffer, format: FleetFormat, query: ImportQuery, actor: Principal) {
    const beat = setInterval(() => {
      this.alive(id).catch(() => undefined); // the next beat is seconds away
    }, ALIVE_EVERY_MS);
    try {
      const view = await this.imports.run(file, format, query, actor, this.watchOf(id));
      if (query.dryRun) await this.end(this.db.manager, id, 'succeeded', { result: view });
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code === 'internal_error') this.log.error({ import: id, ...errorFields(thrown) }, 'An import failed');
      const state = error.code === 'import_cancelled' ? 'cancelled' : 'failed';
      // If this fails too, the sweep ends the row: the transaction has left nothing behind.
      await this.end(this.db.manager, id, state, { failure: failureOf(error) }).catch(() => undefined);
    } finally {
      clearInterval(beat);
    }
  }

  private watchOf(id: string): ImportWatch {
    return {
      goOn: async (done, lines) => {
        if (this.stopping.signal.aborted) throw new AppError('import_interrupted');
        await this.alive(id, done, lines);
      },
      commit: async (tx, view) => {
        if (!(await this.end(tx, id, 'succeeded', { result: view }))) throw await this.whyOver(id);
      },
    };
  }

  /** @throws AppError `import_cancelled`, `import_interrupted` */
  private async alive(id: string, done?: number, lines?: number): Promise<void> {
    const [rows] = await this.db.query<[unknown[], number]>(
      `update fleet_import set alive_at = now(), done_lines = coalesce($2, done_lines), lines = coalesce($3, lines)
        where id = $1 and state = 'running' and cancel_asked_at is null returning id`,
      [id, done ?? null, lines ?? null],
    );
    if (rows.length === 0) throw await this.whyOver(id);
  }

  /** @returns whether it was still to be ended */
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

  private async whyOver(id: string): Promise<AppError> {
    const sql = `select from fleet_import where id = $1 and state = 'running' and cancel_asked_at is not null`;
    const code: ErrorCode =
      (await this.db.query<unknown[]>(sql, [id])).length > 0 ? 'import_cancelled' : 'import_interrupted';
    return new AppError(code);
  }
}

/** What an error tells its caller, as it is stored. */
function failureOf({ code, message, facts }: AppError): object {
  return { code, detail: message, errors: facts['errors'] ?? [] };
}
