import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { DataSource } from 'typeorm';
import { Audit } from '../../../src/audit/entries/audit.js';
import { DeviceCertificate } from '../../../src/devices/registry/device-certificate.entity.js';
import { Device } from '../../../src/devices/registry/device.entity.js';
import { type DevicesService } from '../../../src/devices/registry/devices.service.js';
import { ArtifactUse } from '../../../src/artifacts/artifact-use.entity.js';
import { Artifact } from '../../../src/artifacts/artifact.entity.js';
import { FileArtifactStore } from '../../../src/artifacts/artifacts.js';
import { Dispatcher } from '../../../src/jobs/engine/dispatcher.js';
import { ExpiredLeasesSweeper } from '../../../src/jobs/engine/expired-leases.sweeper.js';
import { Job, JobLogLine, type JobRow } from '../../../src/jobs/rows/job.entity.js';
import { JobBatches } from '../../../src/jobs/engine/job-batches.js';
import { JobQueue } from '../../../src/jobs/engine/job-queue.js';
import { JobRows } from '../../../src/jobs/engine/job-rows.js';
import { JobRunner } from '../../../src/jobs/engine/job-runner.js';
import { JobSignals } from '../../../src/jobs/engine/job-signals.js';
import { JobsService } from '../../../src/jobs/jobs.service.js';
import { JOB_KINDS, type JobKinds } from '../../../src/jobs/kinds/index.js';
import { SealedValue } from '../../../src/jobs/sealed-values/sealed-value.entity.js';
import { SealedValuesService } from '../../../src/jobs/sealed-values/sealed-values.service.js';
import { Leases } from '../../../src/jobs/engine/leases.js';
import { StepContextFactory } from '../../../src/jobs/engine/step-context-factory.js';
import { StepCredentials } from '../../../src/jobs/engine/step-credentials.js';
import { type Actor } from '../../../src/platform/actor.js';
import { Clock } from '../../../src/platform/clock.js';
import { readConfig } from '../../../src/platform/config.js';
import { rowsOptions } from '../../../src/database/database.js';
import { Metrics } from '../../../src/platform/metrics.js';
import { Redactor } from '../../../src/secrets/redactor.js';
import { Secrets } from '../../../src/secrets/secrets.js';
import { type DeviceCalls } from '../../../src/proxy/calls/device-calls.js';
import { type SingleLogins } from '../../../src/proxy/sessions/single-logins.js';
import { type PasswordRotation } from '../../../src/jobs/password-rotation/password-rotation.js';
import { freshDatabase } from '../database.js';
import { ScriptedDevice } from '../devices/scripted-device.js';

export const ADA: Actor = { actorId: 'key:ada', name: 'Ada', requestId: 'req-00000001', address: null, reason: 'test' };

/** Rights of starters are another test's matter. */
const EVERYBODY_MAY = { requireContinue: () => Promise.resolve() };

/** A clock that does not wait: who sleeps wakes at once, and that much time has passed. */
class HurriedClock extends Clock {
  private skippedMs = 0;
  /** Told of all time that passes without waiting. */
  onSleep: (ms: number) => void = () => undefined;

  now(): Date {
    return new Date(Date.now() + this.skippedMs);
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms > 0 && !signal?.aborted) this.skip(ms);
    await new Promise(setImmediate);
  }

  skipTo(instant: Date): void {
    this.skip(Math.max(0, instant.getTime() - this.now().getTime()));
  }

  private skip(ms: number): void {
    this.skippedMs += ms;
    this.onSleep(ms);
  }
}

/** One worker process, as far as its parts are concerned. */
export interface TestWorker {
  readonly rows: JobRows;
  readonly leases: Leases;
  readonly runner: JobRunner;
  readonly queue: JobQueue;
  readonly dispatcher: Dispatcher;
  /** Tickets that its queue delivered. */
  readonly delivered: string[];
  /** Starts to take tickets from the queue. */
  consume(): void;
}

/** The engine on a database of its own, with a device that a test scripts. */
export interface JobWorld {
  readonly db: DataSource;
  readonly clock: HurriedClock;
  readonly device: ScriptedDevice;
  readonly jobs: JobsService;
  readonly batches: JobBatches;
  readonly signals: JobSignals;
  readonly sweeper: ExpiredLeasesSweeper;
  readonly store: FileArtifactStore;
  readonly artifactsDir: string;
  readonly databaseUrl: string;
  readonly redisPrefix: string;
  readonly worker: TestWorker;
  /** @param own its clock, where that is another one than the world's */
  addWorker(own?: Clock): Promise<TestWorker>;
  addDevice(serial?: string | null): Promise<string>;
  start(deviceId: string, kind?: string, spec?: unknown): Promise<JobRow>;
  /** Dispatches and skips waits until the job has ended. */
  runToEnd(jobId: string): Promise<JobRow>;
  /** What `select` gives, once `holds` says yes to it. */
  eventually<Value>(select: () => Promise<Value> | Value, holds: (value: Value) => boolean): Promise<Value>;
  events(jobId: string): Promise<string[]>;
  artifacts(jobId: string): Promise<Artifact[]>;
  close(): Promise<void>;
}

/** Parts of a gateway that the engine works with instead of its own: its database, its calls to devices. */
export interface GivenParts {
  readonly databaseUrl: string;
  readonly secrets: Secrets;
  readonly calls: DeviceCalls;
  readonly devices: DevicesService;
  readonly logins: Pick<SingleLogins, 'prove'>;
  readonly rotation: PasswordRotation;
}

/** A world without a queue, whose tests hand out rows themselves: the queue's connections cost as much as the rest. */
export const makeRowsWorld = (kinds: JobKinds): Promise<JobWorld> => makeJobWorld(kinds, undefined, undefined, false);

