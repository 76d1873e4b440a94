/*
 * A rollout of firmware over a fleet in which one device in twenty misbehaves, while processes are killed at random every
 * few seconds, Postgres crashes once, and the queue is emptied once. It must end; no device is flashed twice, no device
 * is lost, and its result for each device is what the ledger of the fleet says.
 */
import { mkdtemp, rm, chmod } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { TestApi } from '../test/support/test-api.js';
import { FAMILIES, NEWEST_VENDOR_FIRMWARE } from '../src/simulator/device/families.js';
import { makeFirmwareImage } from '../src/simulator/device/firmware.js';
import { type Fleet } from '../src/simulator/fleet.js';
import { Random } from '../src/simulator/device/random.js';
import { startOwnFleet } from '../test/support/devices/own-fleet.js';
import { FaultCount, misbehave } from './misdeeds.js';
import { startDatabase, startRedis, type Database, type Queue } from './servers.js';
import { brokenByEnd, brokenByLook, causesOf, ledgerWords, type RolloutView, type TargetView } from './verdict.js';
import { Victim } from './victim.js';

const SETUP_TOKEN = 'setup-token-of-a-fault-run';

/** Between two kills, in milliseconds. */
const KILL_PAUSE: readonly [number, number] = [2_000, 6_000];

/** Looks at the rollout. */
const LOOK_EVERY_MS = 500;

export interface RolloutRun {
  readonly devices: number;
  readonly seed: number;
  readonly timeScale: number;
  /** The run is given up after so long. */
  readonly withinMs: number;
  /** Ends the run, with nothing left behind. */
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** @returns what was broken; empty when all rules held. @throws the reason of the signal; what a server or process threw */
export async function runRollout(run: RolloutRun): Promise<string[]> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-faults-'));
  await chmod(folder, 0o711); // the database runs as another user when this runs as root
  const random = new Random(`faults-${run.seed}`);
  const faults = new FaultCount();
  const { devices, seed, timeScale } = run;
  const fleet = await startOwnFleet({ devices, family: 'RUTX50', seed, timeScale, onLine: faults.onLine });
  const bad = misbehave(fleet.devices, random.fork('misdeeds'));
  const database = await startDatabase(folder);
  const queue = await startRedis();
  run.say(`${run.devices} devices, ${bad.length} of them misbehave; the queue is on ${queue ? 'Redis' : 'Postgres'}`);
  const victims = makeVictims(run, folder, database, queue);
  try {
    for (const victim of victims) await victim.start();
    const broken = await new Chaos(run, random, fleet, database, queue, victims).live();
    run.say(`faults that struck: ${faults.words(bad)}`);
    return broken;
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
    STATUS_EVERY_SECONDS: '300', // an offline device is seen again by this
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
  private readonly broken: string[] = [];
  /** How often some were killed. */
  private strikes = 0;
  private crashed = false;
  private emptied = false;
  /** Devices that had ended at the last look, and since when. */
  private progress = { ended: 0, at: performance.now() };
  /** The longest time in which no device came to its end, in milliseconds. */
  private longestStillMs = 0;

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

  private get api(): TestApi {
    return new TestApi({ url: this.victims[0]!.url, key: this.key, timeoutMs: 10_000 });
  }

  private async begin(): Promise<void> {
    const setup = await this.api.post<{ apiKey: { key: string } }>('/v1/setup', {
      token: SETUP_TOKEN,
      operatorName: 'Faults',
    });
    this.key = setup.apiKey.key;
    await this.upload('/v1/devices/import', this.fleet.csv(), 'text/csv');
    const image = makeFirmwareImage(FAMILIES.RUTX50, NEWEST_VENDOR_FIRMWARE);
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
        offline: { waitHours: 1 },
      },
    });
    await this.api.post(`/v1/rollouts/${id}/start`, {});
    this.rolloutId = id;
  }

  private async upload(target: string, body: string | Buffer, type: string): Promise<Record<string, unknown>> {
    const headers = { 'content-type': type, 'idempotency-key': `faults-${type.length}-${target.length}` };
    const { client } = new TestApi({ url: this.victims[0]!.url, key: this.key });
    const answer = await client.request('POST', target, { content: body, headers });
    return (await answer.json()) as Record<string, unknown>;
  }

  /** Kills until the rollout has ended. @returns its state then; null when the time is over */
  private async harass(): Promise<RolloutView | null> {
    let killAt = this.nextKill();
    let last = '';
    for (;;) {
      this.run.signal.throwIfAborted();
      const view = await this.look();
      const isOver = performance.now() - this.startedAt > this.run.withinMs;
      if (view) {
        this.broken.push(...brokenByLook(view, this.run.devices));
        this.note(view);
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

  /** Its state; null while it cannot be read. */
  private async look(): Promise<RolloutView | null> {
    return this.api.get<RolloutView>(`/v1/rollouts/${this.rolloutId}`).catch(() => null);
  }

  /** Records how long no device has ended. */
  private note({ counts, total }: RolloutView): void {
    const ended =
      total - ['waiting', 'offline', 'queued', 'running'].reduce((sum, state) => sum + (counts[state] ?? 0), 0);
    const now = performance.now();
    this.longestStillMs = Math.max(this.longestStillMs, now - this.progress.at);
    if (ended !== this.progress.ended) this.progress = { ended, at: now };
  }

  /** The database crashes when a quarter is done, the queue is emptied when half is. */
  private async accidents({ counts, total }: RolloutView): Promise<void> {
    const begun = total - (counts['waiting'] ?? 0) - (counts['offline'] ?? 0);
    if (!this.crashed && begun >= total / 4) {
      this.crashed = true;
      const at = performance.now();
      await this.database.crash();
      this.run.say(`${this.seconds()} s  Postgres was killed, and answered again after ${since(at)} ms`);
    }
    if (!this.emptied && begun >= total / 2 && this.queue) {
      this.emptied = true;
      await this.queue.empty();
      this.run.say(`${this.seconds()} s  the queue was emptied`);
    }
  }

  /** Some at random, and each of them within the first kills, so that a run that ends soon has tried all. */
  private async killSome(): Promise<void> {
    const drawn = this.victims.filter((victim, place) => place === this.strikes || this.random.integer(0, 2) === 0);
    const those = drawn.length > 0 ? drawn : [this.victims[this.random.integer(0, this.victims.length - 1)]!];
    this.strikes++;
    await Promise.all(those.map((victim) => victim.crash()));
  }

  /** Holds what the rollout says against what the fleet knows, and the run against what it was to do. */
  private async judge(ended: RolloutView | null): Promise<void> {
    const targets = await this.targets();
    this.broken.push(...brokenByEnd(ended, targets, this.fleet, NEWEST_VENDOR_FIRMWARE));
    for (const { name, kills } of this.victims) if (kills === 0) this.broken.push(`${name} was never killed`);
    if (!this.crashed) this.broken.push('Postgres was never killed');
    if (this.queue && !this.emptied) this.broken.push('the queue was never emptied');
    for (const cause of causesOf(targets)) this.run.say(cause);
    this.run.say(`by the ledger: ${ledgerWords(this.fleet, NEWEST_VENDOR_FIRMWARE)}`);
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
    this.run.say(`no device came to its end for ${Math.round(this.longestStillMs / 1_000)} s at most`);
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

const since = (at: number): number => Math.round(performance.now() - at);
