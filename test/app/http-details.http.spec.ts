import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fleet } from '../../src/simulator/fleet.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';

/* What callers rely on in every answer: headers that come once, tags that save a body, cursors of one list. */

let world: TestGateway;
let fleet: Fleet;
let device: string;

beforeAll(async () => {
  [world, fleet] = await Promise.all([startTestGateway({ ROLE: 'api' }), startOwnFleet({ devices: 1 })]);
  const { baseUrl, username, password } = fleet.devices[0]!;
  const body = { name: 'router-0', baseUrl, credentials: { username, password } };
  device = `/v1/devices/${(await world.api.post<{ id: string }>('/v1/devices', body)).id}`;
});
afterAll(async () => {
  await world.close();
  await fleet.close();
});

/** With the headers as they came: `fetch` joins those of one name. */
async function ask(path: string, headers: Record<string, string> = {}) {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const authorization = `Bearer ${world.keys.administrator}`;
    get(world.url + path, { headers: { authorization, ...headers } }, resolve).on('error', reject);
  });
  return { status: answer.statusCode, headers: answer.headers, raw: answer.rawHeaders, body: await text(answer) };
}

describe('the headers of an answer', () => {
  it('have each name once, also where a device answers', async () => {
    for (const path of [
      '/v1/devices',
      `${device}/api/system/device/status`,
      '/docs/errors',
      '/console',
      '/openapi.json',
    ]) {
      const { status, raw } = await ask(path);
      expect([path, status]).toEqual([path, 200]);
      const names = raw.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
      expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([]);
      expect(names).toContain('content-security-policy');
    }
  });
});

describe('a tag', () => {
  it('saves the body of a read that its caller has', async () => {
    const { headers, body } = await ask(device);
    const etag = headers.etag!;
    expect(JSON.parse(body)).toMatchObject({ name: 'router-0' });
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const same = await ask(device, { 'if-none-match': known });
      expect([same.status, same.body, same.headers.etag]).toEqual([304, '', etag]);
    }
    await world.api.send('PATCH', device, { site: 'north' });
    const changed = await ask(device, { 'if-none-match': etag });
    expect(changed.status).toBe(200);
    expect(JSON.parse(changed.body)).toMatchObject({ site: 'north' });
  });
});

describe('a cursor', () => {
  it('of another list is refused', async () => {
    await world.api.post('/v1/sealed-values', { label: 'one', value: 'Some-value-1' });
    await world.api.post('/v1/sealed-values', { label: 'two', value: 'Some-value-2' });
    const { next } = await world.api.get<{ next: string }>('/v1/sealed-values?limit=1');
    expect(await world.api.get(`/v1/sealed-values?limit=1&cursor=${next}`)).toMatchObject({
      items: [{ label: 'one' }],
    });
    for (const list of ['jobs', 'artifacts', 'devices', 'rollouts', 'audit', 'locks', 'approvals']) {
      const answer = await ask(`/v1/${list}?cursor=${next}`);
      const { code } = JSON.parse(answer.body) as { code?: string };
      expect([list, answer.status, code]).toEqual([list, 400, 'invalid_cursor']);
    }
  });
});

describe('an Idempotency-Key', () => {
  it('that is too short is invalid input, and says how long it must be', async () => {
    const answer = await fetch(`${world.url}/v1/sealed-values`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.keys.administrator}`,
        'content-type': 'application/json',
        'idempotency-key': 'short',
      },
      body: JSON.stringify({ label: 'three', value: 'Some-value-3' }),
    });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({
        code: 'invalid_input',
        errors: [{ pointer: '/header/idempotency-key', detail: expect.stringContaining('8 to 128') }],
      }),
    ]);
  });
});

describe('the metrics', () => {
  it('of the process have the names that dashboards know', async () => {
    const { body } = await ask('/metrics');
    for (const name of ['process_resident_memory_bytes', 'process_cpu_seconds_total', 'nodejs_eventloop_lag_seconds']) {
      expect(body).toMatch(new RegExp(`^${name} `, 'm'));
    }
    expect(body).not.toContain('fleetgate_process_');
  });
});
