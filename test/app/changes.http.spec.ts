import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type FastifyInstance } from 'fastify';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { buildDocument } from '../../src/openapi/openapi.js';
import { readConfig } from '../../src/platform/config.js';
import { createHttpServer } from '../../src/http/http-server.js';
import { Idempotency } from '../../src/http/idempotency.js';
import { createLog } from '../../src/platform/log.js';
import { Metrics } from '../../src/platform/metrics.js';
import { inlined } from '../support/source/inlined.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson } from '../support/people.js';

/* What every changing route has in common: Idempotency-Key, If-Match, X-Change-Reason. The document says who takes what. */

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses?: Record<string, { readonly headers?: Record<string, unknown> }>;
  readonly 'x-idempotency'?: string;
  readonly 'x-audit-action'?: string;
}

/** Editable resources whose last writer wins, and why that is right. */
const WITHOUT_ETAG: Readonly<Record<string, string>> = {};

const CHANGING = ['post', 'put', 'patch', 'delete'];

let world: TestGateway;
let db: pg.Client;
let paths: Record<string, Record<string, Operation>>;

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

async function ask(
  method: string,
  path: string,
  json?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await fetch(world.url + path, {
    method,
    headers: {
      authorization: `Bearer ${world.keys.administrator}`,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    headers: answer.headers,
  };
}

let named = 0;
const device = () => ({ name: `device ${++named}`, baseUrl: `https://d${named}.example` });
const devices = async () => Number((await db.query<{ count: string }>('select count(*) from device')).rows[0]!.count);

beforeAll(async () => {
  // Reasons are required for what no other test of this file does.
  world = await startTestGateway({ ROLE: 'api', REQUIRE_CHANGE_REASON: 'field.* device.call_write' });
  db = new pg.Client({ connectionString: world.databaseUrl });
  await db.connect();
  paths = inlined(buildDocument(world.gateway.app)).paths as typeof paths;
});
afterAll(async () => {
  await db.end();
  await world.close();
});

describe('the document', () => {
  const has = (operation: Operation, name: string) =>
    operation.parameters?.some((one) => one.in === 'header' && one.name.toLowerCase() === name) ?? false;

  it('says of every changing operation that it takes an Idempotency-Key, or why not', () => {
    const silent: string[] = [];
    for (const [path, item] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(item)) {
        if (!CHANGING.includes(method) || !operation['x-audit-action']) continue; // the others change nothing
        const says = operation['x-idempotency'] ?? '';
        const takes = has(operation, 'idempotency-key');
        const isRight = /^no: .{10}/.test(says) ? !takes : /^(optional|required|by the route)$/.test(says) && takes;
        if (!isRight || !has(operation, 'x-change-reason')) silent.push(`${method} ${path}: ${says}`);
      }
    }
    expect(silent).toEqual([]);
  });

  it('gives every editable resource an ETag that its changes take as If-Match, or says why not', () => {
    const wrong: string[] = [];
    for (const [path, item] of Object.entries(paths)) {
      const read = item['get'];
      const edits = [item['put'], item['patch']].filter((one) => one !== undefined);
      if (!read || edits.length === 0 || path.endsWith('/api/{path}') || WITHOUT_ETAG[path]) continue;
      const gives = Object.values(read.responses ?? {}).some(({ headers }) => headers?.['ETag']);
      if (!gives || !edits.every((edit) => has(edit, 'if-match'))) wrong.push(path);
    }
    expect(wrong).toEqual([]);
    for (const path of Object.keys(WITHOUT_ETAG)) expect(Object.keys(paths)).toContain(path);
  });
});

describe('a change with an Idempotency-Key', () => {
  it('is made once; who sends it again gets the recorded status, body and headers', async () => {
    const body = device();
    const before = await devices();
    const key = { 'idempotency-key': `register-once-${randomUUID()}` }; // another one when the test is tried again
    const first = await ask('POST', '/v1/devices', body, key);
    const second = await ask('POST', '/v1/devices', body, key);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    for (const name of ['location', 'etag', 'content-type']) {
      expect([name, second.headers.get(name)]).toEqual([name, first.headers.get(name)]);
    }
    expect([first.headers.get('idempotency-replayed'), second.headers.get('idempotency-replayed')]).toEqual([
      null,
      'true',
    ]);
    expect(await devices()).toBe(before + 1);
  });

  it('is refused with another body, and with a key that has no form', async () => {
    expect((await ask('POST', '/v1/devices', device(), { 'idempotency-key': 'another-body' })).status).toBe(201);
    const other = await ask('POST', '/v1/devices', device(), { 'idempotency-key': 'another-body' });
    expect([other.status, other.body['code']]).toEqual([422, 'idempotency_key_reused']);
    const short = await ask('POST', '/v1/devices', device(), { 'idempotency-key': 'x' });
    expect([short.status, short.body['code']]).toEqual([400, 'invalid_input']);
  });

  it('may be sent again after a refusal, which changed nothing', async () => {
    const taken = device();
    await ask('POST', '/v1/devices', taken);
    const refused = await ask('POST', '/v1/devices', taken, { 'idempotency-key': 'after-refusal' });
    expect(refused.body['code']).toBe('device_exists');
    expect((await ask('POST', '/v1/devices', device(), { 'idempotency-key': 'after-refusal' })).status).toBe(201);
  });

  it('is made once by many who send it at the same time', async () => {
    const body = device();
    const before = await devices();
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => ask('POST', '/v1/devices', body, { 'idempotency-key': 'all-at-once' })),
    );
    expect(await devices()).toBe(before + 1);
    for (const { status, body: problem } of answers) {
      expect([201, 409]).toContain(status);
      if (status === 409) expect(problem['code']).toBe('idempotency_key_running');
    }
    expect((await ask('POST', '/v1/devices', body, { 'idempotency-key': 'all-at-once' })).status).toBe(201);
  });

  it('is not made again when the process died between the effect and the record: the audit knows, by its request id', async () => {
    const body = device();
    const headers = { 'idempotency-key': 'died-between', 'x-request-id': 'the-first-request' };
    expect((await ask('POST', '/v1/devices', body, headers)).status).toBe(201);
    await db.query(`update idempotency_key set sealed_answer = null where key = 'died-between'`);
    const before = await devices();
    const again = await ask('POST', '/v1/devices', body, { 'idempotency-key': 'died-between' });
    expect([again.status, again.body]).toMatchObject([
      409,
      { code: 'idempotency_key_running', firstRequestId: 'the-first-request' },
    ]);
    expect(await devices()).toBe(before);
    const { firstRequestId, firstAt } = again.body as { firstRequestId: string; firstAt: string };
    const entries = async (requestId: string) =>
      (await world.api.get<{ items: { action: string }[] }>(`/v1/audit?requestId=${requestId}&since=${firstAt}`)).items;
    expect(await entries(firstRequestId)).toMatchObject([{ action: 'device.register' }]);
    expect(await entries('another-request')).toEqual([]);
  });

  it('may be sent again neither after an error that was no refusal: what it changed is not known', async () => {
    const body = device();
    const headers = { 'idempotency-key': 'no-refusal', 'x-request-id': 'ended-in-an-error' };
    await db.query(`create function break_down() returns trigger language plpgsql as $$ begin raise 'broken'; end $$`);
    await db.query('create trigger breaks_down after insert on device execute function break_down()');
    try {
      expect((await ask('POST', '/v1/devices', body, headers)).body['code']).toBe('internal_error');
    } finally {
      await db.query('drop function break_down cascade');
    }
    const before = await devices();
    const again = await ask('POST', '/v1/devices', body, { 'idempotency-key': 'no-refusal' });
    expect([again.status, again.body]).toMatchObject([
      409,
      { code: 'idempotency_outcome_unknown', firstRequestId: 'ended-in-an-error', firstCode: 'internal_error' },
    ]);
    expect(await devices()).toBe(before);
    expect((await ask('POST', '/v1/devices', device(), { 'idempotency-key': 'no-refusal' })).body['code']).toBe(
      'idempotency_key_reused',
    );
    expect((await ask('POST', '/v1/devices', body, { 'idempotency-key': 'looked-first' })).status).toBe(201);
  });

  it('has its answer when what it committed cannot be read back', async () => {
    const role = { rules: [{ effect: 'allow', permissions: ['device.read'] }] };
    const away = vi.spyOn(world.gateway.app.get(DataSource).manager, 'query');
    away.mockRejectedValue(Object.assign(new Error('terminating connection'), { code: '57P01' }));
    try {
      expect((await ask('PUT', '/v1/roles/read-back', role)).status).toBe(200);
    } finally {
      away.mockRestore();
    }
  });

  it('is not answered again to who has lost rights since, and not made again either', async () => {
    await world.api.send('PUT', '/v1/roles/registrars', {
      rules: [{ effect: 'allow', permissions: ['device.read', 'device.manage'], selector: 'site:north' }],
    });
    const person = await addPerson(world, 'Nora', [{ role: 'registrars' }]);
    const send = () =>
      ask('POST', '/v1/devices', body, {
        'idempotency-key': 'rights-have-gone',
        authorization: `Bearer ${person.key}`,
      });
    const body = { ...device(), site: 'north' };
    const first = await send();
    expect(first.status).toBe(201);
    expect((await send()).body).toEqual(first.body);
    await world.api.send('PUT', '/v1/roles/registrars', {
      rules: [{ effect: 'allow', permissions: ['device.read', 'device.manage'], selector: 'site:south' }],
    });
    const before = await devices();
    const withheld = await send();
    expect([withheld.status, withheld.body['code']]).toEqual([403, 'idempotency_answer_withheld']);
    expect(JSON.stringify(withheld.body)).not.toContain(body.name);
    expect(await devices()).toBe(before);
  });

  it('is nobody else’s', async () => {
    const body = device();
    await ask('POST', '/v1/devices', body, { 'idempotency-key': 'mine-alone' });
    const other = await ask('POST', '/v1/devices', body, {
      'idempotency-key': 'mine-alone',
      authorization: `Bearer ${world.keys.operator}`,
    });
    expect(other.body['code']).toBe('device_exists');
  });

  it('is forgotten after a day', async () => {
    const body = device();
    await ask('POST', '/v1/devices', body, { 'idempotency-key': 'a-day-later' });
    await db.query(
      `update idempotency_key set created_at = created_at - interval '25 hours' where key = 'a-day-later'`,
    );
    await world.gateway.app.get(Idempotency).sweep();
    expect((await ask('POST', '/v1/devices', body, { 'idempotency-key': 'a-day-later' })).body['code']).toBe(
      'device_exists',
    );
  });
});

