import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { Locks } from '../auth/access/locks.service.js';
import { Authors } from '../auth/keys/authors.service.js';
import { Clock } from '../platform/clock.js';
import { WorkMarks } from '../database/work-marks.js';
import { AppError } from '../platform/errors.js';
import { errorFields, LOG } from '../platform/log.js';
import { type Sweeper } from '../platform/sweeper.js';
import { AddressVisits } from '../proxy/sessions/address-visits.js';
import { type DiscoveryRun } from './discovery.entity.js';
import { DiscoveryRows } from './discovery-rows.js';
import { NetworkSearch } from './network-search.js';

/** Searches of a worker, each of another operator. Their visits share the admission of calls with jobs. */
const AT_ONCE = 4;

/** While others wait, a search gives up its place after this time: slow networks are searched for hours. */
const TURN_MS = 10 * 60_000;

/** A search that this process has in hand. */
interface Turn {
  readonly beganAtMs: number;
  /** Null: it has not been claimed yet. */
  search: NetworkSearch | null;
  ended: Promise<void>;
}

/**
 * Runs searches, one of each operator, operators in turn. A pass only starts them: a run goes on beside the passes, under a
 * mark, so that no other process takes it, and so that a run which crashes its processes is quarantined (ADR 22).
 */
@Injectable()
export class DiscoverySweeper implements Sweeper, BeforeApplicationShutdown {
  readonly name = 'discovery';
  readonly everyMs = 2_000;
  readonly isForWorkers = true;
  private wake: () => void = () => undefined;
  /** By the id of the run. */
  private readonly turns = new Map<string, Turn>();
  /** Operators whose searches had a turn here, the latest last. */
  private readonly served = new Set<string>();
  private isStopping = false;

  constructor(
    @Inject(DiscoveryRows) private readonly rows: DiscoveryRows,
    @Inject(AddressVisits) private readonly visits: AddressVisits,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(WorkMarks) private readonly marks: WorkMarks,
    @Inject(Authors) private readonly authors: Pick<Authors, 'find'>,
    @Inject(Locks) private readonly locks: Pick<Locks, 'lockOfAuthor'>,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onWork(wake: () => void): void {
    this.wake = wake;
  }

  /** There is a new run. */
  startSoon(): void {
    this.wake();
  }

  /** Hands the runs back: other processes go on with them. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    for (const { search } of this.turns.values()) search?.stop();
    await Promise.all([...this.turns.values()].map(({ ended }) => ended));
  }

  async sweep(): Promise<Record<string, number>> {
    const removed = await this.rows.removeOld();
    const waiting = (await this.rows.waiting()).filter(({ id }) => !this.turns.has(id));
    const order = [...this.served];
    waiting.sort((one, other) => order.indexOf(one.operatorId) - order.indexOf(other.operatorId)); // -1: never had a turn
    const next = this.isStopping ? [] : waiting.slice(0, AT_ONCE - this.turns.size);
    for (const run of next) this.begin(run);
    if (waiting.length > next.length) this.endLongestTurn();
    return { removed, started: next.length };
  }

  private begin({ id, operatorId }: Pick<DiscoveryRun, 'id' | 'operatorId'>): void {
    this.served.delete(operatorId);
    this.served.add(operatorId);
    const turn: Turn = { beganAtMs: this.clock.nowMs(), search: null, ended: Promise.resolve() };
    this.turns.set(id, turn);
    turn.ended = this.work(id, turn).then((hasRun) => {
      this.turns.delete(id);
      // Not after a pass that did nothing: another process has the run, or one that must run alone runs.
      if (hasRun) this.wake();
    });
  }

  private endLongestTurn(): void {
    const [first] = this.turns.values();
    if (first && this.clock.nowMs() - first.beganAtMs >= TURN_MS) first.search?.stop();
  }

  /** @returns whether this process worked on it */
  private async work(id: string, turn: Turn): Promise<boolean> {
    let hasRun = false;
    const work = async () => {
      hasRun = await this.execute(id, turn);
    };
    await this.marks
      .during('discovery', [id], work, (guilty) => this.rows.quarantine(guilty))
      .catch((error: unknown) => this.log.warn(errorFields(error), 'A search failed; it will go on'));
    return hasRun;
  }

  /** @returns whether this process worked on it */
  private async execute(id: string, turn: Turn): Promise<boolean> {
    const run = await this.rows.claim(id);
    if (!run) return false;
    const { rows, visits, clock } = this;
    const search = new NetworkSearch(run, { rows, visits, clock, mayContinue: (one) => this.mayContinue(one) });
    turn.search = search;
    if (this.isStopping) search.stop();
    if (!(await this.mayContinue(run))) search.stop('not_allowed');
    try {
      const end = await search.search();
      if (end === 'finished') await rows.endOwn(run, 'finished');
      if (end === 'not_allowed') await rows.endOwn(run, 'failed', 'starter_may_not');
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'secret_unreadable')) throw error;
      await rows.endOwn(run, 'failed', 'secret_unreadable');
    }
    return true;
  }

  /** A run uses the present rights of its starter, who may be locked. */
  private async mayContinue(run: DiscoveryRun): Promise<boolean> {
    const author = await this.authors.find(run);
    if (!author || this.locks.lockOfAuthor(author)) return false;
    return author.rights.allows({ action: 'discovery.manage' });
  }
}
