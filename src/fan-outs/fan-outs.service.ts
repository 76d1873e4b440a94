import { randomUUID } from 'node:crypto';
import { type ServerResponse } from 'node:http';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { DataSource } from 'typeorm';
import { Audit } from '../audit/entries/audit.js';
import { type Principal } from '../auth/access/access.js';
import { stopSentence } from '../auth/keys/author-judgement.js';
import { type WorkAuthor, WorkAuthors } from '../auth/keys/work-authors.js';
import { Clock } from '../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { AppError } from '../platform/errors.js';
import { Idempotency } from '../http/idempotency.js';
import { toAppError } from '../http/problem.js';
import { errorFields, LOG } from '../platform/log.js';
import { Permits } from '../processes/permits.js';
import { Redactor } from '../secrets/redactor.js';
import { Secrets } from '../secrets/secrets.js';
import { Cancellation } from '../proxy/connections/cancellation.js';
import { actsOf, FanOut, type FanOutControl, type FanOutMember, needsOf } from './fan-out.js';
import { FanOutChecks } from './fan-out-checks.js';
import { FanOutReader, requireReader } from './fan-out-reader.js';
import { FanOutRecorder } from './fan-out-recorder.js';
import { type FanOutInput, type FanOutLine } from './fan-outs.contract.js';
import { isSameDevice, knownFor, type FormerDevice } from './retry-rules.js';

/*
 * Runs fan-outs. One that is not stored ends with its reader. The calls of a stored one continue without a reader, and
 * their outcomes become rows. One process makes the calls of one fan-out. A stop ends it as `interrupted`. When the
 * process is lost, the sweeper of another one does so, with what was recorded.
 */

export interface FanOutStart {
  readonly input: FanOutInput;
  readonly actor: Principal;
  readonly approvalId: string | undefined;
  /** The connection of the caller, who must be there until it has begun. */
  readonly raw: ServerResponse;
  /** For a retry: these devices of that fan-out. */
  readonly retry?: FanOutRetry;
}

interface FanOutRetry {
  readonly of: string;
  readonly deviceIds: readonly string[];
  /** What the first fan-out knew of each device; absent: it may be another device by now. */
  readonly known: ReadonlyMap<string, FormerDevice>;
}

interface StartedFanOut {
  readonly id: string;
  /** Null: its lines are not streamed. */
  readonly reader: FanOutReader | null;
  /** Whether an earlier request with its key began it. */
  readonly isRepeated: boolean;
}

/** A fan-out of this process. */
class Run implements FanOutControl {
  isInterrupted = false;
  done: Promise<void> = Promise.resolve();
  /** Why its calls were stopped by something else than its author's rights or its reader. */
  ended: string | null = null;

  constructor(
    readonly operationId: string,
    readonly startedAt: Date,
    /** Of one that is stored. */
    readonly author: WorkAuthor | null,
    /** Of one that is not stored: it ends with this one. */
    private readonly reader: FanOutReader | null,
    readonly cancellation = reader?.cancellation ?? new Cancellation(),
  ) {}

  get stalled(): string | null {
    const stop = this.author?.stop;
    return this.ended ?? (stop ? stopSentence(stop, null) : (this.reader?.stalled ?? null));
  }
}

