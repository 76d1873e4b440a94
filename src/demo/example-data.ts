import { type DataSource } from 'typeorm';
import { ApiClient, ApiError } from '../api-client/api-client.js';
import { type Fleet } from '../simulator/fleet.js';
import { FIELD_DEVICES, FIELD_TAG } from './fleet-plan.js';
import { addColleagues } from './colleagues.js';
import { type DemoReport } from './demo.js';
import { writePastSamples } from './past-samples.js';
import { writePastWeek } from './past-week.js';
import { backUpChanged, watchFleet } from './watched-fleet.js';

/*
 * What the console shows after the main task: a past week, plans, a stored fan-out, a failed job, a request that waits for
 * another person, watches and what they found, a template, certificates, a role, a lock, two devices with problems, and a rollout under way. All but the past week
 * is done through the API. A second run adds only what the first one left nothing of.
 */

const LOOK_EVERY_MS = 200;

const WAIT_MS = 30_000;

/** The devices with problems, by their numbers in the fleet. Rollouts leave them out. */
const OFFLINE = FIELD_DEVICES + 1;
const OTHER_CERTIFICATE = FIELD_DEVICES + 2;

const SECOND_PERSON = 'Ada';

/** What the second person asks for: the first is rejected, the second waits. */
const ASKED = [
  { method: 'PUT', path: '/api/ntp/global' },
  { method: 'POST', path: '/api/system/actions/reboot' },
] as const;

/** A device every two and a half minutes: the rollout runs for half an hour, and then its last wave waits for a person. */
const ROLLOUT = {
  name: 'Firmware of autumn',
  kind: 'firmware',
  spec: { source: 'vendor' },
  selector: `tag:${FIELD_TAG}`,
  policy: {
    waves: [
      { name: 'canary', take: { count: 2 } },
      { name: 'half', take: { percent: 50 } },
      { name: 'rest', take: 'rest' as const, gate: 'manual' as const },
    ],
    perMinute: 0.4,
  },
};

const NIGHTLY = { cron: '30 2 * * *', timeZone: 'Europe/Vilnius' };

const POLICIES = [
  { name: 'Nightly', selector: `tag:${FIELD_TAG}`, rhythm: NIGHTLY, keepCount: 14, onlyChanges: false },
  { name: 'Lab, weekly', selector: 'tag:lab', rhythm: { cron: '0 4 * * 1' } },
];

const SCHEDULES = [
  { name: 'Restart the kiosks', cron: '0 5 * * 1', kind: 'reboot', selector: 'tag:kiosk' },
  { name: 'Backups before the weekend', cron: '0 18 * * 5', kind: 'backup', selector: 'tag:demo' },
];

/** Of the last one, some devices do not answer. */
const QUERIES = [
  { selector: 'tag:field', path: '/api/modems/status' },
  { selector: 'tag:demo', path: '/api/system/device/status' },
  { selector: 'tag:lab', path: '/api/firmware/device/status' },
] as const;

/** For how many days the certificates are valid that the first routers issue; one of them ends soon. */
const CERTIFICATE_DAYS = [12, 45, 100, 250, 700];

/** The last router of the fleet, in the lab. */
const LOCKED = -1;

/** No person has started it. */
const DRAFT = { name: 'Restart of the cameras', kind: 'reboot', selector: 'tag:camera' };

/** Values of all routers, so often that the first chart does not wait for long. */
const MONITORED = { name: 'All routers', selector: 'all', everySeconds: 60 };

export class ExampleData {
  private readonly broken: string[] = [];

  constructor(
    private readonly api: ApiClient,
    private readonly db: DataSource,
    private readonly fleet: Fleet,
    private readonly url: string,
    /** Compares the devices with what is published. */
    private readonly compare: () => Promise<unknown>,
  ) {}

