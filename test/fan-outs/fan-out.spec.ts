import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { type FanOutLine, type ResultLine, type SummaryLine } from '../../src/fan-outs/fan-outs.contract.js';
import { type Fleet } from '../../src/simulator/fleet.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';
import { postAndLeave } from '../support/devices/early-leaver.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { until } from '../support/until.js';

const DEVICES = 12;
const STATUS = { method: 'GET', path: '/api/unauthorized/status' };

let world: TestGateway;
let fleet: Fleet;
let db: pg.Client;

beforeAll(async () => {
  fleet = await startOwnFleet({
    devices: DEVICES,
    profile: 'rutos',
    seed: 11,
    timeScale: 1,
    family: 'RUTX50',
  });
  world = await startTestGateway({ ROLE: 'api' });
  db = new pg.Client({ connectionString: world.databaseUrl });
  await db.connect();
  for (const { index, baseUrl, username, password } of fleet.devices) {
    const site = index < 9 ? 'large' : 'small';
    await world.api.post('/v1/devices', {
      name: `d-${index}`,
      baseUrl,
      site,
      tags: ['f'],
      credentials: { username, password },
    });
  }
});
afterAll(async () => {
  await db.end();
  await world.close();
  await fleet.close();
});
beforeEach(() => {
  for (const device of fleet.devices) device.faults.clear();
});

interface FanOutAnswer {
  status: number;
  type: string | null;
  replayed: string | null;
  requestId: string | null;
  results: ResultLine[];
  summary: SummaryLine;
  lines: FanOutLine[];
}

const send = (
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
  role: 'operator' | 'viewer' = 'operator',
) =>
  fetch(world.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.keys[role]}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

async function fanOut(
  body: unknown,
  headers: Record<string, string> = {},
  role: 'operator' | 'viewer' = 'operator',
): Promise<FanOutAnswer> {
  const answer = await send('/v1/fan-out', body, headers, role);
  const lines = (await answer.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as FanOutLine);
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    replayed: answer.headers.get('idempotency-replayed'),
    requestId: answer.headers.get('x-request-id'),
    lines,
    results: lines.filter((line): line is ResultLine => line.type === 'result'),
    summary: lines.at(-1) as SummaryLine,
  };
}

