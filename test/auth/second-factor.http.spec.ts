import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Secret, TOTP } from 'otpauth';
import pg from 'pg';
import { digest } from '../../src/auth/rights/key-format.js';
import { Browser } from '../support/browser.js';
import { FakeClock } from '../support/fake-clock.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addWithPassword, PASSWORD, sessionOf } from '../support/people.js';
import { until } from '../support/until.js';

/* Codes of an authenticator and recovery codes, each good once. */

const MINUTE = 60_000;

let world: TestGateway;
let db: pg.Pool;
const clock = new FakeClock(Date.now());
/** Limits in Redis go by its clock. */
const OWN_TIME = { REDIS_URL: '' };
/** Everything that must not be found again. */
const secrets: string[] = [];

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api', ...OWN_TIME }, clock);
  db = new pg.Pool({ connectionString: world.databaseUrl, max: 2 });
});
afterAll(async () => {
  await db.end();
  await world.close();
});
beforeEach(() => clock.pass(6 * MINUTE));

/** What an authenticator shows now, or some steps away. */
function codeOf(secret: string, steps = 0): string {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  return totp.generate({ timestamp: clock.now().getTime() + steps * 30_000 });
}

async function signedIn() {
  const who = await addWithPassword(world, 'person');
  return { ...who, at: await sessionOf(world, who) };
}

async function enrolled() {
  const who = await signedIn();
  const begun = (await who.at.post('/v1/self/totp', { password: PASSWORD })).body as { secret: string; uri: string };
  const confirmed = await who.at.post('/v1/self/totp/confirm', { code: codeOf(begun.secret) });
  expect(confirmed.status).toBe(200);
  const codes = confirmed.body['recoveryCodes'] as string[];
  secrets.push(begun.secret, ...codes);
  clock.pass(MINUTE); // the step of the first code is used up
  return { ...who, ...begun, codes };
}

const login = (name: string, code?: string) => new Browser(world.url).login(name, PASSWORD, code);

describe('setting up a second factor', () => {
  it('wants the password, shows an address for authenticators, and is in force by a first code', async () => {
    const { at, name } = await signedIn();
    expect((await at.post('/v1/self/totp', {})).body).toMatchObject({ code: 'login_refused' });
    expect((await at.post('/v1/self/totp/confirm', { code: '123456' })).body).toMatchObject({ code: 'totp_not_found' });
    const begun = await at.post('/v1/self/totp', { password: PASSWORD });
    const { secret, uri } = begun.body as { secret: string; uri: string };
    expect(begun.status).toBe(201);
    const read = new URL(uri);
    expect(`${read.protocol}//${read.host}`).toBe('otpauth://totp');
    expect(Object.fromEntries(read.searchParams)).toMatchObject({
      issuer: 'Fleetgate',
      secret,
      digits: '6',
      period: '30',
    });
    expect(Buffer.from(Secret.fromBase32(secret).bytes)).toHaveLength(20);

    const wrong = await at.post('/v1/self/totp/confirm', { code: codeOf(secret, 5) });
    expect(wrong.body).toMatchObject({ status: 401, code: 'second_factor_refused' });
    expect((await login(name)).status).toBe(200); // not in force yet
    const confirmed = await at.post('/v1/self/totp/confirm', { code: codeOf(secret) });
    expect((await at.get('/v1/self')).body).toMatchObject({ hasSecondFactor: true });
    const codes = new Set(confirmed.body['recoveryCodes'] as string[]);
    expect(codes.size).toBe(10);
    // 24 of 32 letters: 120 bits, so that a digest of it cannot be guessed.
    for (const code of codes) expect(code).toMatch(/^([a-z2-7]{4}-){5}[a-z2-7]{4}$/);
    expect((await at.post('/v1/self/totp', { password: PASSWORD })).body).toMatchObject({ code: 'totp_exists' });
    expect((await login(name)).body).toMatchObject({ status: 401, code: 'second_factor_required' });
  });

  it('is confirmed once by a code that comes several times at once, whose recovery codes work', async () => {
    const { at, name } = await signedIn();
    const { secret } = (await at.post('/v1/self/totp', { password: PASSWORD })).body as { secret: string };
    const code = codeOf(secret);
    // All are held until all have begun: without a lock each would find the enrolment open.
    const holder = await db.connect();
    await holder.query('begin');
    await holder.query('lock table recovery_code in access exclusive mode');
    const all = Promise.all(Array.from({ length: 4 }, () => at.post('/v1/self/totp/confirm', { code })));
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await until(async () => (await db.query(waiting)).rowCount! >= 4);
    await holder.query('commit');
    holder.release();
    const answers = await all;
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    const [recovery] = answers.find(({ status }) => status === 200)!.body['recoveryCodes'] as string[];
    expect((await login(name, recovery)).status).toBe(200);
  });

  it('is for people, not for keys', async () => {
    for (const address of ['totp', 'totp/confirm', 'totp/remove', 'recovery-codes', 'second-factor']) {
      const body = address === 'totp' ? {} : { code: '123456' };
      await expect(world.api.post(`/v1/self/${address}`, body)).rejects.toMatchObject({ code: 'session_required' });
    }
  });
});

