import { readdir } from 'node:fs/promises';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/*
 * What Prometheus reads at /metrics. One registry for each application object, so that two of them in one process
 * (as in tests) do not share counters. Labels hold no device and no person: their number must stay small.
 */

/** How many files and sockets are open, and where: Linux says it as the names in a folder. */
const OPEN_FILES = 'process_open_fds';
const OPEN_FILES_FOLDER = '/proc/self/fd';

/**
 * What prom-client counts by making a list of all sockets. With 10,000 connections each scrape held up the event loop for
 * 36 ms (these and `OPEN_FILES`), and `fleetgate_device_connections` says more.
 */
const BY_LISTS = ['handles', 'requests', 'resources'].flatMap((what) => [
  `nodejs_active_${what}`,
  `nodejs_active_${what}_total`,
]);

export class Metrics {
  readonly registry = new Registry();

  private readonly requests = new Histogram({
    name: 'fleetgate_http_request_seconds',
    help: 'Time to answer a request of an operator',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [this.registry],
  });
  readonly deviceCalls = new Histogram({
    name: 'fleetgate_device_call_seconds',
    help: 'Time that a device took to answer, the queue and the login not counted',
    labelNames: ['method', 'outcome'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
    registers: [this.registry],
  });
  readonly deviceLogins = new Counter({
    name: 'fleetgate_device_logins_total',
    help: 'Logins on devices',
    labelNames: ['outcome'] as const,
    registers: [this.registry],
  });
  readonly deviceConnections = new Gauge({
    name: 'fleetgate_device_connections',
    help: 'Connections to devices that are open',
    registers: [this.registry],
  });
  readonly jobsEnded = new Counter({
    name: 'fleetgate_jobs_ended_total',
    help: 'Jobs that came to an end',
    labelNames: ['kind', 'outcome'] as const,
    registers: [this.registry],
  });
  readonly jobsRunning = new Gauge({
    name: 'fleetgate_jobs_running',
    help: 'Jobs in the hands of this process',
    registers: [this.registry],
  });
  readonly sweeps = new Counter({
    name: 'fleetgate_sweeps_total',
    help: 'Passes of the sweepers',
    labelNames: ['sweeper', 'outcome'] as const,
    registers: [this.registry],
  });
  readonly passwordHashes = new Counter({
    name: 'fleetgate_password_hashes_total',
    help: 'Slow hashes of passwords of operators that were computed',
    registers: [this.registry],
  });
  readonly refusedByLimit = new Counter({
    name: 'fleetgate_rate_limited_total',
    help: 'Requests that were refused because of a limit',
    labelNames: ['limit'] as const,
    registers: [this.registry],
  });

  /** Children by their labels: to find one by its labels costs more than the observation. */
  private readonly requestChildren = new Map<string, { observe(seconds: number): void }>();

  /** Counts an answered request. `ms` is how long it took. */
  observeRequest(method: string, route: string, status: number, ms: number): void {
    const key = `${method} ${status} ${route}`;
    let child = this.requestChildren.get(key);
    if (!child) {
      child = this.requests.labels({ method, route, status });
      this.requestChildren.set(key, child);
    }
    child.observe(ms / 1_000);
  }

  constructor() {
    collectDefaultMetrics({ register: this.registry }); // under the names that dashboards know
    for (const name of BY_LISTS) this.registry.removeSingleMetric(name);
    this.countOpenFiles();
  }

  /** As prom-client does, but without holding up the event loop meanwhile. */
  private countOpenFiles(): void {
    if (!this.registry.getSingleMetric(OPEN_FILES)) return; // not on Linux
    this.registry.removeSingleMetric(OPEN_FILES);
    const gauge = new Gauge({
      name: OPEN_FILES,
      help: 'Number of open file descriptors.',
      registers: [],
      async collect() {
        const open = await readdir(OPEN_FILES_FOLDER);
        this.set(open.length - 1); // one was for the reading
      },
    });
    this.registry.registerMetric(gauge);
  }
}
