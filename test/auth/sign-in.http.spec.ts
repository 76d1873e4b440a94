import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { startGateway } from '../../src/gateway.js';
import { readConfig } from '../../src/platform/config.js';
import { Metrics } from '../../src/platform/metrics.js';
import { Browser } from '../support/browser.js';
import { freshDatabase } from '../support/database.js';
import { FakeClock } from '../support/fake-clock.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addWithPassword, PASSWORD, sessionOf } from '../support/people.js';
import { until } from '../support/until.js';

/* Signing in with name and password, sessions, and what a stranger can learn from it. */

const MINUTE = 60_000;
const TRIES_PER_ADDRESS = 12;

let world: TestGateway;
let db: pg.Pool;
let count = 0;
const clock = new FakeClock(Date.now());
/** Limits in Redis go by its clock. */
const OWN_TIME = { REDIS_URL: '' };

beforeAll(async () => {
  const env = { ROLE: 'api', ...OWN_TIME, TRUSTED_PROXIES: '127.0.0.1/32' };
  world = await startTestGateway(env, clock, { LOGIN_TRIES_PER_ADDRESS: TRIES_PER_ADDRESS });
  db = new pg.Pool({ connectionString: world.databaseUrl, max: 2 });
});
afterAll(async () => {
  await db.end();
  await world.close();
});
// What earlier tests used up of the tries of this address is full again.
beforeEach(() => clock.pass(6 * MINUTE));

/** Its transaction, left open, would hold back every test on this server; one whose time is over gets to no `finally`. */
let change: pg.PoolClient | null = null;
afterEach(() => {
  change?.release(true);
  change = null;
});

const browser = () => new Browser(world.url);

const person = (role = 'viewer') => addWithPassword(world, 'person', role);

async function signedIn(role = 'viewer') {
  const who = await person(role);
  return { ...who, at: await sessionOf(world, who) };
}

const hashes = async () => (await world.gateway.app.get(Metrics).passwordHashes.get()).values[0]?.value ?? 0;

const audit = async (action: string) =>
  (
    await world.api.get<{ items: { subject: string; facts: Record<string, unknown>; outcome: string }[] }>(
      `/v1/audit?action=${action}&limit=1000`,
    )
  ).items;

describe('an invitation', () => {
  it('sets a password once, and is an address whose fragment holds the token', async () => {
    const { id } = await world.api.post<{ id: string }>('/v1/operators', { name: 'invited', role: 'viewer' });
    const { token, url } = await world.api.post<{ token: string; url: string }>(`/v1/operators/${id}/invitation`);
    expect(url).toBe(`${world.url}/console/invitation#invitation=${token}`);
    const accept = (password: string) => browser().post('/v1/invitations/accept', { token, password });
    expect((await accept('password1234')).body).toMatchObject({ code: 'password_refused' });
    expect((await accept(PASSWORD)).status).toBe(204);
    expect((await accept(PASSWORD)).body).toMatchObject({ status: 403, code: 'invitation_refused' });
    expect((await browser().login('INVITED', PASSWORD)).status).toBe(200);
  });

  it('ends with time, and when another one is made', async () => {
    const { id } = await world.api.post<{ id: string }>('/v1/operators', { name: 'late', role: 'viewer' });
    const invite = () => world.api.post<{ token: string }>(`/v1/operators/${id}/invitation`);
    const accept = ({ token }: { token: string }) =>
      browser().post('/v1/invitations/accept', { token, password: PASSWORD });
    const first = await invite();
    const second = await invite();
    expect((await accept(first)).body).toMatchObject({ code: 'invitation_refused' });
    clock.pass(73 * 60 * MINUTE);
    expect((await accept(second)).body).toMatchObject({ code: 'invitation_refused' });
  });
});