describe('a change with If-Match', () => {
  it('is refused when somebody else was quicker', async () => {
    const put = (selector: string, headers = {}) => ask('PUT', '/v1/selectors/mine', { selector }, headers);
    const first = await put('tag:a');
    expect(first.headers.get('etag')).toBe('"1"');
    expect((await ask('GET', '/v1/selectors/mine')).headers.get('etag')).toBe('"1"');
    expect((await put('tag:b', { 'if-match': '"1"' })).headers.get('etag')).toBe('"2"');
    expect((await put('tag:c', { 'if-match': '"1"' })).body['code']).toBe('version_changed');
    expect((await ask('DELETE', '/v1/selectors/mine', undefined, { 'if-match': '"1"' })).status).toBe(412);
    expect((await ask('GET', '/v1/selectors/mine')).body['selector']).toBe('tag:b');
    expect((await ask('DELETE', '/v1/selectors/mine', undefined, { 'if-match': '"2"' })).status).toBe(204);
  });
});

describe('a resource without a version', () => {
  it('has an ETag of what can be edited of it', async () => {
    const { body: made } = await ask('POST', '/v1/operators', { name: 'Tagged', role: 'viewer' });
    const path = `/v1/operators/${String(made['id'])}`;
    const tag = (await ask('GET', path)).headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    const renamed = await ask('PATCH', path, { name: 'Renamed' }, { 'if-match': tag });
    expect([renamed.status, renamed.headers.get('etag') === tag]).toEqual([200, false]);
    const late = await ask('PATCH', path, { name: 'Too late' }, { 'if-match': tag });
    expect([late.status, late.body['code']]).toEqual([412, 'version_changed']);
    const roles = (await ask('GET', `${path}/roles`)).headers.get('etag') ?? '';
    const assign = (role: string) => ask('PUT', `${path}/roles`, { roles: [{ role }] }, { 'if-match': roles });
    expect([(await assign('operator')).status, (await assign('auditor')).status]).toEqual([200, 412]);
  });
});

