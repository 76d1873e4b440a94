import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { readProviders } from '../../src/auth/people/oidc-providers.js';
import { Browser } from '../support/browser.js';
import { FakeClock } from '../support/fake-clock.js';
import { isLongForm } from '../support/forms.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { CLIENT_ID, CLIENT_SECRET, OpenidProvider } from '../support/openid-provider.js';

/* Signing in through a real OpenID provider, whose pages are walked through as a person does. */

let provider: OpenidProvider;
/** A provider like a fresh Keycloak: without a scope for groups, and with the client secret in the body. */
let plain: OpenidProvider;
let world: TestGateway;
let db: pg.Pool;
const clock = new FakeClock(Date.now());
const TRIES_PER_ADDRESS = 10;

beforeAll(async () => {
  provider = await OpenidProvider.listen();
  plain = await OpenidProvider.listen();
  const shared = {
    issuer: provider.issuer,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    roles: { 'net-ops': ['operator'], 'net-audit': ['auditor', 'viewer'], admins: ['administrator'] },
    secondFactorAmr: ['mfa'],
  };
  const providers = [
    { ...shared, id: 'corp', name: 'Example Corp' },
    {
      ...shared,
      id: 'away',
      name: 'Nobody there',
      issuer: 'http://127.0.0.1:9',
      roles: { all: ['viewer', 'pump-keeper'] },
    },
    { ...shared, id: 'greedy', name: 'Asks for too much', clientId: 'modest', scope: 'openid profile groups' },
    { ...shared, id: 'forgotten', name: 'With another secret', clientSecret: WRONG_SECRET },
    { ...shared, id: 'posting', name: 'By its registration', clientId: 'posting', clientAuthentication: 'client_secret_post' }, // prettier-ignore
    { ...shared, id: 'plain', name: 'Plain', issuer: plain.issuer, groupsClaim: 'realm_access.roles' },
  ];
  const env = { ROLE: 'api', REDIS_URL: '', OIDC_PROVIDERS: JSON.stringify(providers) };
  world = await startTestGateway(env, clock, { LOGIN_TRIES_PER_ADDRESS: TRIES_PER_ADDRESS });
  const callback = (id: string) => `${world.url}/v1/oidc/${id}/callback`;
  const secret = { client_secret: CLIENT_SECRET };
  provider.open([callback('corp'), callback('forgotten')], CLIENT_SECRET, {
    clients: [
      { ...secret, client_id: CLIENT_ID, redirect_uris: [callback('corp'), callback('forgotten')] },
      { ...secret, client_id: 'modest', redirect_uris: [callback('greedy')], scope: 'openid profile' },
      { ...secret, client_id: 'posting', redirect_uris: [callback('posting')], token_endpoint_auth_method: 'client_secret_post' }, // prettier-ignore
    ],
  });
  plain.open(callback('plain'), CLIENT_SECRET, {
    scopes: ['openid', 'profile', 'email'],
    claims: { openid: ['sub', 'realm_access'], profile: ['preferred_username'] },
    clientAuthMethods: ['client_secret_post'],
    clients: [{ ...secret, client_id: CLIENT_ID, redirect_uris: [callback('plain')], token_endpoint_auth_method: 'client_secret_post' }], // prettier-ignore
  });
  db = new pg.Pool({ connectionString: world.databaseUrl, max: 2 });
});
// What earlier tests used up of the audit's entries for this address is full again.
beforeEach(() => clock.pass(6 * 60_000));
afterAll(async () => {
  await db.end();
  await world.close();
  await provider.close();
  await plain.close();
});

const WRONG_SECRET = 'another-secret-that-is-planted';