/**
 * @param redisUrl puts the queue there, under keys of its own
 * @param hasQueue whether the queue is opened
 */
export async function makeJobWorld(
  kinds: JobKinds = JOB_KINDS,
  redisUrl?: string,
  given?: GivenParts,
  hasQueue = true,
): Promise<JobWorld> {
  const database = given ? { url: given.databaseUrl, drop: () => Promise.resolve() } : await freshDatabase();
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-jobs-'));
  const config = readConfig({ DATABASE_URL: database.url, DATA_DIR: dataDir, JOB_CONCURRENCY: '20' });
  const db = await new DataSource({
    ...rowsOptions({ appUrl: database.url, ownerUrl: database.url }, config),
    entities: [Job, JobLogLine, Artifact, ArtifactUse, Device, SealedValue, DeviceCertificate],
  }).initialize();
  const clock = new HurriedClock();
  const device = new ScriptedDevice();
  const calls = given?.calls ?? device.calls;
  const secrets = given?.secrets ?? (await newSecrets(db));
  const redactor = new Redactor(secrets, config);
  const signals = new JobSignals();
  const log = pino({ level: 'silent' });
  const audit = new Audit(db, clock);
  const artifactsDir = path.join(dataDir, 'artifacts');
  const store = new FileArtifactStore(artifactsDir);
  await store.prepare();
  const redisPrefix = `{test-${randomUUID()}}`;
  const workers: TestWorker[] = [];
  const devices = given?.devices ?? fakeDevices(db);
  // A scripted device has no accounts to rotate.
  const rotation = given?.rotation ?? ({} as PasswordRotation);
  const logins = {
    prove: (...args: Parameters<SingleLogins['prove']>) => given?.logins.prove(...args) ?? Promise.resolve(true),
    addressOf: () => Promise.resolve({ baseUrl: 'https://device.test', spareUrl: null, mayFollow: false }),
    relocate: () => Promise.reject(new Error('No device moves in this world')),
  };
  // Nor passwords to store with a backup.
  const passwords = { store: () => Promise.resolve(), otherThanNow: () => Promise.resolve(null) };
  const values = new SealedValuesService(db, clock, audit, secrets);
  const credentials = new StepCredentials(db, values, logins, rotation, passwords);

  const addWorker = async (own: Clock = clock): Promise<TestWorker> => {
    const metrics = new Metrics();
    const rows = new JobRows(db, own, audit, metrics, signals, redactor, config, passwords);
    const leases = new Leases(rows, signals, metrics, config, { owner: randomUUID() });
    const contexts = new StepContextFactory(db, own, calls, store, redactor, config, devices, credentials, {
      for: () => Promise.reject(new Error('No templates are in this world')) as never,
    });
    const runner = new JobRunner(rows, contexts, leases, kinds, own, log, EVERYBODY_MAY);
    const queue = new JobQueue({ postgresUrl: database.url, postgresPoolSize: 10, redisUrl, redisPrefix }, log);
    if (hasQueue) await queue.open();
    const delivered: string[] = [];
    const worker: TestWorker = {
      rows,
      leases,
      runner,
      queue,
      dispatcher: new Dispatcher(rows, queue, leases, own, log),
      delivered,
      consume: () =>
        queue.consume(async (ticket, stop) => {
          delivered.push(`${ticket.jobId}.${ticket.epoch}`);
          await runner.run(ticket, stop);
        }, 20),
    };
    workers.push(worker);
    return worker;
  };

  const worker = await addWorker();
  const batches = new JobBatches(db, clock, audit, kinds, signals);
  const jobs = new JobsService(db, clock, audit, devices, kinds, batches, worker.rows, signals);
  const world: JobWorld = {
    db, clock, device, jobs, batches, signals, store, artifactsDir, redisPrefix, worker, addWorker,
    databaseUrl: database.url,
    sweeper: new ExpiredLeasesSweeper(worker.rows, kinds),
    addDevice: (serial = null) => insertDevice(db, serial),
    start: (deviceId, kind = 'backup', spec = {}) => jobs.start({ deviceId, kind, spec }, ADA),
    async runToEnd(jobId) {
      for (;;) {
        const job = await jobs.get(jobId);
        if (job.phase === 'ended') return job;
        if (job.phase === 'queued') {
          clock.skipTo(job.wakeAt);
          await worker.dispatcher.dispatch();
        }
        await pause(15);
      }
    },
    async eventually(select, holds) {
      for (;;) {
        const value = await select();
        if (holds(value)) return value;
        await pause(15);
      }
    },
    events: async (jobId) => (await jobs.logLines(jobId)).map(({ step, text }) => `${step}: ${text}`),
    artifacts: (jobId) => db.manager.findBy(Artifact, { jobId }),
    async close() {
      for (const { queue } of workers) await queue.close(5_000);
      await db.destroy();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  }; // prettier-ignore
  return world;
}

/** A registry in which every device has an account. */
function fakeDevices(db: DataSource): DevicesService {
  const account = { id: 'account', username: 'admin', failedLogins: 0, changedAt: new Date() };
  return {
    get: async (id: string) => ({ device: await db.manager.findOneByOrFail(Device, { id }), account }),
    storeObservations: () => Promise.resolve(),
  } as unknown as DevicesService;
}

async function newSecrets(db: DataSource): Promise<Secrets> {
  const secrets = new Secrets(randomBytes(32));
  await secrets.load(db);
  return secrets;
}

async function insertDevice(db: DataSource, serial: string | null): Promise<string> {
  const id = randomUUID();
  await db.query(
    `insert into device (id, name, base_url, serial, created_at, updated_at) values ($1, $2, $3, $4, now(), now())`,
    [id, `device ${id}`, `https://${id}.test`, serial],
  );
  return id;
}
