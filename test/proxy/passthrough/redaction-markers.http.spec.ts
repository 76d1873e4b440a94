import { createHash } from 'node:crypto';
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFleet, type Fleet } from '../../../src/simulator/fleet.js';
import { startTestGateway, type TestGateway } from '../../support/gateway.js';
import { addPerson } from '../../support/people.js';
import { rawRequest, register, type ProxyAnswer } from '../proxy-world.js';

/*
 * A client that may not read secrets reads markers in their place. When it writes back what it read, no way in may let a
 * marker reach the device: the secret would be lost.
 */

const MARKER = `hmac:${createHash('sha256').update('a password').digest('hex').slice(0, 16)}`;
const WIRELESS = '/api/wireless/interfaces/config';
const PASSWORD = 'Radio-password-1!';

let world: TestGateway;
let fleet: Fleet;
let id: string;
let section: string;
/** A key that may write, and may not read secrets. */
let writer: string;
const agent = new http.Agent({ keepAlive: true });

interface Section {
  readonly id: string;
  readonly ssid: string;
  readonly key?: string;
}

beforeAll(async () => {
  [fleet, world] = await Promise.all([startFleet({ devices: 1, profile: 'rutos' }), startTestGateway({ ROLE: 'api' })]);
  const [device] = fleet.devices;
  id = await register(world, device!.name, device!.baseUrl, device!.username, device!.password);
  const rules = [
    { effect: 'allow', permissions: ['device.*'] },
    { effect: 'deny', permissions: ['device.read_secrets'] },
  ];
  await world.api.send('PUT', '/v1/roles/writer', { description: 'Writes without reading secrets', rules });
  writer = (await addPerson(world, 'Wanda', [{ role: 'writer' }])).key;
  const [first] = ((await read()).json['data'] ?? []) as Section[];
  section = first!.id;
  const set = await ask('PUT', `${api()}${WIRELESS}/${section}`, { data: { key: PASSWORD, encryption: 'psk2' } });
  expect(set.status).toBe(200);
});
afterAll(async () => {
  agent.destroy();
  await world.close();
  await fleet.close();
});

const api = () => `/v1/devices/${id}`;
const facade = () => `/d/${id}`;
const bearer = (key: string) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });
const read = (key = world.keys.administrator, prefix = api()) =>
  rawRequest(world, agent, `${prefix}${WIRELESS}`, 'GET', { role: null, headers: bearer(key) });

function ask(method: string, path: string, body: unknown, more: Record<string, string> = {}): Promise<ProxyAnswer> {
  const isBytes = typeof body === 'string' || Buffer.isBuffer(body);
  const headers = { 'content-type': 'application/json', ...more };
  return rawRequest(world, agent, path, method, {
    role: 'administrator',
    headers,
    body: isBytes ? body : JSON.stringify(body),
  });
}