describe('X-Change-Reason', () => {
  it('is required where the configuration says so, before anything is done', async () => {
    const field = { type: 'text', description: 'asset' };
    const bare = await ask('PUT', '/v1/fields/asset', field);
    expect([bare.status, bare.body['code']]).toEqual([400, 'change_reason_required']);
    expect((await ask('GET', '/v1/fields/asset')).status).toBe(404);
    expect((await ask('PUT', '/v1/fields/asset', field, { 'x-change-reason': 'ticket 7' })).status).toBe(200);
    const { body } = await ask('POST', '/v1/devices', device());
    const call = await ask('POST', `/v1/devices/${String(body['id'])}/api/x/config`, {});
    expect([call.status, call.body['code']]).toEqual([400, 'change_reason_required']);
  });
});

describe('every answer of the gateway', () => {
  it('tells browsers to run nothing, frame nothing and keep nothing', async () => {
    for (const path of ['/v1/devices', '/v1/none', '/health/live']) {
      const { headers } = await fetch(world.url + path);
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.*frame-ancestors 'none'/);
      expect([headers.get('x-content-type-options'), headers.get('cache-control')]).toEqual(['nosniff', 'no-store']);
      expect(headers.get('strict-transport-security')).toBeNull(); // it is reached by http here
    }
  });

  it('tells them to come by https alone, where operators do', async () => {
    const config = readConfig({ PUBLIC_URL: 'https://gateway.example' });
    const server: FastifyInstance = createHttpServer(config, createLog('silent'), new Metrics()).getInstance();
    server.get('/there', () => 'x');
    const { headers } = await server.inject('/there');
    expect(headers['strict-transport-security']).toBe('max-age=63072000; includeSubDomains');
    await server.close();
  });
});

describe('the pages of the documents', () => {
  it('run what comes with them and nothing else', async () => {
    const answer = await fetch(`${world.url}/docs`);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src 'nonce-[^']{22,}';/);
    expect(policy).toContain("frame-ancestors 'none'");
    const page = await answer.text();
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>\s*\S/); // an inline script would not run
    const other = (await fetch(`${world.url}/docs/errors`)).headers.get('content-security-policy') ?? '';
    const withoutNonce = (text: string) => text.replaceAll(/'nonce-[^']+'/g, '');
    expect(withoutNonce(other)).toBe(withoutNonce(policy));
  });
});
