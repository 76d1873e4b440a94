import pg from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ApiError } from '../../src/api-client/api-error.js';
import { type TestApi } from '../support/test-api.js';
import { startGateway } from '../../src/gateway.js';
import { readConfig } from '../../src/platform/config.js';
import { Idempotency } from '../../src/http/idempotency.js';
import { type Page } from '../../src/http/page.js';
import { type FanOutLine, type ResultLine } from '../../src/fan-outs/fan-outs.contract.js';
import { STORED_ANSWER_BYTES_MAX } from '../../src/fan-outs/fan-out-recorder.js';
import {
  type FanOutCell,
  type FanOutDevice,
  type StoredFanOutView,
} from '../../src/fan-outs/stored-fan-out.contract.js';
import { StoredFanOutSweeper } from '../../src/fan-outs/stored-fan-out.sweeper.js';
import { FanOuts } from '../../src/fan-outs/fan-outs.service.js';
import { type Fleet } from '../../src/simulator/fleet.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';
import { AnsweringDevice } from '../support/devices/answering-device.js';
import { untilKnown } from '../support/devices/known-device.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson, type Person } from '../support/people.js';
import { until } from '../support/until.js';

/* Fan-outs whose outcomes and answers are stored. */

const DEVICES = 6;
const PER_OPERATOR = 20;
const STATUS = { method: 'GET', path: '/api/unauthorized/status' };
const TUNNELS = { method: 'GET', path: '/api/wireguard/config' };

type StoredView = Omit<StoredFanOutView, 'startedAt' | 'endedAt'>;

let world: TestGateway;
let fleet: Fleet;
let db: pg.Client;
let operator: TestApi;
const others: AnsweringDevice[] = [];

beforeAll(async () => {
  fleet = await startOwnFleet({ devices: DEVICES, profile: 'rutos', seed: 12, timeScale: 1, family: 'RUTX50' });
  world = await startTestGateway({ ROLE: 'api' }, undefined, { STORED_FAN_OUTS_PER_OPERATOR: PER_OPERATOR });
  operator = world.as('operator');
  db = new pg.Client({ connectionString: world.databaseUrl });
  await db.connect();
  for (const { index, baseUrl, username, password } of fleet.devices) {
    const site = index < 4 ? 'large' : 'small';
    const credentials = { username, password };
    await world.api.post('/v1/devices', { name: `d-${index}`, baseUrl, site, tags: ['f'], credentials });
  }
});
afterAll(async () => {
  for (const device of others) device.close();
  await db.end();
  await world.close();
  await fleet.close();
});
afterEach(async () => {
  for (const device of fleet.devices) device.faults.clear();
  await fleet.devices[0]!.start();
});

let keys = 0;
const freshKey = () => `stored-fan-out-${Date.now()}-${++keys}`;

async function send(path: string, body: unknown, key: string, headers: Record<string, string> = {}) {
  const answer = await fetch(world.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { answer, text: await answer.text() };
}

/** A fan-out that is stored, read to its end. */
async function keep(body: object, headers: Record<string, string> = {}, key = world.keys.operator) {
  const { answer, text } = await send('/v1/fan-out', { keep: true, ...body }, key, headers);
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as FanOutLine);
  expect([answer.status, lines[0]!.type, text]).toEqual([200, 'started', text]);
  const { fanOutId } = lines[0] as { fanOutId: string };
  const results = lines.filter((line): line is ResultLine => line.type === 'result');
  return { id: fanOutId, lines, results, replayed: answer.headers.get('idempotency-replayed') };
}

const read = (id: string, api = operator) => api.get<StoredView>(`/v1/fan-outs/${id}`);
const ended = (id: string) =>
  until(async () => {
    const fanOut = await read(id);
    return fanOut.state === 'running' ? null : fanOut;
  });
const devicesOf = (id: string, query: string, api = operator) =>
  api.get<Page<FanOutDevice>>(`/v1/fan-outs/${id}/devices?${query}`);
const gridOf = (id: string, api = operator) =>
  api.get<{ cells: FanOutCell[]; more: boolean }>(`/v1/fan-outs/${id}/grid`);
