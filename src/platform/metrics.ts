import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/*
 * What Prometheus reads at /metrics. One registry for each application object, so that two of them in one process
 * (as in tests) do not share counters. Labels hold no device and no person: their number must stay small.
 */
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
    collectDefaultMetrics({ register: this.registry, prefix: 'fleetgate_process_' });
  }
}
