import { createPrivateKey, X509Certificate } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PATHS, SIMPLE_CERTIFICATE_FILES } from '../../../src/device-api/contract.js';
import { type JobRow } from '../../../src/jobs/rows/job.entity.js';
import { examine } from '../../../src/jobs/kind-api/certificate-files.js';
import { casesOf, itNightly } from '../../support/forms.js';
import { ADA } from '../../support/jobs/job-world.js';
import { type Mishap, NEXT_UNLUCKY } from '../../support/devices/scripted-device.js';
import { startSimulatedJobs, type SimulatedJobs } from '../../support/jobs/simulated-jobs.js';

/** The laws run a job once for each answer; a machine that is busy takes its time for that. */

const GENERATE = PATHS.generateCertificates;

describe('a job that makes certificates', () => {
  let jobs: SimulatedJobs;
  beforeAll(async () => {
    jobs = await startSimulatedJobs({ devices: 1, profile: 'rutos', rsaBits: 512, timeScale: 10 });
  });
  afterAll(() => jobs.close());
  beforeEach(() => clean());

  const run = (spec: object = {}) => jobs.run('certificates', { type: 'simple', ...spec });
  const device = () => jobs.fleet.devices[0]!;
  const effects = () => {
    const { generate = 0, generated = 0, delete: removed = 0 } = jobs.fleet.ledger.summary(0).effects;
    return { generate, generated, removed };
  };
  const textOf = (file: string) => device().certificates.read(file);
  const opened = async (job: JobRow, file: string) => {
    const values = job.result!['sealedValues'] as { file: string; valueId: string }[];
    const { valueId } = values.find((one) => one.file === file)!;
    return (await jobs.gateway.api.post<{ value: string }>(`/v1/sealed-values/${valueId}/open`)).value;
  };
  const registry = () =>
    jobs.world.db.query<{ fullname: string; type: string; fingerprint: string; not_after: Date }[]>(
      'select fullname, type, fingerprint, not_after from device_certificate where device_id = $1 order by fullname',
      [jobs.ids[0]],
    );

  async function clean(): Promise<void> {
    jobs.lossyCalls.reset();
    device().faults.clear();
    const { generated, generating } = device().certificates.listing();
    for (const { fullname } of [...generated, ...generating]) device().certificates.remove(fullname);
    await jobs.world.db.query('delete from device_certificate');
    jobs.fleet.ledger.clear();
  }

  it('has all seven files made, compares them, keeps the certificates and writes down when they end', async () => {
    const job = await run();
    expect(job).toMatchObject({ outcome: 'succeeded', failure: null });
    expect(effects()).toEqual({ generate: 1, generated: 7, removed: 0 });
    const artifacts = await jobs.world.artifacts(job.id);
    expect(artifacts.map(({ name }) => name).sort()).toEqual([
      'ca.cert.pem',
      'client.cert.pem',
      'dh.pem',
      'server.cert.pem',
    ]);
    const server = artifacts.find(({ name }) => name === 'server.cert.pem')!;
    expect((await buffer(await jobs.world.store.read(server.sha256))).toString()).toBe(await textOf('server.cert.pem'));
    const certificate = new X509Certificate(await textOf('server.cert.pem'));
    expect(await registry()).toMatchObject([
      { fullname: 'ca.cert.pem', type: 'ca' },
      { fullname: 'client.cert.pem', type: 'client' },
      {
        fullname: 'server.cert.pem',
        type: 'server',
        fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
        not_after: new Date(certificate.validTo),
      },
    ]);
  });

  it('keeps no private key unless it is asked to, and then sealed', async () => {
    const [without, withKeys] = [await run(), await run({ replace: true, export: true })];
    expect(without.result).toMatchObject({ sealedValues: [] });
    const key = await textOf('server.key.pem');
    expect(await opened(withKeys, 'server.key.pem')).toBe(key);
    const rows = await jobs.world.db.query<object[]>(
      `select job.*, array(select line::text from job_log_line line where job_id = job.id) as steps,
              array(select encode(sealed_content, 'escape') from sealed_value) as sealed from job`,
    );
    expect(createPrivateKey(key).type).toBe('private');
    expect(JSON.stringify(rows)).not.toContain(key.split('\n')[1]);
    for (const { sha256 } of await jobs.world.artifacts(withKeys.id)) {
      expect((await buffer(await jobs.world.store.read(sha256))).toString()).not.toContain('PRIVATE KEY');
    }
  });

  it.each([
    ['ca', ['ca.key.pem', 'ca.cert.pem']],
    ['server', ['pump.key.pem', 'pump.cert.pem']],
    ['dh', ['params.pem']],
  ])('makes a single set: %s', async (type, files) => {
    const job = await run({ type, ...(type === 'ca' ? {} : { name: files[0]!.split('.')[0] }) });
    expect(job).toMatchObject({ outcome: 'succeeded' });
    expect(
      device()
        .certificates.listing()
        .generated.map(({ fullname }) => fullname),
    ).toEqual(files);
  });

  it('tells people how far it is', async () => {
    const job = await run();
    const steps = await jobs.world.events(job.id);
    expect(steps.slice(0, 4)).toEqual([
      'start: Ada started the job',
      'survey: None of the files exists',
      'order: Tells the device to generate them',
      'order: The device generates them',
    ]);
    expect(steps.slice(-3)).toEqual([
      'wait: All files are generated',
      'check: Keys and certificates match',
      'end: The job has succeeded',
    ]);
  });

  describe.each(casesOf<Mishap>(['lost', 'unreachable'], 1, 1))('with one answer %s', (mishap) => {
    it('ends well whichever answer it is, with one generation', async () => {
      let answers = Infinity;
      for (let unlucky = 0; unlucky < answers; unlucky += NEXT_UNLUCKY) {
        await clean();
        jobs.lossyCalls.mishap = (answer) => (answer === unlucky ? mishap : null);
        expect(await run({ type: 'server' })).toMatchObject({ outcome: 'succeeded' });
        expect(effects()).toEqual({ generate: 1, generated: 2, removed: 0 });
        answers = jobs.lossyCalls.answers;
      }
      expect(answers).toBeGreaterThan(6);
    });

    itNightly('replaces files well whichever answer it is, each removed once', async () => {
      let answers = Infinity;
      for (let unlucky = 0; unlucky < answers; unlucky += NEXT_UNLUCKY) {
        await clean();
        await run({ type: 'server' });
        jobs.lossyCalls.reset();
        jobs.fleet.ledger.clear();
        jobs.lossyCalls.mishap = (answer) => (answer === unlucky ? mishap : null);
        expect(await run({ type: 'server', replace: true })).toMatchObject({ outcome: 'succeeded' });
        expect(effects()).toEqual({ generate: 1, generated: 2, removed: 2 });
        answers = jobs.lossyCalls.answers;
      }
    });
  });

  it('asks again when the order certainly never arrived', async () => {
    device().faults.add({ kind: 'reset-before', path: GENERATE, count: 1 });
    expect(await run({ type: 'server' })).toMatchObject({ outcome: 'succeeded' });
    expect(effects().generate).toBe(1);
  });

  it('finds out that a generation is stuck, and names what was made and what was not', async () => {
    device().faults.add({ kind: 'generation-stuck', file: 'client.key.pem' });
    // Once the rest is made, time passes in which the job would look 300 times.
    jobs.lossyCalls.after = ({ path }) => {
      const { clock } = jobs.world;
      const isRestMade = device().certificates.listing().generated.length === 4;
      if (path === PATHS.certificates && isRestMade) clock.skipTo(new Date(clock.now().getTime() + 30_000));
      return Promise.resolve();
    };
    const job = await run();
    expect(job).toMatchObject({ outcome: 'failed', failure: { code: 'generation_stuck' } });
    expect(job.failure!.facts).toMatchObject({
      ready: SIMPLE_CERTIFICATE_FILES.slice(0, 4),
      making: SIMPLE_CERTIFICATE_FILES.slice(4),
    });
  });

  it('finds out that a restart of the device has killed the generation', async () => {
    jobs.lossyCalls.after = async ({ path }) => {
      if (path === GENERATE) device().certificates.interrupt();
      await Promise.resolve();
    };
    const job = await run();
    expect(job).toMatchObject({ outcome: 'failed', failure: { code: 'generation_lost' } });
  });

  it('takes up a generation that is under way already', async () => {
    const order = { method: 'POST', path: GENERATE, json: { data: { type: 'dh' } } } as const;
    await jobs.lossyCalls.calls.call(jobs.ids[0]!, order, { actor: ADA });
    jobs.fleet.ledger.clear();
    expect(await run({ type: 'dh' })).toMatchObject({ outcome: 'succeeded' });
    expect(effects().generate).toBe(0);
  });

  it('does not touch files that are there, unless it is asked to', async () => {
    await run({ type: 'server' });
    jobs.fleet.ledger.clear();
    const job = await run({ type: 'server' });
    expect(job).toMatchObject({ outcome: 'not_executed', failure: { code: 'certificates_exist' } });
    expect(effects()).toEqual({ generate: 0, generated: 0, removed: 0 });
  });

  it('makes them anew only when they are due', async () => {
    await run({ type: 'server', days: 100 });
    const [before] = await registry();
    const early = await run({ type: 'server', renewBeforeDays: 30 });
    expect(early).toMatchObject({ outcome: 'succeeded', result: { renewed: false } });
    const due = await run({ type: 'server', renewBeforeDays: 200 });
    expect(due).toMatchObject({ outcome: 'succeeded', result: { renewed: true } });
    const [after] = await registry();
    expect(after!.fingerprint).not.toBe(before!.fingerprint);
  });

  it('fails when a key is not that of its certificate', async () => {
    jobs.lossyCalls.after = async ({ path }) => {
      if (!path.startsWith('/api/certificates/server.key.pem') && path !== PATHS.certificates) return;
      if (!device().certificates.has('client.key.pem')) return;
      device().certificates.put('server.key.pem', await textOf('client.key.pem'));
    };
    const job = await run();
    expect(job).toMatchObject({ outcome: 'failed', failure: { code: 'files_do_not_fit' } });
    // Where the copy falls into the making of the client's pair, that one does not fit either.
    expect(job.failure!.facts['problems']).toContain('the key does not match server.cert.pem');
    expect(await jobs.world.artifacts(job.id)).toEqual([]);
  });

  it('is cancelled before the order, and not after', async () => {
    jobs.lossyCalls.mishap = () => 'unreachable';
    const early = await jobs.world.start(jobs.ids[0]!, 'certificates', { type: 'server' });
    expect(await jobs.world.jobs.cancel(early.id, ADA)).toMatchObject({ outcome: 'cancelled' });

    jobs.lossyCalls.reset();
    const late = await jobs.world.start(jobs.ids[0]!, 'certificates', { type: 'server' });
    let refusal: unknown = null;
    jobs.lossyCalls.after = async ({ path }) => {
      if (path === GENERATE) refusal = await jobs.world.jobs.cancel(late.id, ADA).catch((error: unknown) => error);
    };
    expect(await jobs.world.runToEnd(late.id)).toMatchObject({ outcome: 'succeeded' });
    expect(refusal).toMatchObject({ code: 'job_not_cancellable' });
  });
});

describe('certificate files', () => {
  it('are no certificates when they hold something else', () => {
    const texts = new Map([
      ['server.cert.pem', 'hello'],
      ['dh.pem', 'hello'],
    ]);
    expect(examine(texts, 'simple', new Date()).problems).toEqual([
      'server.cert.pem is not a certificate',
      'dh.pem has no Diffie-Hellman parameters',
    ]);
  });
});
