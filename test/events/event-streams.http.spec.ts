import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { DataSource } from 'typeorm';
import { Authors } from '../../src/auth/keys/authors.service.js';
import { EventLog } from '../../src/events/event-log.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addKey, addPerson, type PersonsKey } from '../support/people.js';
import { until } from '../support/until.js';

/* Many who wait for events cost the database one look at them, and one operator does not take more than a share of streams. */

const STREAMS_OF_AN_OPERATOR = 20;

let world: TestGateway;
let north: PersonsKey;
let named = 0;
const open: Stream[] = [];

interface Stream {
  readonly names: string[];
  /** Of each event, such as `lock:<id>`. */
  readonly subjects: string[];
  readonly status: number;
  readonly body: unknown;
  /** Of the server; null while it goes on. */
  readonly ending: string | null;
  close(): void;
}

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  north = await addPerson(world, 'Nora', [{ role: 'viewer', selector: 'site:north' }]);
});
afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
  vi.restoreAllMocks();
});
afterAll(() => world.close());

/** Follows events; resolves with the first line, when the stream has begun. */
async function follow(key: string, path = '/v1/events?types=device.registered', after?: string): Promise<Stream> {
  const ending = new AbortController();
  const answer = await fetch(world.url + path, {
    headers: { authorization: `Bearer ${key}`, ...(after === undefined ? {} : { 'last-event-id': after }) },
    signal: ending.signal,
  });
  const names: string[] = [];
  const subjects: string[] = [];
  const about = { names, subjects, status: answer.status, close: () => ending.abort() };
  if (answer.status !== 200) return { ...about, ending: 'refused', body: await answer.json() };
  const stream = { ...about, ending: null as string | null, body: null };
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  await reader.read();
  void readAll(reader, stream).then((how) => (stream.ending = how));
  open.push(stream);
  return stream;
}

/** Notes each event. @returns how the stream ended */
async function readAll(reader: ReadableStreamDefaultReader<string>, { names, subjects }: Stream): Promise<string> {
  for (let text = ''; ;) {
    const { done, value } = await reader.read().catch((error: unknown) => ({ done: true, value: String(error) }));
    if (done) return value ?? 'at its end';
    text += value;
    const parts = text.split('\n\n');
    text = parts.pop()!;
    for (const part of parts) {
      const data = /^data: (.*)$/m.exec(part)?.[1];
      // Entries of the audit have another form, and no name.
      const event = JSON.parse(data ?? '{}') as { data?: { name: string }; subject: string };
      if (!event.data) continue;
      names.push(event.data.name);
      subjects.push(event.subject);
    }
  }
}

/** Each stream has the event of a device. A stream that ended will never have it. */
const untilTold = (name: string, ...streams: readonly Stream[]) =>
  until(() => {
    const ended = streams.find(({ ending }) => ending !== null);
    if (ended) throw new Error(`A stream ended before the event of ${name}: ${ended.ending}`);
    return streams.every(({ names }) => names.includes(name));
  });

/** Registers a device whose event is over for streams that begin now: an older transaction anywhere on the server holds events up. */
async function registerBefore(site: string): Promise<string> {
  const witness = await follow(world.keys.viewer);
  const name = await register(site);
  await untilTold(name, witness);
  witness.close();
  return name;
}

async function register(site: string): Promise<string> {
  const name = `device-${++named}`;
  await world.api.post('/v1/devices', { name, site, baseUrl: `https://${name}.example` });
  return name;
}