describe('a fan-out', () => {
  it('has one line for each device and a summary that adds up', async () => {
    const { status, type, results, summary } = await fanOut({
      selector: 'tag:f',
      request: { method: 'GET', path: '/api/system/device/status' },
    });
    expect({ status, type }).toEqual({ status: 200, type: 'application/x-ndjson' });
    expect(new Set(results.map(({ name }) => name)).size).toBe(DEVICES);
    expect(summary).toMatchObject({ type: 'summary', total: DEVICES, counts: { succeeded: DEVICES }, stopped: null });
  });

  it('calls exactly the devices of its selector', async () => {
    const { results } = await fanOut({ selector: 'site:small & !name:d-9', request: STATUS });
    expect(results.map(({ name }) => name).sort()).toEqual(['d-10', 'd-11']);
  });

  it('sends each different answer once, and lets the odd one stand out', async () => {
    const path = '/api/wireguard/config';
    const odd = fleet.devices[4]!;
    const { id } = await world.api.get<{ id: string }>('/v1/devices/name:d-4');
    await world.api.post(`/v1/devices/${id}/api${path.slice(4)}`, { data: { id: 'wg_odd' } });
    const { results, summary } = await fanOut({ selector: 'tag:f', request: { method: 'GET', path } });
    expect(results.filter(({ body }) => body !== undefined)).toHaveLength(2);
    expect(summary.answers.map(({ count }) => count)).toEqual([DEVICES - 1, 1]);
    const alone = results.find(({ digest }) => digest === summary.answers[1]!.digest);
    expect(alone?.name).toBe(`d-${odd.index}`);
  });

  it('says of each device that did not succeed why', async () => {
    await fleet.devices[0]!.stop();
    const { results } = await fanOut({
      selector: 'name:d-0 | name:d-2',
      request: { method: 'GET', path: '/api/nothing/config' },
    });
    await fleet.devices[0]!.start();
    const byName = Object.fromEntries(results.map((result) => [result.name, result]));
    expect(byName['d-0']).toMatchObject({ outcome: 'unreachable', reason: 'device_unreachable' });
    expect(byName['d-2']).toMatchObject({
      outcome: 'failed',
      reason: 'device_refused',
      status: 404,
      deviceCodes: [122],
    });
  });

  it('skips who is known to be no use, without a call', async () => {
    await world.api.post('/v1/devices', { name: 'bare', baseUrl: 'https://192.0.2.77', tags: ['bare'] });
    const { results, summary } = await fanOut({ selector: 'tag:bare', request: STATUS });
    expect(results).toMatchObject([{ outcome: 'skipped', reason: 'device_has_no_credentials' }]);
    expect(summary.counts).toMatchObject({ skipped: 1, succeeded: 0 });
  });

  it('calls no device in a dry run', async () => {
    const before = fleet.ledger.entries().length;
    const { results } = await fanOut({ selector: 'tag:f', request: STATUS, dryRun: true });
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['would_call']));
    expect(fleet.ledger.entries()).toHaveLength(before);
  });

  it('starts no more calls after too many failures, and says so', async () => {
    const policy = { concurrency: 1, stopAfter: { failures: 2 } };
    const { summary } = await fanOut({
      selector: 'tag:f',
      request: { method: 'GET', path: '/api/nothing/config' },
      policy,
    });
    expect(summary.counts).toMatchObject({ failed: 2, skipped: DEVICES - 2 });
    expect(summary.stopped).toBe('2 devices did not succeed');
  });

  it('makes one bulk request of several reads', async () => {
    const since = fleet.ledger.entries().at(-1)?.seq ?? 0;
    const requests = [
      { method: 'GET', path: '/api/system/device/status' },
      { method: 'GET', path: '/api/wireguard/config' },
    ];
    const { results } = await fanOut({ selector: 'name:d-5', requests });
    expect((results[0]!.body as { data: unknown[] }).data).toHaveLength(2);
    const sent = fleet.ledger.entries({ device: 5, since }).map(({ method, path }) => `${method} ${path}`);
    expect(sent).toEqual(['POST /api/bulk']);
  });

  it.each(['text/event-stream', 'text/event-stream;q=0.9'])('refuses %s, and calls no device', async (accept) => {
    const before = fleet.ledger.entries().length;
    for (const path of ['/v1/fan-out', '/v1/fan-outs']) {
      const answer = await send(path, { selector: 'name:d-1', request: STATUS }, { accept });
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([406, 'not_acceptable']);
    }
    expect(fleet.ledger.entries()).toHaveLength(before);
  });

  it('is lines for a caller that also takes other types', async () => {
    const accept = 'text/event-stream, */*';
    expect((await fanOut({ selector: 'name:d-1', request: STATUS }, { accept })).type).toBe('application/x-ndjson');
  });

  it('stops when its reader leaves', async () => {
    for (const device of fleet.devices) device.faults.add({ kind: 'latency', path: '/api/ntp*', ms: 60_000 });
    const since = fleet.ledger.entries().at(-1)?.seq ?? 0;
    const leave = new AbortController();
    const sent = fetch(`${world.url}/v1/fan-out`, {
      method: 'POST',
      signal: leave.signal,
      headers: { authorization: `Bearer ${world.keys.operator}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        selector: 'tag:f',
        request: { method: 'GET', path: '/api/ntp/config' },
        policy: { concurrency: 2 },
      }),
    });
    await until(() => fleet.ledger.entries({ since, path: '/api/ntp' }).length >= 2);
    leave.abort();
    await expect(sent.then((answer) => answer.text())).rejects.toThrow(/abort/i);
    // The two calls under way are given up, so their devices are free again at once, and no third one is called.
    for (const device of fleet.devices) device.faults.clear();
    await fanOut({ selector: 'tag:f', request: STATUS });
    expect(fleet.ledger.entries({ since, path: '/api/ntp' })).toHaveLength(2);
  });

  it.each([
    ['a selector that cannot be read', { selector: 'tag:', request: STATUS }, 400, 'invalid_selector'],
    ['no request', { selector: 'all' }, 400, 'invalid_input'],
    ['a path that is none', { selector: 'all', request: { method: 'GET', path: '/api/../x' } }, 400, 'path_refused'],
    [
      'a bulk request among several',
      { selector: 'tag:f', requests: [STATUS, { method: 'GET', path: '/api/v1/bulk' }] },
      400,
      'path_refused',
    ],
    ['a login', { selector: 'all', request: { method: 'GET', path: '/api/login' } }, 400, 'path_refused'],
    [
      'a write without a key',
      { selector: 'tag:f', request: { method: 'POST', path: '/api/system/actions/reboot' } },
      400,
      'idempotency_key_required',
    ],
  ])('refuses %s and calls no device', async (_what, body, status, code) => {
    const before = fleet.ledger.entries().length;
    const { status: got, lines } = await fanOut(body);
    expect({ status: got, code: (lines[0] as unknown as { code: string }).code }).toEqual({ status, code });
    expect(fleet.ledger.entries()).toHaveLength(before);
  });

  it('is for viewers as long as it reads', async () => {
    expect((await fanOut({ selector: 'all', request: STATUS }, {}, 'viewer')).status).toBe(200);
    const write = { selector: 'all', request: { ...STATUS, method: 'DELETE' } };
    expect((await fanOut(write, { 'idempotency-key': 'a-viewer-writes' }, 'viewer')).status).toBe(403);
  });
});

describe('a fan-out that writes', () => {
  const create = (id: string) => ({
    selector: 'tag:f',
    request: { method: 'POST', path: '/api/wireguard/config', json: { data: { id } } },
  });
  const created = () => fleet.devices.map(({ index }) => fleet.ledger.summary(index).effects['create'] ?? 0);

  it('writes once for its key, whatever is sent again, and leaves an entry for each device', async () => {
    const before = created();
    const key = { 'idempotency-key': 'write-once-0001' };
    const first = await fanOut(create('wg_a'), key);
    expect(first.results.filter(({ outcome }) => outcome !== 'succeeded')).toEqual([]);
    expect(first.summary.counts).toMatchObject({ succeeded: DEVICES });
    const again = await fanOut(create('wg_a'), key);
    expect(again.replayed).toBe('true');
    expect(again.summary).toEqual(first.summary);
    expect(created()).toEqual(before.map((count) => count + 1));
    const entries = await db.query<{ device_id: string; outcome: string }>(
      `select device_id, outcome from audit_entry join audit_outcome on entry_id = id
        where action = 'device.call_write' and request_id = $1`,
      [first.requestId],
    );
    expect(entries.rows.map(({ outcome }) => outcome)).toEqual(Array(DEVICES).fill('succeeded'));
    expect(new Set(entries.rows.map(({ device_id }) => device_id)).size).toBe(DEVICES);
  });

  it('refuses the key for another request', async () => {
    await fanOut(create('wg_b'), { 'idempotency-key': 'write-once-0002' });
    const { status, lines } = await fanOut(create('wg_c'), { 'idempotency-key': 'write-once-0002' });
    expect({ status, code: (lines[0] as unknown as { code: string }).code }).toEqual({
      status: 422,
      code: 'idempotency_key_reused',
    });
  });

  const headersOf = (key: string) => ({ 'idempotency-key': key });
  const answerOf = (key: string) =>
    db
      .query<{ answer: Buffer | null }>('select sealed_answer as answer from idempotency_key where key = $1', [key])
      .then(({ rows }) => rows);

  it('calls no device and gives its key back when its reader left before it began', async () => {
    const before = created();
    const key = 'left-at-once-0001';
    await postAndLeave(world, 'lock table idempotency_key in access exclusive mode', {
      path: '/v1/fan-out',
      key: world.keys.operator,
      json: create('wg_left'),
      headers: headersOf(key),
    });
    // Until the first request has given the key back, the same key is refused as being in use.
    const again = await until(async () => {
      expect(created()).toEqual(before);
      const { summary } = await fanOut(create('wg_left'), headersOf(key));
      return (summary as typeof summary | undefined)?.counts;
    });
    expect(again).toMatchObject({ succeeded: DEVICES });
  });

  it('keeps its key when its reader left after devices were called', async () => {
    const body = { ...create('wg_late'), policy: { concurrency: 1 } };
    const key = 'left-later-0001';
    for (const device of fleet.devices) device.faults.add({ kind: 'latency', path: '/api/wireguard*', ms: 60_000 });
    const since = fleet.ledger.entries().at(-1)?.seq ?? 0;
    const leave = new AbortController();
    const sent = fetch(`${world.url}/v1/fan-out`, {
      method: 'POST',
      signal: leave.signal,
      headers: {
        authorization: `Bearer ${world.keys.operator}`,
        'content-type': 'application/json',
        ...headersOf(key),
      },
      body: JSON.stringify(body),
    });
    await until(() => fleet.ledger.entries({ since, path: '/api/wireguard' }).length > 0);
    leave.abort();
    await expect(sent.then((answer) => answer.text())).rejects.toThrow(/abort/i);
    await until(async () => (await answerOf(key))[0]?.answer);
    for (const device of fleet.devices) device.faults.clear();
    const again = await fanOut(body, headersOf(key));
    expect(again.replayed).toBe('true');
    expect(again.lines.at(-1)).toMatchObject({ type: 'broken_off' });
    expect(fleet.ledger.entries({ since, path: '/api/wireguard' })).toHaveLength(1);
  });

  it('gives a key back when the request was refused before anything was done', async () => {
    const key = { 'idempotency-key': 'write-once-0003' };
    expect((await fanOut({ ...create('wg_d'), selector: 'tag:' }, key)).status).toBe(400);
    expect((await fanOut(create('wg_d'), key)).status).toBe(200);
  });
});
