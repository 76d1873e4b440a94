import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Secret, TOTP } from 'otpauth';
import pg from 'pg';
import { type ApiError } from '../../src/api-client/api-error.js';
import { startProxyWorld, type ProxyWorld } from '../proxy/proxy-world.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson, addWithPassword, PASSWORD, sessionOf, type Person } from '../support/people.js';

/* What is hard to take back wants a second factor that was shown a moment ago. */

let world: ProxyWorld;
let plain: Person;

beforeAll(async () => {
  world = await startProxyWorld({ devices: 2, profile: 'rutos', timeScale: 200 }, { FIRMWARE_STEP_UP_DEVICES: '1' });
  plain = await addPerson(world.world, 'Kim', [{ role: 'administrator' }], {});
});
afterAll(() => world.close());

/** Makes names of its own for a test that is tried again. */
let tunnels = 0;

/** Somebody who is signed in, without a second factor. */
const signedIn = async (at: TestGateway, name: string) =>
  sessionOf(at, await addWithPassword(at, name, 'administrator'));

const codeOf = (secret: string, at: Date) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at.getTime() });

describe('a key that was not issued for it', () => {
  it.each([
    ['PUT', () => `/v1/devices/${world.ids[0]}/credentials`, { username: 'a', password: 'b' }],
    ['PUT', () => `/v1/devices/${world.ids[0]}/trust`, { mode: 'pin' }],
    ['PATCH', () => `/v1/devices/${world.ids[0]}`, { credentials: { username: 'a', password: 'b' } }],
    ['PATCH', () => `/v1/devices/${world.ids[0]}`, { baseUrl: 'https://192.0.2.9' }],
    ['PUT', () => '/v1/roles/own', { rules: [] }],
    ['PUT', () => `/v1/operators/${plain.operatorId}/roles`, { roles: [] }],
    ['POST', () => '/v1/operators', { name: 'x', role: 'viewer' }],
    ['POST', () => '/v1/api-keys', { name: 'x' }],
    ['POST', () => '/v1/self/api-keys', { name: 'x', scope: { stepUp: true } }],
    ['DELETE', () => '/v1/locks/6f9619ff-8b86-4d01-b42d-00cf4fc964ff', undefined],
  ])('is refused at %s %s', async (method, path, body) => {
    await expect(plain.api.send(method as 'PUT', path(), body)).rejects.toMatchObject({
      code: 'step_up_required',
      problem: { status: 403, how: expect.stringContaining('scope.stepUp') },
    });
  });

  it('still changes what is easy to take back, and locks', async () => {
    const { status } = await plain.api.send('PATCH', `/v1/devices/${world.ids[0]}`, { tags: ['x'] });
    expect(status).toBe(200);
    const { id } = await plain.api.post<{ id: string }>('/v1/locks', {
      kind: 'selector',
      target: 'tag:none',
      reason: 'x',
    });
    await world.world.api.send('DELETE', `/v1/locks/${id}`);
  });

  it('does not give new credentials by an import either', async () => {
    const { name } = await world.world.api.get<{ name: string }>(`/v1/devices/${world.ids[0]}`);
    const device = await world.world.api.get<{ baseUrl: string }>(`/v1/devices/${world.ids[0]}`);
    const answer = await fetch(`${world.world.url}/v1/devices/import?onError=skip`, {
      method: 'POST',
      headers: { authorization: `Bearer ${plain.key}`, 'content-type': 'text/csv' },
      body: `name,base_url,username,password\n${name},${device.baseUrl},admin,other\n`,
    });
    expect(await answer.json()).toMatchObject({ updated: 0, errors: [{ line: 2, code: 'step_up_required' }] });
  });

  it('gets answers that may hold secrets without them', async () => {
    const path = `/v1/devices/${world.ids[0]}/api/wireguard/config`;
    await world.world.api.send('POST', path, { data: { id: `wg${++tunnels}` } });
    const shown = async (person: { get<Body>(path: string): Promise<Body> }) =>
      JSON.stringify((await person.get<{ data: { private_key: string }[] }>(path)).data);
    const clear = await shown(world.world.api);
    const key = (JSON.parse(clear) as { private_key: string }[])[0]!.private_key;
    expect(key).toMatch(/=$/);
    expect(await shown(plain.api)).not.toContain(key);
  });

  it('does not flash more devices at once than the setting says', async () => {
    const fanOut = (selector: string, path = '/api/firmware/actions/upgrade') =>
      plain.api
        .send(
          'POST', '/v1/fan-out',
          { selector, request: { method: 'POST', path, json: { data: {} } } },
          { 'idempotency-key': `flash-them-${selector.length}-${path.length}` },
        )
        .then(({ status }) => status, (error: ApiError) => error.code); // prettier-ignore
    expect(await fanOut('all')).toBe('step_up_required');
    expect(await fanOut('all', '/api/v1/Firmware/actions/upgrade')).toBe('step_up_required');
    expect(await fanOut(`id:${world.ids[0]}`)).toBe(200);
  });
});

