import { setImmediate as nextTurn } from 'node:timers/promises';
import { type FleetMember } from '../devices/fleet-files/fleet.service.js';
import { StartsPerTurn } from '../platform/event-loop.js';
import { type AppError } from '../platform/errors.js';
import { toAppError } from '../http/problem.js';
import { type Admission, type CallPermit } from '../proxy/admission/admission.js';
import { type SiteQueues } from './site-queues.js';
import { type CallContext, type PreparedRequest } from '../proxy/calls/call-context.js';
import { type CallExecutor } from '../proxy/calls/call-executor.js';
import { type CloseRead } from '../proxy/calls/secret-reads.js';
import { Cancellation } from '../proxy/connections/cancellation.js';
import { Collector } from '../proxy/connections/collector.js';
import { type ResultLine } from './fan-outs.contract.js';
import { answerLine, errorLine, type ReadAnswer, type StorableAnswer } from './answer-lines.js';

/*
 * The calls of one fan-out: starts as many as may run, and hands over their lines. It is driven by the ends of calls.
 */

/** Lines and bytes that may wait for a slow reader before no more calls start. */
const LINES_AHEAD = 1_000;
const BYTES_AHEAD = 4 * 1024 * 1024;

/** Lines of this time leave in one write. A write for each turn of the event loop cost a tenth of a warm fan-out. */
const GATHERED_MS = 10;

/** What a fan-out calls, and how it reads the answers. */
export interface FanOutWork extends AnswerReading {
  /** The devices, by site. */
  readonly sites: SiteQueues<FleetMember>;
  readonly concurrency: number;
  readonly request: PreparedRequest;
  readonly context: CallContext;
  readonly cancellation: Cancellation;
  readonly isStopped: () => boolean;
  /** Counts a line at once, so that the next call does not wait for the reader. */
  readonly counted: (result: ResultLine, answer: StorableAnswer | null) => ResultLine;
}

export interface AnswerReading {
  /** What an answer of a device says, and the caller may see. */
  readonly read: (deviceId: string, bytes: Buffer) => ReadAnswer;
  /** Closes the audit entries of unredacted reads. */
  readonly reads: ReadonlyMap<string, CloseRead>;
}

/** Devices of a site share a queue; one that has no site has its own. */
export const siteOf = ({ site, id }: FleetMember): string => (site === '' ? id : site);

/** The call of one device, and its answer. */
class DeviceAnswer extends Collector {
  readonly startedAt = performance.now();
  readonly cancellation = new Cancellation();

  constructor(
    readonly member: FleetMember,
    readonly permit: CallPermit,
  ) {
    super();
  }
}

export class FanOutRun {
  private readonly underWay = new Set<DeviceAnswer>();
  private readonly starts: StartsPerTurn;
  private lines: ResultLine[] = [];
  private bytes = 0;
  private isLeft: boolean;
  private wake: (() => void) | null = null;
  private gathering: NodeJS.Timeout | null = null;
  /** A defect of the gateway, which ends the fan-out. */
  private defect: unknown = null;

  constructor(
    private readonly executor: Pick<CallExecutor, 'execute'>,
    private readonly admission: Admission,
    private readonly work: FanOutWork,
  ) {
    this.isLeft = work.cancellation.isCancelled;
    this.starts = new StartsPerTurn(
      () => admission.fanOutPerTurn,
      () => this.fill(),
    );
  }

  /** Makes the calls and yields their lines in the order of arrival, those of the same moment together. */
  async *results(): AsyncGenerator<readonly ResultLine[]> {
    const { cancellation } = this.work;
    try {
      cancellation.onCancel(() => this.leave());
      for (;;) {
        if (this.defect !== null) throw this.defect;
        this.fill(); // a slow reader may have held it up
        if (this.lines.length > 0) {
          this.bytes = 0;
          yield this.lines.splice(0);
        } else if (this.underWay.size > 0) await new Promise<void>((resolve) => (this.wake = resolve));
        else if (!this.starts.hasLeft && !this.isOver) await nextTurn();
        else return;
      }
    } finally {
      cancellation.onCancel(null);
      this.leave(); // all is done and no call runs
    }
  }

  private get isOver(): boolean {
    return this.isLeft || this.work.isStopped();
  }

  /** One call always runs, so that a fan-out goes on however many others there are. */
  private get hasCapacity(): boolean {
    const { size } = this.underWay;
    return size === 0 || (size < this.work.concurrency && this.admission.hasCapacity);
  }

  /** Starts calls, as many as may start now. */
  private fill(): void {
    const hasRoom = () => this.lines.length < LINES_AHEAD && this.bytes < BYTES_AHEAD;
    while (!this.isOver && hasRoom() && this.starts.hasLeft && this.hasCapacity) {
      const member = this.work.sites.take();
      if (!member) return;
      this.starts.take();
      this.start(member);
    }
  }

  private start(member: FleetMember): void {
    const { request, context } = this.work;
    const answer = new DeviceAnswer(member, this.admission.fanOutStarted());
    this.underWay.add(answer);
    this.executor
      .execute(member.id, request, context, answer, answer.cancellation)
      .then(
        () => this.end(answer, null),
        (error: AppError) => this.end(answer, error),
      )
      .catch((thrown: unknown) => {
        this.defect = thrown;
        this.handOver();
      });
  }

  private end(answer: DeviceAnswer, error: AppError | null): void {
    this.underWay.delete(answer);
    this.admission.fanOutEnded(answer.permit);
    this.work.sites.leave(siteOf(answer.member));
    this.lines.push(this.lineOf(answer, error));
    this.fill();
    if (this.underWay.size === 0) this.handOver();
    else this.gathering ??= setTimeout(() => this.handOver(), GATHERED_MS);
  }

  private lineOf(answer: DeviceAnswer, error: AppError | null): ResultLine {
    const { member, startedAt, status } = answer;
    const { read, reads, counted } = this.work;
    const ms = Math.round(performance.now() - startedAt);
    reads.get(member.id)?.(error ?? undefined);
    if (error) return counted(errorLine(member, error, ms), null);
    try {
      const bytes = answer.bytes();
      const found = read(member.id, bytes);
      const line = counted(answerLine(member, status, found, ms), found.stored);
      if (line.body !== undefined) this.bytes += bytes.length;
      return line;
    } catch (thrown) {
      return counted(errorLine(member, toAppError(thrown), ms), null);
    }
  }

  private handOver(): void {
    if (this.gathering) clearTimeout(this.gathering);
    this.gathering = null;
    this.wake?.();
    this.wake = null;
  }

  private leave(): void {
    this.isLeft = true;
    for (const { cancellation } of this.underWay) cancellation.cancel();
  }
}
