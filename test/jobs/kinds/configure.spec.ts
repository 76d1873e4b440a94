import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type JobRow } from '../../../src/jobs/rows/job.entity.js';
import { risksOf } from '../../../src/jobs/kinds/configure/configure-risks.js';
import { type ConfigureChange, configureSpec } from '../../../src/jobs/kinds/configure/configure-spec.js';
import { DeviceCalls } from '../../../src/proxy/calls/device-calls.js';
import { untilKnown } from '../../support/devices/known-device.js';
import { casesOf } from '../../support/forms.js';
import { ADA } from '../../support/jobs/job-world.js';
import { type Mishap, NEXT_UNLUCKY } from '../../support/devices/scripted-device.js';
import { startSimulatedJobs, type SimulatedJobs } from '../../support/jobs/simulated-jobs.js';

/** One job for each answer that may be lost; a machine that is busy takes its time for that. */

const LIST = '/api/wireguard/config';
const ITEM = `${LIST}/site`;
const NTP = '/api/ntp/global';
const SERVERS = '/api/ntp/servers/config';
const BULK = '/api/bulk';

/** One of each, a record, and an item whose id the device gives. */
const CHANGES = [
  { action: 'create', path: LIST, data: { id: 'site', listen_port: '51820' } },
  { action: 'update', path: NTP, data: { interval: '7200' } },
  { action: 'create', path: SERVERS, data: { hostname: 'time.example.org' } },
  { action: 'delete', path: `${SERVERS}/2` },
];

