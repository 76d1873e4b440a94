import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { DataSource } from 'typeorm';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addKey, addPerson, type PersonsKey } from '../support/people.js';
import { until } from '../support/until.js';

/* Many who follow events cost the database one reader, and one key does not take more than its share of streams. */

const STREAMS_OF_A_KEY = 20;

let world: TestGateway;
let north: PersonsKey;
let named = 0;
const open: Stream[] = [];

interface Stream {
  readonly names: string[];
  readonly status: number;
  readonly body: unknown;
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
async function follow(key: string, path = '/v1/events?types=device.registered'): Promise<Stream> {
  const ending = new AbortController();
  const answer = await fetch(world.url + path, {
    headers: { authorization: `Bearer ${key}` },
    signal: ending.signal,
  });
  const names: string[] = [];
  const close = () => ending.abort();
  if (answer.status !== 200) return { names, status: answer.status, body: await answer.json(), close };
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  await reader.read();
  void (async () => {
    for (let text = ''; ;) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      if (done) return;
      text += value;
      const parts = text.split('\n\n');
      text = parts.pop()!;
      for (const part of parts) {
        const data = /^data: (.*)$/m.exec(part)?.[1];
        // Entries of the audit have another form, and no name.
        const event = JSON.parse(data ?? '{}') as { data?: { name: string } };
        if (event.data) names.push(event.data.name);
      }
    }
  })();
  const stream = { names, status: answer.status, body: null, close };
  open.push(stream);
  return stream;
}

/** Registers a device whose event is over for streams that begin now: an older transaction anywhere on the server holds events up. */
async function registerBefore(site: string): Promise<string> {
  const witness = await follow(world.keys.viewer);
  const name = await register(site);
  await until(() => witness.names.includes(name));
  witness.close();
  return name;
}

async function register(site: string): Promise<string> {
  const name = `device-${++named}`;
  await world.api.post('/v1/devices', { name, site, baseUrl: `https://${name}.example` });
  return name;
}

describe('streams of events', () => {
  it('share one reader of the table, and each gets what its reader may see, once and in order', async () => {
    const first = await registerBefore('north');
    const keys = [world.keys.viewer, world.keys.operator, north.key];
    const streams = await Promise.all(keys.flatMap((key) => Array.from({ length: 10 }, () => follow(key))));
    const [all, narrow] = [streams.slice(0, 20), streams.slice(20)];
    const begun = await register('north');
    await until(() => streams.every(({ names }) => names.includes(begun)));

    const query = vi.spyOn(world.gateway.app.get(DataSource), 'query');
    const names: string[] = [];
    for (const site of ['north', 'south', 'south', 'north']) {
      const name = await register(site);
      names.push(name);
      await until(() => all.every((stream) => stream.names.includes(name)));
    }
    await until(() => narrow.every((stream) => stream.names.includes(names[3]!)));
    for (const stream of all) expect(stream.names).toEqual([begun, ...names]);
    for (const stream of narrow) expect(stream.names).toEqual([begun, names[0], names[3]]);
    expect(streams[0]!.names).not.toContain(first);

    const readings = query.mock.calls.filter(([sql]) => /\bfrom event\b/.test(sql) && /\border by event\.tx/.test(sql));
    expect(readings.length).toBeGreaterThan(0);
    // One that reads for itself asks what its reader may see.
    expect(readings.filter(([sql]) => sql.includes('left join device'))).toEqual([]);
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

  it.each(['/v1/events', '/v1/audit/stream'])('of one key are limited in number, those of %s too', async (path) => {
    const person = await addPerson(world, 'Frida', [{ role: 'administrator' }]);
    const streams = await Promise.all(Array.from({ length: STREAMS_OF_A_KEY }, () => follow(person.key)));
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    const more = await follow(person.key, path);
    expect(more).toMatchObject({ status: 429, body: { code: 'too_many_streams', limit: STREAMS_OF_A_KEY } });
    const other = await addKey(world, person.operatorId, {});
    expect((await follow(other.key, path)).status).toBe(200);
    streams[0]!.close();
    await until(async () => (await follow(person.key, path)).status === 200);
  });
});