describe('signing in', () => {
  it('gives a cookie that scripts and other sites do not get', async () => {
    const { name } = await person();
    const answer = await browser().login(name, PASSWORD);
    expect(answer.body).toMatchObject({ operatorName: name });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^fleetgate-loopback=fgs_\w{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/),
    ]);
  });

  it('is the same refusal after the same work for an unknown name, a wrong password, none, and a disabled account', async () => {
    const { id, name } = await person();
    await world.api.post('/v1/operators', { name: 'without a password', role: 'viewer' });
    const refused = async (who: string, password: string) => {
      const before = await hashes();
      const { status, headers, body } = await browser().login(who, password);
      const { requestId: _, ...rest } = body;
      return { status, rest, cookies: headers.getSetCookie(), work: (await hashes()) - before };
    };
    const wrong = await refused(name, 'not the lighthouse');
    const unknown = await refused('nobody at all', PASSWORD);
    const without = await refused('without a password', PASSWORD);
    await world.api.send('PATCH', `/v1/operators/${id}`, { disabled: true });
    const disabled = await refused(name, PASSWORD);

    expect(wrong).toMatchObject({ status: 401, rest: { code: 'login_refused' }, cookies: [], work: 1 });
    expect([unknown, without, disabled]).toEqual([wrong, wrong, wrong]);
  });

  it('is in the audit, and so is a failure, without what was typed', async () => {
    const { id, name } = await person();
    await browser().login(name, PASSWORD);
    await browser().login(name, 'not the lighthouse');
    await browser().login('hunter2-typed-as-a-name', PASSWORD);
    expect((await audit('login.succeed')).find(({ subject }) => subject === `operator:${id}`)).toMatchObject({
      facts: { way: 'password', secondFactor: false },
    });
    const failures = await audit('login.fail');
    expect(failures).toContainEqual(
      expect.objectContaining({ subject: `operator:${id}`, facts: { failure: 'password' }, outcome: 'failed' }),
    );
    const facts = { failure: 'unknown', name: expect.stringMatching(/^hmac:/) };
    expect(failures).toContainEqual(expect.objectContaining({ subject: 'operator:unknown', facts }));
    expect(JSON.stringify(failures)).not.toContain('hunter2');
  });

  it('hashes anew with the parameters of today what was hashed with others', async () => {
    const { id, name } = await person();
    expect((await browser().login(name, PASSWORD)).status).toBe(200);
    const { rows } = await db.query<{ hash: string }>('select hash from operator_password where operator_id = $1', [
      id,
    ]);
    expect(rows[0]?.hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await browser().login(name, PASSWORD)).status).toBe(200);
  });

  it('begins no session with a password that is changed at the same moment', async () => {
    const { id, name } = await person();
    change = await db.connect();
    await change.query('begin');
    await change.query('update operator_password set hash = hash || $2 where operator_id = $1', [id, 'x']);
    const login = browser().login(name, PASSWORD);
    const isWaiting = () =>
      db.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%for no key update%'`,
      );
    await until(async () => (await isWaiting()).rowCount !== 0);
    await change.query('commit');
    expect((await login).body).toMatchObject({ status: 401, code: 'login_refused' });
    expect((await world.api.get<{ items: unknown[] }>(`/v1/sessions?operatorId=${id}`)).items).toEqual([]);
  });

  it('wants a page of the gateway when it comes from a page', async () => {
    const { name } = await person();
    const foreign = new Browser(world.url, { 'sec-fetch-site': 'cross-site' });
    expect((await foreign.login(name, PASSWORD)).body).toMatchObject({ status: 403, code: 'cross_site_refused' });
    const program = new Browser(world.url, {});
    expect((await program.login(name, PASSWORD)).status).toBe(200);
  });

  it('never writes a password or a token into log, audit or tables', async () => {
    const { name } = await person();
    const at = browser();
    await at.login(name, PASSWORD);
    const { rows } = await db.query<{ dump: string }>(
      `select row_to_json(t)::text as dump from (select * from operator_session) t
       union all select row_to_json(t)::text from (select * from operator_password) t
       union all select row_to_json(t)::text from (select * from audit_entry) t`,
    );
    const everything = world.log() + JSON.stringify(rows);
    expect(at.token).toMatch(/^fgs_/);
    for (const secret of [PASSWORD, at.token, at.token.slice(4)]) expect(everything).not.toContain(secret);
  });
});

