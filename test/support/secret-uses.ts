import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { RETIRE_AFTER_MS } from '../../src/secrets/key-rotation.js';
import { Browser } from './browser.js';
import { createRollout, untilRollout } from './jobs/rollout-world.js';
import { CONTROL, type SecretWorld } from './secret-world.js';
import { until } from './until.js';

/*
 * How each secret comes in and is used, with success and with the failures that hold it. Something new that holds a secret
 * adds a row to `SECRET_USES`.
 */

const random = (name: string) => `${name}-${randomBytes(9).toString('base64url')}-Aa1!`;

export const ROOT_KEYS = [randomBytes(32), randomBytes(32)] as const;

/** What is planted. Values that only exist later are added under way. */
export const canaries = {
  'device password': random('Device'),
  'refused device password': random('Misplanted'),
  'given device password': random('Given'),
  'imported device password': random('Imported'),
  'operator password': random('operator lighthouse'),
  'OIDC client secret': random('Oidc'),
  'secret of a template': random('Template'),
  'backup passphrase': random('Backup'),
  'sealed backup passphrase': random('Sealed'),
  'multipart body': random('Multipart'),
  'password in a failing bulk item': random('Bulk'),
  'token in a query': random('Query').replace('!', ''),
  'token in the address of a webhook': random('Receiver').replace('!', ''),
  'root key': ROOT_KEYS[0].toString('base64'),
  'root key, raw': ROOT_KEYS[0].toString('latin1'),
  'next root key': ROOT_KEYS[1].toString('base64'),
  'next root key, raw': ROOT_KEYS[1].toString('latin1'),
} as Record<string, string> & Readonly<Record<'device password' | 'OIDC client secret', string>>;

const plant = (name: string): string => canaries[name]!;

const GOOD = '/v1/devices/name:good';
const BAD = '/v1/devices/name:bad';
/** Its password is replaced. */
const CHANGING = '/v1/devices/name:changing';

/** The field of a device's own account, as it is now. */
const passwordOf = (world: SecretWorld, index: number) => world.fleet.devices[index]!.accounts.find('admin')!.password;

const untilDelivered = (world: SecretWorld, count: number) => until(() => world.delivered.length >= count);

async function signIn(world: SecretWorld, sub: string, provider = 'corp'): Promise<Browser> {
  const at = new Browser(world.gateway.url);
  const left = await at.get(`/v1/oidc/${provider}/login?returnTo=/`);
  const location = left.headers.get('location');
  world.answers.push(JSON.stringify([...left.headers, left.body]));
  if (!location?.startsWith(world.provider.issuer)) return at;
  const back = await at.get(await world.provider.signIn(location, sub));
  // The cookie is for whoever signed in; everything else is for everybody to see.
  world.answers.push(JSON.stringify([[...back.headers].filter(([name]) => name !== 'set-cookie'), back.body]));
  return at;
}

