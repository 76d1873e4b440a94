import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FastifyInstance } from 'fastify';
import { declaredRoutes } from '../../src/http/http-server.js';
import { type ProxyWorld, startProxyWorld } from '../proxy/proxy-world.js';

/* Every answer that comes bit by bit says that no proxy may hold it back or compress it. */

/** What is no stream: short, or with a length. */
const WHOLE = new Set(['application/octet-stream', 'text/html', 'text/plain']);

interface RequestParts {
  readonly path?: string;
  readonly body?: object;
}

const CALL = { selector: 'all', request: { method: 'GET', path: '/api/system/device/status' } };

/** A request for each stream that a route declares. A new stream needs one here. */
const STREAMS: Readonly<Record<string, RequestParts>> = {
  'GET /v1/events text/event-stream': {},
  'GET /v1/audit/stream text/event-stream': {},
  'POST /v1/audit/verify application/x-ndjson': { body: {} },
  'POST /v1/audit/export application/x-ndjson': { body: {} },
  'POST /v1/fan-out application/x-ndjson': { body: CALL },
  'POST /v1/fan-outs application/x-ndjson': { body: { ...CALL, stream: true } },
  'GET /v1/devices/export application/x-ndjson': { path: '/v1/devices/export?format=ndjson' },
  'GET /v1/devices/export text/csv': { path: '/v1/devices/export?format=csv' },
  'GET /v1/devices/targets application/json': {},
  'GET /v1/observed/matrix application/x-ndjson': { path: '/v1/observed/matrix?path=/api/users/config&format=ndjson' },
  'GET /v1/observed/matrix text/csv': { path: '/v1/observed/matrix?path=/api/users/config&format=csv' },
  'GET /v1/metrics/devices application/openmetrics-text': {},
  'GET /v1/rollouts/:rolloutId/live text/event-stream': {},
  'GET /v1/rollouts/:rolloutId/report text/csv': { path: '/v1/rollouts/:rolloutId/report?format=csv' },
};

/** Further ones, of the same routes and of devices. */
const MORE: Readonly<Record<string, RequestParts>> = {
  'POST /v1/fan-out stored': { body: { ...CALL, keep: true } },
};

let proxy: ProxyWorld;
let rolloutId: string;

beforeAll(async () => {
  proxy = await startProxyWorld({ devices: 1, profile: 'rutos', timeScale: 200 });
  const { api } = proxy.world;
  ({ id: rolloutId } = await api.post<{ id: string }>('/v1/rollouts', {
    name: 'June',
    kind: 'backup',
    selector: 'all',
  }));
});
afterAll(() => proxy.close());

async function headOf(name: string, { path, body }: RequestParts): Promise<Headers> {
  const [method, address] = name.split(' ') as [string, string];
  const end = new AbortController();
  const answer = await fetch(proxy.world.url + (path ?? address).replace(':rolloutId', rolloutId), {
    method,
    headers: {
      authorization: `Bearer ${proxy.world.keys.administrator}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: end.signal,
  });
  expect([name, answer.status]).toEqual([name, 200]);
  end.abort();
  return answer.headers;
}

it('every declared stream has a request in the table', () => {
  const server: FastifyInstance = proxy.world.gateway.app.getHttpAdapter().getInstance();
  const declared = declaredRoutes(server)
    .filter(({ method }) => method !== 'HEAD')
    .flatMap(({ method, url, config }) =>
      Object.keys(config.endpoint?.produces ?? {})
        .filter((type) => !WHOLE.has(type))
        .map((type) => `${method} ${url} ${type}`),
    );
  expect(declared.sort()).toEqual(Object.keys(STREAMS).sort());
});

describe('no proxy holds back or compresses', () => {
  it.each(Object.entries({ ...STREAMS, ...MORE }))('%s', async (name, ask) => {
    const headers = await headOf(name, ask);
    expect(headers.get('x-accel-buffering')).toBe('no');
    expect(headers.get('cache-control')).toBe('no-store, no-transform');
  });

  it('an answer of a device without a length, and leaves one with a length alone', async () => {
    const streamed = await proxy.ask(0, 'GET', '/api/system/device/status');
    const isStreamed = streamed.headers['content-length'] === undefined;
    expect(streamed.headers['x-accel-buffering']).toBe(isStreamed ? 'no' : undefined);
    const whole = await fetch(`${proxy.world.url}/openapi.json`);
    expect(whole.headers.get('x-accel-buffering')).toBe(null);
  });
});