it('warns at the start of roles that do not exist', () => {
  const warnings = world.log().match(/OIDC_PROVIDERS: [^"]*/g);
  expect(warnings).toEqual(['OIDC_PROVIDERS: away names roles that do not exist: pump-keeper']);
});

/** Leaves for a provider, is sent back by it, and comes back; the last answer. */
async function through(id: string, sub: string, at = new Browser(world.url), cancels = false) {
  const left = await at.get(`/v1/oidc/${id}/login`);
  expect(left.status).toBe(302);
  const back = await (id === 'plain' ? plain : provider).signIn(left.headers.get('location')!, sub, cancels);
  return { at, back, answer: await at.get(back) };
}

/** The facts of the latest refusals, newest first. */
const failures = async () =>
  (
    await world.api.get<{ items: { facts: Record<string, unknown>; subject: string }[] }>(
      '/v1/audit?action=login.fail&limit=1000',
    )
  ).items.map(({ facts }) => facts);

/** Leaves for the provider, signs in there, and comes back to the callback; the last answer. */
async function signIn(sub: string, at = new Browser(world.url)) {
  const left = await at.get('/v1/oidc/corp/login?returnTo=/devices?a=1%26b=2');
  expect(left.status).toBe(302);
  const back = await provider.signIn(left.headers.get('location')!, sub);
  return { at, left, back, answer: await at.get(back) };
}

const whoIs = async (at: Browser) =>
  (await at.get('/v1/self')).body as { name: string; roles: { role: string }[]; permissions: string[] };

const operators = async () =>
  (
    await world.api.get<{
      items: { id: string; name: string; providers: string[]; roles: { role: string }[]; hasPassword: boolean }[];
    }>('/v1/operators')
  ).items;

describe('the first sign-in', () => {
  it('makes the operator, with the roles of their groups, and a session that begins on a page of ours', async () => {
    provider.people.set('sub-1', { preferred_username: 'grace', groups: ['net-ops', 'other'] });
    const { at, left, answer } = await signIn('sub-1');
    const leaving = new URL(left.headers.get('location')!);
    expect(Object.fromEntries(leaving.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      state: expect.any(String),
      nonce: expect.any(String),
    });
    expect(left.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^fleetgate-loopback-oidc=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/),
    ]);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    expect(answer.body['text']).toContain('content="0;url=/devices?a=1&amp;b=2"');
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^fleetgate-loopback-oidc=; .*Max-Age=0/),
      expect.stringMatching(/^fleetgate-loopback=fgs_\w{43}; .*SameSite=Strict/),
    ]);
    expect(await whoIs(at)).toMatchObject({ name: 'grace', roles: [{ role: 'operator' }] });
    expect((await operators()).find(({ name }) => name === 'grace')).toMatchObject({
      providers: ['corp'],
      hasPassword: false,
    });
    const { items } = await world.api.get<{ items: { facts: object }[] }>('/v1/audit?action=login.succeed');
    expect(items).toContainEqual(
      expect.objectContaining({ facts: { way: 'oidc', provider: 'corp', secondFactor: false } }),
    );
  });

  it('never joins an account that has the same name: who somebody is, is issuer and subject', async () => {
    provider.people.set('impostor', { preferred_username: 'ADA', email: 'ada@corp.example', groups: ['net-ops'] });
    const { at } = await signIn('impostor');
    expect(await whoIs(at)).toMatchObject({ name: 'ADA (corp)', roles: [{ role: 'operator' }] });
    provider.people.set('impostor-2', { preferred_username: 'ada', groups: ['net-ops'] });
    expect((await whoIs((await signIn('impostor-2')).at)).name).toMatch(/^ada \(corp [0-9a-f]{8}\)$/);
  });

  it('is refused to who has no group with a role, and makes nobody', async () => {
    provider.people.set('sub-none', { preferred_username: 'guest', groups: ['other', 'constructor'] });
    const { at, answer } = await signIn('sub-none');
    expect(answer.body).toMatchObject({ status: 403, code: 'oidc_no_role' });
    expect((await at.get('/v1/self')).status).toBe(401);
    expect((await operators()).some(({ name }) => name === 'guest')).toBe(false);
  });

  it('of one person at two places at once makes one operator', async () => {
    provider.people.set('sub-twice', { preferred_username: 'twice', groups: ['net-ops'] });
    const both = await Promise.all([signIn('sub-twice'), signIn('sub-twice')]);
    expect(both.map(({ answer }) => answer.status)).toEqual([200, 200]);
    expect((await operators()).filter(({ name }) => name.startsWith('twice'))).toHaveLength(1);
  });
});

