import { readdir } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PATHS } from '../../../src/device-api/contract.js';
import { makeJobWorld, type JobWorld } from '../../support/jobs/job-world.js';
import { casesOf } from '../../support/forms.js';
import { ScriptedDevice, sha256, type Mishap, NEXT_UNLUCKY } from '../../support/devices/scripted-device.js';

describe('a backup', () => {
  let world: JobWorld;
  let deviceId: string;
  let device: ScriptedDevice;

  beforeAll(async () => {
    world = await makeJobWorld();
    world.worker.consume();
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    device = Object.assign(world.device, new ScriptedDevice());
    device.seen.length = 0;
    device.serial = `S-${Math.random()}`;
    deviceId = await world.addDevice(device.serial);
  });

  const run = async () => world.runToEnd((await world.start(deviceId)).id);

  it('is generated, fetched, compared with what the device announced, and kept as the one artifact of its job', async () => {
    const job = await run();
    const [artifact, ...others] = await world.artifacts(job.id);
    expect(others).toEqual([]);
    expect(job).toMatchObject({ phase: 'ended', outcome: 'succeeded', failure: null });
    expect(job.result).toEqual({
      serial: device.serial,
      firmware: 'RUTX_R_00.07.16',
      sha256: device.digest,
      bytes: device.content!.length,
      artifactId: artifact!.id,
    });
    expect(artifact).toMatchObject({ kind: 'backup', deviceId, sha256: device.digest, bytes: device.content!.length });
    expect(await buffer(await world.store.read(artifact!.sha256))).toEqual(device.content);
    expect(device.seen).toEqual([
      `GET ${PATHS.systemStatus}`,
      `GET ${PATHS.backupStatus}`,
      `POST ${PATHS.generateBackup}`,
      `POST ${PATHS.downloadBackup}`,
    ]);
  });

  it('tells people what it did, step by step', async () => {
    const job = await run();
    expect(await world.events(job.id)).toEqual([
      'start: Ada started the job',
      'identify: The device is the right one',
      'generate: Tells the device to make a backup',
      'generate: The device made a backup',
      'download: The backup is stored, and its digest matches the announced one',
      'end: The job has succeeded',
    ]);
  });

  it('leaves both ends in the audit', async () => {
    const job = await run();
    const trail = await world.db.query<object[]>(
      `select actor, action, outcome, request_id, audit_outcome.outcome from audit_entry
         join audit_outcome on entry_id = audit_entry.id where job_id = $1 order by opened_at`,
      [job.id],
    );
    expect(trail).toEqual([
      { actor: 'key:ada', action: 'job.start', outcome: 'succeeded', request_id: 'req-00000001' },
      { actor: 'key:ada', action: 'job.end', outcome: 'succeeded', request_id: 'req-00000001' },
    ]);
  });

  it('keeps in its intent what was seen before the device was told, and after', async () => {
    const job = await run();
    expect(job.intent).toMatchObject({
      effect: 'generate',
      state: 'executed',
      before: { sha256: null },
      answer: { sha256: device.digest },
      after: { sha256: device.digest },
    });
  });

  describe.each(casesOf<Mishap>(['lost', 'unreachable'], 1))('with one answer %s', (mishap) => {
    it('ends well whichever answer it is, and has one backup made', async () => {
      let answers = Infinity;
      for (let unlucky = 0; unlucky < answers; unlucky += NEXT_UNLUCKY) {
        Object.assign(device, new ScriptedDevice(), { serial: device.serial });
        device.mishap = (answer) => (answer === unlucky ? mishap : null);
        const job = await run();
        expect(job).toMatchObject({ outcome: 'succeeded', intent: { state: 'executed' } });
        expect(await world.artifacts(job.id)).toHaveLength(1);
        expect(device.made).toBe(1);
        answers = device.answers;
      }
      expect(answers).toBeGreaterThan(3);
    });
  });

  it('resolves a lost answer by the digest of the backup before and after, and never by sending again', async () => {
    device.content = Buffer.from('an older backup');
    const before = device.digest;
    device.mishap = (_answer, { path }) => (path === PATHS.generateBackup ? 'lost' : null);
    const job = await run();
    expect(job).toMatchObject({ outcome: 'succeeded', result: { sha256: device.digest } });
    expect(job.intent).toMatchObject({ before: { sha256: before }, after: { sha256: device.digest } });
    expect(job.intent).not.toHaveProperty('answer');
    expect(device.seen.filter((line) => line.includes('generate'))).toHaveLength(1);
  });

  it('asks again when no new backup appears, and then says that nobody can tell', async () => {
    device.content = Buffer.from('the backup of yesterday');
    device.mishap = (_answer, { path }) => (path === PATHS.generateBackup ? 'lost' : null);
    device.makesAnew = false;
    const job = await run();
    expect(job).toMatchObject({ outcome: 'unknown', failure: { code: 'backup_not_made', facts: { sends: 3 } } });
    expect(job.intent).toMatchObject({ state: 'unknown' });
    expect(await world.artifacts(job.id)).toEqual([]);
  });

  it('waits for a device that is away, and ends at its deadline with the reason', async () => {
    device.mishap = () => 'unreachable';
    const { id } = await world.start(deviceId);
    await world.worker.dispatcher.dispatch();
    const waiting = await world.eventually(
      () => world.jobs.get(id),
      ({ phase }) => phase === 'queued',
    );
    expect(waiting).toMatchObject({ waitReason: 'device_offline', failure: { code: 'device_unreachable' } });
    const job = await world.runToEnd(id);
    expect(job).toMatchObject({ outcome: 'not_executed', failure: { code: 'deadline_passed' } });
    expect(job.failure?.facts).toMatchObject({ effect: 'none', last: { code: 'device_unreachable' } });
    expect(device.seen).toEqual([]);
  });

  it('is not made on another device that answers at the address', async () => {
    device.serial = 'someone else';
    const job = await run();
    expect(job).toMatchObject({ outcome: 'not_executed', failure: { code: 'identity_mismatch' } });
    expect(device.made).toBe(0);
  });

  it('fails when the bytes never are what the device announces, and keeps none of them', async () => {
    device.announces = sha256(Buffer.from('a lie'));
    const job = await run();
    expect(job).toMatchObject({ outcome: 'failed', failure: { code: 'digest_mismatch' } });
    expect(job.failure?.facts).toMatchObject({
      announcedSha256: device.announces,
      receivedSha256: sha256(device.content!),
    });
    expect(await world.artifacts(job.id)).toEqual([]);
    expect(await readdir(`${world.artifactsDir}/incoming`)).toEqual([]);
  });

  it('fetches again when someone else had a backup made meanwhile', async () => {
    let isFirst = true;
    device.during = ({ path }) => {
      if (path === PATHS.downloadBackup && isFirst) device.content = Buffer.from('the backup of someone else');
      if (path === PATHS.downloadBackup) isFirst = false;
      return Promise.resolve();
    };
    const job = await run();
    expect(job).toMatchObject({ outcome: 'succeeded', result: { sha256: sha256(device.content!) } });
  });

  it('has another one made when the backup vanished before it was fetched', async () => {
    let isFirst = true;
    device.during = ({ path }) => {
      if (path === PATHS.downloadBackup && isFirst) device.content = null;
      if (path === PATHS.downloadBackup) isFirst = false;
      return Promise.resolve();
    };
    const job = await run();
    expect(job).toMatchObject({ outcome: 'succeeded', result: { sha256: device.digest } });
    expect(device.made).toBe(2);
  });
});