describe('a person', () => {
  /** Whoever has silenced the notices of sessions. */
  let silenced: pg.Client | null = null;
  afterEach(async () => {
    await silenced?.query('alter table operator_session enable trigger user');
    await silenced?.end();
    silenced = null;
  });

  it('without a second factor is let through, and the log says so', async () => {
    const at = await signedIn(world.world, 'Lea');
    expect((await at.send('PUT', '/v1/roles/lea', { rules: [] })).status).toBe(200);
    expect(world.world.log()).toContain('An operator without a second factor does an action that needs one');
  });

  it('with a second factor shows it anew after five minutes', async () => {
    const at = await signedIn(world.world, 'Mia');
    const { secret } = (await at.post('/v1/self/totp', { password: PASSWORD })).body as { secret: string };
    expect((await at.post('/v1/self/totp/confirm', { code: codeOf(secret, world.clock.now()) })).status).toBe(200);
    const save = async () => (await at.send('PUT', '/v1/roles/mia', { rules: [] })).body['code'] ?? 'saved';
    world.clock.pass(6 * 60_000);
    expect(await save()).toBe('step_up_required');
    expect((await at.post('/v1/self/second-factor', { code: codeOf(secret, world.clock.now()) })).status).toBe(200);
    expect(await save()).toBe('saved');
    world.clock.pass(4 * 60_000);
    expect(await save()).toBe('saved');
    world.clock.pass(2 * 60_000);
    expect(await save()).toBe('step_up_required');
  });

  it('who has shown it is not asked again, however late the notice of that comes', async () => {
    const at = await signedIn(world.world, 'Noa');
    const owner = new pg.Client({ connectionString: world.world.databaseUrl });
    await owner.connect();
    await owner.query('alter table operator_session disable trigger user');
    silenced = owner;
    const { secret } = (await at.post('/v1/self/totp', { password: PASSWORD })).body as { secret: string };
    expect((await at.post('/v1/self/totp/confirm', { code: codeOf(secret, world.clock.now()) })).status).toBe(200);
    const save = async () => (await at.send('PUT', '/v1/roles/noa', { rules: [] })).body['code'] ?? 'saved';
    expect(await save()).toBe('saved');
    world.clock.pass(6 * 60_000);
    expect(await save()).toBe('step_up_required');
    expect((await at.post('/v1/self/second-factor', { code: codeOf(secret, world.clock.now()) })).status).toBe(200);
    expect(await save()).toBe('saved');
  });

  it('must set up a second factor where the configuration requires one; the set-up key goes on', async () => {
    const strict = await startTestGateway({ ROLE: 'api', REQUIRE_SECOND_FACTOR: 'true' });
    const at = await signedIn(strict, 'Ned');
    expect((await at.send('PUT', '/v1/roles/ned', { rules: [] })).body).toMatchObject({
      code: 'step_up_required',
      how: 'set up a second factor at POST /v1/self/totp',
    });
    await strict.api.send('PUT', '/v1/roles/ada', { rules: [] });
    await strict.close();
  });
});