  async make(ids: readonly string[]): Promise<DemoReport> {
    await this.sample();
    const { api, fleet, compare } = this;
    await watchFleet({ api, fleet, ids, compare, until: (...wait) => this.until(...wait) });
    await this.plans();
    await writePastWeek(this.db);
    this.broken.push(...(await backUpChanged(api, ids)));
    await this.fanOut(QUERIES[0]);
    await this.fanOut(QUERIES[1]);
    await this.failJob(ids[2]!);
    await this.askForApproval();
    await this.certificates(ids);
    await addColleagues(api, this.url, ids.at(LOCKED)!);
    await this.breakDevices(ids);
    await this.fanOut(QUERIES[2]);
    await this.startRollout();
    await writePastSamples(this.db);
    await this.check(ids);
    const line = `a week of history and samples, ${POLICIES.length} backup policies, ${SCHEDULES.length} schedules, a rollout under way`;
    const second = 'a device offline, one with another certificate, a failed job, a request that waits for a person';
    const shown = [`  ${'examples'.padEnd(12)}${line},`, `  ${''.padEnd(12)}${second}`];
    return { lines: shown, broken: this.broken };
  }

  /** First of all: the made-up week of samples ends at the real ones. */
  private async sample(): Promise<void> {
    const sampled = await this.api.get('/v1/monitoring/policies');
    if (!named(sampled.items, MONITORED.name)) await this.api.post('/v1/monitoring/policies', { body: MONITORED });
  }

  private async plans(): Promise<void> {
    const policies = await this.api.get('/v1/backups/policies');
    const schedules = await this.api.get('/v1/schedules');
    for (const body of POLICIES.filter(({ name }) => !named(policies.items, name)))
      await this.api.post('/v1/backups/policies', { body });
    for (const { name, cron, kind, selector } of SCHEDULES.filter((plan) => !named(schedules.items, plan.name))) {
      const rhythm = { cron, timeZone: 'Europe/Vilnius' };
      await this.api.post('/v1/schedules', { body: { name, rhythm, rollout: { name, kind, selector } } });
    }
    const body = { selector: `tag:${FIELD_TAG} & !state:online`, description: 'Routers of customers with a problem' };
    await this.api.put('/v1/selectors/{name}', { params: { path: { name: 'field-problems' } }, body });
  }

  private async fanOut({ selector, path }: (typeof QUERIES)[number]): Promise<void> {
    const body = { selector, request: { method: 'GET' as const, path } };
    const { id } = await this.api.post('/v1/fan-outs', { body });
    const params = { path: { fanOutId: id } };
    const isOver = async () => (await this.api.get('/v1/fan-outs/{fanOutId}', { params })).state !== 'running';
    await this.until('the stored fan-out did not end', isOver);
  }

  private async failJob(id: string): Promise<void> {
    const body = { kind: 'call' as const, spec: { method: 'GET' as const, path: '/api/modem/signal/history' } };
    const params = { path: { ref: id } };
    const job = await this.api.post('/v1/devices/{ref}/jobs', { params, body });
    const { outcome } = await this.api.jobs.wait(job.id, { signal: AbortSignal.timeout(WAIT_MS) });
    if (outcome !== 'failed') this.broken.push(`the job that should fail has ${outcome ?? 'not ended'}`);
  }

  /** A second person asks for a write to all routers; the operator of the demo can approve it. */
  private async askForApproval(): Promise<void> {
    const waiting = await this.api.get('/v1/approvals', { params: { query: { state: 'pending' } } });
    if (waiting.items.length > 0) return;
    const { items } = await this.api.get('/v1/operators');
    const known = items.find(({ name, disabledAt }) => name === SECOND_PERSON && disabledAt === null);
    const operator =
      known ?? (await this.api.post('/v1/operators', { body: { name: SECOND_PERSON, role: 'operator' } }));
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const body = { operatorId: operator.id, name: 'request of the demo', expiresAt };
    const { id, key } = await this.api.post('/v1/api-keys', { body });
    const ada = new ApiClient({ url: this.url, key });
    const rejected = await this.api.get('/v1/approvals', { params: { query: { state: 'rejected', limit: 1 } } });
    for (const request of rejected.items.length === 0 ? ASKED : ASKED.slice(1)) {
      const refusal = await ada.post('/v1/fan-outs', { body: { selector: 'tag:demo', request } }).catch(codeOf);
      if (refusal !== 'approval_required')
        this.broken.push(`the request of ${SECOND_PERSON} does not wait: ${String(refusal)}`);
      if (request === ASKED[0]) await this.rejectAll();
    }
    await this.api.delete('/v1/api-keys/{keyId}', { params: { path: { keyId: id } } });
  }

