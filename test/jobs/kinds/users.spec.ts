import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type JobRow } from '../../../src/jobs/rows/job.entity.js';
import { usersSpec } from '../../../src/jobs/kinds/users/users-plan.js';
import { newPassword } from '../../../src/jobs/engine/step-credentials.js';
import { casesOf } from '../../support/forms.js';
import { ADA } from '../../support/jobs/job-world.js';
import { type Mishap, NEXT_UNLUCKY } from '../../support/devices/scripted-device.js';
import { startSimulatedJobs, type SimulatedJobs } from '../../support/jobs/simulated-jobs.js';

/** The laws run a job once for each answer; a machine that is busy takes its time for that. */

const USERS = '/api/users/config';
const GROUPS = '/api/users/groups/config';

describe('a job that sets up accounts', () => {
  let jobs: SimulatedJobs;
  beforeAll(async () => {
    jobs = await startSimulatedJobs({ devices: 1, profile: 'rutos' });
  });
  afterAll(() => jobs.close());
  beforeEach(() => factory());

  const run = (spec: object) => jobs.run('users', spec);
  const device = () => jobs.fleet.devices[0]!;
  const names = () =>
    device()
      .accounts.users()
      .map(({ username, group }) => `${username}:${group}`);
  const effects = () => {
    const { create = 0, update = 0, delete: removed = 0 } = jobs.fleet.ledger.summary(0).effects;
    return { create, update, removed };
  };
  const valueOf = async (job: JobRow, username: string) => {
    const values = job.result!['sealedValues'] as { username: string; valueId: string }[];
    const { valueId } = values.find((one) => one.username === username)!;
    return (await jobs.gateway.api.post<{ value: string }>(`/v1/sealed-values/${valueId}/open`)).value;
  };

  /** The device has the accounts and groups that it came with. */
  async function factory(): Promise<void> {
    jobs.lossyCalls.reset();
    device().faults.clear();
    for (const { id, username } of device().accounts.users()) {
      if (!['root', 'admin'].includes(username)) device().accounts.removeUser(id);
    }
    for (const { id } of device().accounts.listGroups()) {
      if (!['root', 'admin', 'user'].includes(id)) device().accounts.removeGroup(id);
    }
    jobs.fleet.ledger.clear();
    await Promise.resolve();
  }

  const wanted = {
    groups: [
      { id: 'pumps', read: ['system', 'backup'], write: ['backup'], target_read: 'allow', target_write: 'allow' },
    ],
    accounts: [{ username: 'ops', group: 'pumps' }],
  };

  it('makes groups and accounts, seals the passwords and proves them by a login', async () => {
    const job = await run(wanted);
    expect(job).toMatchObject({ outcome: 'succeeded', failure: null });
    expect(job.result).toMatchObject({
      changed: ['create group pumps', 'create account ops'],
      asTheyWere: 0,
      proven: ['ops'],
    });
    expect(names()).toEqual(['root:root', 'admin:root', 'ops:pumps']);
    expect(device().accounts.find('ops')!.password).toBe(await valueOf(job, 'ops'));
  });

  it('holds no password in row, intent or steps', async () => {
    const job = await run(wanted);
    const [row] = await jobs.world.db.query<object[]>(
      'select job.*, array(select line::text from job_log_line line where job_id = job.id) as steps from job where id = $1',
      [job.id],
    );
    expect(JSON.stringify(row)).not.toContain(device().accounts.find('ops')!.password);
  });

  it('changes nothing when nothing differs, whatever the order of the lists', async () => {
    await run(wanted);
    jobs.fleet.ledger.clear();
    const [group] = wanted.groups;
    const job = await run({ ...wanted, groups: [{ ...group, read: ['backup', 'system'] }] });
    expect(job).toMatchObject({ outcome: 'succeeded', result: { changed: [], asTheyWere: 2 }, intent: null });
    expect(effects()).toEqual({ create: 0, update: 0, removed: 0 });
  });

  it('changes what differs and removes what is meant to be absent', async () => {
    await run(wanted);
    jobs.fleet.ledger.clear();
    const change = await run({
      accounts: [{ username: 'ops', group: 'user' }],
      groups: [{ id: 'pumps', state: 'absent' }],
    });
    expect(change.result).toMatchObject({ changed: ['change account ops', 'remove group pumps'] });
    expect(names()).toContain('ops:user');
    const removal = await run({ accounts: [{ username: 'ops', state: 'absent' }] });
    expect(removal.result).toMatchObject({ changed: ['remove account ops'] });
    expect(effects()).toEqual({ create: 0, update: 1, removed: 2 });
  });

  it('gives an account the password of a sealed value', async () => {
    const value = { label: 'password of ops', value: 'Given-by-hand-1' };
    const { id: sealedValue } = await jobs.gateway.api.post<{ id: string }>('/v1/sealed-values', value);
    // What somebody gave is opened for their own jobs.
    const [{ operatorId }] = await jobs.world.db.query<[{ operatorId: string }]>(
      'select operator_id as "operatorId" from sealed_value where id = $1',
      [sealedValue],
    );
    const wish = { deviceId: jobs.ids[0]!, kind: 'users', spec: { accounts: [{ username: 'ops', sealedValue }] } };
    const { id: jobId } = await jobs.world.jobs.start(wish, { ...ADA, operatorId });
    const job = await jobs.world.runToEnd(jobId);
    expect(job).toMatchObject({ outcome: 'succeeded', result: { proven: ['ops'] } });
    expect(device().accounts.find('ops')!.password).toBe('Given-by-hand-1');
  });

  it('renews a password on request, and its own session survives that', async () => {
    const first = await valueOf(await run({ accounts: [{ username: 'ops' }] }), 'ops');
    const job = await run({ accounts: [{ username: 'ops', renewPassword: true }] });
    expect(job).toMatchObject({ outcome: 'succeeded', result: { changed: ['change account ops'], proven: ['ops'] } });
    expect(device().accounts.find('ops')!.password).toBe(await valueOf(job, 'ops'));
    expect(await valueOf(job, 'ops')).not.toBe(first);
    expect(jobs.fleet.ledger.summary(0).failedLogins).toBe(0);
  });

  describe.each(casesOf<Mishap>(['lost', 'unreachable'], 1))('with one answer %s', (mishap) => {
    it('ends well whichever answer it is, with each change made once', async () => {
      let answers = Infinity;
      for (let unlucky = 0; unlucky < answers; unlucky += NEXT_UNLUCKY) {
        await factory();
        jobs.lossyCalls.mishap = (answer) => (answer === unlucky ? mishap : null);
        const job = await run(wanted);
        expect(job).toMatchObject({ outcome: 'succeeded', result: { proven: ['ops'] } });
        expect(effects()).toEqual({ create: 2, update: 0, removed: 0 });
        expect(device().accounts.find('ops')!.password).toBe(await valueOf(job, 'ops'));
        answers = jobs.lossyCalls.answers;
      }
      expect(answers).toBeGreaterThan(8);
    });
  });

  it('tells by one login what became of a new password whose answer was lost', async () => {
    await run({ accounts: [{ username: 'ops' }] });
    jobs.fleet.ledger.clear();
    jobs.lossyCalls.mishap = (_answer, { method }) => (method === 'PUT' ? 'lost' : null);
    const job = await run({ accounts: [{ username: 'ops', renewPassword: true }] });
    expect(job).toMatchObject({ outcome: 'succeeded', intent: { state: 'executed' } });
    expect(effects().update).toBe(1);
  });

  it('does not guess about a new password that never arrived, and logs in once to know', async () => {
    await run({ accounts: [{ username: 'ops' }] });
    const { id } = device().accounts.find('ops')!;
    device().faults.add({ kind: 'reset-before', path: `${USERS}/${id}`, method: 'PUT' });
    jobs.fleet.ledger.clear();
    const job = await run({ accounts: [{ username: 'ops', renewPassword: true }] });
    expect(job).toMatchObject({ outcome: 'unknown', failure: { code: 'password_not_set' } });
    expect(jobs.fleet.ledger.summary(0).failedLogins).toBe(1);
  });

  it('sends a change again that was certainly not carried out', async () => {
    device().faults.add({ kind: 'reset-before', path: GROUPS, method: 'POST', count: 1 });
    const job = await run(wanted);
    expect(job).toMatchObject({ outcome: 'succeeded' });
    expect(effects().create).toBe(2);
  });

  it.each([
    ['removed', { accounts: [{ username: 'admin', state: 'absent' }] }],
    ['given another password', { accounts: [{ username: 'admin', renewPassword: true }] }],
  ])('is refused before a byte is sent when the account of the gateway is to be %s', async (_what, spec) => {
    const job = await run(spec);
    expect(job).toMatchObject({ outcome: 'not_executed', failure: { code: 'own_account' } });
    expect(jobs.lossyCalls.sent).toEqual([]);
  });

  it('is refused before anything is written when the account of the gateway would be weakened', async () => {
    const job = await run({ accounts: [{ username: 'ops' }, { username: 'admin', group: 'user' }] });
    expect(job).toMatchObject({ outcome: 'not_executed', failure: { code: 'own_account' } });
    expect(job.failure!.facts).toEqual({ touched: ['change account admin'] });
    expect(effects()).toEqual({ create: 0, update: 0, removed: 0 });
  });

  it('says what was done when the device refuses in the middle', async () => {
    const job = await run({ groups: wanted.groups, accounts: [{ username: 'ops', group: 'nosuch' }] });
    expect(job).toMatchObject({ outcome: 'failed', failure: { code: 'device_refused' } });
    expect(job.result).toMatchObject({ changed: ['create group pumps'] });
    expect(job.failure!.facts).toMatchObject({ deviceCodes: [103], change: 'create account ops' });
  });

  it('does not say that nothing was changed when its time is over after the first change', async () => {
    let isGone = false;
    jobs.lossyCalls.mishap = (_answer, { method, path }) => {
      if (method === 'POST' && path === USERS) isGone = true;
      if (!isGone) return null;
      const { clock } = jobs.world;
      clock.skipTo(new Date(clock.now().getTime() + 60_000)); // in which the job would look many times
      return 'unreachable';
    };
    const job = await run(wanted);
    expect(job).toMatchObject({ outcome: 'failed', failure: { code: 'deadline_passed' } });
  });

  it('is cancelled before its first change, and not after', async () => {
    jobs.lossyCalls.mishap = () => 'unreachable';
    const early = await jobs.world.start(jobs.ids[0]!, 'users', wanted);
    expect(await jobs.world.jobs.cancel(early.id, ADA)).toMatchObject({ outcome: 'cancelled' });

    jobs.lossyCalls.reset();
    const late = await jobs.world.start(jobs.ids[0]!, 'users', wanted);
    let refusal: unknown = null;
    jobs.lossyCalls.after = async ({ method, path }) => {
      if (method === 'POST' && path === USERS)
        refusal = await jobs.world.jobs.cancel(late.id, ADA).catch((e: unknown) => e);
    };
    expect(await jobs.world.runToEnd(late.id)).toMatchObject({ outcome: 'succeeded' });
    expect(refusal).toMatchObject({ code: 'job_not_cancellable' });
  });
});

describe('the spec of accounts', () => {
  it.each([
    ['root', { accounts: [{ username: 'root' }] }],
    ['the group root', { groups: [{ id: 'root' }] }],
    ['a password', { accounts: [{ username: 'ops', password: 'x' }] }],
    ['an account twice', { accounts: [{ username: 'ops' }, { username: 'ops', state: 'absent' }] }],
    ['nothing', {}],
  ])('is refused when it names %s', (_what, spec) => {
    expect(usersSpec.safeParse(spec).success).toBe(false);
  });

  it('gets passwords that every device takes', () => {
    const made = Array.from({ length: 200 }, newPassword);
    for (const password of made) {
      expect(password).toMatch(/^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[^A-Za-z0-9])[A-Za-z].{23}$/);
    }
    expect(new Set(made).size).toBe(200);
  });
});
