import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type TestApi } from '../support/test-api.js';
import { PATHS } from '../../src/device-api/contract.js';
import { JobsService } from '../../src/jobs/jobs.service.js';
import { type Fleet, type SimulatedDevice } from '../../src/simulator/fleet.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';
import { casesOf } from '../support/forms.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

interface JobAnswer {
  readonly id: string;
  readonly deviceId: string;
  readonly phase: string;
  readonly outcome: string | null;
  readonly result: { artifactId: string; sha256: string; bytes: number; serial: string } | null;
  readonly failure: { code: string } | null;
  readonly log: { step: string; text: string }[];
}
interface PageAnswer<Item> {
  readonly items: Item[];
  readonly next: string | null;
}

describe('jobs through the API, on simulated devices', () => {
  let test: TestGateway;
  let fleet: Fleet;
  let operator: TestApi;
  let ids: string[];

  beforeAll(async () => {
    fleet = await startOwnFleet({
      devices: 11,
      timeScale: 600,
      groups: [{ devices: 1, profile: 'rutos', backupBytes: [2_000_000, 2_000_000] }],
    });
    test = await startTestGateway();
    operator = test.as('operator');
    ids = [];
    for (const device of fleet.devices) ids.push(await register(device));
  });
  afterAll(async () => {
    await test.close();
    await fleet.close();
  });

  async function register({ baseUrl, username, password, index }: SimulatedDevice): Promise<string> {
    const body = { name: `router-${index}`, baseUrl, credentials: { username, password } };
    return (await operator.post<{ id: string }>('/v1/devices', body)).id;
  }
  const backUp = async (index: number, wait = 30) =>
    operator.send<JobAnswer>('POST', `/v1/devices/${ids[index]}/jobs`, { kind: 'backup' }, { prefer: `wait=${wait}` });
  const effects = (index: number) => fleet.ledger.summary(index).effects;

  it('makes a backup while the caller waits, and gives out the bytes that the device announced', async () => {
    const { status, headers, body: job } = await backUp(0);
    expect([status, headers['preference-applied'], headers['location']]).toEqual([
      200,
      'wait=30',
      `/v1/jobs/${job.id}`,
    ]);
    expect(job).toMatchObject({ phase: 'ended', outcome: 'succeeded', deviceId: ids[0] });
    const { sha256, artifactId, bytes } = job.result!;
    expect(sha256).toBe(fleet.devices[0]!.backup!.sha256);
    expect(effects(0)['backup']).toBe(1);

    const content = await fetch(`${test.url}/v1/artifacts/${artifactId}/content`, {
      headers: { authorization: `Bearer ${test.keys.operator}` },
    });
    const received = Buffer.from(await content.arrayBuffer());
    expect(createHash('sha256').update(received).digest('hex')).toBe(sha256);
    expect(Object.fromEntries(content.headers)).toMatchObject({
      'content-length': String(bytes),
      'content-type': 'application/octet-stream',
      'content-disposition': expect.stringMatching(/^attachment; filename="backup-\S+\.tar\.gz"$/),
      'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
      etag: `"${sha256}"`,
    });
  });

  it('takes a backup of the size that real devices send', async () => {
    const { body: job } = await backUp(11);
    expect(job).toMatchObject({ outcome: 'succeeded', result: { sha256: fleet.devices[11]!.backup!.sha256 } });
    expect(job.result!.bytes).toBeGreaterThan(2_000_000);
  });

  it('leaves start, device writes, end and download in the audit, in the name of who started it', async () => {
    const { body: job } = await backUp(1);
    await operator.bytes(`/v1/artifacts/${job.result!.artifactId}/content`);
    const { items } = await operator.get<PageAnswer<{ action: string; actorName: string; outcome: string }>>(
      `/v1/audit?jobId=${job.id}`,
    );
    expect(items.map(({ action }) => action).toReversed()).toEqual([
      'job.start',
      'device.call_write',
      'device.call_write',
      'job.end',
      'artifact.read',
    ]);
    expect(new Set(items.map(({ outcome }) => outcome))).toEqual(new Set(['succeeded']));
    expect(new Set(items.map(({ actorName }) => actorName))).toEqual(new Set(['the operator']));
  });

  it('answers 202 with the address of the job when nobody waits, or not long enough', async () => {
    const {
      status,
      headers,
      body: job,
    } = await operator.send<JobAnswer>('POST', `/v1/devices/${ids[2]}/jobs`, {
      kind: 'backup',
    });
    expect([status, headers['preference-applied'], headers['location']]).toEqual([
      202,
      undefined,
      `/v1/jobs/${job.id}`,
    ]);
    const late = await backUp(2, 0);
    expect([late.status, late.headers['preference-applied']]).toEqual([202, undefined]);
  });

  it('starts a job once for its key, whatever becomes of the wait for its end', async () => {
    const headers = { 'idempotency-key': 'one-backup-alone', prefer: 'wait=30' };
    const start = () => operator.send<JobAnswer>('POST', `/v1/devices/${ids[10]}/jobs`, { kind: 'backup' }, headers);
    const jobs = test.gateway.app.get(JobsService);
    const away = Object.assign(new Error('terminating connection'), { code: '57P01' });
    const look = vi.spyOn(jobs, 'get').mockRejectedValueOnce(away);
    try {
      const { status, body: job } = await start();
      expect([status, job.outcome]).toEqual([200, 'succeeded']);
      expect(look.mock.calls.length).toBeGreaterThan(1);
      expect((await start()).body.id).toBe(job.id);
    } finally {
      look.mockRestore();
    }
    const { items } = await operator.get<PageAnswer<JobAnswer>>(`/v1/jobs?device=${ids[10]}`);
    expect(items).toHaveLength(1);
  });

  it('shows a job with its log', async () => {
    const { body } = await backUp(3);
    const job = await test.as('viewer').get<JobAnswer>(`/v1/jobs/${body.id}`);
    expect(job.log.map(({ step }) => step)).toEqual(['start', 'identify', 'generate', 'generate', 'download', 'end']);
    expect(job.log[0]!.text).toBe('the operator started the job');
  });

  it('lists jobs by device, kind, phase and outcome, page by page', async () => {
    await backUp(4);
    const page = (query: string) => operator.get<PageAnswer<JobAnswer>>(`/v1/jobs?${query}`);
    const ended = await page(`device=${ids[4]}&kind=backup&phase=ended&outcome=succeeded`);
    expect(ended.items.map(({ deviceId }) => deviceId)).toEqual([ids[4]]);
    await expect(page('kind=polish')).rejects.toMatchObject({
      code: 'invalid_input',
      problem: { errors: [{ pointer: '/query/kind', detail: expect.stringContaining('the kinds are: ') as string }] },
    });
    const all = (await page('limit=1000')).items.map(({ id }) => id);
    const paged: string[] = [];
    for (let cursor = ''; ;) {
      const { items, next } = await page(`limit=2${cursor}`);
      paged.push(...items.map(({ id }) => id));
      if (!next) break;
      cursor = `&cursor=${next}`;
    }
    expect(paged).toEqual(all);
    expect(new Set(paged).size).toBe(paged.length);
  });

  it('cancels a job that waits for its device, and not a second time', async () => {
    const fault = fleet.devices[5]!.faults.add({ kind: 'refuse' });
    const { body: job } = await backUp(5, 0);
    const cancelled = await operator.post<JobAnswer>(`/v1/jobs/${job.id}/cancel`, {});
    expect(cancelled.id).toBe(job.id);
    const ended = await waitForEnd(job.id);
    expect(ended).toMatchObject({ outcome: 'cancelled', failure: { code: 'cancelled' } });
    await expect(operator.post(`/v1/jobs/${job.id}/cancel`, {})).rejects.toMatchObject({
      status: 409,
      code: 'job_not_cancellable',
    });
    fleet.devices[5]!.faults.remove(fault);
    expect(effects(5)['backup']).toBeUndefined();
  });

  const LOST = [
    [9, PATHS.generateBackup],
    [6, PATHS.systemStatus],
    [8, PATHS.backupStatus],
    [10, PATHS.downloadBackup],
  ] as const;
  it.each(casesOf(LOST, 1))('ends well on device %i when the answer to %s is lost', async (index, lostPath) => {
    const before = effects(index)['backup'] ?? 0;
    fleet.devices[index]!.faults.add({ kind: 'lost-answer', path: lostPath, count: 1 });
    const { body: job } = await backUp(index);
    expect(job).toMatchObject({ outcome: 'succeeded', result: { sha256: fleet.devices[index]!.backup!.sha256 } });
    expect(effects(index)['backup']).toBe(before + 1);
    const { items } = await operator.get<PageAnswer<{ jobId: string }>>(`/v1/artifacts?job=${job.id}`);
    expect(items).toHaveLength(1);
  });

  it('fails when the device hands out other bytes than it announced', async () => {
    fleet.devices[7]!.faults.add({ kind: 'backup-corrupt' });
    const { body: job } = await backUp(7);
    expect(job).toMatchObject({ outcome: 'failed', failure: { code: 'digest_mismatch' }, result: null });
  });

  it('does not hand out an artifact that was damaged on the disk', async () => {
    const { body: job } = await backUp(0);
    const { artifactId, sha256 } = job.result!;
    await writeFile(path.join(test.dataDir, 'artifacts', sha256.slice(0, 2), sha256), 'something else');
    await expect(operator.bytes(`/v1/artifacts/${artifactId}/content`)).rejects.toMatchObject({
      status: 500,
      code: 'artifact_damaged',
    });
  });

  it.each([
    ['an unknown kind', { kind: 'polish' }, '/body/kind'],
    ['a field that the kind does not have', { kind: 'backup', spec: { encrypt: true } }, '/body/spec'],
    ['an unknown field', { kind: 'backup', when: 'now' }, '/body'],
    ['no kind', {}, '/body/kind'],
  ])('refuses %s and starts nothing', async (_name, body, pointer) => {
    const before = await operator.get<PageAnswer<JobAnswer>>('/v1/jobs?limit=1000');
    await expect(operator.post(`/v1/devices/${ids[0]}/jobs`, body)).rejects.toMatchObject({
      status: 400,
      code: 'invalid_input',
      problem: { errors: [expect.objectContaining({ pointer })] },
    });
    expect(await operator.get('/v1/jobs?limit=1000')).toMatchObject({ items: { length: before.items.length } });
  });

  it('refuses a job on a device without credentials', async () => {
    await operator.post('/v1/devices', { name: 'bare', baseUrl: 'https://127.0.0.1:1' });
    await expect(operator.post('/v1/devices/name:bare/jobs', { kind: 'backup' })).rejects.toMatchObject({
      status: 409,
      code: 'device_has_no_credentials',
    });
  });

  it('says which job, artifact or device there is not', async () => {
    const none = '00000000-0000-4000-8000-000000000000';
    for (const [method, address, code] of [
      ['GET', `/v1/jobs/${none}`, 'job_not_found'],
      ['POST', `/v1/jobs/${none}/cancel`, 'job_not_found'],
      ['GET', `/v1/artifacts/${none}`, 'artifact_not_found'],
      ['GET', `/v1/artifacts/${none}/content`, 'artifact_not_found'],
      ['GET', `/v1/jobs?device=${none}`, 'device_not_found'],
    ] as const) {
      await expect(operator.send(method, address, method === 'POST' ? {} : undefined)).rejects.toMatchObject({
        status: 404,
        code,
      });
    }
  });

  it('is ready only with its queue', async () => {
    const ready = await fetch(`${test.url}/health/ready`);
    expect(await ready.json()).toMatchObject({ status: 'ok', checks: { queue: 'ok' } });
  });

  async function waitForEnd(jobId: string): Promise<JobAnswer> {
    for (;;) {
      const job = await operator.get<JobAnswer>(`/v1/jobs/${jobId}`);
      if (job.phase === 'ended') return job;
      await pause(25);
    }
  }
});