describe('a guarded change of the configuration', () => {
  let jobs: SimulatedJobs;
  beforeAll(async () => {
    jobs = await startSimulatedJobs({ devices: 2, profile: 'rutos' });
  });
  afterAll(() => jobs.close());
  beforeEach(async () => {
    clear();
    await register(null);
  });

  const device = () => jobs.fleet.devices[0]!;
  const run = (changes: readonly object[], rest: object = {}) => jobs.run('configure', { changes, ...rest });
  const effects = () => {
    const { create: created = 0, update: updated = 0, delete: removed = 0 } = jobs.fleet.ledger.summary(0).effects;
    return { created, updated, removed };
  };
  const read = async (path: string) => {
    const calls = jobs.gateway.gateway.app.get(DeviceCalls);
    const { body } = await calls.call(jobs.ids[0]!, { method: 'GET', path }, { actor: ADA });
    return (body as { data: unknown }).data;
  };
  /** What the device has, without what it makes anew each time. */
  const configuration = async () => ({
    tunnels: await read(LIST),
    ntp: await read(NTP),
    servers: ((await read(SERVERS)) as { hostname: string }[]).map(({ hostname }) => hostname).sort(),
  });
  /** Time in which the job would look many times. */
  const pass = (ms: number) => jobs.world.clock.skipTo(new Date(jobs.world.clock.now().getTime() + ms));
  const writes = () => jobs.lossyCalls.sent.filter((line) => line === `POST ${BULK}`).length;

  function clear(): void {
    jobs.lossyCalls.reset();
    device().faults.clear();
    device().configuration.reset();
    jobs.fleet.ledger.clear();
  }

  it('makes all changes in one request, proves them after a new login, and tells how to take them back', async () => {
    const before = await configuration();
    jobs.fleet.ledger.clear();
    const job = await run(CHANGES);
    expect(job).toMatchObject({ outcome: 'succeeded', failure: null, intent: { effect: 'apply', state: 'executed' } });
    expect(job.result).toMatchObject({ changed: 4, asTheyWere: 0, risks: [] });
    expect(effects()).toEqual({ created: 2, updated: 1, removed: 1 });
    expect(jobs.fleet.ledger.summary(0).logins).toBe(1);
    expect(await configuration()).toMatchObject({
      tunnels: [{ id: 'site' }],
      ntp: { interval: '7200' },
      servers: ['0.pool.ntp.org', 'time.example.org'],
    });

    const back = await run(job.result!['undo'] as object[], { acceptRisk: true });
    expect(back).toMatchObject({ outcome: 'succeeded' });
    expect(await configuration()).toEqual(before);
  });

  it('only tells the difference on a dry run', async () => {
    const job = await run(CHANGES, { dryRun: true });
    expect(job).toMatchObject({ outcome: 'succeeded', intent: null, result: { dryRun: true, changed: 0 } });
    expect(job.result!['difference']).toMatchObject([
      { action: 'create', options: { listen_port: { from: null, to: '51820' } } },
      { action: 'update', path: NTP, options: { interval: { from: '3600', to: '7200' } } },
      { action: 'create' },
      { action: 'delete', removes: { hostname: '1.pool.ntp.org' } },
    ]);
    expect(effects()).toEqual({ created: 0, updated: 0, removed: 0 });
  });

  it('changes nothing when nothing differs', async () => {
    await run(CHANGES);
    jobs.fleet.ledger.clear();
    const job = await run(CHANGES);
    expect(job).toMatchObject({ outcome: 'succeeded', intent: null, result: { changed: 0, asTheyWere: 4, undo: [] } });
    expect(effects()).toEqual({ created: 0, updated: 0, removed: 0 });
  });

  describe.each(casesOf<Mishap>(['lost', 'unreachable'], 1))('with one answer %s', (mishap) => {
    it('ends well whichever answer it is, with each change made once', async () => {
      let answers = Infinity;
      for (let unlucky = 0; unlucky < answers; unlucky += NEXT_UNLUCKY) {
        clear();
        jobs.lossyCalls.mishap = (answer) => (answer === unlucky ? mishap : null);
        const job = await run(CHANGES);
        expect({ unlucky, outcome: job.outcome, failure: job.failure }).toEqual({
          unlucky,
          outcome: 'succeeded',
          failure: null,
        });
        expect(effects()).toEqual({ created: 2, updated: 1, removed: 1 });
        answers = jobs.lossyCalls.answers;
      }
      expect(answers).toBeGreaterThan(6);
    });
  });

  it('is certain that nothing was changed when the request never arrived', async () => {
    device().faults.add({ kind: 'reset-before', path: BULK, skip: 1, count: 1 });
    const job = await run(CHANGES);
    expect(job).toMatchObject({ outcome: 'not_executed', failure: { code: 'answer_lost' } });
    expect(effects()).toEqual({ created: 0, updated: 0, removed: 0 });
  });

  it('takes back what took place when the device refuses a part', async () => {
    const before = await configuration();
    const job = await run([...CHANGES, { action: 'update', path: '/api/snmp/global', data: { port: 'no port' } }]);
    expect(job).toMatchObject({
      outcome: 'failed',
      failure: { code: 'changes_refused', facts: { undone: true, refused: [{ index: 4 }] } },
      intent: { effect: 'undo', state: 'executed' },
    });
    expect(await configuration()).toEqual(before);
  });

  it('says that nothing took place when the device refuses all of it', async () => {
    const job = await run([{ action: 'update', path: NTP, data: { interval: 'often' } }]);
    expect(job).toMatchObject({ outcome: 'failed', failure: { code: 'changes_refused' } });
    expect(job.intent).toMatchObject({ effect: 'apply', state: 'not_executed' });
  });

  it('takes back once, whichever answer is lost meanwhile', async () => {
    const bad = [CHANGES[0]!, { action: 'update', path: NTP, data: { interval: 'often' } }];
    let answers = Infinity;
    for (let unlucky = 0; unlucky < answers; unlucky += NEXT_UNLUCKY) {
      clear();
      jobs.lossyCalls.mishap = (answer) => (answer === unlucky ? 'lost' : null);
      const job = await run(bad);
      expect({ unlucky, outcome: job.outcome }).toEqual({ unlucky, outcome: 'failed' });
      expect(job.failure!.facts['undone']).toBe(true);
      expect(effects()).toEqual({ created: 1, updated: 0, removed: 1 });
      answers = jobs.lossyCalls.answers;
    }
  });

  it('takes back what did not stay', async () => {
    let reads = 0;
    jobs.lossyCalls.after = ({ path }) => {
      // After the look that found all of it there, somebody else changes a part.
      if (path === BULK && ++reads === 3) {
        device().configuration.updateRecord(address('ntp'), { interval: '60' });
      }
      return Promise.resolve();
    };
    const job = await run(CHANGES);
    expect(job).toMatchObject({ outcome: 'failed', failure: { code: 'did_not_stay', facts: { undone: true } } });
    expect(await configuration()).toMatchObject({ tunnels: [], ntp: { interval: '3600' } });
  });

  it('names what is left when it cannot be taken back', async () => {
    const bad = [CHANGES[0]!, { action: 'update', path: NTP, data: { interval: 'often' } }];
    jobs.lossyCalls.mishap = () => {
      if (writes() === 4)
        device().faults.add({ kind: 'error', path: BULK, method: 'POST', count: 1, status: 422, code: 115 });
      return null;
    };
    const job = await run(bad);
    expect(job).toMatchObject({ outcome: 'failed', failure: { code: 'undo_incomplete' } });
    expect(job.result).toMatchObject({ undo: [{ action: 'delete', path: ITEM }] });
  });

  it('does not claim to know a device that is cut off by the change', async () => {
    jobs.lossyCalls.mishap = (_answer, { path }) => {
      if (path === BULK || writes() < 2) return null;
      pass(60_000);
      return 'unreachable';
    };
    const job = await run(CHANGES);
    expect(job).toMatchObject({ outcome: 'unknown', failure: { code: 'cut_off' } });
    expect(job.result!['undo']).toHaveLength(4);
  });

  it('does not claim to know a device that refuses to tell what it has', async () => {
    jobs.lossyCalls.after = ({ path }) => {
      if (path === BULK && writes() === 2) device().faults.add({ kind: 'error', path: BULK, status: 422, code: 104 });
      if (writes() >= 2) pass(60_000);
      return Promise.resolve();
    };
    const job = await run(CHANGES);
    expect(job).toMatchObject({ outcome: 'unknown', failure: { code: 'unreadable' } });
  });

  it('says that the change took the login of the gateway away', async () => {
    jobs.lossyCalls.after = ({ path }) => {
      if (path === BULK && writes() === 3) jobs.fleet.devices[1]!.setPassword('Another-one-1');
      return Promise.resolve();
    };
    const { id } = await jobs.world.start(jobs.ids[1]!, 'configure', { changes: CHANGES });
    expect(await jobs.world.runToEnd(id)).toMatchObject({ outcome: 'unknown', failure: { code: 'locked_out' } });
    expect(jobs.fleet.ledger.summary(1).failedLogins).toBeLessThanOrEqual(2);
  });

  it('wants the risk accepted before a change that can cut the connection, and sends nothing without', async () => {
    const change = { action: 'update', path: '/api/interfaces/config/lan', data: { mtu: '1400' } };
    const job = await run([change]);
    expect(job).toMatchObject({ outcome: 'not_executed', failure: { code: 'risk_not_accepted' } });
    expect(job.failure!.facts).toMatchObject({ risks: [{ index: 0, path: change.path }] });
    expect(effects().updated).toBe(0);
    expect(await run([change], { acceptRisk: true })).toMatchObject({ outcome: 'succeeded' });
  });

  it.each([
    ['item_not_found', { action: 'update', path: ITEM, data: { listen_port: '1' } }],
    ['item_exists', { action: 'create', path: '/api/profiles/config', data: { id: 'default', name: 'other' } }],
  ])('sends nothing when it cannot be done: %s', async (code, change) => {
    const job = await run([change], { acceptRisk: true });
    expect(job).toMatchObject({ outcome: 'not_executed', failure: { code } });
    expect(effects()).toEqual({ created: 0, updated: 0, removed: 0 });
  });

  it('puts a removed item back with its secrets, and holds none of them in row, intent or steps', async () => {
    await run([CHANGES[0]!]);
    const { private_key: key } = (await read(ITEM)) as { private_key: string };
    const job = await run([{ action: 'delete', path: ITEM }], { acceptRisk: true });
    expect(job).toMatchObject({ outcome: 'succeeded' });
    expect(await text(job)).not.toContain(key);
    const undo = job.result!['undo'] as object[];
    expect(undo).toMatchObject([
      { action: 'create', path: LIST, data: { id: 'site' }, sealed: [{ option: 'private_key' }] },
    ]);
    expect(await run(undo)).toMatchObject({ outcome: 'succeeded' });
    expect(await read(ITEM)).toMatchObject({ private_key: key, listen_port: '51820' });
  });

  it('sets a secret from a sealed value and keeps the one before for the way back', async () => {
    const path = '/api/wireless/interfaces/config/default_radio0';
    const { key: before } = (await read(path)) as { key: string };
    const value = { label: 'key of the wireless network', value: 'a-better-key-of-wifi' };
    const { id } = await jobs.gateway.api.post<{ id: string }>('/v1/sealed-values', value);
    const change = { action: 'update', path, sealed: [{ option: 'key', valueId: id }] };
    // What somebody gave is opened for the jobs of nobody else.
    expect(await run([change], { acceptRisk: true })).toMatchObject({
      outcome: 'failed',
      failure: { code: 'sealed_value_not_found' },
    });
    const spec = { changes: [change], acceptRisk: true };
    const wish = { deviceId: jobs.ids[0]!, kind: 'configure', spec };
    const [{ operatorId }] = await jobs.world.db.query<[{ operatorId: string }]>(
      'select operator_id as "operatorId" from sealed_value where id = $1',
      [id],
    );
    const { id: jobId } = await jobs.world.jobs.start(wish, { ...ADA, operatorId });
    const job = await jobs.world.runToEnd(jobId);
    expect(job).toMatchObject({ outcome: 'succeeded', failure: null });
    expect(await read(path)).toMatchObject({ key: value.value });
    expect(await text(job)).not.toContain(value.value);
    expect(await text(job)).not.toContain(before);
    expect(await run(job.result!['undo'] as object[], { acceptRisk: true })).toMatchObject({ outcome: 'succeeded' });
    expect(await read(path)).toMatchObject({ key: before });
  });

  it('is refused when another device answers at the address', async () => {
    await register('S-OTHER');
    const job = await run(CHANGES);
    expect(job).toMatchObject({ outcome: 'not_executed', failure: { code: 'identity_mismatch' } });
    expect(effects()).toEqual({ created: 0, updated: 0, removed: 0 });
  });

  it('is cancelled before it is sent, and not after', async () => {
    jobs.lossyCalls.mishap = () => 'unreachable';
    const early = await jobs.world.start(jobs.ids[0]!, 'configure', { changes: CHANGES });
    expect(await jobs.world.jobs.cancel(early.id, ADA)).toMatchObject({ outcome: 'cancelled' });

    jobs.lossyCalls.reset();
    const late = await jobs.world.start(jobs.ids[0]!, 'configure', { changes: CHANGES });
    let refusal: unknown = null;
    jobs.lossyCalls.after = async ({ path }) => {
      if (path === BULK && writes() === 2)
        refusal = await jobs.world.jobs.cancel(late.id, ADA).catch((e: unknown) => e);
    };
    expect(await jobs.world.runToEnd(late.id)).toMatchObject({ outcome: 'succeeded' });
    expect(refusal).toMatchObject({ code: 'job_not_cancellable' });
  });

  const address = (key: string) => {
    const declaration = device().declarations.get(key)!;
    return { declaration, key };
  };

  const register = async (serial: string | null) => {
    await jobs.world.db.query('update device set serial = $2 where id = $1', [jobs.ids[0], serial]);
    await untilKnown(jobs.gateway, `${jobs.ids[0]}`, { serial });
  };

  /** All that the gateway keeps of a job. */
  async function text(job: JobRow): Promise<string> {
    const rows = await jobs.world.db.query<object[]>(
      'select job.*, array(select line::text from job_log_line line where job_id = job.id) as steps from job where id = $1',
      [job.id],
    );
    return JSON.stringify(rows);
  }
});