const post = async (path: string, body: object, key = freshKey(), api = operator) =>
  (await api.send<StoredView>('POST', `/v1/fan-outs${path}`, body, { 'idempotency-key': key })).body;
const start = (body: object, key = freshKey(), api = operator) => post('', body, key, api);
const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'nothing',
    (error: unknown) => (error as ApiError).code,
  );
const calls = (path: string, since: number) => fleet.ledger.entries({ since, path });
const seq = () => fleet.ledger.entries().at(-1)?.seq ?? 0;
const sweep = () => world.gateway.app.get(StoredFanOutSweeper).sweep();

/** A fan-out whose first call takes so long, while the others wait. */
async function startSlow(ms: number) {
  for (const device of fleet.devices) device.faults.add({ kind: 'latency', path: '/api/wireguard*', ms });
  const since = seq();
  const request = { method: 'GET', path: '/api/wireguard/config' };
  const { id } = await start({ selector: 'tag:f', request, policy: { concurrency: 1, timeoutMs: 60_000 } });
  await until(() => calls('/api/wireguard', since).length > 0);
  return { id, since };
}

describe('a stored fan-out', () => {
  it('has the outcome of each device and equal answers once, under the digests of its stream', async () => {
    await world.api.post('/v1/devices/name:d-4/api/wireguard/config', { data: { id: 'wg_odd' } });
    const { id, results } = await keep({ selector: 'tag:f', request: TUNNELS });
    const fanOut = await ended(id);
    expect(fanOut).toMatchObject({
      state: 'ended', devices: DEVICES, waiting: 0, forbidden: 0, moreGroups: 0, writes: false, stopped: null,
      selector: 'tag:f', requests: [TUNNELS], counts: { succeeded: DEVICES, failed: 0 },
    }); // prettier-ignore
    expect(fanOut.groups.map(({ devices }) => devices)).toEqual([DEVICES - 1, 1]);
    const [most, odd] = fanOut.groups;
    expect(odd).toMatchObject({ outcome: 'succeeded', status: 200, sample: { name: 'd-4' } });
    expect(new Set(results.map(({ digest }) => digest))).toEqual(new Set([most!.digest, odd!.digest]));
    const first = await devicesOf(id, `outcome=succeeded&digest=${most!.digest}&limit=3`);
    const rest = await devicesOf(id, `outcome=succeeded&digest=${most!.digest}&limit=3&cursor=${first.next}`);
    expect([first.items.length, rest.items.length, rest.next]).toEqual([3, 2, null]);
    expect(new Set([...first.items, ...rest.items].map(({ name }) => name)).size).toBe(DEVICES - 1);
    expect(await operator.get(`/v1/fan-outs/${id}/answers/${most!.digest}`)).toMatchObject({
      stored: true, devices: DEVICES - 1, bytes: most!.bytes, body: { success: true, data: [] },
    }); // prettier-ignore
  });

  it('never stores a secret, and its caller with the right to secrets still sees them in the stream', async () => {
    const made = await world.api.post<{ data: { private_key: string } }>('/v1/devices/name:d-1/api/wireguard/config', {
      data: { id: 'wg_key' },
    });
    const secret = made.data.private_key;
    expect(secret.length).toBeGreaterThan(20);
    const { id, results } = await keep({ selector: 'name:d-1', request: TUNNELS });
    expect(JSON.stringify(results[0]!.body)).toContain(secret);
    const [group] = (await ended(id)).groups;
    const answer = JSON.stringify(await operator.get(`/v1/fan-outs/${id}/answers/${group!.digest}`));
    expect(answer).not.toContain(secret);
    expect(answer).toMatch(/"private_key":"hmac:[0-9a-f]{16}"/);
    const { rows } = await db.query<{ row: string; body: Buffer }>(
      `select fan_out_answer::text as row, sealed_body as body from fan_out_answer where fan_out_id = $1`,
      [id],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]!.body.toString('latin1')).not.toContain('wg_key'); // sealed, the rest of the answer, too
  });

  it('has digest and size alone of an answer that is too large, and neither of one that cannot be searched', async () => {
    const [large, text] = [new AnsweringDevice(), new AnsweringDevice()];
    others.push(large, text);
    large.answer = JSON.stringify({ success: true, data: { text: 'plain '.repeat(STORED_ANSWER_BYTES_MAX / 6) } });
    text.answer = 'no JSON';
    await large.register(world.api, 'large', ['other']);
    await text.register(world.api, 'text', ['other']);
    const { id } = await keep({ selector: 'tag:other', request: { method: 'GET', path: '/api/some/service/global' } });
    const { groups } = await ended(id);
    const ofLarge = groups.find(({ sample }) => sample.name === 'large')!;
    expect(groups.find(({ sample }) => sample.name === 'text')).toMatchObject({ digest: null, bytes: null });
    expect(ofLarge.bytes).toBe(large.answer.length);
    expect(await operator.get(`/v1/fan-outs/${id}/answers/${ofLarge.digest}`)).toMatchObject({
      stored: false, body: null, bytes: large.answer.length,
    }); // prettier-ignore
    expect(await codeOf(operator.get(`/v1/fan-outs/${id}/answers/${'0'.repeat(64)}`))).toBe('fan_out_answer_not_found');
  });

  it('continues without its reader', async () => {
    for (const device of fleet.devices) device.faults.add({ kind: 'latency', path: '/api/wireguard*', ms: 100 });
    const leave = new AbortController();
    const answer = await fetch(`${world.url}/v1/fan-out`, {
      method: 'POST',
      signal: leave.signal,
      headers: { authorization: `Bearer ${world.keys.operator}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        selector: 'tag:f', request: { method: 'GET', path: '/api/wireguard/config' }, policy: { concurrency: 1 }, keep: true,
      }), // prettier-ignore
    });
    const piece = await answer.body!.getReader().read();
    const { fanOutId } = JSON.parse(Buffer.from(piece.value).toString().split('\n')[0]!) as { fanOutId: string };
    leave.abort();
    expect(await ended(fanOutId)).toMatchObject({ state: 'ended', counts: { succeeded: DEVICES } });
  });

  const CALL = { selector: 'tag:f', request: STATUS };
  it.each([
    ['a dry run that is stored', '/v1/fan-out', { dryRun: true, keep: true }, '/keep'],
    ['a dry run that is stored, by default', '/v1/fan-outs', { dryRun: true }, '/keep'],
    ['a dry run that is stored, with a stream', '/v1/fan-outs', { dryRun: true, stream: true }, '/keep'],
    ['a dry run without a stream', '/v1/fan-outs', { dryRun: true, keep: false }, '/keep'],
    ['outcomes that are neither streamed nor stored', '/v1/fan-outs', { keep: false }, '/stream'],
    ['the short form without a stream', '/v1/fan-out', { stream: false }, '/stream'],
    ['the short form without a stream, stored', '/v1/fan-out', { stream: false, keep: true }, '/stream'],
  ])('refuses %s', async (_what, path, more, pointer) => {
    const { answer, text } = await send(path, { ...CALL, ...more }, world.keys.operator);
    expect([answer.status, JSON.parse(text)]).toMatchObject([400, { code: 'invalid_input', errors: [{ pointer }] }]);
  });

  it.each([
    ['/v1/fan-out', {}, ['result', 'summary']],
    ['/v1/fan-out', { keep: true }, ['started', 'result', 'summary']],
    ['/v1/fan-outs', { stream: true }, ['started', 'result', 'summary']],
    ['/v1/fan-outs', { stream: true, keep: false }, ['result', 'summary']],
    ['/v1/fan-outs', { stream: true, keep: false, dryRun: true }, ['result', 'summary']],
  ])('is a stream at %s with %j', async (path, more, types) => {
    const { answer, text } = await send(path, { ...CALL, ...more, selector: 'name:d-1' }, world.keys.operator);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    const lines = text.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as FanOutLine).type)).toEqual(types);
  });

  it('makes events', async () => {
    const { id } = await keep({ selector: 'name:d-1', request: STATUS });
    await ended(id);
    const { rows } = await db.query<{ type: string }>('select type from event where subject = $1 order by id', [
      `fanout:${id}`,
    ]);
    expect(rows.map(({ type }) => type)).toEqual(['fanout.running', 'fanout.ended']);
  });

  it('costs a few statements, however many devices it has, and none when it is not stored', async () => {
    const query = vi.spyOn(pg.Client.prototype, 'query');
    const told = () =>
      query.mock.calls
        .map(([first]) => (typeof first === 'string' ? first : ((first as { text?: string } | null)?.text ?? '')))
        .filter((sql) => /\bfan_out/.test(sql) && !/delete from|alive_at </.test(sql));
    try {
      const { text } = await send('/v1/fan-out', { selector: 'tag:f', request: STATUS }, world.keys.operator);
      expect(text).toContain('"summary"');
      expect(told()).toEqual([]);
      await keep({ selector: 'tag:f', request: STATUS });
      // The row, and the outcomes of a quarter of a second together with the end; a slow machine may need more of those.
      expect(told().length).toBeGreaterThanOrEqual(2);
      expect(told().length).toBeLessThan(DEVICES);
    } finally {
      query.mockRestore();
    }
  });
});

describe('a fan-out that is stored without a stream', () => {
  it('answers 202 with its address, once for its key', async () => {
    const key = freshKey();
    const body = { selector: 'tag:f', request: STATUS };
    const { answer, text } = await send('/v1/fan-outs', body, world.keys.operator, { 'idempotency-key': key });
    const { id } = JSON.parse(text) as StoredView;
    expect([answer.status, answer.headers.get('location')]).toEqual([202, `/v1/fan-outs/${id}`]);
    expect((await start(body, key)).id).toBe(id);
    expect(await ended(id)).toMatchObject({ state: 'ended', counts: { succeeded: DEVICES } });
    const { items } = await operator.get<Page<StoredView>>('/v1/fan-outs?limit=1');
    expect(items).toMatchObject([{ id, devices: DEVICES, counts: { succeeded: DEVICES } }]);
  });

  it('needs a key to write, and writes once for it, as a stream does', async () => {
    const request = { method: 'POST', path: '/api/wireguard/config', json: { data: { id: `wg_${++keys}` } } };
    const body = { selector: 'name:d-2', request };
    expect(await codeOf(operator.post('/v1/fan-outs', body))).toBe('idempotency_key_required');
    const since = seq();
    const key = { 'idempotency-key': freshKey() };
    const first = await keep(body, key);
    await ended(first.id);
    const again = await keep(body, key);
    expect(again).toMatchObject({ id: first.id, replayed: 'true', lines: [{ type: 'started' }] });
    expect(calls('/api/wireguard', since)).toHaveLength(1);
    const { rows } = await db.query('select from audit_entry where operation_id = $1 and action = $2', [
      first.id,
      'device.call_write',
    ]);
    expect(rows).toHaveLength(1);
    expect(await codeOf(start(body, freshKey(), world.as('viewer')))).toBe('forbidden');
  });

  it('is not started again for its key when it began and the key could not be finished', async () => {
    const request = { method: 'POST', path: '/api/wireguard/config', json: { data: { id: `wg_${++keys}` } } };
    const body = { selector: 'name:d-2', request };
    const key = freshKey();
    const since = seq();
    const finish = vi
      .spyOn(world.gateway.app.get(Idempotency), 'finish')
      .mockRejectedValueOnce(new Error('no database'));
    expect(await codeOf(start(body, key))).toBe('internal_error');
    finish.mockRestore();
    expect(await codeOf(start(body, key))).toBe('idempotency_key_running');
    await until(() => calls('/api/wireguard', since).length > 0);
    expect(calls('/api/wireguard', since)).toHaveLength(1);
  });

  it('is cancelled by its operator alone: the call in progress finishes, and no more start', async () => {
    const { id, since } = await startSlow(10_000);
    expect(await gridOf(id)).toMatchObject({
      more: false,
      cells: Array.from({ length: DEVICES }, (_, at) => ({ name: `d-${at}`, outcome: null })),
    });
    expect(await codeOf(post(`/${id}/retry`, {}))).toBe('fan_out_running');
    expect(await codeOf(world.api.post(`/v1/fan-outs/${id}/cancel`))).toBe('forbidden');
    expect(await operator.post<StoredView>(`/v1/fan-outs/${id}/cancel`)).toMatchObject({ state: 'running' });
    expect(await ended(id)).toMatchObject({
      state: 'ended', stopped: 'it was cancelled', counts: { succeeded: 1, skipped: DEVICES - 1 },
    }); // prettier-ignore
    expect(calls('/api/wireguard', since)).toHaveLength(1);
    const outcomes = (await gridOf(id)).cells.map(({ outcome }) => outcome);
    const skipped = Array.from({ length: DEVICES - 1 }, () => 'skipped');
    expect(outcomes.toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([...skipped, 'succeeded']);
    expect(await codeOf(operator.post(`/v1/fan-outs/${id}/cancel`))).toBe('fan_out_ended');
  });
});

describe('a reader of a stored fan-out', () => {
  it('with fewer rights sees its devices alone, and learns nothing of the others', async () => {
    const { id } = await keep({ selector: 'tag:f & !name:d-9', request: TUNNELS });
    await ended(id);
    const narrow = await addPerson(world, 'Narrow', [{ role: 'viewer', selector: 'site:small' }]);
    const fanOut = await read(id, narrow.api);
    expect(fanOut).toMatchObject({ devices: 2, forbidden: 0, waiting: 0, counts: { succeeded: 2 }, selector: null });
    const { items } = await devicesOf(id, 'limit=100', narrow.api);
    expect(items.map(({ name }) => name).sort()).toEqual(['d-4', 'd-5']);
    expect((await gridOf(id, narrow.api)).cells).toMatchObject([
      { name: 'd-4', site: 'small', outcome: 'succeeded' },
      { name: 'd-5', site: 'small', outcome: 'succeeded' },
    ]);
    const [listed] = (await narrow.api.get<Page<StoredView>>('/v1/fan-outs?limit=1')).items;
    expect(listed).toMatchObject({ id, devices: null, counts: null });
    const alone = (await read(id)).groups.find(({ sample }) => sample.name === 'd-1')!;
    expect(await codeOf(narrow.api.get(`/v1/fan-outs/${id}/answers/${alone.digest}`))).toBe('fan_out_answer_not_found');
  });

  it('with fewer rights reads why it stopped, without the numbers of all devices', async () => {
    const policy = { concurrency: 1, stopAfter: { failures: 2 } };
    const { id } = await keep({ selector: 'tag:f', request: { method: 'GET', path: '/api/nothing/config' }, policy });
    expect((await ended(id)).stopped).toBe('2 devices did not succeed');
    const narrow = await addPerson(world, 'Narrow', [{ role: 'viewer', selector: 'site:small' }]);
    expect((await read(id, narrow.api)).stopped).toBe('too many devices did not succeed');
  });

  it('may not read answers of paths that are denied: those devices are counted', async () => {
    const rules = [
      {
        effect: 'deny',
        permissions: ['device.*'],
        selector: 'name:d-4',
        devices: { api: { '/wireguard/*': ['read'] } },
      },
    ];
    await world.api.send('PUT', '/v1/roles/no-tunnels', { rules });
    const denied = await addPerson(world, 'Denied', [{ role: 'viewer' }, { role: 'no-tunnels' }]);
    const { id } = await keep({ selector: 'site:small', request: TUNNELS });
    const elsewhere = await keep({ selector: 'site:small', request: STATUS });
    await ended(id);
    await ended(elsewhere.id);
    expect(await read(id, denied.api)).toMatchObject({ devices: 1, forbidden: 1, counts: { succeeded: 1 } });
    expect(await read(elsewhere.id, denied.api)).toMatchObject({ devices: 2, forbidden: 0 });
  });

  it('who sees none of its devices is told that there is none', async () => {
    const { id } = await keep({ selector: 'site:large', request: STATUS });
    const narrow = await addPerson(world, 'Elsewhere', [{ role: 'operator', selector: 'site:small' }]);
    const asked = [
      () => read(id, narrow.api),
      () => devicesOf(id, 'limit=1', narrow.api),
      () => gridOf(id, narrow.api),
      () => narrow.api.get(`/v1/fan-outs/${id}/answers/${'0'.repeat(64)}`),
      () => post(`/${id}/retry`, {}, freshKey(), narrow.api),
      () => narrow.api.post(`/v1/fan-outs/${id}/cancel`),
    ];
    for (const ask of asked) expect(await codeOf(ask())).toBe('fan_out_not_found');
    const { items } = await narrow.api.get<Page<StoredView>>('/v1/fan-outs?limit=1000');
    expect(items.map((one) => one.id)).not.toContain(id);
  });
});

describe('a retry', () => {
  const retry = (id: string, body: object) => post(`/${id}/retry`, body);

  it('calls the devices that did not succeed, and no others', async () => {
    await fleet.devices[0]!.stop();
    const { id } = await keep({ selector: 'tag:f', request: STATUS });
    expect(await ended(id)).toMatchObject({ counts: { succeeded: DEVICES - 1, unreachable: 1 } });
    expect((await devicesOf(id, 'outcome=unreachable&reason=device_unreachable')).items).toHaveLength(1);
    await fleet.devices[0]!.start();
    await world.api.post('/v1/devices/name:d-0/session/reset').catch(() => undefined);
    const again = await until(async () => {
      const second = await ended((await retry(id, {})).id);
      return second.counts.succeeded === 1 ? second : null; // the breaker may still be open
    });
    expect(again).toMatchObject({ retryOf: id, devices: 1, groups: [{ sample: { name: 'd-0' } }] });
    expect(await codeOf(retry(again.id, {}))).toBe('fan_out_complete');
  });

  it('does not repeat a write that may have been executed, unless it is told to', async () => {
    fleet.devices[3]!.faults.add({ kind: 'lost-answer', path: '/api/wireguard*' });
    const request = { method: 'POST', path: '/api/wireguard/config', json: { data: { id: `wg_${++keys}` } } };
    const since = seq();
    const { id } = await keep({ selector: 'name:d-3', request }, { 'idempotency-key': freshKey() });
    expect(await ended(id)).toMatchObject({ writes: true, counts: { unknown: 1 } });
    fleet.devices[3]!.faults.clear();
    expect(await codeOf(retry(id, {}))).toBe('fan_out_complete');
    expect(await codeOf(retry(id, { outcomes: ['unknown'] }))).toBe('fan_out_unknown_write');
    expect(calls('/api/wireguard', since)).toHaveLength(1);
    const { id: second } = await retry(id, { outcomes: ['unknown'], repeatUnknown: true });
    await ended(second);
    expect(calls('/api/wireguard', since)).toHaveLength(2);
  });
});

describe('a retry of the fan-out of another person', () => {
  const retryAs = (person: Person, id: string) => post(`/${id}/retry`, {}, freshKey(), person.api);
  const refused = async () => {
    const json = { data: { id: `wg_${++keys}`, private_key: 'not for all' } };
    await fleet.devices[5]!.stop();
    const request = { method: 'POST', path: '/api/wireguard/config', json };
    const { id } = await keep({ selector: 'name:d-5', request }, { 'idempotency-key': freshKey() });
    expect(await ended(id)).toMatchObject({ counts: { unreachable: 1 } });
    await fleet.devices[5]!.start();
    return id;
  };
  afterEach(() => fleet.devices[5]!.start());

  it('needs the right to read secrets when the request has a body', async () => {
    await world.api.send('PUT', '/v1/roles/writers', {
      rules: [{ effect: 'allow', permissions: ['device.read', 'device.call_read', 'device.call_write'] }],
    });
    const writer = await addPerson(world, 'Writer', [{ role: 'writers' }]);
    const colleague = await addPerson(world, 'Colleague', [{ role: 'operator' }]);
    const id = await refused();
    const since = seq();
    await expect(retryAs(writer, id)).rejects.toMatchObject({ code: 'forbidden', problem: { permission: 'device.read_secrets' } });
    expect(calls('/api/wireguard', since)).toEqual([]);
    expect((await ended((await retryAs(colleague, id)).id)).devices).toBe(1);
  }); // prettier-ignore

  const SKIPPED = { counts: { skipped: 1 }, groups: [{ reason: 'device_replaced' }] };
  /** A retry of a fan-out that skipped its device. */
  const again = async (id: string) => ended((await post(`/${id}/retry`, { outcomes: ['skipped'] })).id);

  it('sends nothing to a device that has moved to another address since, however often it is retried', async () => {
    const id = await refused();
    const { baseUrl } = fleet.devices[5]!;
    const since = seq();
    const moveTo = async (address: string) => {
      await db.query(`update device set base_url = $1 where name = 'd-5'`, [address]);
      await untilKnown(world, 'name:d-5', { baseUrl: address });
    };
    await moveTo('https://127.0.0.1:9');
    const retried = await ended((await post(`/${id}/retry`, {})).id);
    expect(retried).toMatchObject(SKIPPED);
    const twice = await again(retried.id);
    expect(twice).toMatchObject(SKIPPED);
    expect(await again(twice.id)).toMatchObject(SKIPPED);
    await moveTo(baseUrl);
    expect(calls('/api/wireguard', since)).toEqual([]);
  });

  it('sends to a device whose address is its spare one since, as after a job that moved it', async () => {
    const id = await refused();
    const { baseUrl } = fleet.devices[5]!;
    const since = seq();
    const swap = async (base: string, spare: string | null) => {
      const sets = 'base_url = $1, spare_url = $2, by_spare = $2::text is not null';
      await db.query(`update device set ${sets} where name = 'd-5'`, [base, spare]);
      await untilKnown(world, 'name:d-5', { spareUrl: spare });
    };
    await swap('https://127.0.0.1:9', baseUrl);
    expect((await ended((await post(`/${id}/retry`, {})).id)).counts.skipped).toBe(0);
    await swap(baseUrl, null);
    expect(calls('/api/wireguard', since)).toHaveLength(1);
  });

  it('sends nothing to a device whose serial number, which another device has too, has changed since', async () => {
    const claim = async (serial: string | null, claimed: string | null) => {
      await db.query(`update device set serial = $1, claimed_serial = $2 where name = 'd-5'`, [serial, claimed]);
      await untilKnown(world, 'name:d-5', { serial, claimedSerial: claimed });
    };
    const { serial } = await operator.get<{ serial: string | null }>('/v1/devices/name:d-5');
    await claim(null, 'FIRST-SERIAL');
    const id = await refused();
    await claim(null, 'OTHER-SERIAL');
    const since = seq();
    const retried = await ended((await post(`/${id}/retry`, {})).id);
    expect(retried).toMatchObject(SKIPPED);
    expect(await again(retried.id)).toMatchObject(SKIPPED);
    await claim(serial, null);
    expect(calls('/api/wireguard', since)).toEqual([]);
  });
});

describe('a stored fan-out whose author', () => {
  const stops: readonly [string, (person: Person) => Promise<unknown>, RegExp][] = [
    ['lost the key', ({ keyId }) => world.api.send('DELETE', `/v1/api-keys/${keyId}`), /key was revoked, by /],
    ['is disabled', ({ operatorId: id }) => world.api.send('PATCH', `/v1/operators/${id}`, { disabled: true }), /is disabled, .* by /],
    ['is locked', ({ operatorId: target }) => world.api.post('/v1/locks', { kind: 'operator', target, reason: 'left us' }), /^locked by .*: left us$/],
    ['lost all roles', ({ operatorId: id }) => world.api.send('PUT', `/v1/operators/${id}/roles`, { roles: [] }), /lost the permission device\.call_write, by /],
  ]; // prettier-ignore
  it.each(stops)('%s makes no more calls, and says who stopped it', async (_, stop, sentence) => {
    const person = await addPerson(world, 'Leaver', [{ role: 'operator' }]);
    for (const device of fleet.devices) device.faults.add({ kind: 'latency', path: '/api/wireguard*', ms: 1_000 });
    const since = seq();
    const request = { method: 'POST', path: '/api/wireguard/config', json: { data: { id: `wg_${++keys}` } } };
    const policy = { concurrency: 1, timeoutMs: 60_000 };
    const { id } = await start({ selector: 'tag:f', request, policy }, freshKey(), person.api);
    await until(() => calls('/api/wireguard', since).length > 0);
    await stop(person);
    const fanOut = await ended(id);
    const made = calls('/api/wireguard', since).length;
    expect(made).toBeLessThan(DEVICES);
    expect(fanOut).toMatchObject({ state: 'ended', counts: { skipped: DEVICES - made } });
    expect(fanOut.stopped).toMatch(sentence);
  });
});

describe('a stored fan-out whose process', () => {
  it('is lost ends as interrupted with what it recorded, and the process starts no more calls', async () => {
    const { id, since } = await startSlow(60_000);
    // Its process is alive, and may say so between the two statements.
    const fanOut = await until(async () => {
      await db.query(`update fan_out set alive_at = now() - interval '2 minutes' where id = $1`, [id]);
      await sweep();
      const view = await read(id);
      return view.state !== 'running' && view;
    });
    expect(fanOut).toMatchObject({ state: 'interrupted', waiting: 0, counts: { skipped: DEVICES } });
    expect(fanOut.groups).toMatchObject([{ outcome: 'skipped', reason: 'interrupted', devices: DEVICES }]);
    await until(() => !(Reflect.get(world.gateway.app.get(FanOuts), 'running') as Map<string, unknown>).has(id));
    expect(calls('/api/wireguard', since)).toHaveLength(1);
    expect(await read(id)).toMatchObject({ state: 'interrupted', counts: { skipped: DEVICES } });
  });

  it('stops ends as interrupted, and its calls are given up', async () => {
    const second = await startGateway({ config: readConfig({ ...world.env, LOG_LEVEL: 'silent' }) });
    for (const device of fleet.devices) device.faults.add({ kind: 'latency', path: '/api/wireguard*', ms: 60_000 });
    const since = seq();
    const answer = await fetch(`${second.url}/v1/fan-outs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.keys.operator}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        selector: 'tag:f',
        request: { method: 'GET', path: '/api/wireguard/config' },
        policy: { concurrency: 2 },
      }),
    });
    const { id } = (await answer.json()) as StoredView;
    await until(() => calls('/api/wireguard', since).length === 2);
    await second.close();
    expect(await read(id)).toMatchObject({
      state: 'interrupted', stopped: 'the gateway stopped', waiting: 0, counts: { skipped: DEVICES - 2 },
    }); // prettier-ignore
    expect(calls('/api/wireguard', since)).toHaveLength(2);
  });
});

