import cluster, { type Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { availableParallelism } from 'node:os';
import { type Logger } from 'pino';
import { SystemClock } from './platform/clock.js';
import { type GatewayConfig } from './platform/config.js';
import { Buckets } from './platform/limits/token-bucket.js';
import { errorFields } from './platform/log.js';
import { withTimeout } from './platform/with-timeout.js';
import { CHILD_MARK, type ChildServices, type ChildTask, type ParentServices } from './processes/parent-process.js';
import { Peer } from './processes/peer.js';
import { PermitTable } from './processes/permits.js';
import { SessionTable } from './proxy/sessions/session-board.js';
import { type StartResources } from './start.js';

/*
 * The parent of the processes of one machine. It starts the embedded database and the children, has what they share (logins
 * and sessions of devices, limits), and starts another child in the place of one that ended:
 *
 *   api, api, …   share the listener and answer requests
 *   worker        runs jobs and all else in the background; it listens while no api process does
 *
 * It does nothing that takes time, so that it never blocks a child.
 */

/** Pauses before another child in the place of one that ended, by how often that happened in a row. */
const RESTART_AFTER_MS = [0, 500, 2_000, 5_000, 15_000];

/** A child that worked for this long has not failed at its start. */
const WORKED_MS = 60_000;

/** How a child ends that was told to, as by a signal to all processes that it gets before its parent does: no failure of a start. */
const AS_TOLD: ReadonlySet<string | number> = new Set([0, 'SIGTERM', 'SIGINT']);

/** A child that does not answer by then is left out of what is told of all. */
const ASK_WITHIN_MS = 2_000;

interface Child {
  readonly task: ChildTask;
  readonly worker: Worker;
  readonly peer: Peer;
  readonly startedAt: number;
  isReady: boolean;
}

/**
 * How many processes do the work of this gateway.
 * @param cores that it may use
 * @throws Error in an operator's words
 */
export function processCount({ PROCESSES, ROLE }: GatewayConfig, cores = availableParallelism()): number {
  if (PROCESSES === undefined) return ROLE !== 'all' || cores === 1 ? 1 : cores < 4 ? 2 : 3;
  if (ROLE === 'worker' && PROCESSES > 1)
    throw new Error('PROCESSES is for ROLE=all and ROLE=api: a process with ROLE=worker is one. Remove PROCESSES.');
  const most = cores + (ROLE === 'all' ? 1 : 0);
  if (PROCESSES > most)
    throw new Error(
      `PROCESSES is ${PROCESSES}, and this machine has ${cores} cores: set at most ${most}, one for each core` +
        `${ROLE === 'all' ? ' and one that runs jobs' : ''}.`,
    );
  return PROCESSES;
}

/** What a child is set to, where it differs from the settings of all. */
export function childConfig(config: GatewayConfig, task: ChildTask): GatewayConfig {
  const share = Math.max(LEAST_POOL, Math.floor(config.DATABASE_POOL_SIZE / task.processes));
  return { ...config, ROLE: task.role, PORT: task.port, PROCESSES: task.processes, DATABASE_POOL_SIZE: share };
}

/** As few as the setting allows. */
const LEAST_POOL = 4;

export class MachineProcesses {
  private readonly children = new Map<string, Child>();
  private readonly sessions = new SessionTable(
    () => [...this.children.keys()],
    () => this.isStopping,
  );
  private readonly permits = new PermitTable();
  private readonly buckets = new Buckets(new SystemClock());
  /** By the place of a child: how often in a row it ended soon after its start. */
  private readonly failures = new Map<number, number>();
  private isStopping = false;
  private isUp = false;
  private readonly started = new EventEmitter<{ ready: []; failed: [error: Error] }>();
  /** Where people reach the gateway, once a child works. */
  url = '';

  /** @param count as `processCount` */
  constructor(
    private readonly config: Pick<GatewayConfig, 'ROLE'>,
    private readonly count: number,
    private readonly resources: StartResources,
    private readonly log: Logger,
  ) {}

  /**
   * Starts all children. It resolves once all work.
   * @param program the file that each child runs
   * @throws Error when one of them cannot start
   */
  start(program: string): Promise<void> {
    // The kernel hands out connections: one that the parent passed to a child that ends at that moment would hang for ever.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ exec: program, args: [], serialization: 'advanced' });
    for (let place = 0; place < this.count; place++) this.fork(place);
    return new Promise((resolve, reject) => this.started.once('ready', resolve).once('failed', reject));
  }

  /** Ends the children in order, and then the database. @returns whether each of them ended so in time */
  async stop(withinMs: number): Promise<boolean> {
    this.isStopping = true;
    const ended = [...this.children.values()].map(({ worker, isReady }) => {
      // One that is still loading knows no signal, and has nothing to hand back.
      const exit = new Promise<boolean>((resolve) => worker.once('exit', (code) => resolve(code === 0 || !isReady)));
      worker.process.kill('SIGTERM');
      return withTimeout(withinMs, exit, () => {
        worker.process.kill('SIGKILL');
        return false;
      });
    });
    const inOrder = (await Promise.all(ended)).every(Boolean);
    await this.resources.database?.stop();
    return inOrder;
  }

  /** Starts the child of a place. Where the system allows no process, it is tried again. */
  private fork(place: number): void {
    const task = this.taskOf(place);
    try {
      this.follow(cluster.fork({ [CHILD_MARK]: task.id }), task, place);
    } catch (error) {
      this.log.error(errorFields(error), 'A process could not be started');
      this.forkLater(place, RESTART_AFTER_MS.at(-1)!);
    }
  }

  private taskOf(place: number): ChildTask {
    const apis = this.config.ROLE === 'all' ? 1 : 0; // the place of the first one
    const { listener, database } = this.resources;
    const shared = { processes: this.count, hasWorker: apis > 0, ...listener, databaseUrl: database?.url ?? null };
    const role = place < apis ? 'worker' : 'api';
    return { id: randomUUID(), role, isFirst: place === apis, place: Math.max(place - apis, 0) + 1, ...shared };
  }

  private follow(worker: Worker, task: ChildTask, place: number): void {
    const child: Child = { task, worker, peer: new Peer(worker), startedAt: performance.now(), isReady: false };
    this.children.set(task.id, child);
    child.peer.serve('sessions', this.sessions);
    child.peer.serve('permits', this.permits);
    child.peer.serve('buckets', this.buckets);
    child.peer.serve('parent', this.servicesFor(child));
    worker.on('error', (error) => {
      // Else a message to a child that has just ended; that one has an exit, too.
      if (worker.process.pid === undefined) this.ended(child, place, error.message);
    });
    worker.once('exit', (code, signal) => this.ended(child, place, signal ?? code));
  }

  private servicesFor(child: Child): ParentServices {
    return {
      task: async () => child.task,
      stopping: async () => {
        child.isReady = false;
        await withTimeout(ASK_WITHIN_MS, this.arrangeListener(true), () => undefined);
      },
      ready: async (url) => {
        this.url = url;
        child.isReady = true;
        const { worker, task } = child;
        this.log.info({ role: task.role, pid: worker.process.pid }, 'A process works');
        if (!this.isUp && [...this.children.values()].every(({ isReady }) => isReady)) {
          this.isUp = true;
          this.started.emit('ready');
        }
        void this.arrangeListener();
      },
      failed: async (refusal) => {
        const { role } = child.task;
        const reason = refusal ?? `its process with the role ${role} ended, and the log says why`;
        if (!this.isUp) this.started.emit('failed', new Error(reason));
        else this.log.error({ role, reason }, 'A process could not start');
      },
      askAll: async (object, method) => {
        const ready = [...this.children.values()].filter(({ isReady }) => isReady);
        const asked = ready.map(({ peer }) =>
          withTimeout(ASK_WITHIN_MS, peer.call(object, method, []), () => undefined).catch(() => undefined),
        );
        return (await Promise.all(asked)).filter((answer) => answer !== undefined);
      },
    };
  }

  private ended(child: Child, place: number, how: string | number): void {
    const { task, peer, worker, startedAt } = child;
    peer.close();
    this.children.delete(task.id);
    this.sessions.ended(task.id);
    this.permits.leave(task.id);
    if (this.isStopping) return;
    if (!this.isUp && !AS_TOLD.has(how)) {
      this.started.emit('failed', new Error(`its process with the role ${task.role} ended (${how})`));
      return;
    }
    const failures = performance.now() - startedAt < WORKED_MS ? (this.failures.get(place) ?? 0) : 0;
    const pauseMs = RESTART_AFTER_MS[Math.min(failures, RESTART_AFTER_MS.length - 1)]!;
    this.failures.set(place, failures + 1);
    this.log.error(
      { role: task.role, pid: worker.process.pid, outcome: String(how), ms: pauseMs },
      'A process has ended; another one takes its place',
    );
    void this.arrangeListener();
    this.forkLater(place, pauseMs);
  }

  private forkLater(place: number, pauseMs: number): void {
    setTimeout(() => {
      if (!this.isStopping) this.fork(place);
    }, pauseMs);
  }

  /** The worker listens exactly while no other child does. @param isShared as of `standIn` */
  private async arrangeListener(isShared = false): Promise<void> {
    const ready = [...this.children.values()].filter(({ isReady }) => isReady);
    const worker = ready.find(({ task }) => task.role === 'worker')?.peer.remote('child') as ChildServices | undefined;
    if (!this.isUp || this.isStopping) return;
    try {
      await (ready.some(({ task }) => task.role === 'api') ? worker?.standDown() : worker?.standIn(isShared));
    } catch (error) {
      this.log.error(errorFields(error), 'No process listens; it is tried again');
      setTimeout(() => void this.arrangeListener(), 1_000);
    }
  }
}