describe('the spec of a guarded change', () => {
  const issues = (change: object) =>
    configureSpec
      .safeParse({ changes: [change] })
      .error?.issues.map(({ path, message }) => `${path.join('/')}: ${message}`) ?? [];

  it.each([
    [
      { action: 'update', path: ITEM, data: { private_key: 'x' } },
      'changes/0/data/private_key: it looks like a secret',
    ],
    [{ action: 'update', path: LIST, data: { a: '1' } }, 'changes/0/path: it is not a configuration item'],
    [{ action: 'create', path: ITEM, data: { a: '1' } }, 'changes/0/path: an item is created at'],
    [{ action: 'update', path: ITEM, data: {} }, 'changes/0/data: it changes no option'],
    [{ action: 'delete', path: '/api/users/config/3' }, 'changes/0/path: passwords cannot be read back'],
    [{ action: 'delete', path: '/api/certificates/config/ca' }, 'changes/0/path: use the kinds'],
    [{ action: 'create', path: LIST, data: { id: 'a/b' } }, 'changes/0/data/id: it cannot be an id'],
    [{ action: 'delete', path: `${ITEM}?x=1` }, 'changes/0/path: a change cannot have a query'],
  ])('is refused: %j', (change, why) => {
    expect(issues(change)).toEqual([expect.stringContaining(why)]);
  });

  it('is refused when two changes are about one item', () => {
    const changes = [
      { action: 'create', path: LIST, data: { id: 'site' } },
      { action: 'update', path: ITEM, data: { listen_port: '1' } },
    ];
    expect(configureSpec.safeParse({ changes }).success).toBe(false);
  });

  it.each([
    ['update', '/api/interfaces/config/lan', true],
    ['update', '/api/v1/interfaces/config/lan', true],
    ['create', '/api/firewall/traffic_rules/config', true],
    ['update', '/api/firewall/global', true],
    ['update', '/api/access_control/global', true],
    ['update', '/api/users/groups/config/pumps', true],
    ['create', LIST, false],
    ['delete', ITEM, true],
    ['update', NTP, false],
  ] as const)('knows whether to %s %s can cut the connection: %s', (action, path, isRisky) => {
    const change = { action, path, data: {}, sealed: [] } as ConfigureChange;
    expect(risksOf([change])).toHaveLength(isRisky ? 1 : 0);
  });
});
