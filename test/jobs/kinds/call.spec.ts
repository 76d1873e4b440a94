import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callSpec } from '../../../src/jobs/kinds/call/call-spec.js';
import { casesOf } from '../../support/forms.js';
import { ADA } from '../../support/jobs/job-world.js';
import { startSimulatedJobs, type SimulatedJobs } from '../../support/jobs/simulated-jobs.js';
import { type Mishap, NEXT_UNLUCKY } from '../../support/devices/scripted-device.js';

/** The laws run a job once for each answer; a machine that is busy takes its time for that. */

const LIST = '/api/wireguard/config';
const ITEM = `${LIST}/site`;

const create = { method: 'POST', path: LIST, data: { id: 'site', listen_port: '51820' } };
const update = { method: 'PUT', path: ITEM, data: { listen_port: '51999' } };
const remove = { method: 'DELETE', path: ITEM };

describe('a durable call', () => {
  let jobs: SimulatedJobs;
  beforeAll(async () => {
    jobs = await startSimulatedJobs({ devices: 1, profile: 'rutos' });
  });
  afterAll(() => jobs.close());
  beforeEach(() => clear());

  const run = (spec: object) => jobs.run('call', spec);
  const effects = () => {
    const { create: created = 0, update: updated = 0, delete: removed = 0 } = jobs.fleet.ledger.summary(0).effects;
    return { created, updated, removed };
  };

  /** The item is gone, whatever came before. */
  async function clear(): Promise<void> {
    jobs.lossyCalls.reset();
    jobs.fleet.devices[0]!.faults.clear();
    await run(remove);
    jobs.lossyCalls.reset();
    jobs.fleet.ledger.clear();
  }

  it('reads, and keeps the answer', async () => {
    const job = await run({ method: 'GET', path: '/api/system/device/status' });
    expect(job).toMatchObject({ outcome: 'succeeded', failure: null, intent: null });
    expect(job.result).toMatchObject({ status: 200, body: { success: true, data: { mnfinfo: {} } } });
  });

  it('creates, changes and removes an item, and reads it back each time', async () => {
    for (const spec of [create, update, remove]) {
      const job = await run(spec);
      expect(job).toMatchObject({ outcome: 'succeeded', result: { verified: true }, intent: { state: 'executed' } });
    }
    expect(effects()).toEqual({ created: 1, updated: 1, removed: 1 });
    expect(jobs.lossyCalls.sent).toEqual([
      `GET ${ITEM}`,
      `POST ${LIST}`,
      `GET ${ITEM}`,
      `GET ${ITEM}`,
      `PUT ${ITEM}`,
      `GET ${ITEM}`,
      `GET ${ITEM}`,
      `DELETE ${ITEM}`,
      `GET ${ITEM}`,
    ]);
  });

  it('keeps no secret of an answer in row, intent or steps', async () => {
    const job = await run(create);
    const { data } = job.result!['body'] as { data: Record<string, string> };
    expect(data['private_key']).toMatch(/^hmac:/);
    const key = await jobs.lossyCalls.calls.call(jobs.ids[0]!, { method: 'GET', path: ITEM }, { actor: ADA });
    const clear = (key.body as { data: { private_key: string } }).data.private_key;
    const [row] = await jobs.world.db.query<object[]>(
      'select job.*, array(select line::text from job_log_line line where job_id = job.id) as steps from job where id = $1',
      [job.id],
    );
    expect(clear).toHaveLength(44);
    expect(JSON.stringify(row)).not.toContain(clear);
  });

  describe.each(casesOf<Mishap>(['lost', 'unreachable'], 1))('with one answer %s', (mishap) => {
    it.each([
      ['that creates', create, null, 'created'],
      ['that changes', update, create, 'updated'],
      ['that removes', remove, create, 'removed'],
    ] as const)('%s ends well whichever answer it is, and takes effect once', async (_what, spec, before, effect) => {
      let answers = Infinity;
      for (let unlucky = 0; unlucky < answers; unlucky += NEXT_UNLUCKY) {
        await clear();
        if (before) await run(before);
        jobs.lossyCalls.reset();
        jobs.fleet.ledger.clear();
        jobs.lossyCalls.mishap = (answer) => (answer === unlucky ? mishap : null);
        const job = await run(spec);
        expect(job).toMatchObject({ outcome: 'succeeded', intent: { state: 'executed' } });
        expect(effects()).toEqual({ created: 0, updated: 0, removed: 0, [effect]: 1 });
        answers = jobs.lossyCalls.answers;
      }
      expect(answers).toBeGreaterThanOrEqual(3);
    });
  });

  it('does not send a write again that never arrived, and says that nothing was changed', async () => {
    jobs.fleet.devices[0]!.faults.add({ kind: 'reset-before', path: LIST, method: 'POST', count: 1 });
    const job = await run(create);
    expect(job).toMatchObject({ outcome: 'not_executed', failure: { code: 'answer_lost' } });
    expect(job.intent).toMatchObject({ state: 'not_executed', before: { items: [{ path: ITEM, exists: false }] } });
    expect(jobs.lossyCalls.sent.filter((line) => line.startsWith('POST'))).toHaveLength(1);
    expect(effects().created).toBe(0);
  });

  it('says that nobody can tell when the answer to an action is lost', async () => {
    jobs.lossyCalls.mishap = (_answer, { method }) => (method === 'POST' ? 'lost' : null);
    const job = await run({ method: 'POST', path: '/api/wireguard/actions/generate_keys' });
    expect(job).toMatchObject({ outcome: 'unknown', failure: { code: 'answer_lost' }, intent: { state: 'unknown' } });
    expect(jobs.lossyCalls.sent).toHaveLength(1);
  });

  it('says that nobody can tell when somebody else changed the item meanwhile', async () => {
    await run(create);
    jobs.fleet.devices[0]!.faults.add({ kind: 'reset-before', path: ITEM, method: 'PUT', count: 1 });
    const other = { method: 'PUT', path: ITEM, json: { data: { listen_port: '4242' } } } as const;
    jobs.lossyCalls.after = async ({ method }) => {
      if (method !== 'PUT') return;
      jobs.lossyCalls.after = () => Promise.resolve();
      await jobs.lossyCalls.calls.call(jobs.ids[0]!, other, { actor: ADA });
    };
    const job = await run(update);
    expect(job).toMatchObject({ outcome: 'unknown', failure: { code: 'answer_lost' }, intent: { state: 'unknown' } });
  });

  it('fails with what the device says when the device refuses', async () => {
    const job = await run({ method: 'PUT', path: ITEM, data: { listen_port: '1' } });
    expect(job).toMatchObject({ outcome: 'failed', failure: { code: 'device_refused' } });
    expect(job.failure?.facts).toMatchObject({ deviceStatus: 404, deviceCodes: [113] });
    expect(job.intent).toMatchObject({ state: 'not_executed' });
  });

  it('is judged by what its caller expects, a refusal included', async () => {
    const gone = await run({ method: 'GET', path: ITEM, expect: { status: 404 } });
    expect(gone).toMatchObject({ outcome: 'succeeded', result: { status: 404 } });
    const there = await run({ ...create, expect: { status: 201, body: { data: { id: 'site' } } } });
    expect(there).toMatchObject({ outcome: 'succeeded', result: { status: 201 } });
    const other = await run({ method: 'GET', path: ITEM, expect: { body: { data: { listen_port: '1' } } } });
    expect(other).toMatchObject({
      outcome: 'failed',
      failure: { code: 'not_as_expected', facts: { missed: ['/body/data/listen_port'] } },
    });
  });

  it('asks again later when the device has no internet at the moment', async () => {
    const path = '/api/firmware/device/updates/status';
    jobs.fleet.devices[0]!.faults.add({ kind: 'no-internet', path, count: 2 });
    const job = await run({ method: 'GET', path });
    expect(job).toMatchObject({ outcome: 'succeeded' });
    expect(jobs.lossyCalls.sent).toHaveLength(3);
  });

  it('carries a bulk request, reads its items back, and fails when the device refused one of them', async () => {
    const items = [
      { endpoint: LIST, method: 'POST', data: create.data },
      { endpoint: '/api/system/device/status', method: 'GET' },
    ];
    const whole = await run({ method: 'POST', path: '/api/bulk', data: items });
    expect(whole).toMatchObject({ outcome: 'succeeded', result: { verified: true } });
    const twice = await run({ method: 'POST', path: '/api/bulk', data: items });
    expect(twice).toMatchObject({ outcome: 'failed', failure: { code: 'bulk_items_refused', facts: { items: [0] } } });
    expect(effects().created).toBe(1);
  });

  it('fails when the device accepts a write and does not do it', async () => {
    jobs.lossyCalls.mishap = (_answer, { method }) => {
      if (method === 'POST') jobs.fleet.devices[0]!.faults.add({ kind: 'error', path: ITEM, status: 404, code: 113 });
      return null;
    };
    const job = await run(create);
    expect(job).toMatchObject({ outcome: 'failed', failure: { code: 'did_not_hold' }, intent: { state: 'executed' } });
    expect(job.failure?.facts).toMatchObject({ unlike: [{ path: ITEM, exists: false }] });
  });

  it('is cancelled before it is sent, and not after', async () => {
    jobs.lossyCalls.mishap = () => 'unreachable';
    const { id } = await jobs.world.start(jobs.ids[0]!, 'call', create);
    expect(await jobs.world.jobs.cancel(id, ADA)).toMatchObject({ outcome: 'cancelled' });

    jobs.lossyCalls.mishap = (_answer, { method }) => (method === 'POST' ? 'lost' : null);
    let cancelled: unknown = null;
    const late = await jobs.world.start(jobs.ids[0]!, 'call', create);
    jobs.lossyCalls.after = async ({ method }) => {
      if (method === 'POST') cancelled = await jobs.world.jobs.cancel(late.id, ADA).catch((error: unknown) => error);
    };
    expect(await jobs.world.runToEnd(late.id)).toMatchObject({ outcome: 'succeeded' });
    expect(cancelled).toMatchObject({ code: 'job_not_cancellable' });
  });
});