export const SECRET_USES: Readonly<Record<string, (world: SecretWorld) => Promise<void>>> = {
  'ears: a webhook, streams, and a device that everything tells of': async (world) => {
    const json = {
      name: 'ears',
      url: `${world.receiverUrl}/hook?token=${plant('token in the address of a webhook')}`,
      types: ['device.*', 'job.*', 'rollout.*'],
    };
    const { secret } = (await world.ask('POST', '/v1/webhooks', { json, shows: true })) as { secret: string };
    canaries['webhook secret'] = secret;
    canaries['webhook secret, raw'] = Buffer.from(secret.slice('whsec_'.length), 'base64').toString('latin1');
    // A receiver that is angry repeats what it was sent.
    world.refusals.push(`no: ${plant('token in the address of a webhook')}`);
    await world.follow('/v1/events');
    await world.follow('/v1/audit/stream');
    const device = { name: CONTROL, baseUrl: 'https://192.0.2.1' };
    await world.ask('POST', '/v1/devices', { json: device, headers: { 'x-request-id': CONTROL } });
    await world.putInRedis(CONTROL);
    await untilDelivered(world, 1);
  },

  'device password': async (world) => {
    const credentials = { username: 'admin', password: plant('device password') };
    const [good, bad, , changing] = world.fleet.devices;
    const register = (name: string, baseUrl: string, password: unknown = credentials.password, more: object = {}) =>
      world.ask('POST', '/v1/devices', {
        json: { name, baseUrl, credentials: { ...credentials, password }, ...more },
        headers: { 'idempotency-key': `register-${name}` },
      });
    await register('good', good!.baseUrl);
    await register('good', good!.baseUrl); // the answer that was kept
    await register('bad', bad!.baseUrl, plant('refused device password'));
    await register('changing', changing!.baseUrl);
    // Refused inputs that hold the password: the problem document must not repeat it.
    await register('x', good!.baseUrl, [credentials.password]);
    await register('y', good!.baseUrl, credentials.password, { [credentials.password.slice(0, 3)]: 1 });
    await register('z', `https://${credentials.username}:${credentials.password}@192.0.2.1`);
    await world.ask('PUT', `${GOOD}/credentials`, { json: credentials });
    await world.ask('PUT', `${GOOD}/credentials`, { json: { ...credentials, more: true } });
    await world.ask('PUT', `${GOOD}/credentials`, { body: `{"username":"admin","password":"${credentials.password}"` });
    const imported = { username: 'admin', password: plant('imported device password') };
    const lines = [
      { name: 'imported', baseUrl: 'https://192.0.2.2', credentials: imported },
      { name: 'good', baseUrl: 'https://192.0.2.3', credentials: imported },
      { name: 'wrong', baseUrl: 'nonsense', credentials: imported, more: imported.password },
    ].map((line) => JSON.stringify(line));
    const type = 'application/x-ndjson';
    await world.ask('POST', '/v1/devices/import?dryRun=true', { body: lines.join('\n'), type });
    await world.ask('POST', '/v1/devices/import', { body: lines.join('\n'), type });
    await world.ask('POST', '/v1/devices/import', { body: lines[0]!, type });
    await world.ask('GET', `${GOOD}/api/system/device/status`);
    await world.ask('GET', `${BAD}/api/system/device/status`);
    await world.ask('GET', `${BAD}/api/system/device/status`);
    expectEqual(await world.job(GOOD, 'backup'), 'succeeded');
    expectOther(await world.job(BAD, 'backup'), 'succeeded');
  },

  'password of a search': async (world) => {
    const { hostname, port } = new URL(world.fleet.devices[4]!.baseUrl);
    const credentials = ['refused device password', 'device password'].map((name) => ({
      username: 'admin',
      password: plant(name),
    }));
    const json = { networks: [`${hostname}/32`], ports: [Number(port)], credentials };
    const { id } = (await world.ask('POST', '/v1/discovery', { json })) as { id: string };
    await world.ask('POST', '/v1/discovery', {
      json: { ...json, credentials: [{ password: plant('device password') }] },
    });
    await until(
      async () => ((await world.ask('GET', `/v1/discovery/${id}`)) as { state: string }).state === 'finished',
    );
    const { items } = (await world.ask('GET', `/v1/discovery/${id}/found`)) as {
      items: { id: string; login: string }[];
    };
    expectEqual(items[0]!.login, 'granted');
    await world.ask('POST', `/v1/discovery/${id}/accept`, { json: { found: [items[0]!.id] } });
  },

  'replaced device password': async (world) => {
    const given = await world.seal('given', plant('given device password'));
    expectEqual(await world.job(CHANGING, 'credentials', { sealedValue: given }), 'succeeded');
    expectEqual(passwordOf(world, 3), plant('given device password'));
    const refused = await world.seal('refused', plant('refused device password').repeat(20)); // longer than a device takes
    expectOther(await world.job(CHANGING, 'credentials', { sealedValue: refused }), null);
    expectEqual(await world.job(CHANGING, 'credentials'), 'succeeded');
    canaries['made device password'] = passwordOf(world, 3);
    await world.ask('GET', `${CHANGING}/api/system/device/status`);
    const { id } = (await world.ask('POST', '/v1/operators', { json: { name: 'Opener', role: 'security' } })) as {
      id: string;
    };
    await world.ask('GET', `/v1/sealed-values?device=name:changing`);
    await world.ask('POST', `/v1/sealed-values/${given}/open`, { json: {}, as: 'viewer' });
    await world.ask('POST', `/v1/sealed-values/${given}/open`, { json: {}, shows: true });
    await world.ask('PATCH', `/v1/operators/${id}`, { json: { disabled: true } });
  },

  'secret of a template': async (world) => {
    const given = await world.seal('template', plant('secret of a template'));
    const json = (valueId: string, name = 'tunnels') => ({
      name,
      selector: 'all',
      items: [{ path: '/api/wireguard/config', key: { id: 'site' }, sealed: [{ option: 'private_key', valueId }] }],
    });
    await world.ask('POST', '/v1/templates', { json: json(given) });
    const { items } = (await world.ask('GET', '/v1/templates/tunnels')) as {
      items: { sealed: { valueId: string }[] }[];
    };
    const copy = items[0]!.sealed[0]!.valueId;
    expectOther(copy, given);
    await world.ask('PUT', '/v1/templates/tunnels', { json: json(copy) });
    await world.ask('PUT', '/v1/templates/tunnels', { json: json(plant('secret of a template')) }); // no id
    await world.ask('POST', '/v1/templates/tunnels/plan', { json: {} });
    await world.ask('POST', '/v1/templates/tunnels/publish', { json: { reason: 'for a test' } });
    await world.ask('POST', '/v1/templates', { json: json(copy, 'others') });
    await world.ask('GET', '/v1/templates/tunnels/versions/1', { as: 'viewer' });
    await world.ask('DELETE', '/v1/templates/tunnels');
  },

  'API key': async (world) => {
    for (const [role, key] of Object.entries(world.gateway.keys)) canaries[`API key of the ${role}`] = key;
    const { id, key } = (await world.ask('POST', '/v1/self/api-keys', { json: { name: 'mine' }, shows: true })) as {
      id: string;
      key: string;
    };
    const rotated = (await world.ask('POST', `/v1/self/api-keys/${id}/rotate`, { json: {}, shows: true })) as {
      key: string;
    };
    Object.assign(canaries, { 'own API key': key, 'rotated API key': rotated.key });
    const as = (bearer: string) => ({ headers: { authorization: `Bearer ${bearer}` } });
    await world.ask('GET', '/v1/self', as(rotated.key));
    await world.ask('DELETE', `/v1/self/api-keys/${id}`);
    await world.ask('GET', '/v1/self', as(key)); // revoked
    await world.ask('GET', '/v1/self', as(`${rotated.key.slice(0, -1)}x`)); // mistyped
    // A key where it does not belong.
    const viewer = world.gateway.keys.viewer;
    await world.ask('GET', `/v1/devices?cursor=${viewer}`);
    await world.ask('GET', `/v1/devices/name:${viewer}`);
    await world.ask('GET', `/v1/nowhere/${viewer}`);
    await world.ask('POST', '/v1/setup', { json: { token: viewer, operatorName: 'Eve' } });
    await world.ask('POST', '/v1/login', { json: { name: viewer, password: viewer } });
  },

  'session and TOTP seed': async (world) => {
    const password = plant('operator password');
    const { id } = (await world.ask('POST', '/v1/operators', { json: { name: 'Grace', role: 'viewer' } })) as {
      id: string;
    };
    const { token } = (await world.ask('POST', `/v1/operators/${id}/invitation`, { json: {}, shows: true })) as {
      token: string;
    };
    canaries['invitation'] = token;
    const at = new Browser(world.gateway.url);
    await at.post('/v1/invitations/accept', { token, password });
    expectEqual((await at.login('Grace', password)).status, 200);
    const { secret } = (await at.post('/v1/self/totp', { password })).body as { secret: string };
    canaries['TOTP seed'] = secret;
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    const { recoveryCodes } = (await at.post('/v1/self/totp/confirm', { code: totp.generate() })).body as {
      recoveryCodes: string[];
    };
    for (const [index, code] of recoveryCodes.entries()) canaries[`recovery code ${index}`] = code;
    canaries['session'] = at.token;
    const keep = ({ body }: { body: unknown }) => world.answers.push(JSON.stringify(body));
    for (const address of ['/v1/self', '/v1/self/sessions']) keep(await at.get(address));
    keep(await at.post('/v1/self/second-factor', { code: '000000' }));
    keep(await at.post('/v1/self/second-factor', { code: recoveryCodes[0] }));
    const other = new Browser(world.gateway.url);
    keep(await other.login('Grace', `${password}x`));
    keep(await other.login(password, password)); // the password in the field of the name
    keep(await other.login('Grace', password));
    keep(await other.login('Grace', password, recoveryCodes[1]));
    canaries['other session'] = other.token;
    keep(await other.post('/v1/logout'));
    keep(await other.get('/v1/self'));
    keep(await at.post('/v1/invitations/accept', { token, password })); // used up
  },

  'OIDC client secret': async (world) => {
    world.provider.people.set('grace', { preferred_username: 'grace', groups: ['admins'] });
    world.provider.people.set('guest', { preferred_username: 'guest', groups: [] });
    await world.ask('GET', '/v1/oidc');
    const at = await signIn(world, 'grace');
    canaries['session of a provider'] = at.token;
    expectEqual((await at.get('/v1/self')).status, 200);
    world.answers.push(JSON.stringify((await at.get('/v1/self/sessions')).body));
    await signIn(world, 'guest'); // no role
    await signIn(world, 'grace', 'away');
    await world.ask('GET', '/v1/oidc/corp/callback?code=none&state=none');
  },

  '`private_key` in an answer': async (world) => {
    const path = '/api/wireguard/config';
    const made = (await world.ask('POST', `${GOOD}${path}`, { json: { data: { id: 'wg1' } }, shows: true })) as {
      data: { private_key: string };
    };
    canaries['private key of a tunnel'] = made.data.private_key;
    await world.ask('GET', `${GOOD}${path}`, { as: 'viewer' });
    await world.ask('GET', `${GOOD}${path}`, { shows: true });
    await world.ask('GET', `/d/name:good${path}/wg1`, { as: 'viewer' });
    const json = { selector: 'name:good', request: { method: 'GET', path } };
    await world.ask('POST', '/v1/fan-out', { json, as: 'viewer' });
    await world.ask('POST', '/v1/fan-out', { json: { ...json, keep: true }, shows: true });
    const fanOut = (await world.ask('GET', '/v1/fan-outs?limit=1')) as { items: { id: string }[] };
    const kept = `/v1/fan-outs/${fanOut.items[0]!.id}`;
    const { groups } = (await world.ask('GET', kept)) as { groups: { digest: string }[] };
    await world.ask('GET', `${kept}/answers/${groups[0]!.digest}`);
    expectEqual(await world.job(GOOD, 'call', { method: 'GET', path }), 'succeeded');
    await world.job(GOOD, 'configure', {
      changes: [{ path: `${path}/wg1`, data: { private_key: made.data.private_key } }],
    });
  },

  'password in a failing bulk item': async (world) => {
    const data = { username: '', password: plant('password in a failing bulk item'), group: 'none' };
    const item = { endpoint: '/api/users/config', method: 'POST', data };
    await world.ask('POST', `${GOOD}/api/bulk`, { json: { data: [item, item] }, shows: true });
    await world.ask('POST', `${BAD}/api/bulk`, { json: { data: [item, item] } });
    await world.ask('POST', `${GOOD}/api/users/config`, { json: { data }, shows: true });
    await world.job(GOOD, 'call', { method: 'POST', path: '/api/users/config', data });
    const request = { method: 'POST', path: '/api/users/config', json: { data } };
    const headers = { 'idempotency-key': 'fan-out-of-a-password' };
    const json = { selector: 'name:good | name:bad', request };
    await world.ask('POST', '/v1/fan-out', { json, headers, shows: true });
    await world.ask('POST', '/v1/fan-out', { json, headers }); // the lines that were kept
    await world.ask('POST', '/v1/fan-outs', { json, headers: { 'idempotency-key': 'stored-fan-out-of-a-password' } });
  },

  'multipart body': async (world) => {
    for (const device of [GOOD, BAD]) {
      const body = new FormData();
      body.set('file', new Blob([plant('multipart body').repeat(3)]), 'ca.pem');
      await world.ask('POST', `${device}/api/certificates/root_ca/config`, { body });
    }
  },

  'backup passphrase': async (world) => {
    const json = { data: { encrypt: '1', password: plant('backup passphrase') } };
    await world.ask('POST', `${GOOD}/api/backup/actions/generate`, { json });
    await world.ask('POST', `${BAD}/api/backup/actions/generate`, { json });
    const sealedValue = await world.seal('passphrase', plant('sealed backup passphrase'));
    expectEqual(await world.job(GOOD, 'backup', { sealedValue }), 'succeeded');
    expectOther(await world.job(BAD, 'backup', { sealedValue }), 'succeeded');
    const policy = { name: 'nightly', selector: 'name:good', rhythm: { everySeconds: 86_400 }, sealedValue };
    await world.ask('POST', '/v1/backups/policies', { json: policy });
    await world.db.query('update backup_policy set next_run_at = now()');
    await until(async () => {
      const { rows } = await world.db.query('select from backup_policy where last_started = 1');
      return rows.length > 0;
    });
    const rollout = {
      kind: 'backup',
      spec: { sealedValue },
      selector: 'name:good',
      policy: { waves: [{ take: 'rest' }] },
    };
    const { id } = await createRollout(world.gateway.api, rollout);
    await untilRollout(world.gateway.api, id, 'finished');
    for (const path of ['', '/devices', '/report']) await world.ask('GET', `/v1/rollouts/${id}${path}`);
    await world.ask('GET', '/v1/backups/policies');
  },

  'token in a query': async (world) => {
    const path = `/api/wireguard/config/none?token=${plant('token in a query')}`;
    await world.ask('DELETE', `${GOOD}${path}`, { shows: true });
    await world.ask('DELETE', `${BAD}${path}`);
  },

  'webhook secret': async (world) => {
    const before = world.delivered.length;
    world.refusals.push('no');
    await world.job(GOOD, 'backup');
    await untilDelivered(world, before + 2);
    const { items } = (await world.ask('GET', '/v1/webhooks')) as { items: { id: string }[] };
    await world.ask('GET', `/v1/webhooks/${items[0]!.id}`);
    await world.ask('GET', `/v1/webhooks/${items[0]!.id}/deliveries`);
    const away = { name: 'away', url: 'http://127.0.0.1:9/hook', types: ['job.*'] };
    const made = (await world.ask('POST', '/v1/webhooks', { json: away, shows: true })) as { secret: string };
    canaries['webhook secret of nobody'] = made.secret;
    await world.job(GOOD, 'backup');
    const path = `/bot${plant('token in the address of a webhook')}/sendMessage`;
    const chat = { name: 'chat', url: world.receiverUrl + path, format: 'telegram', types: ['rule.notified'] };
    const { id } = (await world.ask('POST', '/v1/webhooks', { json: chat, shows: true })) as { id: string };
    world.refusals.push(`no: ${path}`);
    await world.ask('POST', `/v1/webhooks/${id}/test`);
    await world.ask('PUT', `/v1/webhooks/${id}`, { json: { ...chat, url: world.receiverUrl, format: 'cloudevents' } });
  },

  'root key, and data keys': async (world) => {
    const rotate = async (what: string, url = world.gateway.url) =>
      (await world.ask('POST', '/v1/secrets/rotation', { json: { what }, url })) as { code?: string };
    expectEqual((await rotate('root_key')).code, 'rotation_needless');
    const swapped = { FLEETGATE_KEY: plant('next root key'), FLEETGATE_KEY_NEXT: plant('root key') };
    await world.withAnother(swapped, async (url) => expectEqual((await rotate('root_key', url)).code, undefined));
    expectEqual((await rotate('root_key')).code, undefined); // and back again
    expectEqual((await rotate('data_key')).code, undefined);
    await until(async () => {
      const { rotation } = (await world.ask('GET', '/v1/secrets/rotation')) as { rotation?: { phase: string } };
      if (rotation?.phase === 'retiring') {
        await world.db.query(`update key_rotation set switched_at = switched_at - $1 * interval '1 millisecond'`, [
          RETIRE_AFTER_MS,
        ]);
      }
      return rotation?.phase === 'finished';
    });
    await world.ask('POST', `${GOOD}/session/reset`, { json: {} });
    await world.ask('GET', `${GOOD}/api/system/device/status`); // with what was sealed anew
  },

  'device token': async (world) => {
    await world.ask('GET', `${GOOD}/session`);
    if (world.deviceTokens.size === 0) throw new Error('No device gave out a token');
    for (const [index, token] of [...world.deviceTokens].entries()) canaries[`device token ${index}`] = token;
  },

  'lists, files and figures': async (world) => {
    const lists = [
      'devices',
      'jobs',
      'artifacts',
      'audit?limit=1000',
      'api-keys',
      'operators',
      'selectors',
      'rollouts',
    ];
    const more = [
      'secrets/rotation',
      'sealed-values',
      'webhooks',
      'locks',
      'roles',
      'certificates',
      'backups/coverage',
    ];
    for (const list of [...lists, ...more]) await world.ask('GET', `/v1/${list}`);
    for (const path of ['/openapi.json', '/metrics', `${GOOD}/history`]) await world.ask('GET', path);
    for (const format of ['csv', 'ndjson'])
      await world.ask('GET', `/v1/devices/export?format=${format}`, { isExport: true });
    await world.ask('POST', '/v1/audit/export', { json: {}, isExport: true });
    await world.ask('POST', '/v1/audit/verify', {});
  },
};

/** Plain checks: a use that did not end proves nothing. */
function expectEqual<Value>(found: Value, wanted: Value): void {
  if (found !== wanted) throw new Error(`It is ${String(found)}, and not ${String(wanted)}`);
}
function expectOther<Value>(found: Value, unwanted: Value): void {
  if (found === unwanted) throw new Error(`It is ${String(found)}`);
}
