import { createHash } from 'node:crypto';
import { type ApiClient, type components } from '../api-client/api-client.js';
import { type Fleet, type SimulatedDevice } from '../simulator/fleet.js';
import { DEMO_FIELDS, FIELD_DEVICES, FIELD_TAG, demoDevice } from './fleet-plan.js';

/*
 * The main job, done from outside as an operator would do it: register a fleet, read one device through the gateway,
 * make a backup of three by long jobs, then of those in the field by a rollout, and have the audit prove itself. Everything is checked against what the simulated routers themselves recorded.
 */

const BACKUPS = 3;

const LOOK_EVERY_MS = 200;

/** Longest wait for a backup. Real devices take up to a minute; simulated ones are quicker. */
const JOB_WAIT_MS = 60_000;

export interface DemoReport {
  readonly lines: readonly string[];
  /** What did not hold; empty when all is well. */
  readonly broken: readonly string[];
}

export interface MainTaskReport extends DemoReport {
  /** In the order of the fleet. */
  readonly ids: readonly string[];
}

type DeviceView = Pick<components['schemas']['Device'], 'id' | 'name'>;

/** Runs the demonstration against a gateway and a fleet that are up. */
export class Demo {
  private readonly lines: string[] = [];
  private readonly broken: string[] = [];

  constructor(
    private readonly api: ApiClient,
    private readonly fleet: Fleet,
  ) {}

  async run(): Promise<MainTaskReport> {
    const devices = await this.register();
    await this.readOne(devices[0]!, this.fleet.devices[0]!);
    await this.backUp(devices.slice(0, BACKUPS));
    await this.rollOut(FIELD_DEVICES);
    await this.compareWithLedger(devices);
    await this.proveAudit();
    return { lines: this.lines, broken: this.broken, ids: devices.map(({ id }) => id) };
  }

  private async register(): Promise<DeviceView[]> {
    const startedAt = performance.now();
    for (const [key, body] of Object.entries(DEMO_FIELDS))
      await this.api.put('/v1/fields/{key}', { params: { path: { key } }, body });
    await this.removeEarlier();
    const devices: DeviceView[] = [];
    for (const simulated of this.fleet.devices) devices.push(await this.registerOne(simulated));
    this.say('registered', `${devices.length} devices, tagged demo, in ${since(startedAt)}`);
    this.hold(devices.length === this.fleet.devices.length, 'not every device was registered');
    return devices;
  }

  /** Routers of an earlier run have other addresses and certificates now. Their jobs and changes go with them. */
  private async removeEarlier(): Promise<void> {
    const { items } = await this.api.get('/v1/devices', { params: { query: { tag: 'demo', limit: 1000 } } });
    for (const { id } of items) await this.api.delete('/v1/devices/{ref}', { params: { path: { ref: id } } });
  }

  private async registerOne(simulated: SimulatedDevice): Promise<DeviceView> {
    const { index, baseUrl, username, password } = simulated;
    const body = { ...demoDevice(index), baseUrl, credentials: { username, password } };
    return this.api.post('/v1/devices', { body });
  }

  private async readOne(device: DeviceView, simulated: SimulatedDevice): Promise<void> {
    const path = `/v1/devices/name:${device.name}/api/system/device/status`;
    const startedAt = performance.now();
    const answer = await this.api.request('GET', path);
    const { status } = answer;
    const { data } = (await answer.json()) as { data?: { mnfinfo?: { serial?: string; name?: string } } };
    const { serial, name } = data?.mnfinfo ?? {};
    this.say('read one', `GET ${path}`);
    this.say(
      '',
      `${status}, ${name ?? 'a device'} with serial ${serial ?? '?'}, login included, in ${since(startedAt)}`,
    );
    this.hold(status === 200 && serial === simulated.serial, 'the passthrough did not answer like the device');
  }

  private async backUp(devices: readonly DeviceView[]): Promise<void> {
    this.say('backups', `${devices.length} long jobs at once`);
    await Promise.all(devices.map((device) => this.backUpOne(device)));
  }

