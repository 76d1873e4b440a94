import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Artifact } from '../../../src/artifacts/artifact.entity.js';
import { issueRsa } from '../../../src/simulator/device/certificates.js';
import { casesOf } from '../../support/forms.js';
import { ADA } from '../../support/jobs/job-world.js';
import { type Mishap, NEXT_UNLUCKY } from '../../support/devices/scripted-device.js';
import { startSimulatedJobs, type SimulatedJobs } from '../../support/jobs/simulated-jobs.js';

/** The laws run a job once for each answer; a machine that is busy takes its time for that. */

const UPLOAD = '/api/certificates/root_ca/config';
const LIST = '/api/openvpn/config';
const ITEM = `${LIST}/office`;

describe('a job that uploads a file', () => {
  let jobs: SimulatedJobs;
  let artifactId: string;
  beforeAll(async () => {
    jobs = await startSimulatedJobs({ devices: 1, profile: 'rutos' });
    artifactId = await keep(Buffer.from(await authority()));
  });
  afterAll(() => jobs.close());
  beforeEach(() => clean());

  const run = (spec: object = {}) => jobs.run('upload', { ...wanted(), ...spec });
  const wanted = () => ({ artifactId, path: UPLOAD, fileName: 'office.pem', into: { path: ITEM, option: 'ca' } });
  const effects = () => {
    const { upload = 0, update = 0, delete: removed = 0 } = jobs.fleet.ledger.summary(0).effects;
    return { upload, update, removed };
  };
  const device = () => jobs.fleet.devices[0]!;
  const option = async () =>
    ((await callDevice('GET', ITEM)).body as { data: Record<string, unknown> }).data['ca'] ?? null;

  function callDevice(method: 'GET' | 'POST' | 'DELETE', path: string, data?: object) {
    const request = { method, path, ...(data ? { json: { data } } : {}) };
    return jobs.lossyCalls.calls.call(jobs.ids[0]!, request, { actor: ADA });
  }

  async function authority(days = 365, isAuthority = true): Promise<string> {
    const notBefore = new Date(Date.now() - 400 * 86_400_000);
    const notAfter = new Date(Date.now() + days * 86_400_000);
    const subject = { commonName: 'Office', notBefore, notAfter, ...(isAuthority ? { authority: true } : {}) };
    return (await issueRsa(1024, subject)).certificatePem;
  }

  async function keep(bytes: Buffer): Promise<string> {
    const draft = await jobs.world.store.write(Readable.from([bytes]), bytes.length);
    await draft.keep();
    const id = randomUUID();
    const row = { id, kind: 'file' as const, name: 'file.pem', sha256: draft.sha256, bytes: bytes.length };
    await jobs.world.db.manager.insert(Artifact, { ...row, createdAt: new Date() });
    return id;
  }

  /** There is an item without a file, and no file. */
  async function clean(): Promise<void> {
    jobs.lossyCalls.reset();
    device().faults.clear();
    await callDevice('DELETE', ITEM).catch(() => undefined);
    await callDevice('DELETE', '/api/certificates/config/office.pem').catch(() => undefined);
    await callDevice('POST', LIST, { id: 'office' });
    jobs.lossyCalls.reset();
    jobs.fleet.ledger.clear();
  }

  it('sends the file, writes its path into the item, and reads it back', async () => {
    const job = await run();
    expect(job).toMatchObject({ outcome: 'succeeded', result: { path: '/etc/certificates/office.pem' } });
    expect(await option()).toBe('/etc/certificates/office.pem');
    expect(effects()).toEqual({ upload: 1, update: 1, removed: 0 });
    expect(await jobs.world.events(job.id)).toEqual([
      'start: Ada started the job',
      'identify: The file and its configuration item exist',
      'send: Sends the file',
      'send: The device has accepted the file',
      'refer: Writes the path of the file into the configuration',
      'end: The job has succeeded',
    ]);
  });

  describe.each(casesOf<Mishap>(['lost', 'unreachable'], 1))('with one answer %s', (mishap) => {
    it('ends well whichever answer it is, with one upload and one change', async () => {
      let answers = Infinity;
      for (let unlucky = 0; unlucky < answers; unlucky += NEXT_UNLUCKY) {
        await clean();
        jobs.lossyCalls.mishap = (answer) => (answer === unlucky ? mishap : null);
        expect(await run()).toMatchObject({ outcome: 'succeeded' });
        expect(effects()).toEqual({ upload: 1, update: 1, removed: 0 });
        answers = jobs.lossyCalls.answers;
      }
      expect(answers).toBeGreaterThan(5);
    });
  });

  it('sends a file again that certainly never arrived', async () => {
    device().faults.add({ kind: 'reset-before', path: UPLOAD, count: 1 });
    expect(await run()).toMatchObject({ outcome: 'succeeded' });
    expect(effects().upload).toBe(1);
  });

  it('removes the file again when the device refuses its path', async () => {
    device().faults.add({ kind: 'error', path: ITEM, method: 'PUT', status: 422, code: 115 });
    const job = await run();
    expect(job).toMatchObject({ outcome: 'failed', failure: { code: 'device_refused' } });
    expect(job.failure!.facts).toMatchObject({ deviceCodes: [115], removedAgain: '/etc/certificates/office.pem' });
    expect(device().certificates.has('office.pem')).toBe(false);
  });

  it('leaves a file that was there before, and says so', async () => {
    await run({ into: undefined });
    jobs.fleet.ledger.clear();
    device().faults.add({ kind: 'error', path: ITEM, method: 'PUT', status: 422, code: 115 });
    const job = await run();
    expect(job.failure!.facts).toMatchObject({ leftOnDevice: '/etc/certificates/office.pem' });
    expect(effects().removed).toBe(0);
  });

  it.each([
    ['too little space', 'out-of-space', 150],
    ['too large a file', 'file-too-large', 151],
  ] as const)('fails with the words of the device: %s', async (_what, kind, code) => {
    device().faults.add({ kind, path: UPLOAD });
    const job = await run();
    expect(job).toMatchObject({
      outcome: 'failed',
      failure: { code: 'device_refused', facts: { deviceCodes: [code] } },
    });
    expect(effects()).toEqual({ upload: 0, update: 0, removed: 0 });
  });

  it.each([
    ['files of which are listed', '/api/certificates/ca/config'],
    ['of whose files the API tells nothing', '/api/mqtt/broker/config'],
  ])('has done nothing when the stored file is damaged, for a service %s', async (_words, path) => {
    const id = randomUUID();
    const row = { id, kind: 'file' as const, name: 'file.pem', sha256: 'ab'.repeat(32), bytes: 10 };
    await jobs.world.db.manager.insert(Artifact, { ...row, createdAt: new Date() });
    const job = await run({ artifactId: id, path, into: undefined });
    expect(job).toMatchObject({ outcome: 'not_executed', failure: { code: 'artifact_damaged' }, intent: null });
    expect(effects()).toEqual({ upload: 0, update: 0, removed: 0 });
  });

  it('sends no file that holds a redaction marker', async () => {
    const text = `client\n<auth>\nhmac:2bf64e87bc2033a5\n</auth>\n${'# '.repeat(100_000)}`;
    const path = '/api/openvpn/config/office';
    const job = await run({ artifactId: await keep(Buffer.from(text)), path, into: undefined });
    expect(job).toMatchObject({ failure: { code: 'redaction_marker' } });
    expect(effects()).toEqual({ upload: 0, update: 0, removed: 0 });
  });

  it('writes down when a root certificate ends', async () => {
    const job = await run({ into: undefined });
    const rows = await jobs.world.db.query<object[]>('select fullname, type, subject, job_id from device_certificate');
    expect(rows).toEqual([{ fullname: 'office.pem', type: 'root_ca', subject: 'CN=Office', job_id: job.id }]);
  });

  it.each([
    ['has ended', () => authority(-1)],
    ['contains a certificate that is not a certificate authority', () => authority(365, false)],
    ['contains no certificate', () => Promise.resolve('hello')],
  ])('sends no root certificate that %s', async (why, make) => {
    const job = await run({ artifactId: await keep(Buffer.from(await make())) });
    expect(job).toMatchObject({ outcome: 'not_executed', failure: { code: 'not_an_authority' } });
    expect(job.failure!.message).toContain(why);
    expect(effects()).toEqual({ upload: 0, update: 0, removed: 0 });
  });

  it('sends nothing for an item that is not there', async () => {
    const job = await run({ into: { path: `${LIST}/nosuch`, option: 'ca' } });
    expect(job).toMatchObject({ outcome: 'not_executed', failure: { code: 'item_not_found' } });
    expect(jobs.lossyCalls.sent.filter((line) => line.startsWith('POST'))).toEqual([]);
  });

  it('sends nothing when another digest was approved', async () => {
    await expect(run({ sha256: '0'.repeat(64) })).rejects.toMatchObject({ code: 'artifact_changed' });
    expect(jobs.lossyCalls.sent).toEqual([]);
  });

  it('is cancelled before the upload, and not after', async () => {
    jobs.lossyCalls.mishap = () => 'unreachable';
    const early = await jobs.world.start(jobs.ids[0]!, 'upload', wanted());
    expect(await jobs.world.jobs.cancel(early.id, ADA)).toMatchObject({ outcome: 'cancelled' });

    jobs.lossyCalls.reset();
    const late = await jobs.world.start(jobs.ids[0]!, 'upload', wanted());
    let refusal: unknown = null;
    jobs.lossyCalls.after = async ({ path }) => {
      if (path === UPLOAD) refusal = await jobs.world.jobs.cancel(late.id, ADA).catch((error: unknown) => error);
    };
    expect(await jobs.world.runToEnd(late.id)).toMatchObject({ outcome: 'succeeded' });
    expect(refusal).toMatchObject({ code: 'job_not_cancellable' });
  });
});
