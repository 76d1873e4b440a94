import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { Artifact } from '../../../src/artifacts/artifact.entity.js';
import { ArtifactStore } from '../../../src/artifacts/artifacts.js';
import { type Fleet, type FleetOptions } from '../../../src/simulator/fleet.js';
import { nullWhenBusy, startTestGateway, type TestGateway } from '../gateway.js';
import { startOwnFleet } from '../devices/own-fleet.js';
import { ScaledClock } from '../scaled-clock.js';

/** A job as the API shows it. */
export interface JobView {
  readonly id: string;
  readonly phase: string;
  readonly outcome: string | null;
  readonly step: string;
  readonly progress: { readonly percent: number; readonly text: string } | null;
  readonly result: Record<string, unknown> | null;
  readonly failure: { readonly code: string; readonly message: string; readonly facts: Record<string, unknown> } | null;
  readonly log: readonly { readonly step: string; readonly text: string; readonly facts: Record<string, unknown> }[];
}

/** A gateway and a fleet of simulated devices that live so many times faster. */
export interface KindWorld {
  readonly gateway: TestGateway;
  readonly fleet: Fleet;
  readonly clock: ScaledClock;
  readonly db: DataSource;
  /** Ids in the gateway, in the order of `fleet.devices`. */
  readonly ids: readonly string[];
  start(index: number, kind: string, spec?: object): Promise<string>;
  get(jobId: string): Promise<JobView>;
  /** The job once it has ended. */
  ended(jobId: string): Promise<JobView>;
  /** Puts bytes into the store and says what they are. */
  keep(bytes: Buffer, fields: Partial<Artifact> & Pick<Artifact, 'kind'>): Promise<Artifact>;
  close(): Promise<void>;
}

/** Forty times as fast: a flash of five minutes takes eight seconds, and the engine still has time to breathe. */
const SCALE = 40;

export async function startKindWorld(options: FleetOptions, env: Record<string, string> = {}): Promise<KindWorld> {
  const clock = new ScaledClock(SCALE);
  const [gateway, fleet] = await Promise.all([
    startTestGateway(env, clock),
    startOwnFleet({ timeScale: SCALE, ...options }),
  ]);
  const db = gateway.gateway.app.get(DataSource);
  const ids: string[] = [];
  for (const { name, baseUrl, username, password, serial } of fleet.devices) {
    const device = { name, baseUrl, serial, credentials: { username, password } };
    ids.push((await gateway.api.post<{ id: string }>('/v1/devices', device)).id);
  }
  const ends = await JobEnds.open(gateway.databaseUrl);
  const get = (jobId: string) => gateway.api.get<JobView>(`/v1/jobs/${jobId}`);
  return {
    gateway,
    fleet,
    clock,
    db,
    ids,
    get,
    async start(index, kind, spec = {}) {
      return (await gateway.api.post<{ id: string }>(`/v1/devices/${ids[index]}/jobs`, { kind, spec })).id;
    },
    async ended(jobId) {
      await ends.of(jobId);
      for (;;) {
        // On a busy machine a look can wait for a connection for too long.
        const job = await get(jobId).catch(nullWhenBusy);
        if (job) return job;
      }
    },
    async keep(bytes, fields) {
      const draft = await gateway.gateway.app.get(ArtifactStore).write(Readable.from([bytes]), bytes.length);
      await draft.keep();
      const { sha256 } = draft;
      const row = {
        id: randomUUID(),
        name: 'file.bin',
        createdAt: clock.now(),
        ...fields,
        sha256,
        bytes: bytes.length,
      };
      await db.manager.insert(Artifact, row);
      return db.manager.findOneByOrFail(Artifact, { id: row.id });
    },
    async close() {
      await ends.close();
      await gateway.close();
      await fleet.close();
    },
  };
}

/**
 * Waits for the ends of jobs by one query for all of them. Sixty jobs that were each asked for through the API, ten times a
 * second, took more time than the jobs.
 */
class JobEnds {
  private readonly waiting = new Map<string, ((error?: unknown) => void)[]>();
  private isLooking = false;

  private constructor(private readonly client: Client) {}

  static async open(connectionString: string): Promise<JobEnds> {
    const client = new Client({ connectionString });
    await client.connect();
    return new JobEnds(client);
  }

  of(jobId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error?: unknown) => (error ? reject(error) : resolve());
      this.waiting.set(jobId, [...(this.waiting.get(jobId) ?? []), settle]);
      if (!this.isLooking) void this.look();
    });
  }

  async close(): Promise<void> {
    this.settle(this.waiting.keys(), new Error('The world is closed'));
    await this.client.end();
  }

  private async look(): Promise<void> {
    this.isLooking = true;
    const sql = `select id from job where phase = 'ended' and id = any($1)`;
    try {
      for (; this.waiting.size > 0; await pause(100)) {
        const { rows } = await this.client.query<{ id: string }>(sql, [[...this.waiting.keys()]]);
        this.settle(rows.map(({ id }) => id));
      }
    } catch (error) {
      this.settle(this.waiting.keys(), error);
    } finally {
      this.isLooking = false;
    }
  }

  private settle(jobIds: Iterable<string>, error?: unknown): void {
    for (const jobId of jobIds) {
      const settles = this.waiting.get(jobId) ?? [];
      this.waiting.delete(jobId);
      for (const settle of settles) settle(error);
    }
  }
}
