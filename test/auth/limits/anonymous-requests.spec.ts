import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { type FastifyReply } from 'fastify';
import { describe, expect, it } from 'vitest';
import { AnonymousRequests, PER_SOURCE_MAX } from '../../../src/auth/limits/anonymous-requests.js';

/* Where the most requests of `source` are in progress, one more from `next` is refused or not. */

const cases: [source: string, next: string, url: string, isRefused: boolean, busy?: string][] = [
  ['192.0.2.1', '192.0.2.1', '/docs', true],
  ['192.0.2.1', '192.0.2.1', '/openapi.json', true],
  ['192.0.2.1', '192.0.2.1', '/console/devices', true],
  ['192.0.2.1', '192.0.2.1', '/v1/login', false],
  ['192.0.2.1', '192.0.2.1', '/v1/oidc', false],
  ['192.0.2.1', '192.0.2.1', '/v1/oidc/corp/callback?code=1', false],
  ['192.0.2.1', '192.0.2.1', '/v1/invitations/accept', false],
  ['192.0.2.1', '192.0.2.1', '/v1/setup', false],
  ['192.0.2.1', '192.0.2.1', '/v1/login', true, '/v1/login'],
  ['192.0.2.1', '192.0.2.1', '/v1/oidc/corp/login', true, '/v1/login'],
  ['192.0.2.1', '192.0.2.1', '/docs', false, '/v1/login'],
  ['192.0.2.1', '192.0.2.1', '/console', false, '/v1/oidc/corp/login'],
  ['192.0.2.1', '192.0.2.1', '/docs', false, '/health/live'],
  ['192.0.2.1', '192.0.2.1', '/nothing/there', true],
  ['192.0.2.1', '192.0.2.1', '/healthy', true],
  ['192.0.2.1', '192.0.2.1', '/health/live', false],
  ['192.0.2.1', '192.0.2.1', '/health/ready?x', false],
  ['192.0.2.1', '192.0.2.2', '/docs', false],
  ['192.0.2.1', '::ffff:192.0.2.1', '/docs', true],
  ['2001:db8::1', '2001:db8::2', '/docs', true],
  ['2001:db8::1', '2001:db8:0:0:ffff::2', '/docs', true],
  ['2001:db8::1', '2001:db8:0:1::1', '/docs', false],
  ['unknown', 'unknown', '/docs', true],
];

describe('requests without a caller', () => {
  it.each(cases)('of %s at their limit: one from %s for %s is refused: %s', (source, next, url, isRefused, busy) => {
    const requests = new AnonymousRequests();
    const answer = () =>
      Object.assign(new EventEmitter(), { setTimeout: () => undefined }) as unknown as FastifyReply['raw'];
    const raws = Array.from({ length: PER_SOURCE_MAX }, () => {
      const raw = answer();
      requests.begin({ url: busy ?? '/docs', callerAddress: source }, { raw });
      return raw;
    });
    const more = () => requests.begin({ url, callerAddress: next }, { raw: answer() });
    if (isRefused) expect(more).toThrow(expect.objectContaining({ code: 'too_many_requests_at_once' }));
    else expect(more).not.toThrow();
    raws[0]!.emit('prefinish');
    raws[0]!.emit('close');
    expect(more).not.toThrow();
    // It was given back once.
    if (isRefused) expect(more).toThrow(expect.objectContaining({ code: 'too_many_requests_at_once' }));
  });

  it('are not counted when their connection was closed before their body was complete', () => {
    const requests = new AnonymousRequests();
    const begin = (isClosed: boolean) => {
      const raw = Object.assign(new EventEmitter(), { closed: isClosed }) as unknown as FastifyReply['raw'];
      requests.begin({ url: '/v1/login', callerAddress: '192.0.2.1' }, { raw });
    };
    for (let i = 0; i < PER_SOURCE_MAX + 1; i++) begin(true);
    expect(() => begin(false)).not.toThrow();
  });

  it('that do not read their answers lose their connections', async () => {
    const requests = new AnonymousRequests(100);
    const body = Buffer.alloc(50_000_000);
    const server = createServer((_request, raw) => {
      requests.begin({ url: '/docs', callerAddress: '127.0.0.1' }, { raw });
      raw.end(body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
      .on('error', () => undefined)
      .pause();
    const [served] = (await Promise.all([
      once(server, 'connection'),
      once(socket, 'connect').then(() => socket.write('GET /docs HTTP/1.1\r\nhost: gateway\r\n\r\n')),
    ])) as unknown as [[Socket]];
    await once(served[0], 'close');
    expect(socket.bytesRead).toBeLessThan(body.length);
    socket.destroy();
    server.close();
  });
});
