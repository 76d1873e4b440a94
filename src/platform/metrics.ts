import { readdir } from 'node:fs/promises';
import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  type PrometheusContentType,
  Registry,
} from 'prom-client';
import { RecentRequests, type Traffic, trafficOf } from './recent-requests.js';
import { standardOutput } from './output/standard-output.js';

/*
 * The metrics that Prometheus reads at /metrics. Each application object has its own registry, so that two of them in
 * one process (as in tests) do not share counters. No label names a device or a person: the number of label values must
 * stay small.
 */

/** The number of open files and sockets: on Linux the number of entries in this folder. */
const OPEN_FILES = 'process_open_fds';
const OPEN_FILES_FOLDER = '/proc/self/fd';

/**
 * Metrics for which prom-client lists all sockets. With 10,000 connections each scrape blocked the event loop for 36 ms
 * (these and `OPEN_FILES`), and `fleetgate_device_connections` tells more.
 */
const BY_LISTS = ['handles', 'requests', 'resources'].flatMap((what) => [
  `nodejs_active_${what}`,
  `nodejs_active_${what}_total`,
]);

/** It is answered when its reader goes away: its time says nothing of the gateway. */
const STREAM = '/v1/events';

/** The same for all processes of a machine, and never back. */
const nowMs = (): number => performance.timeOrigin + performance.now();

/** What a process tells the others of its machine. */
export interface ProcessMetrics {
  /** All metrics but those of the installation. */
  metrics(): Promise<object[]>;
  /** As `RecentRequests.read`. */
  requests(): Promise<number[]>;
}

/** Asks all processes of this machine, this one included. @returns what those said that answered in time */
type AskAll = <Name extends keyof ProcessMetrics>(what: Name) => Promise<Awaited<ReturnType<ProcessMetrics[Name]>>[]>;

export class Metrics {
  private readonly ofThisProcess = new Registry();
  private readonly installationRegistry = new Registry();
  /** Set where this machine has several processes: one address then tells of all. */
  askAll: AskAll | null = null;