@Injectable()
export class FanOuts implements BeforeApplicationShutdown {
  private readonly running = new Map<string, Run>();
  private isStopping = false;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(FanOut) private readonly fanOut: FanOut,
    @Inject(FanOutChecks) private readonly checks: FanOutChecks,
    @Inject(Idempotency) private readonly idempotency: Idempotency,
    @Inject(WorkAuthors) private readonly authors: WorkAuthors,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Secrets) private readonly secrets: Secrets,
    @Inject(Redactor) private readonly redactor: Redactor,
    @Inject(Permits) private readonly permits: Pick<Permits, 'take'>,
    @Inject(CONFIG)
    private readonly config: Pick<GatewayConfig, 'FAN_OUTS_PER_OPERATOR' | 'FAN_OUT_READER_SECONDS'>,
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
   * Starts a fan-out, once for its key: a write needs one, a stored read may have one. The route sees to that of a retry.
   * @throws AppError `too_many_fan_outs`, `shutting_down`; as `Idempotency.begin`, `FanOut.members`, `FanOutChecks`
   */
  async start(start: FanOutStart, key: string | undefined): Promise<StartedFanOut> {
    const { input, actor, retry } = start;
    const writes = this.checks.check(input, actor);
    const needsKey = writes && !input.dryRun;
    if (key === undefined && needsKey) throw new AppError('idempotency_key_required');
    if (key === undefined || retry || !(needsKey || input.keep)) return this.begin(start, needsKey);
    const before = await this.idempotency.begin(key, actor, input);
    if (before !== null) return this.repeated(JSON.parse(before) as FanOutLine[], start);
    const started = await this.begin(start, needsKey, key).catch(async (error: unknown) => {
      await this.idempotency.release(key, actor);
      throw error;
    });
    // It runs: when this fails, its key stays reserved.
    const line: FanOutLine = { type: 'started', fanOutId: started.id };
    if (input.keep) await this.idempotency.finish(key, actor, JSON.stringify([line]));
    return started;
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

  /** A repeated request gets the lines without the bodies; of a stored fan-out, its id alone. */
  private async repeated(lines: readonly FanOutLine[], { input, actor, raw }: FanOutStart): Promise<StartedFanOut> {
    const [first] = lines;
    requireReader(raw);
    if (input.stream) atClose(raw, await this.take(actor)); // a slow reader holds all lines, as the first one did
    const reader = input.stream ? this.readerOf(raw) : null;
    void reader?.write(lines).then(() => reader.end());
    return { id: first?.type === 'started' ? first.fanOutId : '', reader, isRepeated: true };
  }

  /** @param key remembers the lines of a write that is not stored */
  private async begin(start: FanOutStart, writes: boolean, key?: string): Promise<StartedFanOut> {
    const { input, actor, approvalId, raw, retry } = start;
    const requireCaller = () => requireReader(raw);
    requireCaller();
    const release = await this.take(actor);
    if (!input.keep) atClose(raw, release); // it counts until all is read
    try {
      const members = sameDevices(await this.fanOut.members(input, actor, retry?.deviceIds), retry);
      if (writes) {
        const deviceIds = members.filter(({ isAllowed, refusal }) => isAllowed && !refusal).map(({ id }) => id);
        await this.checks.requireForMany(input, deviceIds, actor, approvalId, requireCaller);
      }
      requireCaller();
      if (this.isStopping) throw new AppError('shutting_down');
      const [id, startedAt] = [randomUUID(), this.clock.now()];
      if (input.keep) await this.insert(id, startedAt, writes, start, members);
      const reader = input.stream ? this.readerOf(raw) : null;
      const author = input.keep ? this.authors.follow(actor, needsOf(input), writes) : null;
      const run = new Run(id, startedAt, author, input.keep ? null : reader);
      run.done = this.execute(run, start, members, reader, key);
      if (input.keep) void run.done.then(release);
      return { id, reader, isRepeated: false };
    } catch (error) {
      if (input.keep) release();
      throw error;
    }
  }

  private readerOf(raw: ServerResponse): FanOutReader {
    return new FanOutReader(raw, this.config.FAN_OUT_READER_SECONDS * 1000);
  }

  /** Counts an open fan-out, whose unread lines wait in memory. @returns ends the count @throws AppError `too_many_fan_outs` */
  private async take({ operatorId }: Principal): Promise<() => void> {
    const limit = this.config.FAN_OUTS_PER_OPERATOR;
    const release = await this.permits.take(`fan-outs:${operatorId}`, limit);
    if (!release) throw new AppError('too_many_fan_outs', { limit });
    return release;
  }

  private async insert(
    id: string,
    startedAt: Date,
    writes: boolean,
    { input, actor, retry }: FanOutStart,
    members: readonly FanOutMember[],
  ): Promise<void> {
    const acts = actsOf(input).map(({ method, path, query, writes: isWrite }) => ({
      method,
      path,
      query: query === '' ? '' : this.redactor.query(query, path),
      writes: isWrite,
    }));
    const devices = members.flatMap((member) => {
      const known = retry ? knownFor(retry.known.get(member.id), member) : member;
      return known ? [[member.id, known.baseUrl, known.serial]] : [];
    });
    const location = { table: 'fan_out', column: 'sealed_request', rowId: id };
    const sealed = this.secrets.seal(JSON.stringify({ input, devices }), location);
    const deviceIds = members.map((member) => member.id);
    const by = [actor.operatorId, actor.actorId, actor.name, startedAt];
    const requests = acts.map(({ method, path }) => ({ method, path }));
    const facts = { selector: input.selector, requests, devices: members.length, retryOf: retry?.of };
    await this.db.transaction(async (tx) => {
      await tx.query(
        `insert into fan_out (id, state, selector, acts, writes, sealed_request, device_ids, retry_of, operator_id,
                              created_by, created_by_name, created_at, alive_at)
         values ($1, 'running', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now())`,
        [id, input.selector, JSON.stringify(acts), writes, sealed, deviceIds, retry?.of ?? null, ...by],
      );
      const about = { subject: `fanout:${id}`, operationId: id, facts };
      await this.audit.record(tx, { actor, action: 'fan_out.start', ...about });
    });
  }

  /** Makes the calls. Never rejects. */
  private async execute(
    run: Run,
    { input, actor }: FanOutStart,
    members: readonly FanOutMember[],
    reader: FanOutReader | null,
    key: string | undefined,
  ): Promise<void> {
    const { operationId: id } = run;
    this.running.set(id, run);
    const recorder = input.keep ? this.recorderOf(run) : undefined;
    if (this.isStopping) interrupt(run, 'the gateway stopped');
    const told: FanOutLine[] = [];
    let failure: Error | null = null;
    try {
      if (recorder) await reader?.write([{ type: 'started', fanOutId: id }]);
      for await (const lines of this.fanOut.run(members, input, actor, run, recorder)) {
        if (key !== undefined && !recorder) told.push(...repeatable(lines, run));
        const last = lines.at(-1);
        if (last?.type === 'summary' && run.stalled === null) run.ended = last.stopped;
        await reader?.write(lines);
      }
    } catch (error) {
      failure = error as Error;
      interrupt(run, toAppError(error).code);
      this.log.warn({ kind: 'fan-out', name: id, ...errorFields(error) }, 'A fan-out was interrupted');
    }
    await recorder?.end({ state: run.isInterrupted ? 'interrupted' : 'ended', stopped: await this.stopOf(run) });
    if (key !== undefined && !recorder) await this.remember(told, key, actor);
    if (run.author) this.authors.leave(run.author);
    this.running.delete(id);
    if (failure) reader?.stream.destroy(failure);
    else reader?.end();
  }

  private recorderOf(run: Run): FanOutRecorder {
    return new FanOutRecorder(run.operationId, this.db, this.secrets, this.log, (why) =>
      why === 'cancelled' ? cancel(run) : interrupt(run, 'another process ended it'),
    );
  }

  private async remember(told: FanOutLine[], key: string, actor: Principal): Promise<void> {
    if (told.at(-1)?.type !== 'summary')
      told.push({ type: 'broken_off', reason: 'the connection of the sender closed' });
    await this.idempotency.finish(key, actor, JSON.stringify(told)).catch((error: unknown) => {
      this.log.warn({ kind: 'fan-out', ...errorFields(error) }, 'The lines of a fan-out could not be stored');
    });
  }

  /** Why it stopped, and who stopped it. */
  private async stopOf({ ended, stalled, author, startedAt }: Run): Promise<string | null> {
    if (ended !== null || stalled === null || !author) return ended;
    return (await this.authors.stopReason(author, startedAt).catch(() => null)) ?? stalled;
  }
}

/** Lines without what devices said, which may hold secrets; no summary where the reader did not wait for it. */
const repeatable = (lines: readonly FanOutLine[], { cancellation }: Run): FanOutLine[] =>
  lines.flatMap((line): FanOutLine[] => {
    if (line.type === 'result') return [{ ...line, body: undefined }];
    return cancellation.isCancelled ? [] : [line];
  });

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

/** Calls `release` when a connection closes, or now when it has. */
function atClose(raw: ServerResponse, release: () => void): void {
  if (raw.destroyed) release();
  else raw.once('close', release);
}
