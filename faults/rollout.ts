/*
 * A rollout of firmware over a fleet in which one device in twenty misbehaves, while processes are killed at random every
 * few seconds, Postgres crashes once, and the queue is emptied once. It must end; nobody is flashed twice, nobody is lost,
 * and what it says of each device is what the ledger of the fleet says.
 */
import { mkdtemp, rm, chmod } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ApiClient } from '../src/api-client/api-client.js';
import { FAMILIES } from '../src/simulator/families.js';
import { type FaultInput } from '../src/simulator/faults.js';
import { makeFirmwareImage } from '../src/simulator/firmware.js';
import { startFleet, type Fleet } from '../src/simulator/fleet.js';
import { Random } from '../src/simulator/random.js';
import { startDatabase, startRedis, type Database, type Queue } from './servers.js';
import { Victim } from './victim.js';

const VERSION = '07.17.3';
const SETUP_TOKEN = 'setup-token-of-a-fault-run';

/** Between two kills, in milliseconds. */
const KILL_PAUSE: readonly [number, number] = [2_000, 6_000];

/** Looks at the rollout. */
const LOOK_EVERY_MS = 500;

/** What one device in twenty does, one of these after the other. */
const MISDEEDS: readonly FaultInput[][] = [
  [{ kind: 'lost-answer', path: '/api/firmware/actions/upgrade', count: 1 }],
  [{ kind: 'reset-before', path: '/api/firmware/actions/upload_device_firmware', count: 2 }],
  [{ kind: 'flash-nothing' }],
  [{ kind: 'flash-old-version' }],
  [{ kind: 'flash-factory-settings' }],
  [{ kind: 'image-invalid' }],
  [{ kind: 'error', path: '/api/system/device/status', status: 500, count: 3 }],
  [{ kind: 'truncated-json', probability: 0.1 }],
  [{ kind: 'latency', ms: 400 }],
  [{ kind: 'lost-answer', probability: 0.05 }],
];

export interface RolloutRun {
  readonly devices: number;
  readonly seed: number;
  readonly timeScale: number;
  /** The run is given up after so long. */
  readonly withinMs: number;
  readonly say: (line: string) => void;
}

interface RolloutView {
  readonly state: string;
  readonly total: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly pause: { readonly sentence: string } | null;
}

interface TargetView {
  readonly deviceName: string;
  readonly state: string;
  readonly reason: string | null;
}

/** @returns what was broken; empty when all rules held */
export async function runRollout(run: RolloutRun): Promise<string[]> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-faults-'));
  await chmod(folder, 0o711); // the database runs as another user when this runs as root
  const random = new Random(`faults-${run.seed}`);
  const fleet = await startFleet({ devices: run.devices, family: 'RUTX50', seed: run.seed, timeScale: run.timeScale });
  const bad = fleet.devices.filter(({ index }) => index % 20 === 7);
  bad.forEach((device, n) => MISDEEDS[n % MISDEEDS.length]!.forEach((fault) => device.faults.add(fault)));
  const database = await startDatabase(folder);
  const queue = await startRedis(folder);
  run.say(`${run.devices} devices, ${bad.length} of them misbehave; the queue is on ${queue ? 'Redis' : 'Postgres'}`);
  const victims = makeVictims(run, folder, database, queue);
  try {
    for (const victim of victims) await victim.start();
    return await new Chaos(run, random, fleet, database, queue, victims).live();
  } finally {
    await Promise.all(victims.map((victim) => victim.kill()));
    await queue?.stop();
    await database.stop();
    await fleet.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function makeVictims(run: RolloutRun, folder: string, database: Database, queue: Queue | null): Victim[] {
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: path.join(folder, 'data'),
    FLEETGATE_KEY: Buffer.alloc(32, run.seed).toString('base64'),
    FLEETGATE_SETUP_TOKEN: SETUP_TOKEN,
    FAULTS_TIME_SCALE: String(run.timeScale),
    FAULTS_TIME_BASE: String(Date.now()),
    DEVICE_ALLOW_LOOPBACK: 'true',
    STATUS_EVERY_SECONDS: '0',
    LOG_LEVEL: 'error',
    PORT: '0',
    ...(queue ? { REDIS_URL: queue.url } : {}),
  };
  const of = (name: string, role: string) => new Victim(name, { ...env, ROLE: role });
  return [of('api', 'api'), of('worker 1', 'worker'), of('worker 2', 'worker')];
}