describe('guessing', () => {
  it('is slowed down for an account from one address, told in seconds, and not for the account from elsewhere', async () => {
    const { name } = await person();
    for (let i = 0; i < 5; i++) expect((await browser().login(name, `guess number ${i}`)).status).toBe(401);
    const before = await hashes();
    const throttled = await browser().login(name, PASSWORD);
    expect(throttled.body).toMatchObject({ status: 429, code: 'login_throttled' });
    expect(Number(throttled.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await hashes()).toBe(before);
    // Another account from the same address is not affected.
    const { at } = await signedIn();
    expect((await at.get('/v1/self')).status).toBe(200);
    // And with time it is over: nothing was locked.
    clock.pass(MINUTE);
    expect((await browser().login(name, PASSWORD)).status).toBe(200);
    expect((await browser().login(name, 'a wrong one')).status).toBe(401);
  });

  it('gets no further with many tries at once', async () => {
    const { name } = await person();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => browser().login(name, `guess ${i} of many`)),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(7);
  });

  it('is slowed down for an address, whatever the names, and a flood is one line in the audit', async () => {
    const before = (await audit('login.throttle')).length;
    const answers = [];
    for (let i = 0; i < TRIES_PER_ADDRESS + 3; i++) {
      answers.push((await browser().login(`made-up name ${i}`, PASSWORD)).status);
    }
    expect(answers.filter((status) => status === 401)).toHaveLength(TRIES_PER_ADDRESS);
    expect(answers.filter((status) => status === 429)).toHaveLength(3);
    // What is refused for its address does not ask the database for the account.
    const query = vi.spyOn(world.gateway.app.get(DataSource), 'query');
    expect((await browser().login('another made-up name', PASSWORD)).status).toBe(429);
    const asked = query.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes('operator_password'));
    query.mockRestore();
    expect(asked).toEqual([]);
    expect(await audit('login.throttle')).toHaveLength(before + 1);
  });
});

describe('guessing through a proxy', () => {
  const through = (forwarded: string) =>
    new Browser(world.url, { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': forwarded });

  it.each([
    ['a port', (i: number) => `198.51.100.1, 203.0.113.7:${50_000 + i}`],
    ['what is no address', (i: number) => `198.51.100.${i}, ${['unknown', '_hidden', 'a', '1.2', '[::1', '-'][i]}`],
  ])('that writes %s has one count for one caller', async (_what, forwarded) => {
    const { name } = await person();
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await through(forwarded(i)).login(name, `guess ${i}`)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await through('203.0.113.99:1').login(name, PASSWORD)).status).toBe(200);
  });

  it('is written with the address alone, in the audit and in the list of sessions', async () => {
    const { id, name } = await person();
    const at = through('"[2001:db8::7]:4711"');
    await at.login(name, PASSWORD);
    const { items } = (await at.get('/v1/self/sessions')).body as { items: { address: string }[] };
    expect(items.map(({ address }) => address)).toEqual(['2001:db8::7']);
    const entries = `select address from audit_entry where action = 'login.succeed' and subject = $1`;
    expect((await db.query(entries, [`operator:${id}`])).rows).toEqual([{ address: '2001:db8::7' }]);
  });
});

