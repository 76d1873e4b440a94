import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { type DatabaseUrls, sessionOptions, DATABASE_URLS } from '../../database/database.js';
import { pgDuration } from '../../database/connection/session-terms.js';
import { errorFields, LOG } from '../../platform/log.js';
import { withTimeout } from '../../platform/with-timeout.js';
import { type Sweeper } from '../../platform/sweeper.js';
import { type HeartbeatResult, type HeartbeatSettings } from '../rows/lease-terms.js';
import { Leases } from './leases.js';

/** The longest wait for the end of the thread; nothing is lost when it is cut off. */
const STOP_MS = 2_000;

/**
 * The main loop's side of the heartbeat thread. Each pass sends the thread the jobs of this process, which also proves
 * that the loop turns (docs/adr/0016-heartbeat-from-a-thread.md). Without a thread `Leases` sends heartbeats itself.
 */
@Injectable()
export class Heartbeat implements Sweeper {
  readonly name = 'job-heartbeat';
  readonly everyMs: number;
  readonly isForWorkers = true;
  private thread: Worker | null = null;

  constructor(
    @Inject(Leases) private readonly leases: Leases,
    @Inject(DATABASE_URLS) private readonly urls: Pick<DatabaseUrls, 'appUrl' | 'sessionUrl'>,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.everyMs = Math.min(1_000, leases.terms.heartbeatMs / 3);
  }

  /** The thread starts with the first job of the process: it costs a tenth of a second of processor time and 10 MB. */
  start(): void {
    this.leases.onFirstJob = () => this.startThread();
  }

  async sweep(): Promise<Record<string, number>> {
    if (this.leases.isRenewedByThread) this.thread?.postMessage(this.leases.listLeased());
    return {};
  }

  async stop(): Promise<void> {
    this.leases.onFirstJob = null;
    const { thread } = this;
    if (!thread) return;
    const ended = once(thread, 'exit');
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    thread.postMessage('stop');
    await withTimeout(STOP_MS, ended, () => undefined);
    await thread.terminate();
  }

  private startThread(): void {
    const { owner, terms } = this.leases;
    const settings: HeartbeatSettings = {
      connection: sessionOptions(this.urls, { statement_timeout: pgDuration(Math.round(terms.heartbeatMs)) }),
      owner,
      terms,
    };
    const thread = new Worker(new URL('./heartbeat-thread.js', import.meta.url), { workerData: settings });
    thread.unref();
    thread.on('online', () => {
      this.leases.isRenewedByThread = true;
    });
    thread.on('message', (beat: HeartbeatResult) => this.leases.applyHeartbeat(beat));
    thread.on('error', (error) =>
      this.log.warn(errorFields(error), 'The heartbeat thread does not run: the main loop renews the leases'),
    );
    thread.on('exit', () => {
      this.leases.isRenewedByThread = false;
      this.thread = null;
    });
    this.thread = thread;
  }
}
