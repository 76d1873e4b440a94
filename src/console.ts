import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

/*
 * Serves the console: static files below /console, all on the public API. Every address that is no file is a screen, so it gets
 * the page. A missing chunk is 404: a page in its place would be run as a script.
 */

/** Where `scripts/ensure.mjs` builds it; the tests, which are compiled beside, use the same build. */
const FILES = fileURLToPath(new URL('../../dist/console/', import.meta.url));

/** Only own files, and connections only to this gateway. Scripts cannot write markup (trusted types). */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/** Files of the page with names that stay the same. */
const NAMED = new Set(['theme.js', 'icon.svg']);

const YEAR_MS = 365 * 86_400_000;

/** Adds the console, and leads `/` to it. Without a build of the console, its addresses are not found. */
export async function serveConsole(app: NestFastifyApplication): Promise<void> {
  const server: FastifyInstance = app.getHttpAdapter().getInstance();
  server.get('/', (_request, reply) => reply.redirect('/console/', 302));
  if (!existsSync(FILES)) return;
  await server.register(async (scope) => {
    await scope.register(fastifyStatic, { root: FILES, serve: false, preCompressed: true, cacheControl: false });
    scope.get('/console', serveFile); // the router takes /console/ for the same address
    scope.get('/console/*', serveFile);
  });
}

function serveFile(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { '*': file = '' } = request.params as { '*'?: string };
  void reply.header('content-security-policy', POLICY);
  if (file.startsWith('assets/')) {
    void reply.header('cache-control', `public, max-age=${YEAR_MS / 1000}, immutable`);
    return reply.sendFile(file);
  }
  void reply.header('cache-control', 'no-cache');
  return reply.sendFile(NAMED.has(file) ? file : 'index.html');
}