describe('guessing under another spelling', () => {
  it('that the database takes for the same account is no other count', async () => {
    const { name } = await person();
    const { rows } = await db.query<{ isSame: boolean }>(`select lower('İ') = 'i' as "isSame"`);
    const spellings = [name, name.toUpperCase(), name.replace('person', 'PERSON'), `  ${name} `];
    for (const spelling of spellings) expect((await browser().login(spelling, 'a wrong one')).status).toBe(401);
    const { name: other } = await addWithPassword(world, `ivi ${++count}`);
    const tries = ['i', 'İ', 'I', 'i', 'İ', 'I', 'İ'].map((letter) => `${letter}${other.slice(1)}`);
    const statuses: number[] = [];
    for (const spelling of tries) statuses.push((await browser().login(spelling, 'a wrong one')).status);
    const isCounted = rows[0]!.isSame;
    expect(statuses.filter((status) => status === 401)).toHaveLength(isCounted ? 5 : 7);
  });
});

describe('accepting an invitation', () => {
  it('is not held up by those who guess at invitations behind the same address', async () => {
    const { id } = await world.api.post<{ id: string }>('/v1/operators', { name: `guest ${++count}`, role: 'viewer' });
    const { token } = await world.api.post<{ token: string }>(`/v1/operators/${id}/invitation`);
    for (let i = 0; i < 6; i++) {
      const guessed = await browser().post('/v1/invitations/accept', { token: `invite_${i}`, password: PASSWORD });
      expect(guessed.body).toMatchObject({ code: 'invitation_refused' });
    }
    expect((await browser().post('/v1/invitations/accept', { token, password: PASSWORD })).status).toBe(204);
  });
});

