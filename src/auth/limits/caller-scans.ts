import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { SlotQueue, type Wait } from '../../platform/limits/slot-queue.js';
import { withTimeout } from '../../platform/with-timeout.js';
import { type Principal } from '../access/access.js';
import { ENDPOINT, type EndpointInfo, untilClosed } from '../../http/endpoint.js';

/*
 * The share of the database's connections that scans of callers may use: what costs more the larger the fleet is. The rest is
 * for authentication, readiness, leases of jobs, the audit, writes, and reads of one thing, which take milliseconds. A share
 * belongs to an operator and not to a key: every operator may make keys of their own.
 */

/** Requests of one operator that may wait: a script with a hundred at once is served, one with a thousand is told. */
const WAITING_MAX = 256;

/** As long as most clients wait for an answer. */
const WAIT_MS = 30_000;

/** A reader of a file has its first part, and must not lose the rest to a busy minute. */
const PAGE_WAIT_MS = 60_000;

/** Fifty thousand devices are read in a second or two. A statement of the gateway's own may take 30 s. */
const READ_WITHIN_MS = 10_000;

type Reader = Pick<Principal, 'operatorId'>;

/** @param poolSize connections for rows, all in all */
export function scanLimits(poolSize: number) {
  const total = Math.max(1, Math.floor(poolSize / 2));
  return { total, perKey: Math.ceil(total / 3), waitingPerKey: WAITING_MAX };
}

@Injectable()
export class CallerScans {
  private readonly queue: SlotQueue;

  constructor(@Inject(CONFIG) { DATABASE_POOL_SIZE }: Pick<GatewayConfig, 'DATABASE_POOL_SIZE'>) {
    const limits = scanLimits(DATABASE_POOL_SIZE);
    const facts = { limit: limits.perKey, waiting: limits.waitingPerKey, retryAfterSeconds: 2 };
    this.queue = new SlotQueue(limits, () => new AppError('too_many_scans', facts));
  }

  /**
   * Runs what scans for a caller, in turn.
   * @throws AppError `too_many_scans`, `request_aborted`; errors of `work`
   */
  inTurn<Result>({ operatorId }: Reader, work: () => Promise<Result>, wait: Wait = {}): Promise<Result> {
    return this.queue.run(operatorId, work, { waitMs: WAIT_MS, ...wait });
  }

  /**
   * As `inTurn`, and not longer than a read may take. What is late goes on without its caller, and holds its slot to its end.
   * @param dispose gets a result that came too late
   * @throws AppError `too_many_scans`, `took_too_long`, `request_aborted`; errors of `work`
   */
  inTime<Result>(
    reader: Reader,
    work: () => Promise<Result>,
    dispose: (late: Result) => void,
    gone?: AbortSignal,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const limited = async () => {
        const running = work();
        const answer = withTimeout(READ_WITHIN_MS, running, () => {
          running.then(dispose, () => undefined);
          throw new AppError('took_too_long', { limitMs: READ_WITHIN_MS });
        });
        answer.then(resolve, reject);
        await running;
      };
      this.inTurn(reader, limited, { gone }).catch(reject);
    });
  }

  /**
   * A page of a file that is read at the speed of its reader: no slot is held between two pages.
   * @param gone ends the wait, when the reader has left
   */
  page<Result>(reader: Reader, work: () => Promise<Result>, gone: AbortSignal): Promise<Result> {
    return this.inTurn(reader, work, { waitMs: PAGE_WAIT_MS, gone });
  }
}

/*
 * Every route that declares `scans` takes its turn. A change has no limit of time: its devices are read first, then changed.
 * It is the outermost interceptor: a refused request uses no Idempotency-Key, and its answer is made within its turn.
 */
@Injectable()
export class ScansInterceptor implements NestInterceptor {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(CallerScans) private readonly scans: CallerScans,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const info = this.reflector.get<EndpointInfo | undefined>(ENDPOINT, context.getHandler());
    if (!info?.scans) return next.handle();
    const http = context.switchToHttp();
    const reader = http.getRequest<FastifyRequest>().actor as Principal;
    const gone = untilClosed(http.getResponse<FastifyReply>());
    const work = () => lastValueFrom(next.handle(), { defaultValue: undefined });
    return from(
      info.audit === undefined
        ? this.scans.inTime(reader, work, discard, gone)
        : this.scans.inTurn(reader, work, { gone }),
    );
  }
}

/** Frees the file of an answer that came too late. */
function discard(answer: unknown): void {
  if (answer instanceof StreamableFile) answer.getStream().destroy();
}