describe('the spec of a durable call', () => {
  const issues = (spec: object) =>
    callSpec.safeParse(spec).error?.issues.map(({ path, message }) => `${path.join('/')}: ${message}`) ?? [];

  it.each([
    ['password', { password: 'x' }, 'data/password'],
    ['private_key', { peers: [{ private_key: 'x' }] }, 'data/peers/0/private_key'],
    ['psk', { psk: 'x' }, 'data/psk'],
  ])('is refused when it holds what looks like a secret: %s', (_name, data, at) => {
    const [issue, ...others] = issues({ method: 'PUT', path: ITEM, data });
    expect(others).toEqual([]);
    expect(issue).toMatch(new RegExp(`^${at}: it looks like a secret.*credentials`));
  });

  it('is refused when an item of a bulk request, or the query, holds one', () => {
    const data = [{ endpoint: ITEM, method: 'PUT', data: { private_key: 'x' } }];
    expect(issues({ method: 'POST', path: '/api/bulk', data })).toEqual([
      expect.stringMatching(/^data\/0\/data\/private_key: /),
    ]);
    expect(issues({ method: 'GET', path: '/api/x/config?token=abc' })).toEqual([expect.stringMatching(/^path: /)]);
  });

  it.each([
    ['/api/login', 'the gateway logs in'],
    ['/api/../etc', 'dot segment'],
    ['/api/backup/actions/download', 'use the kinds'],
    ['/ubus', '/api/'],
  ])('is refused for the path %s', (path, why) => {
    expect(issues({ method: 'POST', path })).toEqual([expect.stringContaining(why)]);
  });
});