describe('a code at the sign-in', () => {
  it('is good once, one step early or late, and no further', async () => {
    const { name, secret } = await enrolled();
    const now = codeOf(secret);
    expect((await login(name, now)).status).toBe(200);
    expect((await login(name, now)).body).toMatchObject({ status: 401, code: 'second_factor_refused' });
    expect((await login(name, codeOf(secret, -1))).body).toMatchObject({ code: 'second_factor_refused' });
    expect((await login(name, codeOf(secret, 1))).status).toBe(200);
    expect((await login(name, codeOf(secret, 2))).body).toMatchObject({ code: 'second_factor_refused' });
    clock.pass(5 * 30_000);
    expect((await login(name, codeOf(secret, -2))).body).toMatchObject({ code: 'second_factor_refused' });
    expect((await login(name, codeOf(secret, -1))).status).toBe(200);
  });

  it('is taken from one of two who show it at the same moment', async () => {
    const { name, secret } = await enrolled();
    const answers = await Promise.all([login(name, codeOf(secret)), login(name, codeOf(secret))]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 401]);
  });

  it('is asked for only after a right password', async () => {
    const { name, secret } = await enrolled();
    const wrong = await new Browser(world.url).login(name, 'not the lighthouse', codeOf(secret));
    expect(wrong.body).toMatchObject({ code: 'login_refused' });
    expect((await login(name, codeOf(secret))).status).toBe(200); // the code was not used up by it
  });

  it('cannot be guessed: who knows the password gets a few tries, and then one a minute', async () => {
    const { name, secret } = await enrolled();
    const codes = [];
    for (let i = 0; i < 8; i++) codes.push((await login(name, `00000${i}`)).body['code']);
    expect(codes.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => 'second_factor_refused'));
    expect(codes.slice(5)).toEqual(Array.from({ length: 3 }, () => 'login_throttled'));
    clock.pass(2 * MINUTE);
    expect((await login(name, codeOf(secret))).status).toBe(200);
  });

  it('may be a recovery code, each of them once, however it is typed', async () => {
    const { name, codes } = await enrolled();
    const typed = codes[3]!.toUpperCase().replaceAll('-', ' ');
    expect((await login(name, typed)).status).toBe(200);
    expect((await login(name, codes[3])).body).toMatchObject({ code: 'second_factor_refused' });
    expect((await login(name, codes[4])).status).toBe(200);
  });
});

