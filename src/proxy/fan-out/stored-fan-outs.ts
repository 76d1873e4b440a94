import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { DataSource } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Principal } from '../../auth/access/access.js';
import { type FleetMember } from '../../devices/fleet-files/fleet.service.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { toAppError } from '../../platform/http/problem.js';
import { errorFields } from '../../platform/log.js';
import { LOG } from '../../platform/platform.module.js';
import { Redactor } from '../../platform/secrets/redactor.js';
import { Secrets } from '../../platform/secrets/secrets.js';
import { Cancellation } from '../connections/cancellation.js';
import { FanOutChecks } from './fan-out-checks.js';
import { FanOutRecorder } from './fan-out-recorder.js';
import { FanOutReaders } from './fan-out-readers.js';
import { actsOf, FanOut } from './fan-out.js';
import { type FanOutInput } from './fan-out.contract.js';
import { type LineChannel } from './line-channel.js';

/*
 * Runs stored fan-outs. The calls are those of every fan-out; they continue without a reader, and their outcomes become
 * rows. One process makes the calls of one fan-out. A stop ends it as `interrupted`. When the process is lost, the
 * sweeper of another one does so, with what was recorded.
 */

/** What a fan-out is started with. */
export interface FanOutStart {
  readonly input: FanOutInput;
  /** By `FanOutChecks.check`. */
  readonly writes: boolean;
  readonly actor: Principal;
  readonly approvalId: string | undefined;
  /** Throws when the caller has disconnected; from then on it continues without the caller. */
  readonly requireCaller: () => void;
  /** For a retry: these devices of that fan-out. */
  readonly retry?: { readonly of: string; readonly deviceIds: readonly string[] };
}

/** One that runs in this process. */
interface Run {
  readonly id: string;
  readonly cancellation: Cancellation;
  /** Why no more calls start; null while they may. */
  stalled: string | null;
  isInterrupted: boolean;
  done: Promise<void>;
}

@Injectable()
export class StoredFanOuts implements BeforeApplicationShutdown {
  private readonly running = new Map<string, Run>();
  private isStopping = false;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(FanOut) private readonly fanOut: FanOut,
    @Inject(FanOutChecks) private readonly checks: FanOutChecks,
    @Inject(FanOutReaders) private readonly readers: FanOutReaders,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Secrets) private readonly secrets: Secrets,
    @Inject(Redactor) private readonly redactor: Redactor,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Ends the fan-outs of this process, with what was recorded. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    const runs = [...this.running.values()];
    for (const run of runs) interrupt(run, 'the gateway stopped');
    await Promise.all(runs.map(({ done }) => done));
  }

  /**
   * Starts a fan-out. The caller has checked the request with `FanOutChecks.check`.
   * @param channel gets the lines, when there is a reader
   * @returns its id
   * @throws AppError `too_many_fan_outs`, `shutting_down`; as `FanOut.members` and `FanOutChecks.requireForMany`
   */
  async start(start: FanOutStart, channel: LineChannel | null = null): Promise<string> {
    const release = this.readers.take(start.actor);
    try {
      const { input, writes, actor, approvalId, requireCaller } = start;
      const members = await this.fanOut.members(input, actor, start.retry?.deviceIds);
      if (writes) {
        const deviceIds = members.filter(({ isAllowed }) => isAllowed).map(({ id }) => id);
        await this.checks.requireForMany(input, { deviceIds, approvalId, hasReader: requireCaller }, actor);
      }
      requireCaller();
      if (this.isStopping) throw new AppError('shutting_down');
      const run = await this.insert(start, members);
      run.done = this.execute(run, start, members, channel).finally(release);
      return run.id;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** No more calls start; those in progress still finish. @throws AppError `fan_out_ended` */
  async cancel(id: string, actor: Principal): Promise<void> {
    await this.db.transaction(async (tx) => {
      const [rows] = await tx.query<[unknown[], number]>(
        `update fan_out set cancel_asked_at = coalesce(cancel_asked_at, now()) where id = $1 and state = 'running'
          returning id`,
        [id],
      );
      if (rows.length === 0) throw new AppError('fan_out_ended');
      await this.audit.record(tx, { actor, action: 'fan_out.cancel', subject: `fanout:${id}` });
    });
    const run = this.running.get(id); // in another process its next save says so
    if (run) cancel(run);
  }

  private async insert({ input, writes, actor, retry }: FanOutStart, members: readonly FleetMember[]) {
    const run: Run = {
      id: randomUUID(),
      cancellation: new Cancellation(),
      stalled: null,
      isInterrupted: false,
      done: Promise.resolve(),
    };
    const acts = actsOf(input).map(({ method, path, query, writes: isWrite }) => ({
      method,
      path,
      query: query === '' ? '' : this.redactor.query(query, path),
      writes: isWrite,
    }));
    const location = { table: 'fan_out', column: 'sealed_request', rowId: run.id };
    const sealed = this.secrets.seal(JSON.stringify(input), location);
    await this.db.transaction(async (tx) => {
      await tx.query(
        `insert into fan_out (id, state, selector, acts, writes, sealed_request, device_ids, retry_of, operator_id,
                              created_by, created_by_name, created_at, alive_at)
         values ($1, 'running', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now())`,
        [
          run.id,
          input.selector,
          JSON.stringify(acts),
          writes,
          sealed,
          members.map(({ id }) => id),
          retry?.of ?? null,
          actor.operatorId,
          actor.actorId,
          actor.name,
          this.clock.now(),
        ],
      );
      const requests = acts.map(({ method, path }) => ({ method, path }));
      const facts = { selector: input.selector, requests, devices: members.length, retryOf: retry?.of };
      await this.audit.record(tx, {
        actor,
        action: 'fan_out.start',
        subject: `fanout:${run.id}`,
        operationId: run.id,
        facts,
      });
    });
    return run;
  }

  /** Makes the calls. Without a reader, or when it leaves, it continues. */
  private async execute(
    run: Run,
    { input, actor }: FanOutStart,
    members: readonly FleetMember[],
    channel: LineChannel | null,
  ): Promise<void> {
    this.running.set(run.id, run);
    const recorder = new FanOutRecorder(run.id, this.db, this.secrets, this.log, (why) =>
      why === 'cancelled' ? cancel(run) : interrupt(run, 'another process ended it'),
    );
    if (this.isStopping) interrupt(run, 'the gateway stopped');
    let failure: unknown = null;
    try {
      await channel?.offer([{ type: 'started', fanOutId: run.id }]);
      for await (const lines of this.fanOut.run(members, input, actor, run, recorder)) {
        for (const line of lines) if (line.type === 'summary') run.stalled ??= line.stopped;
        await channel?.offer(lines);
      }
    } catch (error) {
      failure = error;
      interrupt(run, toAppError(error).code);
      this.log.warn({ kind: 'fan-out', name: run.id, ...errorFields(error) }, 'A fan-out was interrupted');
    }
    await recorder.end({ state: run.isInterrupted ? 'interrupted' : 'ended', stopped: run.stalled });
    this.running.delete(run.id);
    channel?.end(failure);
  }
}

function cancel(run: Run): void {
  run.stalled ??= 'it was cancelled';
}

/** Gives up the calls in progress, too. */
function interrupt(run: Run, why: string): void {
  run.stalled ??= why;
  run.isInterrupted = true;
  run.cancellation.cancel();
}