describe('what changed on a device', () => {
  it('is named for the paths that the reader may read there, not on another device', async () => {
    const role = (name: string, devices: object | null) =>
      world.api.send('PUT', `/v1/roles/${name}`, {
        rules: [
          { effect: 'allow', permissions: ['device.read', 'observed.read'] },
          { effect: 'allow', permissions: ['device.call_read'], ...(devices && { devices }) },
        ],
      });
    await role('reads-all', null);
    await role('reads-network', { api: { '/network/*': ['read'] } });
    const [inA, inB] = [await register('a/x'), await register('b/x')];
    const { operatorId } = await addPerson(world, 'Pat', [
      { role: 'reads-all', selector: 'site:a/*' },
      { role: 'reads-network', selector: 'site:b/*' },
    ]);
    const paths = ['/api/network/config', '/api/users/config'];
    const { app } = world.gateway;
    const log = app.get(EventLog);
    const from = { tx: '0', id: '0' };
    const filter = { types: ['observed.changed'], operatorId };
    const db = app.get(DataSource);
    await db.query(
      `insert into event (type, subject, device_id, data)
       select 'observed.changed', 'device:' || id, id, jsonb_build_object('name', name, 'changes', $2::jsonb)
         from device where name = any ($1::text[])`,
      [[inA, inB], JSON.stringify(paths.map((path) => ({ path, options: [] })))],
    );
    const rights = (await app.get(Authors).rightsOf({ operatorId, createdBy: null }))!;
    const seen = await until(async () => {
      const events = await log.after(from, { ...filter, rights }, 10);
      return events.length === 2 && events.map(({ data }) => data as { name: string; changes: { path: string }[] });
    });
    const byName = new Map(seen.map(({ name, changes }) => [name, changes.map(({ path }) => path)]));
    expect(byName.get(inA)).toEqual(paths);
    expect(byName.get(inB)).toEqual(paths.slice(0, 1));
  });
});

describe('streams of events', () => {
  it('share one look at the table while they wait, and each gets what its reader may see, once and in order', async () => {
    const first = await registerBefore('north');
    const keys = [world.keys.viewer, world.keys.operator, north.key];
    const streams = await Promise.all(keys.flatMap((key) => Array.from({ length: 10 }, () => follow(key))));
    const [all, narrow] = [streams.slice(0, 20), streams.slice(20)];
    const begun = await register('north');
    await untilTold(begun, ...streams);

    const names: string[] = [];
    for (const site of ['north', 'south', 'south', 'north']) {
      const name = await register(site);
      names.push(name);
      await untilTold(name, ...all);
    }
    await untilTold(names[3]!, ...narrow);
    for (const stream of all) expect(stream.names).toEqual([begun, ...names]);
    for (const stream of narrow) expect(stream.names).toEqual([begun, names[0], names[3]]);
    expect(streams[0]!.names).not.toContain(first);

    const query = vi.spyOn(world.gateway.app.get(DataSource), 'query');
    const asked = () => query.mock.calls.filter(([sql]) => /\bfrom event\b/.test(sql)).map(([sql]) => sql);
    // A slow stream may still read what it was told of. Then all of them wait, by one look.
    await until(() => {
      if (asked().some((sql) => !sql.includes('exists (select from event'))) query.mockClear();
      return asked().length >= 3;
    });
  });

  it('begin again after the last event, also while others follow', async () => {
    await follow(world.keys.viewer);
    const names = [await register('north'), await registerBefore('north')];
    const late = await follow(world.keys.viewer, '/v1/events?types=device.registered');
    expect(late.names).toEqual([]);
    const answer = await fetch(`${world.url}/v1/events?types=device.registered`, {
      headers: { authorization: `Bearer ${world.keys.viewer}`, 'last-event-id': '0.0' },
    });
    let text = '';
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (names.every((name) => text.includes(`"${name}"`))) break;
    }
    expect(text.indexOf(names[0]!)).toBeLessThan(text.indexOf(names[1]!));
  });

  it.each(['/v1/events', '/v1/audit/stream'])('of one operator are limited, whatever the key: %s', async (path) => {
    const person = await addPerson(world, 'Frida', [{ role: 'administrator' }]);
    const keys = [person.key];
    for (const scope of [{}, { permissions: ['device.read', 'audit.read'] }, {}]) {
      keys.push((await addKey(world, person.operatorId, scope)).key);
    }
    const streams = await Promise.all(
      Array.from({ length: STREAMS_OF_AN_OPERATOR }, (_none, index) => follow(keys[index % 3]!)),
    );
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    for (const key of keys) {
      const more = await follow(key, path);
      expect(more).toMatchObject({ status: 429, body: { code: 'too_many_streams', limit: STREAMS_OF_AN_OPERATOR } });
    }
    const other = await addPerson(world, 'Frank', [{ role: 'administrator' }]);
    expect((await follow(other.key, path)).status).toBe(200);
    streams[0]!.close();
    await until(async () => (await follow(keys[3]!, path)).status === 200);
  });
});