describe('old stored fan-outs', () => {
  it('are deleted after their days, with their rows', async () => {
    const { id } = await keep({ selector: 'tag:f', request: STATUS });
    await ended(id);
    await db.query(`update fan_out set ended_at = now() - interval '7 days 1 hour' where id = $1`, [id]);
    await sweep(); // or that of the gateway itself
    expect(await codeOf(read(id))).toBe('fan_out_not_found');
    const left = await world.gateway.app
      .get(DataSource)
      .query<unknown[]>(
        'select from fan_out_device where fan_out_id = $1 union all select from fan_out_answer where fan_out_id = $1',
        [id],
      );
    expect(left).toEqual([]);
  });

  it('are deleted beyond the number of one operator, the oldest first', async () => {
    const person = await addPerson(world, 'Keen', [{ role: 'operator' }]);
    const ids: string[] = [];
    for (let index = 0; index < PER_OPERATOR + 2; index++) {
      ids.push((await start({ selector: 'tag:none', request: STATUS }, freshKey(), person.api)).id);
      await ended(ids.at(-1)!);
    }
    await sweep();
    const { items } = await person.api.get<Page<StoredView>>('/v1/fan-outs?limit=1000');
    const own = items.map(({ id }) => id).filter((id) => ids.includes(id));
    expect(own).toEqual(ids.slice(2).toReversed());
  });
});
