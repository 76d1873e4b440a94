import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway } from '../../../src/gateway.js';
import { casesOf } from '../../support/forms.js';
import { startBeside } from '../../support/gateway.js';
import { startKindWorld, type KindWorld } from '../../support/jobs/kind-world.js';
import { PROJECT } from '../../support/source/project.js';

/** Each test starts a worker process and another worker, and waits for leases; a machine that is busy takes its time for that. */

const WORKER = fileURLToPath(new URL('test/support/workers/stalled-worker.mjs', PROJECT));

/** STALL_LEASE_SECONDS=30 is the lease of a gateway: a worker then stands still for a minute. */
const LEASE_SECONDS = Number(process.env['STALL_LEASE_SECONDS'] ?? 3);

/** A test that is tried again takes a new device: the effects of the first try stay in the ledger of its own. */
const TRIES = 3;

/** How a worker stands still; `stalled-worker.mjs` says what each means. */
interface Stall {
  readonly place: 'sent' | 'audited' | 'answered';
  readonly how: 'blocked' | 'stopped';
}

/** The first one costs most: the audit entry of an effect is there, and its first byte would go out after the stall. */
const STALLS: readonly Stall[] = [
  { place: 'audited', how: 'stopped' },
  { place: 'audited', how: 'blocked' },
  { place: 'sent', how: 'blocked' },
  { place: 'sent', how: 'stopped' },
  { place: 'answered', how: 'blocked' },
  { place: 'answered', how: 'stopped' },
];

describe('a worker that stood still for twice a lease', () => {
  let world: KindWorld;
  let folder: string;
  let stalling: StallingWorker | null = null;
  let other: Gateway | null = null;
  let index = -1;
  const told: string[] = [];

  beforeAll(async () => {
    world = await startKindWorld(
      { devices: STALLS.length * TRIES, family: 'RUTX50', profile: 'rutos' },
      { ROLE: 'api' },
    );
    folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-stall-'));
  });
  afterEach(async () => {
    await stalling?.kill();
    await other?.close();
    [stalling, other] = [null, null];
  });
  afterAll(async () => {
    process.stderr.write(`stalls of ${LEASE_SECONDS * 2} s and more: ${told.join('; ')}\n`);
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  const workerEnv = () => ({ ...world.gateway.env, ROLE: 'worker' });

  function startWorker(stall: Stall, until: string): StallingWorker {
    const { scale, base } = world.clock;
    return new StallingWorker(
      { ...stall, until, leastMs: LEASE_SECONDS * 2_000, scale, base },
      {
        ...workerEnv(),
        JOB_LEASE_SECONDS: String(LEASE_SECONDS),
      },
    );
  }

  it.each(casesOf(STALLS, 1, 1))('causes no second effect: $how when $place', async (stall) => {
    index++;
    const until = path.join(folder, `go-on-${index}`);
    const jobId = await world.start(index, 'backup');
    // The deadline goes by the scaled clock, for which a minute is long.
    await world.db.query(`update job set deadline_at = deadline_at + interval '10 days' where id = $1`, [jobId]);
    const first = startWorker(stall, until);
    stalling = first;
    await first.says('stands still');
    const stoodAt = Date.now();
    // With the lease of a gateway: one that a busy machine holds up for three seconds must not lose the job as well.
    other = await startBeside(workerEnv(), world.clock);
    const job = await world.ended(jobId);

    await untilPassed(stoodAt + LEASE_SECONDS * 2_000);
    await writeFile(until, '');
    first.goOn();
    await first.says('could not save: LeaseLost');

    const { effects } = world.fleet.ledger.summary(index);
    const stoodSeconds = ((Date.now() - stoodAt) / 1000).toFixed(1);
    told.push(`${stall.how} when ${stall.place}: stood ${stoodSeconds} s, ${effects['backup'] ?? 0} effects`);
    expect({ outcome: job.outcome, effects: effects['backup'] ?? 0 }).toEqual({ outcome: 'succeeded', effects: 1 });
    const [row] = await world.db.query<{ epoch: number }[]>('select epoch from job where id = $1', [jobId]);
    expect(row!.epoch).toBeGreaterThan(1);
    expect(await world.get(jobId)).toEqual(job);
  });
});

async function untilPassed(instant: number): Promise<void> {
  while (Date.now() < instant) await new Promise((resolve) => setTimeout(resolve, 20));
}

class StallingWorker {
  private readonly child: ChildProcess;
  private readonly said: string[] = [];
  private heard: () => void = () => undefined;

  constructor(stall: object, env: Readonly<Record<string, string>>) {
    this.child = spawn(process.execPath, [WORKER, JSON.stringify(stall)], {
      env: { PATH: process.env['PATH'], ...env, PORT: '0', LOG_LEVEL: 'silent' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    createInterface({ input: this.child.stderr! }).on('line', (line) => {
      this.said.push(line);
      this.heard();
    });
    this.child.once('exit', () => this.heard());
  }

  async says(line: string): Promise<void> {
    while (!this.said.includes(line)) {
      if (this.hasEnded) throw new Error(`A worker ended early:\n${this.said.join('\n')}`);
      await new Promise<void>((resolve) => (this.heard = resolve));
    }
  }

  goOn(): void {
    this.child.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}
