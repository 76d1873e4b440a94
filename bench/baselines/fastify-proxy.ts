/*
 * The baseline that a Node engineer would take first: Fastify with @fastify/http-proxy, a prefix and a pool of keep-alive
 * connections for each device, the token put in as a constant header. It knows no rights, sessions, metrics or audit.
 */
import httpProxy from '@fastify/http-proxy';
import { fastify } from 'fastify';
import { serveParent } from '../processes.js';
import { AUTHORIZATION, type BaselineSettings } from './settings.js';

await serveParent(async ({ devices }: BaselineSettings) => {
  const server = fastify();
  for (const { name, port } of devices) {
    await server.register(httpProxy, {
      upstream: `https://127.0.0.1:${port}`,
      prefix: `/v1/devices/name:${name}/api`,
      rewritePrefix: '/api',
      undici: { connect: { rejectUnauthorized: false } },
      replyOptions: { rewriteRequestHeaders: (_request, headers) => ({ ...headers, authorization: AUTHORIZATION }) },
    });
  }
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  return { ready: Number(new URL(url).port) };
});
