import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { readFile } from 'node:fs/promises';
import { ownPrefix } from './platform/addresses/own-address.js';
import { CONFIG, type GatewayConfig } from './platform/config.js';
import { PreparedAnswer } from './openapi/prepared-answer.js';
import { NONCE_PLACE, scriptNonce } from './openapi/script-nonce.js';

/*
 * Serves the console: static files below /console, all on the public API. Every address that is no file is a screen, so it gets
 * the page. A missing chunk is 404: a page in its place would be run as a script.
 */

/** Where `scripts/ensure.mjs` builds it; the tests, which are compiled beside, use the same build. */
const FILES = fileURLToPath(new URL('../../dist/console/', import.meta.url));

/** Only own files, and connections only to this gateway. Scripts cannot write markup (trusted types). */
const policyFor = (scripts: string): string =>
  `default-src 'none'; script-src ${scripts}; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

const YEAR_MS = 365 * 86_400_000;

/** Adds the console, and leads `/` to it. Without a build of the console, its addresses are not found. */
export async function serveConsole(app: NestFastifyApplication): Promise<void> {
  const server: FastifyInstance = app.getHttpAdapter().getInstance();
  server.get('/', { config: { page: 'Leads to the console' } }, (_request, reply) => reply.redirect('/console/', 302));
  if (!existsSync(FILES)) return;
  const config = { page: 'The console, and its files' };
  // The build names files from where it is. A screen's address may be deeper, so the page gets whole paths.
  const place = `${ownPrefix(app.get<GatewayConfig>(CONFIG))}/console/`;
  const page = readFileSync(path.join(FILES, 'index.html'), 'utf8').replaceAll('="./', `="${place}`);
  const files = consoleFiles(FILES);
  const serve = (request: FastifyRequest, reply: FastifyReply) => serveFile(request, reply, page, files);
  server.get('/console', { config }, serve); // the router takes /console/ for the same address
  server.get('/console/*', { config }, serve);
}

async function serveFile(
  request: FastifyRequest,
  reply: FastifyReply,
  page: string,
  files: ReadonlyMap<string, PreparedAnswer>,
): Promise<FastifyReply> {
  const { '*': name = '' } = request.params as { '*'?: string };
  const { nonce, sources } = scriptNonce();
  void reply.header('content-security-policy', policyFor(sources));
  const file = files.get(name);
  if (name.startsWith('assets/')) {
    if (file === undefined) {
      reply.callNotFound();
      return reply;
    }
    return file.send(request, reply, `public, max-age=${YEAR_MS / 1000}, immutable`);
  }
  if (file) return file.send(request, reply);
  void reply.header('cache-control', 'no-cache');
  return reply.type('text/html; charset=utf-8').send(page.replaceAll(NONCE_PLACE, nonce));
}

/*
 * The files of the console, as the build left them: some 60, together 2.4 MB with their compressed forms. Each is read when it is
 * first asked for, and kept. So callers who do not read hold no file and no place, only their connection.
 */

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** @returns the files below a folder by their path, such as `assets/index.js`; compressed forms are answers of the same file */
function consoleFiles(folder: string): ReadonlyMap<string, PreparedAnswer> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const names = new Set(paths.map((name) => name.replaceAll(path.sep, '/')));
  const read = (name: string) => () => readFile(path.join(folder, name));
  return new Map(
    [...names].flatMap((name) => {
      const type = TYPES[path.extname(name)];
      if (type === undefined) return [];
      const compressed = {
        ...(names.has(`${name}.br`) ? { br: read(`${name}.br`) } : {}),
        ...(names.has(`${name}.gz`) ? { gzip: read(`${name}.gz`) } : {}),
      };
      return [[name, new PreparedAnswer(type, read(name), compressed)] as const];
    }),
  );
}
