import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

/* Bad input of every kind gets a problem document with the right status and a stable code, and changes nothing. */

let world: TestGateway;
let db: pg.Pool;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api', BODY_LIMIT_BYTES: '4096' });
  db = new pg.Pool({ connectionString: world.databaseUrl, max: 2 });
});
afterAll(async () => {
  await db.end();
  await world.close();
});

const json = { 'content-type': 'application/json' };
const good = { name: 'good', baseUrl: 'https://192.0.2.9' };
const uuid = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';

interface BadInput {
  readonly what: string;
  readonly method?: string;
  readonly path: string;
  readonly body?: string | Buffer;
  readonly headers?: Record<string, string>;
  readonly key?: string | null;
  readonly status: number;
  readonly code: string;
  readonly pointer?: string;
}

const devices = (what: string, body: unknown, pointer?: string): BadInput => ({
  what,
  method: 'POST',
  path: '/v1/devices',
  body: JSON.stringify(body),
  status: 400,
  code: 'invalid_input',
  ...(pointer ? { pointer } : {}),
});

const cases: BadInput[] = [
  devices('an unknown field', { ...good, colour: 'red' }, '/body'),
  devices('a missing field', { name: 'x' }, '/body/baseUrl'),
  devices('a wrong type', { ...good, name: 7 }, '/body/name'),
  devices('a wrong type deep inside', { ...good, tags: ['ok', 5] }, '/body/tags/1'),
  devices('null for a text', { ...good, name: null }, '/body/name'),
  devices('an array for an object', [good], '/body'),
  devices('a text for an object', 'good', '/body'),
  devices('a name too long', { ...good, name: 'x'.repeat(121) }, '/body/name'),
  devices('an empty name', { ...good, name: ' ' }, '/body/name'),
  devices('a bad MAC', { ...good, mac: '00:11:22' }, '/body/mac'),
  devices('a bad tag', { ...good, tags: ['Not A Tag'] }, '/body/tags/0'),
  devices('an unknown trust', { ...good, trust: { mode: 'blind' } }, '/body/trust/mode'),
  devices('a bad pin', { ...good, trust: { mode: 'pin', pin: 'abc' } }, '/body/trust/pin'),
  devices('a NUL in a text', { ...good, name: 'a\u0000b' }, '/body/name'),
  devices('half of a surrogate pair', { ...good, name: 'a\ud800b' }, '/body/name'),
  devices('a body that is nested very deep', JSON.parse('['.repeat(2000) + ']'.repeat(2000))),
  { what: 'a reference with a NUL', path: '/v1/devices/name:%00', status: 400, code: 'invalid_input' },
  { what: 'a reference of the passthrough with a NUL', path: '/v1/devices/name:%00/api/system/device/status', status: 400, code: 'invalid_input' },
  { what: 'a cursor from the year 0', path: `/v1/devices?cursor=${Buffer.from(JSON.stringify(['devices', '0000-01-01T00:00:00Z', uuid])).toString('base64url')}`, status: 400, code: 'invalid_input' },
  { what: 'an instant from the year 0', path: '/v1/audit?since=0000-01-01T00:00:00Z', status: 400, code: 'invalid_input' },
  { what: 'an instant of the year 10000', method: 'POST', path: '/v1/locks', body: JSON.stringify({ kind: 'selector', target: 'tag:none', reason: 'test', endsAt: '9999-12-31T23:59:59-01:00' }), status: 400, code: 'invalid_input', pointer: '/body/endsAt' },
  { what: 'an instant of the year 10000 in an address', path: '/v1/audit?until=9999-12-31T23:59:59-01:00', status: 400, code: 'invalid_input', pointer: '/query/until' },
  { what: 'a history until the year 10000', path: '/v1/devices/name:kept/sample/history?metric=rsrp&from=9999-12-31T00:00:00Z&to=9999-12-31T23:59:59-01:00', status: 400, code: 'invalid_input', pointer: '/query/to' },
  { ...devices('a bad base URL', { ...good, baseUrl: 'ftp://x' }), status: 422, code: 'base_url_refused' },
  { ...devices('a base URL of the gateway’s own machine', { ...good, baseUrl: 'https://169.254.169.254' }), status: 422, code: 'base_url_refused' },
  { what: 'no body', method: 'POST', path: '/v1/devices', status: 400, code: 'invalid_input', pointer: '/body' },
  { what: 'broken JSON', method: 'POST', path: '/v1/devices', body: '{"name":', status: 400, code: 'invalid_json' },
  { what: 'JSON that is not UTF-8', method: 'POST', path: '/v1/devices', body: Buffer.from('{"name":"k\xe9y","baseUrl":"https://10.0.0.1"}', 'latin1'), status: 400, code: 'invalid_json' },
  { what: 'a fan-out that is not UTF-8', method: 'POST', path: '/v1/fan-out', body: Buffer.from('{"selector":"*","request":{"method":"PUT","path":"/api/x/config/1","json":{"data":{"a":"k\xe9y"}}}}', 'latin1'), status: 400, code: 'invalid_json' },
  { what: 'JSON with a second document', method: 'POST', path: '/v1/devices', body: '{}{}', status: 400, code: 'invalid_json' },
  { what: 'a poisoned prototype', method: 'POST', path: '/v1/devices', body: '{"__proto__":{"a":1},"name":"x"}', status: 400, code: 'invalid_json' },
  { what: 'another content type', method: 'POST', path: '/v1/devices', body: 'name=x', headers: { 'content-type': 'application/x-www-form-urlencoded' }, status: 415, code: 'unsupported_media_type' },
  { what: 'a text without a type', method: 'POST', path: '/v1/devices', body: 'x', headers: { 'content-type': 'text/plain' }, status: 415, code: 'unsupported_media_type' },
  { what: 'a body too large', method: 'POST', path: '/v1/devices', body: JSON.stringify({ ...good, name: 'x'.repeat(5000) }), status: 413, code: 'body_too_large' },
  { what: 'a bad reference', path: '/v1/devices/not-a-uuid', status: 400, code: 'invalid_input', pointer: '/path/ref' },
  { what: 'a bad UUID', path: '/v1/jobs/not-a-uuid', status: 400, code: 'invalid_input', pointer: '/path/jobId' },
  { what: 'an unknown UUID', path: `/v1/devices/${uuid}`, status: 404, code: 'device_not_found' },
  { what: 'an unknown job', path: `/v1/jobs/${uuid}`, status: 404, code: 'job_not_found' },
  { what: 'an unknown route', path: '/v1/nothing', status: 404, code: 'route_not_found' },
  { what: 'an unknown route without a key', path: '/nothing', key: null, status: 404, code: 'route_not_found' },
  { what: 'a wrong method', method: 'PUT', path: '/v1/devices', body: '{}', status: 405, code: 'method_not_allowed' },
  { what: 'a broken escape in the path', path: '/v1/%zz', status: 400, code: 'path_refused' },
  { what: 'a limit of none', path: '/v1/devices?limit=0', status: 400, code: 'invalid_input', pointer: '/query/limit' },
  { what: 'a limit that is no number', path: '/v1/devices?limit=many', status: 400, code: 'invalid_input', pointer: '/query/limit' },
  { what: 'an unknown query parameter', path: '/v1/devices?color=red', status: 400, code: 'invalid_input', pointer: '/query' },
  { what: 'a made-up cursor', path: '/v1/devices?cursor=bm90aGluZw', status: 400, code: 'invalid_cursor' },
  { what: 'a cursor with SQL in it', path: `/v1/devices?cursor=${Buffer.from('["2020-01-01T00:00:00Z","\'; drop table device"]').toString('base64url')}`, status: 400, code: 'invalid_cursor' },
    { what: 'an odd If-Match', method: 'PATCH', path: '/v1/devices/name:kept', body: '{"site":"x"}', headers: { 'if-match': 'W/"x"' }, status: 412, code: 'version_changed' },
  { what: 'an unknown kind of job', method: 'POST', path: '/v1/devices/name:kept/jobs', body: '{"kind":"magic"}', status: 400, code: 'invalid_input' },
  { what: 'no key', path: '/v1/devices', key: null, status: 401, code: 'unauthenticated' },
  { what: 'no key for a write', method: 'POST', path: '/v1/devices', body: JSON.stringify(good), key: null, status: 401, code: 'unauthenticated' },
]; // prettier-ignore