describe('a session', () => {
  it('does not read for a page that would run the answer as a script', async () => {
    const { at } = await signedIn();
    for (const destination of ['script', 'style', 'worker', 'serviceworker', 'embed', 'iframe', 'image', '']) {
      const answer = await at.copy({ 'sec-fetch-dest': destination, 'sec-fetch-site': 'same-origin' }).get('/v1/self');
      expect([destination, answer.body['code']]).toEqual([destination, 'cross_site_refused']);
    }
    expect((await at.copy({ 'sec-fetch-dest': 'empty' }).get('/v1/self')).status).toBe(200);
  });

  it('says who one is, and is an actor in the audit', async () => {
    const { at, name } = await signedIn('administrator');
    const self = (await at.get('/v1/self')).body as { subject: string; name: string };
    expect(self).toMatchObject({
      name,
      subject: expect.stringMatching(/^session:/),
      hasPassword: true,
      hasSecondFactor: false,
    });
    expect((await at.post('/v1/operators', { name: 'made in a session', role: 'viewer' })).status).toBe(201);
    const { items } = await world.api.get<{ items: { actor: string }[] }>('/v1/audit?action=operator.create');
    expect(items.some(({ actor }) => actor === self.subject)).toBe(true);
  });

  it('does not write for pages of other sites, nor for what does not say where it comes from', async () => {
    const { at } = await signedIn('administrator');
    const wish = { name: 'by another site', role: 'viewer' };
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      {},
    ] as Record<string, string>[]) {
      const { body } = await at.copy(headers).post('/v1/operators', wish);
      expect([headers, body['code']]).toEqual([headers, 'cross_site_refused']);
      expect((await at.copy(headers).get('/v1/self')).status).toBe(200);
    }
    const { rows } = await db.query('select from operator where name = $1', [wish.name]);
    expect(rows).toEqual([]);
    const byOrigin = at.copy({ origin: new URL(world.url).origin });
    expect((await byOrigin.post('/v1/operators', { ...wish, name: 'by its own page' })).status).toBe(201);
  });

  it('ends when nothing was done in it, and at its end in any case', async () => {
    const idle = await signedIn();
    clock.pass(59 * MINUTE);
    expect((await idle.at.get('/v1/self')).status).toBe(200);
    clock.pass(61 * MINUTE);
    expect((await idle.at.get('/v1/self')).status).toBe(401);
    const busy = await signedIn();
    for (let i = 0; i < 14; i++) {
      clock.pass(50 * MINUTE);
      expect((await busy.at.get('/v1/self')).status).toBe(200);
    }
    clock.pass(20 * MINUTE);
    expect((await busy.at.get('/v1/self')).status).toBe(401);
  });

  it('is ended by its owner, who sees only their own', async () => {
    const { at, name } = await signedIn();
    const other = await signedIn();
    const second = browser();
    clock.pass(1_000);
    await second.login(name, PASSWORD);
    const sessions = (await at.get('/v1/self/sessions')).body.items as { id: string; current: boolean; way: string }[];
    expect(sessions.map(({ current, way }) => ({ current, way }))).toEqual([
      { current: false, way: 'password' },
      { current: true, way: 'password' },
    ]);
    const { id } = sessions.find(({ current }) => !current)!;
    expect((await other.at.send('DELETE', `/v1/self/sessions/${id}`)).body).toMatchObject({
      code: 'session_not_found',
    });
    expect((await second.get('/v1/self')).status).toBe(200);
    expect((await at.send('DELETE', `/v1/self/sessions/${id}`)).status).toBe(204);
    expect((await second.get('/v1/self')).status).toBe(401);
    expect((await at.get('/v1/self')).status).toBe(200);
  });

  it('is ended by an administrator, and nobody else reaches for those of others', async () => {
    const { at, id } = await signedIn();
    expect((await at.get('/v1/sessions')).body).toMatchObject({ status: 403, code: 'forbidden' });
    const { items } = await world.api.get<{ items: { id: string }[] }>(`/v1/sessions?operatorId=${id}`);
    expect(items).toHaveLength(1);
    await world.api.send('DELETE', `/v1/sessions/${items[0]!.id}`);
    expect((await at.get('/v1/self')).status).toBe(401);
    expect(await audit('session.revoke')).toContainEqual(
      expect.objectContaining({ subject: `session:${items[0]!.id}`, facts: { operatorId: id } }),
    );
  });

  it('ends with a logout, which takes the cookie away', async () => {
    const { at } = await signedIn();
    const thief = at.copy(at.headers);
    const out = await at.post('/v1/logout');
    expect(out.status).toBe(204);
    expect(out.headers.getSetCookie()).toEqual([expect.stringMatching(/^fleetgate-loopback=; .*Max-Age=0/)]);
    expect((await thief.get('/v1/self')).status).toBe(401);
    await expect(world.api.post('/v1/logout')).rejects.toMatchObject({ code: 'session_required' });
  });

  it('ends at once when its operator is disabled, and for good', async () => {
    const { at, id, name } = await signedIn();
    await world.api.send('PATCH', `/v1/operators/${id}`, { disabled: true });
    expect((await at.get('/v1/self')).status).toBe(401);
    await world.api.send('PATCH', `/v1/operators/${id}`, { disabled: false });
    expect((await at.get('/v1/self')).status).toBe(401);
    expect((await browser().login(name, PASSWORD)).status).toBe(200);
  });

  it('is found by a digest: the token is in no row, and a made-up one finds nothing', async () => {
    const made = browser().copy({});
    const answer = await made.send('GET', '/v1/self', undefined, {
      cookie: `fleetgate-loopback=fgs_${'a'.repeat(43)}`,
    });
    expect(answer.body).toMatchObject({ status: 401, code: 'unauthenticated' });
  });

  it('takes its cookie under its own name alone', async () => {
    const { at } = await signedIn();
    const secure = await browser().send('GET', '/v1/self', undefined, { cookie: `__Host-fleetgate=${at.token}` });
    expect(secure.status).toBe(401);
  });
});