describe('a later sign-in', () => {
  it('finds the same operator under another name, with the roles of today', async () => {
    provider.people.set('sub-2', { preferred_username: 'joan', groups: ['net-ops'] });
    const first = await signIn('sub-2');
    provider.people.set('sub-2', { preferred_username: 'joan-renamed', groups: ['net-audit'] });
    const second = await signIn('sub-2');
    expect(await whoIs(second.at)).toMatchObject({ name: 'joan', roles: [{ role: 'auditor' }, { role: 'viewer' }] });
    expect((await whoIs(first.at)).roles).toEqual((await whoIs(second.at)).roles);
  });

  it('judges by the roles of today from the first request on, however late the notice of them comes', async () => {
    provider.people.set('sub-mover', { preferred_username: 'mover', groups: ['net-ops'] });
    const { at } = await signIn('sub-mover');
    expect((await whoIs(at)).permissions).toContain('device.call_write');
    await db.query('alter table operator_role disable trigger user');
    try {
      provider.people.set('sub-mover', { preferred_username: 'mover', groups: ['net-audit'] });
      const again = await signIn('sub-mover');
      expect((await whoIs(again.at)).permissions).not.toContain('device.call_write');
    } finally {
      await db.query('alter table operator_role enable trigger user');
    }
  });

  it('of who lost all groups is refused, takes the roles away and ends the sessions', async () => {
    provider.people.set('sub-3', { preferred_username: 'leaver', groups: ['admins'] });
    const { at } = await signIn('sub-3');
    expect((await whoIs(at)).permissions).toContain('operator.manage');
    provider.people.set('sub-3', { preferred_username: 'leaver', groups: [] });
    expect((await signIn('sub-3')).answer.body).toMatchObject({ code: 'oidc_no_role' });
    expect((await at.get('/v1/self')).status).toBe(401);
    expect((await operators()).find(({ name }) => name === 'leaver')?.roles).toEqual([]);
  });

  it('takes no role from the last administrator, who is told so', async () => {
    provider.people.set('sub-last', { preferred_username: 'lena', groups: ['admins'] });
    await signIn('sub-last');
    const lena = async () => (await operators()).find(({ name }) => name === 'lena')!;
    const { id: operatorId } = await lena();
    await world.api.post('/v1/api-keys', { operatorId, name: 'whole', scope: { stepUp: true } });
    await db.query(`update api_key set expires_at = '2001-01-01' where expires_at is null and operator_id <> $1`, [
      operatorId,
    ]);
    try {
      for (const groups of [['net-ops'], []]) {
        provider.people.set('sub-last', { preferred_username: 'lena', groups });
        expect((await signIn('sub-last')).answer.body).toMatchObject({ status: 409, code: 'last_administrator' });
      }
    } finally {
      await db.query(`update api_key set expires_at = null where expires_at = '2001-01-01'`);
    }
    expect(await lena()).toMatchObject({ roles: [{ role: 'administrator' }] });
    expect((await signIn('sub-last')).answer.body).toMatchObject({ code: 'oidc_no_role' });
    expect(await lena()).toMatchObject({ roles: [] });
  });

  it('of who was disabled here stays refused', async () => {
    provider.people.set('sub-4', { preferred_username: 'disabled', groups: ['net-ops'] });
    await signIn('sub-4');
    const { id } = (await operators()).find(({ name }) => name === 'disabled')!;
    await world.api.send('PATCH', `/v1/operators/${id}`, { disabled: true });
    expect((await signIn('sub-4')).answer.body).toMatchObject({ status: 403, code: 'oidc_refused' });
  });

  it('counts as a second factor when the provider says how, and the configuration believes it', async () => {
    const shown = async (amr: string[]) => {
      provider.people.set('sub-5', { preferred_username: 'careful', groups: ['net-ops'], amr });
      const { at } = await signIn('sub-5');
      const { items } = (await at.get('/v1/self/sessions')).body as {
        items: { secondFactorAt: unknown; current: boolean }[];
      };
      return items.find(({ current }) => current)!.secondFactorAt;
    };
    expect(await shown(['pwd'])).toBeNull();
    expect(await shown(['pwd', 'mfa'])).toEqual(expect.any(String));
  });
});