describe('events of locks, approvals and fan-outs', () => {
  const PATH = '/v1/events?types=lock.*,approval.*,fanout.*,device.registered';
  const deviceOf = async (site: string) => {
    const name = await register(site);
    return (await world.api.get<{ id: string }>(`/v1/devices/name:${name}`)).id;
  };
  const lockOf = (kind: string, target: string) =>
    world.api.post<{ id: string }>('/v1/locks', { kind, target, reason: 'for events' });
  async function askFor(deviceIds: string[], requestedBy: string): Promise<void> {
    await world.gateway.app.get(DataSource).query(
      `insert into approval (id, action, digest, summary, devices, device_ids, requested_by, requested_by_name, requested_at, expires_at)
       values (gen_random_uuid(), 'device.call_write', sha256($1::text::bytea), '{}', cardinality($2::uuid[]), $2, $3, 'x', now(), now() + '1 hour')`,
      [`request ${++named}`, deviceIds, requestedBy],
    );
  }
  /** Its devices have no credentials, so it ends at once. */
  const fanOutOver = (...deviceIds: string[]) =>
    world.api.send(
      'POST',
      '/v1/fan-outs',
      {
        selector: deviceIds.map((id) => `id:${id}`).join(' | '),
        request: { method: 'GET', path: '/api/system/device/status' },
      },
      { 'idempotency-key': `fan-out-of-events-${++named}` },
    );
  const listed = async (path: string) =>
    (await watcher.api.get<{ items: { id: string }[] }>(path)).items.map(({ id }) => id);
  let watcher: PersonsKey;

  it('come to those who see them in the lists, as they happen and when they are read later', async () => {
    await world.api.send('PUT', '/v1/roles/watch-of-north', {
      rules: [
        { effect: 'allow', permissions: ['lock.read', 'approval.read', 'device.call_read'] },
        { effect: 'allow', permissions: ['device.read'], selector: 'site:north' },
      ],
    });
    watcher = await addPerson(world, 'Wes', [{ role: 'watch-of-north' }]);
    const { operatorId: other } = await addPerson(world, 'Xia', [{ role: 'viewer' }]);
    const [northern, southern] = [await deviceOf('north'), await deviceOf('south')];
    const live = await follow(watcher.key, PATH);
    const all = await follow(world.keys.administrator, PATH);
    await fanOutOver(southern);
    await fanOutOver(northern);
    await fanOutOver(southern, northern);
    const locks = [
      await lockOf('device', northern),
      await lockOf('device', southern),
      await lockOf('selector', 'site:nowhere'),
      await lockOf('operator', other),
    ];
    await askFor([northern], other);
    await askFor([southern], other);
    await askFor([southern, northern], other);
    await askFor([southern], watcher.operatorId);
    await askFor(['6f9619ff-8b86-4d01-b42d-00cf4fc964ff'], other);
    for (const { id } of locks) await world.api.send('DELETE', `/v1/locks/${id}`);
    const last = await register('north');
    await untilTold(last, live, all);
    const later = await follow(watcher.key, PATH, '0.0');
    await untilTold(last, later);

    const seen = [
      ...(await listed('/v1/locks?all=true')).map((id) => `lock:${id}`),
      ...(await listed('/v1/approvals')).map((id) => `approval:${id}`),
      ...(await listed('/v1/fan-outs')).map((id) => `fanout:${id}`),
    ].toSorted();
    expect(seen).toHaveLength(3 + 3 + 2);
    const noted = (stream: Stream) =>
      [...new Set(stream.subjects.filter((subject) => !subject.startsWith('device:')))].toSorted();
    expect(noted(live)).toEqual(seen);
    expect(noted(later)).toEqual(seen);
    expect(noted(all)).toHaveLength(4 + 5 + 3);
    expect(live.subjects.filter((subject) => subject.startsWith('lock:'))).toHaveLength(3 * 2); // set and lifted
  });
});