  private readonly requests = this.histogram(
    'fleetgate_http_request_seconds',
    'Time to answer a request of an operator',
    ['method', 'route', 'status'],
    [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  );
  readonly deviceCalls = this.histogram(
    'fleetgate_device_call_seconds',
    'Time that a device took to answer, without the queue and the login',
    ['method', 'outcome'],
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
  );
  readonly deviceLogins = this.counter('fleetgate_device_logins_total', 'Logins on devices', ['outcome']);
  readonly deviceConnections = this.gauge('fleetgate_device_connections', 'Connections to devices that are open');
  readonly jobsEnded = this.counter('fleetgate_jobs_ended_total', 'Jobs that ended', ['kind', 'outcome']);
  readonly jobsRunning = this.gauge('fleetgate_jobs_running', 'Jobs that this process runs');
  readonly sweeps = this.counter('fleetgate_sweeps_total', 'Passes of the sweepers', ['sweeper', 'outcome']);
  readonly passwordHashes = this.counter(
    'fleetgate_password_hashes_total',
    'Slow password hashes that were computed for operators',
    [],
  );
  readonly refusedByLimit = this.counter('fleetgate_rate_limited_total', 'Requests refused because of a limit', [
    'limit',
  ]);
  readonly alertmanagerFailures = this.counter(
    'fleetgate_alertmanager_failures_total',
    'Minutes in which an Alertmanager did not take all alerts of this process',
    [],
  );
  /** What `InstallationFigures` reads from the database. */
  readonly installation = {
    devices: this.ofInstallation('fleetgate_devices', 'Devices by state; of the installation', ['state']),
    backups: this.ofInstallation(
      'fleetgate_backups',
      'Devices by the state of their backup, as the coverage has it, overdue after 26 hours; of the installation',
      ['state'],
    ),
    rolloutsPaused: this.ofInstallation('fleetgate_rollouts_paused', 'Rollouts that are paused; of the installation'),
    oldestDueJob: this.ofInstallation(
      'fleetgate_jobs_oldest_due_seconds',
      'How long the oldest job waits that is due, 0 without one; of the installation',
    ),
    checkpointAge: this.ofInstallation(
      'fleetgate_audit_checkpoint_age_seconds',
      'Age of the last checkpoint of the audit, which ages while nothing is audited; of the installation',
    ),
    failingDeliveries: this.ofInstallation(
      'fleetgate_webhook_deliveries_failing',
      'Deliveries of the last seven days that failed, or that wait after an error; of the installation',
      ['state'],
    ),
  };

  private readonly recent = new RecentRequests();
  private reading: Promise<string> | null = null;

  /** What this process counts, and what it knows of the installation. */
  get registry(): Registry {
    return Registry.merge([this.ofThisProcess, this.installationRegistry]);
  }

  /** All metrics as text. Readers at the same time share it: it takes some milliseconds, and may be open to everybody. */
  text(): Promise<string> {
    this.reading ??= this.read().finally(() => (this.reading = null));
    return this.reading;
  }

  /** The requests of the last minute, to all processes of this machine. */
  async traffic(): Promise<Traffic> {
    const now = nowMs();
    return trafficOf((await this.askAll?.('requests')) ?? [this.recent.read(now)], now);
  }

  /**
   * What this process tells the others. Each series then names its process: one that is started again begins at 0 by itself.
   * @param name of this process
   */
  ofProcess(name: string): ProcessMetrics {
    this.ofThisProcess.setDefaultLabels({ process: name });
    return {
      metrics: () => this.ofThisProcess.getMetricsAsJSON(),
      requests: async () => this.recent.read(nowMs()),
    };
  }

  private async read(): Promise<string> {
    const processes = await this.askAll?.('metrics');
    if (!processes) return this.registry.metrics();
    // Their labels differ, so that a sum is each of them as it is; prom-client would leave some out, such as the time of the start.
    const series = processes.map((metrics) => metrics.map((metric) => ({ ...metric, aggregator: 'sum' })));
    const all = AggregatorRegistry.aggregate<PrometheusContentType>(series);
    return Registry.merge([all, this.installationRegistry]).metrics();
  }

  /** Counts an answered request. `ms`: its duration. */
  observeRequest(method: string, route: string, status: number, ms: number): void {
    this.requests.observe({ method, route, status }, ms / 1_000);
    if (route !== STREAM) this.recent.add(ms, nowMs());
  }

  constructor() {
    collectDefaultMetrics({ register: this.ofThisProcess }); // the names that dashboards know
    for (const name of BY_LISTS) this.ofThisProcess.removeSingleMetric(name);
    this.countOpenFiles();
    this.countLogLosses();
  }

  /** Of the process, as standard output is. */
  private countLogLosses(): void {
    this.ofThisProcess.registerMetric(
      new Counter({
        name: 'fleetgate_log_lines_dropped_total',
        help: 'Lines of the log that the reader of standard output did not take',
        registers: [],
        collect() {
          this.reset();
          this.inc(standardOutput(1).losses.count);
        },
      }),
    );
  }

  /** As prom-client, but without blocking the event loop. */
  private countOpenFiles(): void {
    if (!this.ofThisProcess.getSingleMetric(OPEN_FILES)) return; // not on Linux
    this.ofThisProcess.removeSingleMetric(OPEN_FILES);
    const gauge = new Gauge({
      name: OPEN_FILES,
      help: 'Number of open file descriptors.',
      registers: [],
      async collect() {
        const open = await readdir(OPEN_FILES_FOLDER);
        this.set(open.length - 1); // minus the one of this reading
      },
    });
    this.ofThisProcess.registerMetric(gauge);
  }

  private histogram<L extends string>(name: string, help: string, labelNames: L[], buckets: number[]): Histogram<L> {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.ofThisProcess] });
  }

  private counter<L extends string>(name: string, help: string, labelNames: L[]): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.ofThisProcess] });
  }

  private ofInstallation<L extends string = string>(name: string, help: string, labelNames: L[] = []): Gauge<L> {
    return new Gauge({ name, help, labelNames, registers: [this.installationRegistry] });
  }

  private gauge<L extends string = string>(name: string, help: string, labelNames: L[] = []): Gauge<L> {
    return new Gauge({ name, help, labelNames, registers: [this.ofThisProcess] });
  }
}