describe('a change of the password', () => {
  it('wants the old one, takes no easy one, and ends all other sessions', async () => {
    const { at, name } = await signedIn();
    const elsewhere = browser();
    await elsewhere.login(name, PASSWORD);
    const change = (currentPassword: string, newPassword: string) =>
      at.post('/v1/self/password', { currentPassword, newPassword });
    expect((await change('not the lighthouse', 'a windmill at midnight')).body).toMatchObject({
      code: 'login_refused',
    });
    for (const easy of [
      'short',
      'password1234',
      'x'.repeat(129),
      'aaaaaaaaaaaaaaaa',
      `${name}${name}`,
      '123456789012',
    ]) {
      expect([easy, (await change(PASSWORD, easy)).body['code']]).toEqual([easy, 'password_refused']);
    }
    expect((await change(PASSWORD, 'a windmill at midnight')).status).toBe(204);
    expect((await at.get('/v1/self')).status).toBe(200);
    expect((await elsewhere.get('/v1/self')).status).toBe(401);
    expect((await browser().login(name, PASSWORD)).status).toBe(401);
    expect((await browser().login(name, 'a windmill at midnight')).status).toBe(200);
  });

  it('is for people, not for keys', async () => {
    const change = world.api.post('/v1/self/password', { currentPassword: PASSWORD, newPassword: PASSWORD });
    await expect(change).rejects.toMatchObject({ status: 403, code: 'session_required' });
  });
});

describe('an operator', () => {
  it('cannot be disabled when nobody else could administer', async () => {
    const { items } = await world.api.get<{ items: { id: string; name: string }[] }>('/v1/operators');
    const ada = items.find(({ name }) => name === 'Ada')!;
    const others = await db.query<{ id: string }>(
      `select operator_id as id from operator_role where role = 'administrator' and operator_id <> $1`,
      [ada.id],
    );
    for (const { id } of others.rows) await world.api.send('PATCH', `/v1/operators/${id}`, { disabled: true });
    const disable = world.api.send('PATCH', `/v1/operators/${ada.id}`, { disabled: true });
    await expect(disable).rejects.toMatchObject({ status: 409, code: 'last_administrator' });
    expect(await world.api.get('/v1/self')).toMatchObject({ name: 'Ada' });
  });

  it('is shown with the newest sign-in, also after its session has ended', async () => {
    const who = await person();
    const lastSignIn = async () =>
      (await world.api.get<{ lastSignInAt: string | null }>(`/v1/operators/${who.id}`)).lastSignInAt;
    expect(await lastSignIn()).toBeNull();
    await sessionOf(world, who);
    clock.pass(MINUTE);
    const [newest, at] = [clock.now().toISOString(), await sessionOf(world, who)];
    await at.post('/v1/logout');
    expect(await lastSignIn()).toBe(newest);
  });

  it('is renamed, to a name of its own', async () => {
    const { id } = await person();
    expect(await world.api.send('PATCH', `/v1/operators/${id}`, { name: 'renamed' })).toMatchObject({
      body: { name: 'renamed', hasPassword: true, hasSecondFactor: false },
    });
    await expect(world.api.send('PATCH', `/v1/operators/${id}`, { name: 'ada' })).rejects.toMatchObject({
      code: 'operator_exists',
    });
    await expect(world.api.get(`/v1/operators/${crypto.randomUUID()}`)).rejects.toMatchObject({
      code: 'operator_not_found',
    });
  });
});

describe('the set-up', () => {
  it('may give the first administrator a password, if it is a good one', async () => {
    const database = await freshDatabase();
    const dataDir = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-test-'));
    const token = 'x'.repeat(30);
    const env = { DATABASE_URL: database.url, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent' };
    const gateway = await startGateway({ config: readConfig({ ...env, FLEETGATE_SETUP_TOKEN: token }) });
    const at = new Browser(gateway.url);
    const setup = (password: string) => at.post('/v1/setup', { token, operatorName: 'Ada', password });
    expect((await setup('password1234')).body).toMatchObject({ status: 422, code: 'password_refused' });
    expect((await setup(PASSWORD)).body).toMatchObject({ operator: { name: 'Ada', hasPassword: true } });
    expect((await at.login('ada', PASSWORD)).status).toBe(200);
    expect((await at.get('/v1/operators')).status).toBe(200);
    await gateway.close();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
});