  private async backUpOne(device: DeviceView): Promise<void> {
    const startedAt = performance.now();
    const params = { path: { ref: device.id } };
    const started = await this.api.post('/v1/devices/{ref}/jobs', { params, body: { kind: 'backup' } });
    const signal = AbortSignal.timeout(JOB_WAIT_MS);
    const { id, outcome, result, failure } = await this.api.jobs.wait(started.id, { signal });
    const artifactId = result?.['artifactId'];
    if (outcome !== 'succeeded' || typeof artifactId !== 'string') {
      this.say('', `${device.name}  ${outcome ?? 'unfinished'}  ${JSON.stringify(failure ?? {})}`);
      this.hold(false, `the backup of ${device.name} did not succeed (job ${id})`);
      return;
    }
    const content = await this.api.bytes('/v1/artifacts/{artifactId}/content', { params: { path: { artifactId } } });
    const sha256 = createHash('sha256').update(content).digest('hex');
    this.say(
      '',
      `${device.name}  ${outcome}  ${content.length} bytes  sha256 ${sha256.slice(0, 12)}…  in ${since(startedAt)}`,
    );
    this.hold(sha256 === result?.['sha256'], `the artifact of ${device.name} does not match the announced digest`);
  }

  /** A canary, then the rest: the same job on every device. */
  private async rollOut(devices: number): Promise<void> {
    const startedAt = performance.now();
    const created = await this.api.post('/v1/rollouts', {
      body: {
        name: 'Backup of the field routers',
        kind: 'backup',
        selector: `tag:${FIELD_TAG}`,
        policy: { waves: [{ name: 'canary', take: { count: 1 } }, { take: 'rest' }] },
      },
    });
    if (!('id' in created)) throw new Error('The gateway planned the rollout and did not create it');
    const { id } = created;
    const params = { path: { rolloutId: id } };
    await this.api.post('/v1/rollouts/{rolloutId}/start', { params });
    let rollout = await this.api.get('/v1/rollouts/{rolloutId}', { params });
    while (['scheduled', 'running'].includes(rollout.state)) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      rollout = await this.api.get('/v1/rollouts/{rolloutId}', { params });
    }
    const { state, counts, total, pause } = rollout;
    const succeeded = counts['succeeded'] ?? 0;
    this.say('rollout', `a canary, then the rest: ${succeeded} of ${total} succeeded, ${state} in ${since(startedAt)}`);
    this.say('', `report at /v1/rollouts/${id}/report?format=html`);
    this.hold(
      state === 'finished' && succeeded === devices,
      `the rollout is ${state}: ${pause?.sentence ?? 'not all succeeded'}`,
    );
  }

  /** The audit is a log that proves itself: whatever was altered would be named. */
  private async proveAudit(): Promise<void> {
    for await (const line of this.api.lines('post', '/v1/audit/verify', { body: {} })) {
      if (line.type !== 'summary') continue;
      this.say(
        'audit log',
        `${line.leaves} leaves, ${line.holds ? 'nothing altered, nothing missing' : 'it is not correct'}`,
      );
      this.hold(line.holds, 'the audit is not correct');
    }
  }

  /** The law: each write that a device saw has an audit entry, and each device was logged into once. */
  private async compareWithLedger(devices: readonly DeviceView[]): Promise<void> {
    const made = this.fleet.devices.map((device) => this.fleet.ledger.summary(device.index));
    const backups = made.reduce((sum, { effects }) => sum + (effects['backup'] ?? 0), 0);
    const logins = made.map((summary) => summary.logins);
    let writes = 0;
    for (const { id } of devices) {
      const query = { deviceId: id, action: 'device.call_write', limit: 1000 };
      const { items } = await this.api.get('/v1/audit', { params: { query } });
      writes += items.length;
      this.hold(
        items.every(({ outcome }) => outcome === 'succeeded'),
        'an audit entry of a device write is not closed as succeeded',
      );
    }
    this.say('audit', `${writes} writes to devices, each with an entry opened before and closed after`);
    this.say('devices say', `${backups} backups made, ${Math.max(...logins)} login at most on each`);
    const wanted = BACKUPS + FIELD_DEVICES;
    this.hold(backups === wanted, `the devices made ${backups} backups instead of ${wanted}`);
    this.hold(writes >= backups, 'a device write has no audit entry');
    this.hold(Math.max(...logins) === 1, 'a device was logged into more than once');
  }

  private say(what: string, text: string): void {
    this.lines.push(`  ${what.padEnd(12)}${text}`);
  }

  private hold(condition: boolean, otherwise: string): void {
    if (!condition) this.broken.push(otherwise);
  }
}

const since = (startedAt: number) => `${((performance.now() - startedAt) / 1000).toFixed(2)} s`;