/** Runs `write`; the device must not see any request of it. */
async function unseen(write: () => Promise<ProxyAnswer>): Promise<ProxyAnswer> {
  const before = fleet.ledger.entries({}).filter(({ method }) => method !== 'GET').length;
  const answer = await write();
  const seen = fleet.ledger.entries({}).filter(({ method }) => method !== 'GET' && method !== '-');
  expect(seen.slice(before).map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  return answer;
}

const multipart = (size: number) =>
  [
    '--edge\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\n\r\n',
    'x'.repeat(size),
    `\r\n--edge\r\ncontent-disposition: form-data; name="key"\r\n\r\n${MARKER}\r\n--edge--\r\n`,
  ].join('');
const deep = (depth: number): unknown => (depth === 0 ? [MARKER] : { inner: deep(depth - 1) });
const encoded = encodeURIComponent(MARKER);
const PERCENT = [...MARKER].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
const ESCAPED = MARKER.replace('h', String.raw`\u0068`);
const TWICE = `{"data":{"key":"${MARKER}","key":"Another-password"}}`;
const fileOf = (text: string) =>
  `--edge\r\ncontent-disposition: form-data; name="file"; filename="a.ovpn"\r\n\r\n${text}\r\n--edge--\r\n`;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const MULTIPART = { 'content-type': 'multipart/form-data; boundary=edge' };

describe('a redaction marker in a write', () => {
  it.each<[string, () => Promise<ProxyAnswer>]>([
    ['as an option', () => ask('PUT', `${api()}${WIRELESS}/${section}`, { data: { key: MARKER } })],
    ['in a list of sections', () => ask('PUT', `${api()}${WIRELESS}`, { data: [{ id: section, key: MARKER }] })],
    ['at any depth', () => ask('POST', `${api()}${WIRELESS}`, { data: deep(40) })],
    ['inside a text', () => ask('POST', `${api()}${WIRELESS}`, { data: { note: `psk=${MARKER};` } })],
    ['in a form', () => ask('POST', `${api()}/api/users/config`, `password=${MARKER}`, FORM)],
    ['in an encoded form', () => ask('POST', `${api()}/api/users/config`, `password=${encoded}`, FORM)],
    ['in a multipart field', () => ask('POST', `${api()}/api/users/config`, multipart(10), MULTIPART)],
    ['in the query', () => ask('POST', `${api()}/api/users/config?password=${encoded}`, { data: {} })],
    ['as a name', () => ask('POST', `${api()}${WIRELESS}`, { data: { [MARKER]: '1' } })],
    ['escaped', () => ask('PUT', `${api()}${WIRELESS}/${section}`, `{"data":{"key":"${ESCAPED}"}}`)],
    ['under a name that comes twice', () => ask('PUT', `${api()}${WIRELESS}/${section}`, TWICE)],
    [
      'in JSON in a text',
      () => ask('POST', `${api()}${WIRELESS}`, { data: { json: JSON.stringify({ key: MARKER }) } }),
    ],
    ['in upper case', () => ask('PUT', `${api()}${WIRELESS}/${section}`, { data: { key: MARKER.toUpperCase() } })],
    ['in UTF-16', () => ask('POST', `${api()}${WIRELESS}`, Buffer.from(TWICE, 'utf16le'))],
    ['in a form with each character encoded', () => ask('POST', `${api()}/api/users/config`, `key=${PERCENT}`, FORM)],
    ['in a file', () => ask('POST', `${api()}/api/openvpn/config/office`, fileOf(MARKER), MULTIPART)],
    ['by DELETE', () => ask('DELETE', `${api()}${WIRELESS}`, { data: [MARKER] }, { 'content-length': '34' })],
    ['by PATCH', () => ask('PATCH', `${api()}${WIRELESS}/${section}`, { data: { key: MARKER } })],
    [
      'in an escaped item of a bulk request',
      () => {
        const item = { endpoint: `${WIRELESS}/${section}`, method: 'PUT', data: { key: MARKER } };
        return ask('POST', `${api()}/api/bulk`, JSON.stringify({ data: [item] }).replace(MARKER, ESCAPED));
      },
    ],
    [
      'in the address of an item of a bulk request',
      () => ask('POST', `${api()}/api/bulk`, { data: [{ endpoint: `${WIRELESS}/x?key=${PERCENT}`, method: 'PUT' }] }),
    ],
    [
      'in an item of a bulk request',
      () =>
        ask('POST', `${api()}/api/bulk`, {
          data: [
            { endpoint: WIRELESS, method: 'GET' },
            { endpoint: `${WIRELESS}/${section}`, method: 'PUT', data: { key: MARKER } },
          ],
        }),
    ],
    [
      'in a fan-out',
      () =>
        ask(
          'POST',
          '/v1/fan-out',
          {
            selector: '*',
            request: { method: 'PUT', path: `${WIRELESS}/${section}`, json: { data: { key: MARKER } } },
          },
          { 'idempotency-key': 'marker-in-a-fan-out' },
        ),
    ],
    [
      'in a stored fan-out',
      () =>
        ask(
          'POST',
          '/v1/fan-outs',
          {
            selector: '*',
            request: { method: 'PUT', path: `${WIRELESS}/${section}`, json: { data: { key: MARKER } } },
          },
          { 'idempotency-key': 'marker-in-a-stored-fan-out' },
        ),
    ],
    [
      'in a call job',
      () =>
        ask('POST', `${api()}/jobs`, {
          kind: 'call',
          spec: { method: 'PUT', path: `${WIRELESS}/${section}`, json: { data: { key: MARKER } } },
        }),
    ],
    [
      'in a configure job',
      () => ask('POST', `${api()}/jobs`, { kind: 'configure', spec: { put: [{ path: WIRELESS, key: MARKER }] } }),
    ],
    [
      'in a rollout',
      () =>
        ask('POST', '/v1/rollouts', {
          name: 'markers',
          kind: 'call',
          selector: '*',
          spec: { method: 'PUT', path: `${WIRELESS}/${section}`, json: { data: { key: MARKER } } },
        }),
    ],
    [
      'in the template of a schedule',
      () =>
        ask('POST', '/v1/schedules', {
          name: 'markers at night',
          rhythm: { cron: '30 2 * * *', timeZone: 'Europe/Vilnius' },
          rollout: {
            name: 'markers',
            kind: 'call',
            selector: '*',
            spec: {
              method: 'PUT',
              path: `${WIRELESS}/${section}`,
              json: { data: { ssid: '{{device.name}}', key: MARKER } },
            },
          },
        }),
    ],
    ['as a sealed value', () => ask('POST', '/v1/sealed-values', { label: 'psk', value: MARKER, days: 1 })],
  ])('is refused %s, and the device gets nothing', async (_where, write) => {
    const answer = await unseen(write);
    expect(answer).toMatchObject({ status: 422, json: { code: 'redaction_marker' } });
  });

  it('is refused in a streamed body, and the device never has the whole request', async () => {
    const effects = JSON.stringify(fleet.ledger.summary(0).effects);
    const answer = await ask('POST', `${api()}/api/users/config`, multipart(300_000), MULTIPART);
    expect(answer).toMatchObject({ status: 422, json: { code: 'redaction_marker' } });
    expect(JSON.stringify(fleet.ledger.summary(0).effects)).toBe(effects);
  });

  it.each<[string, () => Promise<ProxyAnswer>]>([
    ['as an option', () => ask('PUT', `${facade()}${WIRELESS}/${section}`, { data: { key: MARKER } })],
    ['in a list of sections', () => ask('PUT', `${facade()}${WIRELESS}`, { data: [{ id: section, key: MARKER }] })],
    ['in a form', () => ask('POST', `${facade()}/api/users/config`, `password=${encoded}`, FORM)],
    ['in a multipart field', () => ask('POST', `${facade()}/api/users/config`, multipart(10), MULTIPART)],
    ['in the query', () => ask('POST', `${facade()}/api/users/config?password=${encoded}`, { data: {} })],
    ['escaped', () => ask('PUT', `${facade()}${WIRELESS}/${section}`, `{"data":{"key":"${ESCAPED}"}}`)],
    ['under a name that comes twice', () => ask('PUT', `${facade()}${WIRELESS}/${section}`, TWICE)],
    ['in a file', () => ask('POST', `${facade()}/api/openvpn/config/office`, fileOf(MARKER), MULTIPART)],
  ])('is refused by the façade in the words of the device: %s', async (_where, write) => {
    const answer = await unseen(write);
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ success: false, errors: [{ code: 103, section: 'redaction_marker' }] });
  });

  it('is refused in an item of a bulk request of the façade, and changes nothing', async () => {
    const before = fleet.ledger.summary(0).effects['update'];
    const item = { endpoint: `${WIRELESS}/${section}`, method: 'PUT', data: { key: MARKER } };
    const answer = await ask('POST', `${facade()}/api/bulk`, { data: [item] });
    expect(JSON.stringify(answer.json)).toContain('redaction_marker');
    expect(fleet.ledger.summary(0).effects['update']).toBe(before);
  });

  it('is no marker in firmware, which holds no options: the device judges the image', async () => {
    const path = `${api()}/api/firmware/actions/upload_device_firmware`;
    const answer = await ask('POST', path, fileOf(MARKER), MULTIPART);
    expect(answer.json['code']).not.toBe('redaction_marker');
    expect(fleet.ledger.entries({}).at(-1)).toMatchObject({ method: 'POST', path: path.slice(api().length) });
    const inAddress = await unseen(() => ask('POST', `${path}?key=${MARKER}`, fileOf('image'), MULTIPART));
    expect(inAddress).toMatchObject({ status: 422, json: { code: 'redaction_marker' } });
  });

  it('may be read and sent with other values: what only looks alike is no marker', async () => {
    for (const key of [MARKER.slice(0, -1), 'hmac:password-1', 'hmac', MARKER.replace(':', ';')]) {
      const answer = await ask('PUT', `${api()}${WIRELESS}/${section}`, { data: { key: `${key}-long-enough` } });
      expect([key, answer.status]).toEqual([key, 200]);
    }
    await ask('PUT', `${api()}${WIRELESS}/${section}`, { data: { key: PASSWORD } });
  });
});

describe('a client of the façade that may not read secrets', () => {
  it('reads, changes and writes back a section, and its password stays', async () => {
    const sections = (await read(writer, facade())).json['data'] as Section[];
    const own = sections.find((one) => one.id === section)!;
    expect(own).not.toHaveProperty('key');
    expect(own).toMatchObject({ 'key:set': '1' });

    const { 'key:set': _set, ...options } = own as unknown as Record<string, unknown>;
    const data = { ...options, ssid: 'renamed' };
    const written = await rawRequest(world, agent, `${facade()}${WIRELESS}/${section}`, 'PUT', {
      role: null,
      headers: bearer(writer),
      body: JSON.stringify({ data }),
    });
    expect(written.status).toBe(200);
    const now = (await read()).json['data'] as Section[];
    expect(now.find((one) => one.id === section)).toMatchObject({ ssid: 'renamed', key: PASSWORD });
  });

  it('sees markers in the passthrough, as before', async () => {
    const sections = (await read(writer)).json['data'] as Section[];
    expect(sections.find((one) => one.id === section)!.key).toMatch(/^hmac:[0-9a-f]{16}$/);
  });
});
