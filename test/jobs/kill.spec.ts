import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import { ApiClient } from '../../src/api-client/api-client.js';
import { PATHS } from '../../src/device-api/contract.js';
import { startFleet, type Fleet } from '../../src/simulator/fleet.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { GatewayProcess } from '../support/gateway-process.js';

/** Each test starts the gateway twice as a process; a machine that is busy takes its time for that. */
jest.setTimeout(120_000);

const SETUP_TOKEN = 'setup-token-of-the-kill-test';

interface JobLine {
  readonly phase: string;
  readonly outcome: string | null;
  readonly epoch: number;
  readonly at: string;
  readonly intent: { readonly state: string } | null;
}

describe('a gateway that is killed in the middle of a backup', () => {
  let database: TestDatabase;
  let rows: Client;
  let fleet: Fleet;
  let dataDir: string;
  let env: Record<string, string>;
  let key: string;
  let kills = 0;
  const processes: GatewayProcess[] = [];

  beforeAll(async () => {
    database = await freshDatabase();
    rows = new Client({ connectionString: database.url });
    await rows.connect();
    dataDir = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-kill-'));
    // Generating takes 10 to 60 s of device time: a fraction of a second to a few here, long enough to be killed in.
    fleet = await startFleet({ devices: 5, timeScale: 20 });
    env = {
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      DEVICE_ALLOW_LOOPBACK: 'true',
      STATUS_EVERY_SECONDS: '0',
      FLEETGATE_SETUP_TOKEN: SETUP_TOKEN,
      ...(process.env['TEST_REDIS_URL']
        ? { REDIS_URL: process.env['TEST_REDIS_URL'], REDIS_PREFIX: new URL(database.url).pathname.slice(1) }
        : {}),
    };
    const gateway = await start();
    const setup = { token: SETUP_TOKEN, operatorName: 'Ada' };
    key = (await new ApiClient({ url: gateway.url }).post<{ apiKey: { key: string } }>('/v1/setup', setup)).apiKey.key;
    await gateway.stop();
  });
  afterAll(async () => {
    for (const gateway of processes) await gateway.kill();
    await fleet.close();
    await rows.end();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
    process.stderr.write(`The gateway was killed ${kills} times in the middle of a backup\n`);
  });

  async function start(): Promise<GatewayProcess> {
    const gateway = await GatewayProcess.start(env);
    processes.push(gateway);
    return gateway;
  }

  async function startBackup(gateway: GatewayProcess, index: number): Promise<string> {
    const api = new ApiClient({ url: gateway.url, key });
    const { baseUrl, username, password } = fleet.devices[index]!;
    const device = { name: `router-${index}`, baseUrl, credentials: { username, password } };
    const { id } = await api.post<{ id: string }>('/v1/devices', device);
    return (await api.post<{ id: string }>(`/v1/devices/${id}/jobs`, { kind: 'backup' })).id;
  }

  async function lookAt(jobId: string): Promise<JobLine> {
    const { rows: found } = await rows.query<JobLine>(
      `select phase, outcome, epoch, cursor->>'at' as at, intent from job where id = $1`,
      [jobId],
    );
    return found[0]!;
  }

  async function until(jobId: string, holds: (job: JobLine) => boolean | Promise<boolean>): Promise<JobLine> {
    for (;;) {
      const job = await lookAt(jobId);
      if (await holds(job)) return job;
      if (job.phase === 'ended') throw new Error(`The job ended as ${job.outcome} too early`);
      await pause(10);
    }
  }

  /** As if the lease of a dead worker had run out: half a minute that a test need not spend. */
  const passLease = () =>
    rows.query(`update job set lease_until = clock_timestamp() where phase in ('dispatched', 'running')`);
  const artifactsOf = async (jobId: string) =>
    (await rows.query('select sha256 from artifact where job_id = $1', [jobId])).rows as { sha256: string }[];
  /** `sent` is saved before the first byte goes out: the device must have got it, or nothing is being made. */
  const isMaking = ({ intent }: JobLine, index: number) =>
    intent?.state === 'sent' && fleet.ledger.entries({ device: index, path: PATHS.generateBackup }).length > 0;
  const isEnded = ({ phase }: JobLine) => phase === 'ended';
  const incoming = () => readdir(path.join(dataDir, 'artifacts', 'incoming'));

  it.each([
    {
      where: 'while it asks the device who it is',
      index: 0,
      slow: { kind: 'latency', ms: 1_500, path: PATHS.systemStatus, count: 1 } as const,
      isThere: ({ phase, at }: JobLine) => phase === 'running' && at === 'identify',
    },
    {
      where: 'while the device makes the backup',
      index: 1,
      slow: null,
      isThere: (job: JobLine) => isMaking(job, 1),
    },
    {
      where: 'while the backup is fetched',
      index: 2,
      slow: { kind: 'slow-drip', bytesPerSecond: 20, path: PATHS.downloadBackup, count: 1 } as const,
      isThere: async ({ at }: JobLine) => at === 'download' && (await incoming()).length > 0,
    },
  ])('goes on after its next start and ends with one artifact: killed $where', async ({ index, slow, isThere }) => {
    if (slow) fleet.devices[index]!.faults.add(slow);
    const first = await start();
    const jobId = await startBackup(first, index);
    await until(jobId, isThere);
    await first.kill();
    kills++;
    const left = await lookAt(jobId);
    expect(left).toMatchObject({ phase: 'running', outcome: null, epoch: 1 });

    await passLease();
    const second = await start();
    const ended = await until(jobId, isEnded);

    expect(ended).toMatchObject({ outcome: 'succeeded', intent: { state: 'executed' } });
    expect(ended.epoch).toBeGreaterThan(left.epoch);
    expect(await artifactsOf(jobId)).toEqual([{ sha256: fleet.devices[index]!.backup!.sha256 }]);
    expect(fleet.ledger.summary(index).effects['backup']).toBe(1);
    expect(await incoming()).toEqual([]);
    await second.stop();
  });

  it('goes on at once after a clean stop, without waiting for a lease', async () => {
    const first = await start();
    const jobId = await startBackup(first, 3);
    await until(jobId, (job) => isMaking(job, 3));
    await first.stop();
    expect(await lookAt(jobId)).toMatchObject({ phase: 'queued', intent: { state: 'sent' } });

    const second = await start();
    expect(await until(jobId, isEnded)).toMatchObject({ outcome: 'succeeded', epoch: 2 });
    expect(await artifactsOf(jobId)).toHaveLength(1);
    expect(fleet.ledger.summary(3).effects['backup']).toBe(1);
    await second.stop();
  });

  it('does not start while a job waits that it could never run', async () => {
    const gateway = await start();
    const jobId = await startBackup(gateway, 4);
    await gateway.kill();
    await rows.query(
      `update job set kind = 'polish', phase = 'queued', lease_until = null, owner = null,
                             outcome = null, ended_at = null where id = $1`,
      [jobId],
    );
    await expect(start()).rejects.toThrow('Jobs of the kind polish have not ended');
  });
});
