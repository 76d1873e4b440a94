import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultInput } from '../../../src/simulator/device/faults.js';
import { sizeOf } from '../../support/forms.js';
import { type KindWorld, startKindWorld } from '../../support/jobs/kind-world.js';
import { until } from '../../support/until.js';

/** Devices of the two fleets; the sizes are 300 and 1,000. */
const CHANGED = Number(process.env['ROTATION_CHANGED'] ?? sizeOf({ short: 4, long: 12 }));
const ROTATED = Number(process.env['ROTATION_FLEET'] ?? sizeOf({ short: 8, long: 40 }));

/** CI tries a test that failed twice more, each time on devices that no test has met. */
const TRIES = process.env['CI'] ? 3 : 1;

/** Devices of the tests that take one or two. */
const SINGLE = 10;

const USERS = '/api/users/config';

describe('a rotation of the password that the gateway logs in with', () => {
  let world: KindWorld;
  /** The first device of the test. */
  let first = 0;
  let next = 0;
  beforeAll(async () => {
    const devices = TRIES * (SINGLE + CHANGED + ROTATED);
    world = await startKindWorld({ devices, family: 'RUTX50', profile: 'rutos', seed: 7 }, { REDIS_URL: '' });
  });
  afterAll(() => world.close());

  /** Takes so many devices that no test has met. */
  const take = (devices: number) => {
    first = next;
    next += devices;
  };
  const start = (index: number, spec: object = {}) => world.start(first + index, 'credentials', spec);
  const run = async (index: number, spec: object = {}) => world.ended(await start(index, spec));
  const device = (index: number) => world.fleet.devices[first + index]!;
  const passwordOf = (index: number) => device(index).accounts.find('admin')!.password;
  const updates = (index: number) => world.fleet.ledger.summary(first + index).effects['update'] ?? 0;
  const failedLogins = (index: number) => world.fleet.ledger.summary(first + index).failedLogins;
  const account = async (index: number) => {
    const [row] = await world.db.query<Record<string, unknown>[]>(
      `select sealed_pending is not null as pending, changing_until, failed_logins, rotated_by
         from device_account where device_id = $1`,
      [world.ids[first + index]],
    );
    return row!;
  };
  const call = (index: number) =>
    fetch(`${world.gateway.url}/v1/devices/${world.ids[first + index]}/api/system/device/status`, {
      headers: { authorization: `Bearer ${world.gateway.keys.administrator}` },
    }).then((answer) => answer.status);

  /** As `call`, but a device that a busy machine was too slow for (503, 504) is asked again. */
  const reach = async (index: number): Promise<number> => {
    for (;;) {
      const status = await call(index);
      if (status < 503) return status;
    }
  };

  it('sets a new password once, proves it by a login and uses it from then on', async () => {
    take(1);
    const before = passwordOf(0);
    const job = await run(0);
    expect(job).toMatchObject({ outcome: 'succeeded', result: { account: 'main', username: 'admin' } });
    expect(passwordOf(0)).not.toBe(before);
    expect(await account(0)).toEqual({ pending: false, changing_until: null, failed_logins: 0, rotated_by: job.id });
    expect(await call(0)).toBe(200);
    expect({ updates: updates(0), failed: failedLogins(0) }).toEqual({ updates: 1, failed: 0 });
  });

  it('takes the password of a sealed value, and holds none in rows, audit or log', async () => {
    take(1);
    const before = passwordOf(0);
    const value = { label: 'password of admin', value: 'Given-by-hand-1' };
    const { id: sealedValue } = await world.gateway.api.post<{ id: string }>('/v1/sealed-values', value);
    expect(await run(0, { sealedValue })).toMatchObject({ outcome: 'succeeded' });
    expect(passwordOf(0)).toBe('Given-by-hand-1');
    const rows = await world.db.query<{ text: string }[]>(
      `select job::text as text from job union all select job_log_line::text from job_log_line
       union all select audit_entry::text from audit_entry union all select audit_outcome::text from audit_outcome`,
    );
    const written = rows.map(({ text }) => text).join('\n') + world.gateway.log();
    for (const secret of ['Given-by-hand-1', before]) expect(written).not.toContain(secret);
  });

  it('keeps the present password when the device refuses the new one', async () => {
    take(1);
    const { id: sealedValue } = await world.gateway.api.post<{ id: string }>('/v1/sealed-values', {
      label: 'too weak',
      value: 'weak',
    });
    const job = await run(0, { sealedValue });
    expect(job).toMatchObject({ outcome: 'not_executed', failure: { code: 'device_refused' } });
    expect(await account(0)).toMatchObject({ pending: false, changing_until: null });
    expect(await call(0)).toBe(200);
    expect(failedLogins(0)).toBe(0);
  });

  it('finds out by a login what became of a change whose answer was lost', async () => {
    take(2);
    lose(0, 'lost-answer');
    lose(1, 'reset-before');
    const [carriedOut, never] = await Promise.all([run(0), run(1)]);
    expect(carriedOut).toMatchObject({ outcome: 'succeeded' });
    expect(never).toMatchObject({ outcome: 'not_executed', failure: { code: 'answer_lost' } });
    expect([failedLogins(0), failedLogins(1)]).toEqual([0, 1]);
    expect([await call(0), await call(1)]).toEqual([200, 200]);
  });

  it('lets nobody log in with the password that is just being replaced', async () => {
    take(1);
    lose(0, 'lost-answer');
    const jobId = await start(0);
    await until(async () => (await account(0))['changing_until']);
    await Promise.all(Array.from({ length: 5 }, () => call(0)));
    expect(await world.ended(jobId)).toMatchObject({ outcome: 'succeeded' });
    expect(failedLogins(0)).toBe(0);
  });

  it('stops after two refused logins when somebody else changes the password in between, and keeps both', async () => {
    take(1);
    device(0).faults.add({ kind: 'password-changed', path: `${USERS}/*`, method: 'PUT', count: 1 });
    const job = await run(0);
    expect(job).toMatchObject({ outcome: 'unknown', failure: { code: 'neither_password_taken' } });
    expect(await account(0)).toMatchObject({ pending: true, changing_until: null });
    await Promise.all([call(0), call(0), call(0)]);
    expect(failedLogins(0)).toBe(2);
  });

  it('goes on with a password that an earlier rotation left over', async () => {
    take(1);
    // As if the job had ended at its deadline, after the device took the change.
    device(0).faults.add({ kind: 'password-changed', path: `${USERS}/*`, method: 'PUT', count: 1 });
    await run(0);
    const leftover = await openPending();
    device(0).setPassword(leftover);
    expect(await run(0)).toMatchObject({ outcome: 'succeeded' });
    expect(passwordOf(0)).not.toBe(leftover);
    expect(await account(0)).toMatchObject({ pending: false, failed_logins: 0 });
    expect(await call(0)).toBe(200);
  });

  it(`sends ${CHANGED} devices whose password was changed behind our back at most two wrong ones each`, async () => {
    take(CHANGED);
    await each(CHANGED, async (index) => expect(await reach(index)).toBe(200));
    for (let index = 0; index < CHANGED; index++) device(index).setPassword(`Behind-our-back-${index}!`);
    const jobs = await each(CHANGED, async (index) => {
      const [job] = await Promise.all([run(index), call(index), call(index)]);
      await call(index);
      return job;
    });
    const failed = jobs.map((_, index) => failedLogins(index));
    process.stderr.write(
      `behind our back: ${CHANGED} devices, ${sum(failed)} failed logins, ${Math.max(...failed)} at most\n`,
    );
    expect(Math.max(...failed)).toBeLessThanOrEqual(2);
    expect(jobs.filter(({ outcome }) => outcome === 'succeeded')).toEqual([]);
    expect(jobs.map((_, index) => updates(index)).filter((count) => count > 0)).toEqual([]);
  });

  it(`rotates ${ROTATED} devices of which some fail half-way, and loses access to none`, async () => {
    take(ROTATED);
    const before = Array.from({ length: ROTATED }, (_, index) => passwordOf(index));
    const half = Array.from({ length: Math.max(2, Math.ceil(ROTATED * 0.03)) }, (_, nth) => nth);
    for (const index of half) lose(index, index % 2 === 0 ? 'lost-answer' : 'reset-before');
    const jobs = await each(ROTATED, (index) => run(index));
    const answers = await each(ROTATED, reach);
    const failed = jobs.map((_, index) => failedLogins(index));
    const count = (outcome: string) => jobs.filter((job) => job.outcome === outcome).length;
    process.stderr.write(
      `rotation of ${ROTATED}: ${half.length} failed half-way, ${count('succeeded')} succeeded, ` +
        `${count('not_executed')} not executed, ${sum(failed)} failed logins, ${answers.filter((one) => one === 200).length} reachable\n`,
    );
    expect(answers.filter((status) => status !== 200)).toEqual([]);
    jobs.forEach((job, index) => {
      const isDone = passwordOf(index) !== before[index];
      expect({ index, isDone, outcome: job.outcome }).toEqual({
        index,
        isDone,
        outcome: isDone ? 'succeeded' : 'not_executed',
      });
    });
    expect(Math.max(...failed)).toBeLessThanOrEqual(2);
    expect(Math.max(...jobs.map((_, index) => updates(index)))).toBe(1);
  });

  function lose(index: number, kind: Extract<FaultInput['kind'], 'lost-answer' | 'reset-before'>): void {
    device(index).faults.add({ kind, path: `${USERS}/*`, method: 'PUT', count: 1 });
  }
  async function openPending(): Promise<string> {
    const { Secrets } = await import('../../../src/secrets/secrets.js');
    const [row] = await world.db.query<{ id: string; sealed: Buffer }[]>(
      'select id, sealed_pending as sealed from device_account where device_id = $1',
      [world.ids[first]],
    );
    const place = { table: 'device_account', column: 'sealed_pending', rowId: row!.id };
    return world.gateway.gateway.app.get(Secrets).open(row!.sealed, place);
  }
});

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/** For each of so many devices, 50 at once. */
async function each<Result>(count: number, work: (index: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index);
  };
  await Promise.all(Array.from({ length: Math.min(count, 50) }, worker));
  return results;
}