describe('coming back', () => {
  const refused = { status: 403, code: 'oidc_refused' };

  it('is for the browser that left', async () => {
    const left = await new Browser(world.url).get('/v1/oidc/corp/login');
    const back = await provider.signIn(left.headers.get('location')!, 'sub-1');
    const victim = new Browser(world.url);
    expect((await victim.get(back)).body).toMatchObject(refused);
    await victim.get('/v1/oidc/corp/login');
    expect((await victim.get(back)).body).toMatchObject(refused);
  });

  it('works once, with the state, and in time', async () => {
    const { at, back } = await signIn('sub-1');
    expect((await at.get(back)).body).toMatchObject(refused);
    const other = new Browser(world.url);
    const left = await other.get('/v1/oidc/corp/login');
    const good = new URL(await provider.signIn(left.headers.get('location')!, 'sub-1'));
    for (const [name, value] of [
      ['state', 'another'],
      ['code', 'made-up'],
      ['iss', 'https://evil.example'],
    ] as const) {
      const changed = new URL(good);
      changed.searchParams.set(name, value);
      const thief = other.copy(other.headers);
      expect([name, (await thief.get(changed.href)).body['code']]).toEqual([name, 'oidc_refused']);
    }
    clock.pass(11 * 60_000);
    expect((await other.get(good.href)).body).toMatchObject(refused);
  });

  it('with the refusal of the provider is told as such', async () => {
    const at = new Browser(world.url);
    const left = await at.get('/v1/oidc/corp/login');
    const state = new URL(left.headers.get('location')!).searchParams.get('state');
    const back = `/v1/oidc/corp/callback?error=access_denied&state=${state}&iss=${encodeURIComponent(provider.issuer)}`;
    expect((await at.get(back)).body).toMatchObject(refused);
  });
});

