import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { TestApi } from '../../support/test-api.js';
import { PATHS } from '../../../src/device-api/contract.js';
import { type FaultInput } from '../../../src/simulator/device/faults.js';
import { type Fleet } from '../../../src/simulator/fleet.js';
import { startOwnFleet } from '../../support/devices/own-fleet.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';
import { casesOf, itInFull, itNightly } from '../../support/forms.js';
import { startBeside } from '../../support/gateway.js';
import { GatewayProcess } from '../../support/gateway-process.js';

const SETUP_TOKEN = 'setup-token-of-the-kill-test';

/** A test takes a device of its own, and another one when it is tried again (`test/retries.mjs`). */
const DEVICES = 15;

const TIME_SCALE = 2;

/** Of wall time: a device has made its backup by then. */
const MADE_MS = 60_000 / TIME_SCALE;

interface JobLine {
  readonly phase: string;
  readonly outcome: string | null;
  readonly epoch: number;
  readonly at: string;
  readonly intent: { readonly state: string } | null;
}

/** Where a backup is when its gateway is killed. */
interface Place {
  readonly where: string;
  readonly slow?: FaultInput;
  readonly isThere: (job: JobLine, index: number) => boolean | Promise<boolean>;
}

async function setUp({ url }: GatewayProcess): Promise<string> {
  const setup = { token: SETUP_TOKEN, operatorName: 'Ada' };
  return (await new TestApi({ url }).post<{ apiKey: { key: string } }>('/v1/setup', setup)).apiKey.key;
}

describe('a gateway that is killed in the middle of a backup', () => {
  let database: TestDatabase;
  let rows: Client;
  let fleet: Fleet;
  let dataDir: string;
  let env: Record<string, string>;
  let key: string | undefined;
  let kills = 0;
  let next = 0;
  /** The gateway, which a test leaves to the next one. */
  let running: GatewayProcess | null = null;
  let processes: GatewayProcess[] = [];

  beforeAll(async () => {
    database = await freshDatabase();
    rows = new Client({ connectionString: database.url });
    await rows.connect();
    dataDir = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-kill-'));
    // Generating takes 10 to 60 s of device time: long enough to be killed in, also by a killer on a busy machine.
    fleet = await startOwnFleet({ devices: DEVICES, timeScale: TIME_SCALE });
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
  });
  /** A gateway that a failed test left would take the jobs of the next test. */
  async function tidyUp(): Promise<void> {
    for (const gateway of processes) await gateway.kill();
    processes = [];
    running = null;
  }
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await tidyUp();
  });
  afterAll(async () => {
    await tidyUp();
    await fleet.close();
    await rows.end();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
    process.stderr.write(`The gateway was killed ${kills} times in the middle of a backup\n`);
  });

  async function start(): Promise<GatewayProcess> {
    if (running) return running;
    const gateway = await GatewayProcess.start(env);
    processes.push(gateway);
    key ??= await setUp(gateway);
    return (running = gateway);
  }

  async function end(how: 'kill' | 'stop'): Promise<void> {
    const gateway = running;
    running = null;
    await gateway?.[how]();
  }

  /** A failure shows what the gateways of the test said last. */
  const telling =
    <Given extends unknown[]>(test: (...given: Given) => Promise<void>) =>
    async (...given: Given) => {
      try {
        await test(...given);
      } catch (error) {
        for (const gateway of processes) process.stderr.write(`${gateway.lastWords}\n`);
        throw error;
      }
    };

  async function startBackup(gateway: GatewayProcess, index: number): Promise<string> {
    const api = new TestApi({ url: gateway.url, key: key! });
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

  /** The job once `holds` says yes to it; a device that makes a backup meanwhile is done with it at once. */
  async function until(
    jobId: string,
    index: number,
    holds: (job: JobLine, index: number) => boolean | Promise<boolean>,
  ): Promise<JobLine> {
    for (;;) {
      const job = await lookAt(jobId);
      if (await holds(job, index)) return job;
      if (isMaking(job, index)) fleet.clock.advance(MADE_MS);
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
    intent?.state === 'sent' &&
    fleet.ledger.entries({ device: index, path: PATHS.generateBackup }).length > 0 &&
    fleet.ledger.summary(index).effects['backup'] === undefined;
  const isEnded = ({ phase }: JobLine) => phase === 'ended';
  const incoming = () => readdir(path.join(dataDir, 'artifacts', 'incoming'));

  const PLACES: readonly Place[] = [
    {
      where: 'while the device makes the backup',
      isThere: isMaking,
    },
    {
      where: 'while it asks the device who it is',
      slow: { kind: 'hang', path: PATHS.systemStatus, count: 1 },
      isThere: ({ phase, at }) => phase === 'running' && at === 'identify',
    },
    {
      where: 'while the backup is fetched',
      slow: { kind: 'slow-drip', bytesPerSecond: 20, path: PATHS.downloadBackup, count: 1 },
      isThere: async ({ at }) => at === 'download' && (await incoming()).length > 0,
    },
  ];
  it.each(casesOf(PLACES, 1, 1))(
    'goes on after its next start and ends with one artifact: killed $where',
    telling(async ({ slow, isThere }) => {
      const index = next++;
      if (slow) fleet.devices[index]!.faults.add(slow);
      const first = await start();
      const jobId = await startBackup(first, index);
      await until(jobId, index, isThere);
      await end('kill');
      kills++;
      const left = await lookAt(jobId);
      expect(left).toMatchObject({ phase: 'running', outcome: null, epoch: 1 });

      await passLease();
      const survivor = await startBeside(env);
      try {
        const ended = await until(jobId, index, isEnded);
        expect(ended).toMatchObject({ outcome: 'succeeded', intent: { state: 'executed' } });
        expect(ended.epoch).toBeGreaterThan(left.epoch);
      } finally {
        await survivor.close();
      }
      expect(await artifactsOf(jobId)).toEqual([{ sha256: fleet.devices[index]!.backup!.sha256 }]);
      expect(fleet.ledger.summary(index).effects['backup']).toBe(1);
      expect(await incoming()).toEqual([]);
    }),
  );

  itNightly(
    'goes on at once after a clean stop, without waiting for a lease',
    telling(async () => {
      const index = next++;
      const first = await start();
      const jobId = await startBackup(first, index);
      await until(jobId, index, isMaking);
      await end('stop');
      expect(await lookAt(jobId)).toMatchObject({ phase: 'queued', intent: { state: 'sent' } });

      await start();
      expect(await until(jobId, index, isEnded)).toMatchObject({ outcome: 'succeeded', epoch: 2 });
      expect(await artifactsOf(jobId)).toHaveLength(1);
      expect(fleet.ledger.summary(index).effects['backup']).toBe(1);
    }),
  );

  itInFull('does not start while a job waits that it could never run', async () => {
    const gateway = await start();
    const jobId = await startBackup(gateway, next++);
    await end('kill');
    await rows.query(
      `update job set kind = 'polish', phase = 'queued', lease_until = null, owner = null,
                             outcome = null, ended_at = null where id = $1`,
      [jobId],
    );
    try {
      await expect(start()).rejects.toThrow('Jobs of the kind polish have not ended');
    } finally {
      await rows.query('delete from job where id = $1', [jobId]); // else nothing could start after it
    }
  });
});