describe('a second factor in a session', () => {
  it('cannot be guessed with a stolen cookie, and who tries it is in the audit', async () => {
    const { id, at } = await enrolled();
    const codes = [];
    for (let i = 0; i < 8; i++)
      codes.push((await at.post('/v1/self/second-factor', { code: `00000${i}` })).body['code']);
    expect(codes.slice(5)).toEqual(Array.from({ length: 3 }, () => 'login_throttled'));
    const { items } = await world.api.get<{ items: object[] }>('/v1/audit?action=login.throttle');
    const told = { subject: `operator:${id}`, outcome: 'failed', result: {} };
    expect(items.filter((item) => (item as typeof told).subject === told.subject)).toEqual([
      expect.objectContaining(told),
    ]);
  });

  const shownAt = async (id: string) =>
    (
      await db.query<{ at: Date | null }>(
        'select second_factor_at as at from operator_session where operator_id = $1 order by made_at desc limit 1',
        [id],
      )
    ).rows[0]?.at ?? null;

  it('counts from the sign-in with a code, and again from when one is shown', async () => {
    const { at, id, name, secret } = await enrolled();
    expect((await at.login(name, PASSWORD, codeOf(secret))).status).toBe(200);
    expect(await shownAt(id)).toEqual(clock.now());
    clock.pass(10 * MINUTE);
    const shown = await at.post('/v1/self/second-factor', { code: codeOf(secret) });
    expect(shown.body).toEqual({ secondFactorAt: clock.now().toISOString() });
    expect(await shownAt(id)).toEqual(clock.now());
    const again = await at.post('/v1/self/second-factor', { code: codeOf(secret) });
    expect(again.body).toMatchObject({ code: 'second_factor_refused' });
  });

  it('opens what wants a fresh one, for five minutes', async () => {
    const { at, secret } = await enrolled();
    const issue = () => at.post('/v1/self/api-keys', { name: 'mine' });
    clock.pass(10 * MINUTE);
    expect((await issue()).body).toMatchObject({ status: 403, code: 'step_up_required' });
    expect((await at.post('/v1/self/second-factor', { code: codeOf(secret) })).status).toBe(200);
    expect((await issue()).status).toBe(201);
    clock.pass(6 * MINUTE);
    expect((await issue()).body).toMatchObject({ code: 'step_up_required' });
  });

  it('has new recovery codes when they are asked for with a code; the old ones end', async () => {
    const { at, name, secret, codes } = await enrolled();
    const renewed = await at.post('/v1/self/recovery-codes', { code: codeOf(secret) });
    const fresh = renewed.body['recoveryCodes'] as string[];
    secrets.push(...fresh);
    expect((await login(name, codes[0])).body).toMatchObject({ code: 'second_factor_refused' });
    expect((await login(name, fresh[0])).status).toBe(200);
  });

  it('has the recovery codes of one renewal, also when there are two at once', async () => {
    const { at, id, secret, codes } = await enrolled();
    const holder = await db.connect();
    await holder.query('begin');
    // All codes but the one that is shown: both have begun before either goes on.
    const shown = digest(`${id}:${codes[0]!.replaceAll('-', '')}`);
    await holder.query('select from recovery_code where operator_id = $1 and hash <> $2 for update', [id, shown]);
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    // The recovery code first: a renewal before it would delete it.
    const sent: ReturnType<typeof at.post>[] = [];
    for (const code of [codes[0]!, codeOf(secret)]) {
      sent.push(at.post('/v1/self/recovery-codes', { code }));
      await until(async () => (await db.query(waiting)).rowCount! >= sent.length);
    }
    const both = Promise.all(sent);
    await holder.query('commit');
    holder.release();
    expect((await both).map(({ status }) => status)).toEqual([200, 200]);
    const { rows } = await db.query('select from recovery_code where operator_id = $1', [id]);
    expect(rows).toHaveLength(10);
  });

  it('is removed with a code of it, or by an administrator when it is lost', async () => {
    const { at, name, secret } = await enrolled();
    expect((await at.post('/v1/self/totp/remove', { code: '000000' })).body).toMatchObject({
      code: 'second_factor_refused',
    });
    expect((await at.post('/v1/self/totp/remove', { code: codeOf(secret) })).status).toBe(204);
    expect((await login(name)).status).toBe(200);
    const lost = await enrolled();
    await world.api.send('DELETE', `/v1/operators/${lost.id}/totp`);
    expect((await login(lost.name)).status).toBe(200);
    await expect(world.api.send('DELETE', `/v1/operators/${lost.id}/totp`)).rejects.toMatchObject({
      code: 'totp_not_found',
    });
  });

  it('leaves what was done with it in the audit, and no secret anywhere', async () => {
    const { items } = await world.api.get<{ items: { action: string; outcome: string }[] }>('/v1/audit?limit=1000');
    const actions = new Set(items.map(({ action, outcome }) => `${action} ${outcome}`));
    for (const one of [
      'second_factor.begin succeeded',
      'second_factor.confirm succeeded',
      'second_factor.show succeeded',
      'second_factor.show failed',
      'second_factor.renew_codes succeeded',
      'second_factor.remove succeeded',
    ]) {
      expect(actions).toContain(one);
    }
    const { rows } = await db.query<{ dump: string }>(
      `select row_to_json(t)::text as dump from operator_totp t union all select row_to_json(t)::text from recovery_code t
       union all select row_to_json(t)::text from audit_entry t`,
    );
    const everything = world.log() + JSON.stringify(rows) + JSON.stringify(items);
    expect(secrets.length).toBeGreaterThan(50);
    for (const secret of secrets) expect(everything).not.toContain(secret);
  });
});