class Chaos {
  private readonly startedAt = performance.now();
  private key = '';
  private rolloutId = '';
  private crashed = false;
  private emptied = false;
  private readonly broken: string[] = [];

  constructor(
    private readonly run: RolloutRun,
    private readonly random: Random,
    private readonly fleet: Fleet,
    private readonly database: Database,
    private readonly queue: Queue | null,
    private readonly victims: readonly Victim[],
  ) {}

  async live(): Promise<string[]> {
    await this.begin();
    const ended = await this.harass();
    await this.judge(ended);
    this.tell();
    return this.broken;
  }

  private get api(): ApiClient {
    return new ApiClient({ url: this.victims[0]!.url, key: this.key, timeoutMs: 10_000 });
  }

  private async begin(): Promise<void> {
    const setup = await this.api.post<{ apiKey: { key: string } }>('/v1/setup', {
      token: SETUP_TOKEN,
      operatorName: 'Faults',
    });
    this.key = setup.apiKey.key;
    await this.upload('/v1/devices/import', this.fleet.csv(), 'text/csv');
    const image = makeFirmwareImage(FAMILIES.RUTX50, VERSION);
    const about = new URLSearchParams({ kind: 'firmware', name: 'image.bin' });
    const artifact = await this.upload(`/v1/artifacts?${about.toString()}`, image, 'application/octet-stream');
    const { id } = await this.api.post<{ id: string }>('/v1/rollouts', {
      name: 'faults',
      kind: 'firmware',
      spec: { artifactId: artifact['id'], backup: 'skip' },
      selector: 'all',
      policy: {
        waves: [
          { take: { count: 5 }, successPercent: 0 },
          { take: { percent: 20 }, successPercent: 0 },
          { take: 'rest', successPercent: 0 },
        ],
        stop: { percent: 100, minimum: 100_000 },
        concurrency: 150,
        retries: 2,
        offline: { waitHours: 6 },
      },
    });
    await this.api.post(`/v1/rollouts/${id}/start`, {});
    this.rolloutId = id;
  }