  private async rejectAll(): Promise<void> {
    const { items } = await this.api.get('/v1/approvals', { params: { query: { state: 'pending' } } });
    for (const { id } of items)
      await this.api.post('/v1/approvals/{approvalId}/reject', { params: { path: { approvalId: id } } });
  }

  private async certificates(ids: readonly string[]): Promise<void> {
    const jobs = CERTIFICATE_DAYS.map(async (days, at) => {
      const body = { kind: 'certificates' as const, spec: { type: 'server' as const, name: 'web', days } };
      const job = await this.api.post('/v1/devices/{ref}/jobs', { params: { path: { ref: ids[at]! } }, body });
      const { outcome } = await this.api.jobs.wait(job.id, { signal: AbortSignal.timeout(WAIT_MS) });
      if (outcome !== 'succeeded') this.broken.push(`a job for certificates has ${outcome ?? 'not ended'}`);
    });
    await Promise.all(jobs);
  }

  private async breakDevices(ids: readonly string[]): Promise<void> {
    await this.fleet.devices[OFFLINE]!.stop();
    this.fleet.devices[OTHER_CERTIFICATE]!.replaceCertificate();
    await this.becomes(ids[OFFLINE]!, 'offline');
    await this.becomes(ids[OTHER_CERTIFICATE]!, 'trust_changed');
  }

  /** A call shows the gateway what happened; without it, the next look at the device would. */
  private async becomes(id: string, state: string): Promise<void> {
    const params = { path: { ref: id } };
    await this.until(`device ${id} is not ${state}`, async () => {
      await this.api.request('GET', `/v1/devices/${id}/api/system/device/status`).catch(() => undefined);
      return (await this.api.get('/v1/devices/{ref}', { params })).state === state;
    });
  }

  private async startRollout(): Promise<void> {
    const { items } = await this.api.get('/v1/rollouts');
    if (!named(items, DRAFT.name)) await this.api.post('/v1/rollouts', { body: DRAFT });
    const created = await this.api.post('/v1/rollouts', { body: ROLLOUT });
    if (!('id' in created)) throw new Error('The gateway planned the rollout and did not create it');
    const params = { path: { rolloutId: created.id } };
    await this.api.post('/v1/rollouts/{rolloutId}/start', { params });
    const isRunning = async () => (await this.api.get('/v1/rollouts/{rolloutId}', { params })).state === 'running';
    await this.until('the second rollout is not under way', isRunning);
  }

  /** What the console is to show really is there. */
  private async check(ids: readonly string[]): Promise<void> {
    const { points } = await this.api.get('/v1/devices/availability', { params: { query: { hours: 24 } } });
    const failed = await this.api.get('/v1/jobs', { params: { query: { outcome: 'failed', limit: 10 } } });
    if (!points.some(({ devices, online }) => devices > 0 && online < devices - 2))
      this.broken.push('the availability of the last day shows no outage');
    if (failed.items.length === 0) this.broken.push('no failed job is shown');
    const query = { metric: 'rsrp' as const, from: new Date(Date.now() - 6 * 86_400_000).toISOString() };
    const history = await this.api.get('/v1/devices/{ref}/sample/history', {
      params: { path: { ref: ids[0]! }, query },
    });
    if (history.points.length < 200) this.broken.push('the chart of the first device has no week');
    const { items } = await this.api.get('/v1/certificates');
    if (items.filter(({ jobId }) => jobId !== null).length < CERTIFICATE_DAYS.length)
      this.broken.push('not all certificates are listed');
  }

  private async until(otherwise: string, holds: () => Promise<boolean>): Promise<void> {
    const end = Date.now() + WAIT_MS;
    while (!(await holds())) {
      if (Date.now() > end) return void this.broken.push(otherwise);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }
}

const named = (items: readonly { name: string }[], name: string) => items.some((item) => item.name === name);

const codeOf = (error: unknown): unknown => (error instanceof ApiError ? error.code : error);