async function send(bad: BadInput, key: string | null): Promise<Response> {
  return fetch(world.url + bad.path, {
    method: bad.method ?? 'GET',
    ...(bad.body === undefined ? {} : { body: bad.body }),
    headers: {
      ...(bad.body === undefined ? {} : json),
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...bad.headers,
    },
  });
}

/** Without the refusals of earlier requests, which a sweeper writes down later. */
const counts = async () =>
  (
    await db.query<{ table: string; rows: string }>(
      `select 'device' as table, count(*) as rows from device union all select 'job', count(*) from job
       union all select 'operator', count(*) from operator
       union all select 'audit_entry', count(*) from audit_entry where action <> 'request.refuse'`,
    )
  ).rows;

describe('bad input', () => {
  beforeAll(async () => {
    await world.api.post('/v1/devices', { name: 'kept', baseUrl: 'https://192.0.2.200' });
  });

  it.each(cases)('$what is $status $code', async (bad) => {
    const before = await counts();
    const answer = await send(bad, bad.key === undefined ? world.keys.administrator : bad.key);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    const problem = (await answer.json()) as { code: string; requestId: string; errors?: { pointer: string }[] };
    expect({ status: answer.status, code: problem.code }).toEqual({ status: bad.status, code: bad.code });
    expect(problem.requestId).toBe(answer.headers.get('x-request-id'));
    if (bad.pointer) expect(problem.errors?.map(({ pointer }) => pointer)).toContain(bad.pointer);
    expect(await counts()).toEqual(before);
  });

  it('of the wrong role is 403 before the input is looked at', async () => {
    const answer = await send(cases[0]!, world.keys.viewer);
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ code: 'forbidden', permission: 'device.manage' });
  });
});