  private async upload(target: string, body: string | Buffer, type: string): Promise<Record<string, unknown>> {
    const answer = await fetch(this.victims[0]!.url + target, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.key}`,
        'content-type': type,
        'idempotency-key': `faults-${type.length}-${target.length}`,
      },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${target} answered ${answer.status}: ${text.slice(0, 300)}`);
    return JSON.parse(text) as Record<string, unknown>;
  }

  /** Kills until the rollout has ended. @returns how it stands then; null when the time is over */
  private async harass(): Promise<RolloutView | null> {
    let killAt = this.nextKill();
    let last = '';
    for (;;) {
      const view = await this.look();
      const isOver = performance.now() - this.startedAt > this.run.withinMs;
      if (view) {
        this.count(view);
        const words = JSON.stringify(view.counts);
        if (words !== last) this.run.say(`${this.seconds()} s  ${view.state}  ${summary(view.counts)}`);
        last = words;
        if (['finished', 'aborted', 'paused'].includes(view.state)) return view;
        await this.accidents(view);
      }
      if (isOver) return null;
      if (performance.now() >= killAt) {
        await this.killSome();
        killAt = this.nextKill();
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  /** How it stands; null while nobody can tell. */
  private async look(): Promise<RolloutView | null> {
    return this.api.get<RolloutView>(`/v1/rollouts/${this.rolloutId}`).catch(() => null);
  }

  private count({ counts, total }: RolloutView): void {
    const sum = Object.values(counts).reduce((all, count) => all + count, 0);
    if (sum !== total || total !== this.run.devices) this.broken.push(`the counts add up to ${sum} of ${total}`);
  }

  /** The database crashes when a quarter is done, the queue is emptied when half is. */
  private async accidents({ counts, total }: RolloutView): Promise<void> {
    const done = total - (counts['waiting'] ?? 0) - (counts['offline'] ?? 0);
    if (!this.crashed && done >= total / 4) {
      this.crashed = true;
      await this.database.crash();
      this.run.say(`${this.seconds()} s  Postgres was killed and has recovered`);
    }
    if (!this.emptied && done >= total / 2 && this.queue) {
      this.emptied = true;
      await this.queue.empty();
      this.run.say(`${this.seconds()} s  the queue was emptied`);
    }
  }

  private async killSome(): Promise<void> {
    const some = this.victims.filter(() => this.random.integer(0, 2) === 0);
    const those = some.length > 0 ? some : [this.victims[this.random.integer(0, this.victims.length - 1)]!];
    await Promise.all(those.map((victim) => victim.crash()));
  }

  /** Holds what the rollout says of each device against what the fleet knows. */
  private async judge(ended: RolloutView | null): Promise<void> {
    if (ended?.state !== 'finished') {
      this.broken.push(
        `it did not finish: ${ended ? `${ended.state}, ${ended.pause?.sentence ?? ''}` : 'the time was over'}`,
      );
    }
    const targets = await this.targets();
    const byName = new Map(targets.map((target) => [target.deviceName, target]));
    for (const device of this.fleet.devices) {
      const target = byName.get(device.name);
      const flashes = this.fleet.ledger.summary(device.index).effects['flash'] ?? 0;
      const isNew = device.firmware.version.includes(VERSION);
      if (!target) this.broken.push(`${device.name} is lost`);
      else if (flashes > 1) this.broken.push(`${device.name} was flashed ${flashes} times`);
      else if (target.state === 'succeeded' && !(isNew && flashes === 1)) {
        this.broken.push(
          `${device.name} is said to have succeeded with ${device.firmware.version} after ${flashes} flashes`,
        );
      } else if (isNew && target.state !== 'succeeded' && target.state !== 'unknown') {
        this.broken.push(`${device.name} has the new firmware and is said to be ${target.state} (${target.reason})`);
      }
    }
    const { errors } = this.fleet;
    if (errors.length > 0)
      this.broken.push(`the simulator had ${errors.length} errors of its own: ${String(errors[0])}`);
    const causes = new Map<string, number>();
    for (const { state, reason } of targets) {
      const cause = reason ? `${state} (${reason})` : state;
      causes.set(cause, (causes.get(cause) ?? 0) + 1);
    }
    for (const [cause, count] of causes) this.run.say(`${String(count).padStart(6)}  ${cause}`);
  }

  private async targets(): Promise<TargetView[]> {
    const all: TargetView[] = [];
    let next: string | null = '';
    while (next !== null) {
      const page: { items: TargetView[]; next: string | null } = await this.api.get(
        `/v1/rollouts/${this.rolloutId}/devices?limit=1000${next ? `&cursor=${next}` : ''}`,
      );
      all.push(...page.items);
      ({ next } = page);
    }
    return all;
  }

  private tell(): void {
    const recovered = this.victims.flatMap(({ recoveredMs }) => recoveredMs).toSorted((a, b) => a - b);
    const kills = this.victims.map(({ name, kills: count }) => `${name} ${count}`).join(', ');
    const half = recovered[Math.floor(recovered.length / 2)] ?? 0;
    this.run.say(`killed: ${kills}; working again after ${half} ms at the median, ${recovered.at(-1) ?? 0} ms at most`);
    this.run.say(`took ${this.seconds()} s, times ${this.run.timeScale} on the clock of the devices`);
  }

  private nextKill(): number {
    return performance.now() + this.random.integer(...KILL_PAUSE);
  }

  private seconds(): number {
    return Math.round((performance.now() - this.startedAt) / 1_000);
  }
}

function summary(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');
}
