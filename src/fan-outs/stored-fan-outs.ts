import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { DataSource } from 'typeorm';
import { Audit } from '../audit/entries/audit.js';
import { type Principal } from '../auth/access/access.js';
import { type WorkAuthor, WorkAuthors } from '../auth/keys/work-authors.js';
import { Clock } from '../platform/clock.js';
import { stopSentence } from '../auth/keys/author-judgement.js';
import { AppError } from '../platform/errors.js';
import { toAppError } from '../platform/http/problem.js';
import { errorFields } from '../platform/log.js';
import { LOG } from '../platform/platform.module.js';
import { Redactor } from '../platform/secrets/redactor.js';
import { Secrets } from '../platform/secrets/secrets.js';
import { Cancellation } from '../proxy/connections/cancellation.js';
import { FanOutChecks } from './fan-out-checks.js';
import { FanOutRecorder } from './fan-out-recorder.js';
import { FanOutReaders } from './fan-out-readers.js';
import { actsOf, FanOut, type FanOutMember, needsOf } from './fan-out.js';
import { type FanOutInput } from './fan-out.contract.js';
import { type LineChannel } from './line-channel.js';
import { isSameDevice, knownFor, type FormerDevice } from './retry-rules.js';

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
  readonly retry?: FanOutRetry;
}

interface FanOutRetry {
  readonly of: string;
  readonly deviceIds: readonly string[];
  /** What the first fan-out knew of each device; absent: it may be another device by now. */
  readonly known: ReadonlyMap<string, FormerDevice>;
}

/** One that runs in this process. */
class Run {
  readonly id = randomUUID();
  readonly cancellation = new Cancellation();
  isInterrupted = false;
  done: Promise<void> = Promise.resolve();
  /** Why its calls were stopped by something else than its author's rights. */
  ended: string | null = null;

  constructor(
    readonly author: WorkAuthor,
    readonly startedAt: Date,
  ) {}

  /** Why no more calls start; null while they may. */
  get stalled(): string | null {
    const { stop } = this.author;
    return this.ended ?? (stop && stopSentence(stop, null));
  }
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
    @Inject(WorkAuthors) private readonly authors: WorkAuthors,
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
      const members = sameDevices(await this.fanOut.members(input, actor, start.retry?.deviceIds), start.retry);
      if (writes) {
        const deviceIds = members.filter(({ isAllowed, refusal }) => isAllowed && !refusal).map(({ id }) => id);
        await this.checks.requireForMany(input, { deviceIds, approvalId, hasReader: requireCaller }, actor);
      }
      requireCaller();
      if (this.isStopping) throw new AppError('shutting_down');
      const run = new Run(this.authors.follow(actor, needsOf(input), writes), this.clock.now());
      await this.insert(run, start, members).catch((error: unknown) => {
        this.authors.leave(run.author);
        throw error;
      });
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

  private async insert(run: Run, { input, writes, actor, retry }: FanOutStart, members: readonly FanOutMember[]) {
    const acts = actsOf(input).map(({ method, path, query, writes: isWrite }) => ({
      method,
      path,
      query: query === '' ? '' : this.redactor.query(query, path),
      writes: isWrite,
    }));
    const location = { table: 'fan_out', column: 'sealed_request', rowId: run.id };
    const devices = members.flatMap((member) => {
      const known = retry ? knownFor(retry.known.get(member.id), member) : member;
      return known ? [[member.id, known.baseUrl, known.serial]] : [];
    });
    const sealed = this.secrets.seal(JSON.stringify({ input, devices }), location);
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
          run.startedAt,
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
  }

  /** Makes the calls. Without a reader, or when it leaves, it continues. */
  private async execute(
    run: Run,
    { input, actor }: FanOutStart,
    members: readonly FanOutMember[],
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
        for (const line of lines) if (line.type === 'summary' && run.stalled === null) run.ended = line.stopped;
        await channel?.offer(lines);
      }
    } catch (error) {
      failure = error;
      interrupt(run, toAppError(error).code);
      this.log.warn({ kind: 'fan-out', name: run.id, ...errorFields(error) }, 'A fan-out was interrupted');
    }
    await recorder.end({ state: run.isInterrupted ? 'interrupted' : 'ended', stopped: await this.stopOf(run) });
    this.authors.leave(run.author);
    this.running.delete(run.id);
    channel?.end(failure);
  }

  /** Why it stopped, and who stopped it. */
  private async stopOf({ ended, stalled, author, startedAt }: Run): Promise<string | null> {
    if (ended !== null || stalled === null) return ended;
    return (await this.authors.stopReason(author, startedAt).catch(() => null)) ?? stalled;
  }
}

/** Refuses devices of a retry that are no longer those of the first fan-out. */
function sameDevices(members: readonly FanOutMember[], retry: FanOutRetry | undefined): readonly FanOutMember[] {
  if (!retry) return members;
  return members.map((member) =>
    isSameDevice(retry.known.get(member.id), member) ? member : { ...member, refusal: 'device_replaced' as const },
  );
}

function cancel(run: Run): void {
  run.ended ??= 'it was cancelled';
}

/** Gives up the calls in progress, too. */
function interrupt(run: Run, why: string): void {
  run.ended ??= why;
  run.isInterrupted = true;
  run.cancellation.cancel();
}