describe('the reason of a provider', () => {
  const refused = { status: 403, code: 'oidc_refused' };

  it.each([
    ['access_denied', 'corp', true],
    ['invalid_scope', 'greedy', false],
    ['invalid_client', 'forgotten', false],
  ])('%s is in the audit and the log, without a secret', async (reason, id, cancels) => {
    provider.people.set('sub-why', { preferred_username: 'why', groups: ['net-ops'] });
    const { back, answer } = await through(id, 'sub-why', new Browser(world.url), cancels);
    expect(answer.body).toMatchObject(refused);
    const [facts] = await failures();
    expect(facts).toMatchObject({ failure: 'provider', provider: id, reason: expect.stringContaining(reason) });
    const { requestId } = answer.body as { requestId: string };
    const line = world.log().split('\n').find((one) => one.includes(requestId) && one.includes('A sign-in was refused')); // prettier-ignore
    expect(line).toContain(reason);
    const { searchParams } = new URL(back);
    for (const secret of [CLIENT_SECRET, WRONG_SECRET, searchParams.get('code'), searchParams.get('state')])
      if (secret !== null) expect(JSON.stringify(facts) + line).not.toContain(secret);
  });

  it.each([180, 190, 196, 199])('has no part of a secret that begins after %d characters', async (length) => {
    const at = new Browser(world.url);
    const left = await at.get('/v1/oidc/corp/login');
    const state = new URL(left.headers.get('location')!).searchParams.get('state')!;
    const words = encodeURIComponent(`${' '.repeat(length)}${state}`);
    const iss = encodeURIComponent(provider.issuer);
    await at.get(`/v1/oidc/corp/callback?error=odd&error_description=${words}&state=${state}&iss=${iss}`);
    const [facts] = await failures();
    expect(String(facts!['reason'])).toMatch(/\(odd: +…\)$/);
  });

  it('is as long as an attacker likes, and cut', async () => {
    const at = new Browser(world.url);
    const left = await at.get('/v1/oidc/corp/login');
    const state = new URL(left.headers.get('location')!).searchParams.get('state')!;
    const words = encodeURIComponent(`\u001b[2J${'x'.repeat(5_000)}${state}`);
    const iss = encodeURIComponent(provider.issuer);
    await at.get(`/v1/oidc/corp/callback?error=odd&error_description=${words}&state=${state}&iss=${iss}`);
    const [facts] = await failures();
    expect(String(facts!['reason'])).toMatch(/\(odd: {2}\[2Jx+\)$/);
    expect(String(facts!['reason']).length).toBeLessThan(400);
  });
});

describe('a provider that does not know the scope of groups', () => {
  it('is asked for what its document lists, gets the secret in the body, and names roles in a nested claim', async () => {
    plain.people.set('sub-nested', { preferred_username: 'nested', realm_access: { roles: ['net-audit', 'other'] } });
    const left = await new Browser(world.url).get('/v1/oidc/plain/login');
    expect(new URL(left.headers.get('location')!).searchParams.get('scope')).toBe('openid profile email');
    const { at } = await through('plain', 'sub-nested');
    expect(await whoIs(at)).toMatchObject({ roles: [{ role: 'auditor' }, { role: 'viewer' }] });
  });

  it('may know only one way for the secret of this client', async () => {
    provider.people.set('sub-posting', { preferred_username: 'posting', groups: ['net-ops'] });
    const { at } = await through('posting', 'sub-posting');
    expect(await whoIs(at)).toMatchObject({ name: 'posting' });
  });
});

describe('a link in the place of groups', () => {
  it.each([
    [
      'by its sources',
      { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://g.example' } } },
    ],
    ['by a sign', { hasgroups: true }],
  ])('%s is told as such, and takes no role away', async (way, link) => {
    const sub = `sub-link-${way}`;
    provider.people.set(sub, { preferred_username: `linked ${way}`, groups: ['net-ops'] });
    const { at } = await through('corp', sub);
    provider.people.set(sub, { preferred_username: `linked ${way}`, ...link });
    const { answer } = await through('corp', sub);
    expect(answer.body).toMatchObject({ status: 403, code: 'oidc_groups_withheld' });
    expect(await whoIs(at)).toMatchObject({ roles: [{ role: 'operator' }] });
    expect((await failures())[0]).toMatchObject({ failure: 'groups_withheld', claim: 'groups', found: 'link' });
  });
});

let guests = 0;

describe('failures behind one address', () => {
  it('keep no other person out: bare call-backs, cancelled ones, and people without a role', async () => {
    const written = async () => (await failures()).filter(({ failure }) => failure === 'provider').length;
    const lines = () => world.log().split('A sign-in was refused').length;
    const [before, linesBefore] = [await written(), lines()];
    provider.people.set('sub-calm', { preferred_username: 'calm', groups: ['net-ops'] });
    provider.people.set('sub-other', { preferred_username: 'other', groups: [] });
    for (let i = 0; i < TRIES_PER_ADDRESS + 3; i++) {
      const bare = await new Browser(world.url).get(`/v1/oidc/corp/callback?code=${i}&state=${i}`);
      expect(bare.body).toMatchObject({ code: 'oidc_refused' });
    }
    const asked = provider.asked.filter((url) => url.startsWith('/token')).length;
    for (let i = 0; i < 6; i++) await through('corp', 'sub-calm', new Browser(world.url), true);
    expect(provider.asked.filter((url) => url.startsWith('/token'))).toHaveLength(asked);
    for (let i = 0; i < 5; i++)
      expect((await through('corp', 'sub-other')).answer.body).toMatchObject({ code: 'oidc_no_role' });
    expect((await through('corp', 'sub-other')).answer.body).toMatchObject({ status: 429, code: 'login_throttled' });
    expect((await through('corp', 'sub-calm')).answer.status).toBe(200);
    // Nor do they fill the audit and the log.
    expect((await written()) - before).toBe(TRIES_PER_ADDRESS);
    expect(lines() - linesBefore).toBe(TRIES_PER_ADDRESS);
  });

  /** What a stranger behind the same address can do without any secret; each is done more often than an account allows. */
  const strangers: [string, (at: Browser, i: number) => Promise<unknown>][] = [
    ['a bare call-back', (at) => at.get('/v1/oidc/corp/callback')],
    ['an error that was made up', (at, i) => at.get(`/v1/oidc/corp/callback?error=e${i}`)],
    ['a cookie that was made up', (at, i) => at.send('GET', '/v1/oidc/corp/callback', undefined, { cookie: `fleetgate-loopback-oidc=x${i}` })], // prettier-ignore
    ['a wrong state', (at) => at.get('/v1/oidc/corp/login').then(() => at.get('/v1/oidc/corp/callback?code=c&state=s'))], // prettier-ignore
    ['the cookie of another provider', (at) => at.get('/v1/oidc/posting/login').then(() => at.get('/v1/oidc/corp/callback?code=c'))], // prettier-ignore
    ['a sign-in that begins and never ends', (at) => at.get('/v1/oidc/corp/login')],
    ['an unknown provider', (at) => at.get('/v1/oidc/nope/callback')],
    ['an invitation', (at, i) => at.post('/v1/invitations/accept', { token: `invite_${i}`, password: 'a lighthouse at noon' })], // prettier-ignore
    ['the set-up', (at, i) => at.post('/v1/setup', { token: `setup_${i}`, operatorName: 'Eve' })],
    ['a key', (at, i) => at.send('GET', '/v1/self', undefined, { authorization: `Bearer fg_${i}` })],
    ['a session', (at, i) => at.send('GET', '/v1/self', undefined, { cookie: `fleetgate-loopback=fgs_${i}` })],
  ];
  // The short form has the strangers one after the other, and then once what none of them may hold up.
  const groups: [string, typeof strangers][] = isLongForm
    ? strangers.map((stranger) => [stranger[0], [stranger]])
    : [['all of them', strangers]];
  it.each(groups)('are no account that all share: %s', async (_what, some) => {
    for (const [what, act] of some) {
      for (let i = 0; i < TRIES_PER_ADDRESS + 1; i++) {
        const answer = (await act(new Browser(world.url), i)) as { status: number; body: { code?: string } };
        expect([what, i, answer.body.code]).not.toEqual([what, i, 'login_throttled']);
      }
    }
    provider.people.set('sub-calm', { preferred_username: 'calm', groups: ['net-ops'] });
    expect((await through('corp', 'sub-calm')).answer.status).toBe(200);
    const { id } = await world.api.post<{ id: string }>('/v1/operators', { name: `guest ${++guests}`, role: 'viewer' });
    const { token } = await world.api.post<{ token: string }>(`/v1/operators/${id}/invitation`);
    const password = 'a lighthouse at noon';
    expect((await new Browser(world.url).post('/v1/invitations/accept', { token, password })).status).toBe(204);
    expect((await new Browser(world.url).login(`guest ${guests}`, password)).status).toBe(200);
  });

  it('are counted for the browser that went to the provider', async () => {
    const at = new Browser(world.url);
    const left = await at.get('/v1/oidc/corp/login');
    const state = new URL(left.headers.get('location')!).searchParams.get('state');
    const back = `/v1/oidc/corp/callback?code=guess&state=${state}&iss=${encodeURIComponent(provider.issuer)}`;
    const codes: unknown[] = [];
    for (let i = 0; i < 6; i++) codes.push((await at.copy(at.headers).get(back)).body['code']);
    expect(codes).toEqual([...Array.from({ length: 5 }, () => 'oidc_refused'), 'login_throttled']);
  });
});

describe('codes that a stranger made up', () => {
  it('keep no person of their address out, as many as there are', async () => {
    const asked = () => provider.asked.filter((url) => url.startsWith('/token')).length;
    const before = asked();
    const iss = encodeURIComponent(provider.issuer);
    const codes: unknown[] = [];
    for (let flow = 0; flow < 13; flow++) {
      const at = new Browser(world.url);
      const left = await at.get('/v1/oidc/corp/login');
      const state = new URL(left.headers.get('location')!).searchParams.get('state');
      const back = `/v1/oidc/corp/callback?code=guess&state=${state}&iss=${iss}`;
      for (let i = 0; i < 5; i++) codes.push((await at.copy(at.headers).get(back)).body['code']);
    }
    expect(codes).toEqual(codes.map(() => 'oidc_refused'));
    expect(asked() - before).toBe(65);
    provider.people.set('sub-calm', { preferred_username: 'calm', groups: ['net-ops'] });
    expect((await through('corp', 'sub-calm')).answer.status).toBe(200);
  }); // prettier-ignore
});

describe('providers', () => {
  it('are listed for the page where people sign in', async () => {
    expect((await new Browser(world.url).get('/v1/oidc')).body).toEqual({
      items: [
        { id: 'corp', name: 'Example Corp' },
        { id: 'away', name: 'Nobody there' },
        { id: 'greedy', name: 'Asks for too much' },
        { id: 'forgotten', name: 'With another secret' },
        { id: 'posting', name: 'By its registration' },
        { id: 'plain', name: 'Plain' },
      ],
    });
  });

  it('that are away or unknown are told as such', async () => {
    const at = new Browser(world.url);
    expect((await at.get('/v1/oidc/away/login')).body).toMatchObject({ status: 503, code: 'oidc_unavailable' });
    expect((await at.get('/v1/oidc/nope/login')).body).toMatchObject({ status: 404, code: 'oidc_provider_not_found' });
  });

  it.each(['//evil.example', 'https://evil.example', '/\\evil.example', '/x"><script>'])(
    'send nobody on to %s',
    async (returnTo) => {
      const left = await new Browser(world.url).get(`/v1/oidc/corp/login?returnTo=${encodeURIComponent(returnTo)}`);
      expect(left.body).toMatchObject({ status: 400, code: 'invalid_input' });
    },
  );

  it('keep their secret out of logs and tables', async () => {
    const { rows } = await db.query<{ dump: string }>(
      `select row_to_json(t)::text as dump from audit_entry t union all select row_to_json(t)::text from operator_identity t`,
    );
    const everything = world.log() + JSON.stringify(rows);
    expect(everything).toContain('A sign-in was refused');
    expect(everything).not.toContain(CLIENT_SECRET);
  });

  const one = { id: 'a', name: 'A', issuer: 'https://a.example', clientId: 'c', roles: { g: ['viewer'] } };

  it.each([
    ['what is not JSON', '{"clientSecret":"hunter2"'],
    [
      'an issuer that anybody on the way can be',
      JSON.stringify([{ ...one, issuer: 'http://a.example', clientSecret: 'hunter2' }]),
    ],
    ['an issuer at another address than is written', JSON.stringify([{ ...one, issuer: 'https://192.168.001.010' }])],
    ['an issuer with a password', JSON.stringify([{ ...one, issuer: 'https://a:hunter2@a.example' }])],
    ['two of one id', JSON.stringify([one, one])],
    ['what is no setting', JSON.stringify([{ ...one, hunter: 'hunter2' }])],
  ])('are refused with %s, without a value in the words', async (_what, OIDC_PROVIDERS) => {
    const read = readProviders({ OIDC_PROVIDERS });
    await expect(read).rejects.toThrow(/^The configuration of OpenID providers is not valid:(?![^]*hunter2)/);
  });
});
