import { randomUUID } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import { type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { type ArgumentsHost, Catch, type ExceptionFilter, NotFoundException } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type FastifyContextConfig, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { utf8Text } from '../device-api/json-bytes.js';
import { type ActorWithRights } from '../platform/actor.js';
import { endWithProblem, refuseClient, SECURITY_HEADERS, STREAM_HEADERS } from './bare-answer.js';
import { requestBodyOf, requireBodyInTime, watchBodies } from './body-watch.js';
import { foreignPrefix, ownPath, ownPrefix, withoutPrefix } from '../platform/addresses/own-address.js';
import { callerAddressReader } from './caller-address.js';
import { type GatewayConfig } from '../platform/config.js';
import { type EndpointInfo } from './endpoint.js';
import { isKnownTag } from './etag.js';
import { AppError, type ErrorCode } from '../platform/errors.js';
import { errorFields } from '../platform/log.js';
import { type Metrics } from '../platform/metrics.js';
import { toAppError, toProblem } from './problem.js';
import { malformation } from './request-rules.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, identified before the body is read. */
    actor?: ActorWithRights;
    /** Set for requests of the passthrough and the façade, which replace the hooks below with their own code. */
    readonly isPassthrough?: true;
    /** Where the request came from, through trusted proxies; one text for all that have no readable address. */
    readonly callerAddress: string;
  }
  interface FastifyContextConfig {
    /** The declaration of the route; absent on plain routes, which do without the hooks. */
    endpoint?: EndpointInfo;
    /** Whether the handler reads the body itself, after its own check of the caller. */
    readsBody?: true;
    /** What a plain route without a key shows: pages and files. Every route has this, or an endpoint, or calls a device. */
    page?: string;
    /** Whether the route passes calls to a device; it authenticates the caller itself. */
    callsDevice?: true;
  }
}

/** A streamed answer has up to ten listeners: of the route, its limits, its end with a lock, Fastify and the stream. More are a leak. */
const LISTENERS_OF_STREAM_MAX = 20;

/** The address by which a request is routed. */
export type RewriteUrl = (request: Pick<IncomingMessage, 'url' | 'headers'>) => string;

/** Other ids of callers are replaced, so that no odd characters reach logs and devices. */
const REQUEST_ID = /^[A-Za-z0-9._-]{8,128}$/;

/** When operators use https, browsers must use nothing else for two years. */
const ONLY_HTTPS = { 'strict-transport-security': 'max-age=63072000; includeSubDomains' } as const;

/**
 * Creates the HTTP server under Nest: request ids, limits, security headers, request metrics, and problem documents for
 * requests that reach no route.
 * @param rewriteUrl absent: a request is routed by its own address, without the path of PUBLIC_URL
 */
export function createHttpServer(
  config: GatewayConfig,
  log: Logger,
  metrics: Metrics,
  rewriteUrl?: RewriteUrl,
): FastifyAdapter {
  const rewrite = withoutOwnPrefix(config, rewriteUrl);
  const adapter = new FastifyAdapter({
    bodyLimit: config.BODY_LIMIT_BYTES,
    // For X-Forwarded-Proto and X-Forwarded-Host. `callerAddress` reads X-Forwarded-For, in more forms than the framework.
    trustProxy: config.TRUSTED_PROXIES.length > 0 ? config.TRUSTED_PROXIES : false,
    requestIdHeader: false,
    genReqId: (request: IncomingMessage) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    },
    ...(rewrite ? { rewriteUrl: rewrite } : {}),
    routerOptions: { maxParamLength: 4096, ignoreTrailingSlash: true },
    http: { requireHostHeader: false }, // Node's own answer is no problem document; `malformation` requires the header instead
    clientErrorHandler: refuseClient,
    connectionTimeout: 0, // uploads and long answers have their own deadlines
    requestTimeout: 0,
    keepAliveTimeout: 72_000, // longer than the 60 s of common load balancers, so that they close first
    forceCloseConnections: 'idle',
    exposeHeadRoutes: true,
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => sendProblem(error, request, reply),
  });
  const server: FastifyInstance = adapter.getInstance();
  watchBodies(server.server, {
    withinMs: config.BODY_WITHIN_SECONDS * 1_000,
    bytesPerSecond: config.BODY_BYTES_PER_SECOND,
  });
  server.server.on('connect', (_request, socket) =>
    endWithProblem(socket as Socket, new AppError('malformed_request', { method: 'CONNECT' })),
  );
  server.decorateRequest('actor', undefined);
  const addressOf = callerAddressReader(config.TRUSTED_PROXIES);
  server.decorateRequest('callerAddress', {
    getter() {
      return addressOf(this.raw);
    },
  });
  addHooks(server, config, log, metrics);
  addBodyParsers(server);
  limitAnonymousBodies(server, config);
  collectRoutes(server);
  addOwnPrefix(server, config);
  server.decorate('problemLog', log);
  return adapter;
}

function withoutOwnPrefix(config: GatewayConfig, first?: RewriteUrl): RewriteUrl | undefined {
  const prefix = ownPrefix(config);
  if (prefix === '') return first;
  return (request) => withoutPrefix(first?.(request) ?? request.url ?? '/', prefix);
}

/** To problems, and to the `Location` of answers. Answers of devices keep theirs: they are written past the hooks. */
function addOwnPrefix(server: FastifyInstance, config: GatewayConfig): void {
  const prefix = ownPrefix(config);
  server.decorate('ownPrefix', prefix);
  if (prefix === '') return;
  server.addHook('onSend', (_request, reply, payload, done) => {
    const location = reply.getHeader('location');
    if (typeof location === 'string') void reply.header('location', ownPath(location, prefix));
    done(null, payload);
  });
}

function addHooks(server: FastifyInstance, config: GatewayConfig, log: Logger, metrics: Metrics): void {
  const headers = { ...SECURITY_HEADERS, ...(config.PUBLIC_URL?.startsWith('https:') ? ONLY_HTTPS : {}) };
  server.addHook('onRequest', (request, reply, done) => {
    if (!request.isPassthrough) void reply.headers({ 'x-request-id': request.id, ...headers });
    const refusal = malformation(request.raw);
    if (refusal) {
      void reply.header('connection', 'close'); // the end of its body is uncertain
      done(refusal);
    } else if (config.ROLE === 'worker' && (config.PROCESSES ?? 1) === 1 && !WORKER_PATHS.test(request.url))
      done(new AppError('route_not_found'));
    else if (request.is404) done(new NotFoundException());
    else done();
  });
  server.addHook('preParsing', (request, _reply, payload, done) => {
    const { endpoint, readsBody } = request.routeOptions.config;
    if (!readsBody) requestBodyOf(request.raw);
    if (!request.isPassthrough && !endpoint?.takesFile) requireBodyInTime(request.raw);
    done(null, payload);
  });
  server.addHook('onSend', (request, reply, payload, done) => {
    if (payload instanceof Readable) reply.raw.setMaxListeners(LISTENERS_OF_STREAM_MAX);
    if (request.isPassthrough || !isUnchanged(request, reply)) {
      if (payload instanceof Readable && !reply.hasHeader('content-length')) void reply.headers(STREAM_HEADERS);
      done(null, payload);
      return;
    }
    if (payload instanceof Readable) payload.destroy();
    void reply.status(304).removeHeader('content-length');
    done(null, null);
  });
  server.addHook('onResponse', (request, reply, done) => {
    if (!request.isPassthrough) {
      const route = request.routeOptions.url ?? 'none';
      recordAnswer(request, { route, status: reply.statusCode, ms: reply.elapsedTime }, metrics, log);
    }
    done();
  });
}

/** Whether the caller of a read already has this version. */
function isUnchanged({ method, headers }: FastifyRequest, reply: FastifyReply): boolean {
  const tag = reply.getHeader('etag');
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && reply.statusCode === 200 && typeof tag === 'string' && isKnownTag(headers['if-none-match'], tag);
}

/** Counts an answered request. At level `debug` it also logs it. */
export function recordAnswer(
  { id, method }: Pick<FastifyRequest, 'id' | 'method'>,
  { route, status, ms }: { readonly route: string; readonly status: number; readonly ms: number },
  metrics: Metrics,
  log: Logger,
): void {
  metrics.observeRequest(method, route, status, ms);
  if (!log.isLevelEnabled('debug')) return;
  log.debug({ requestId: id, method, route, status, ms: Math.round(ms) }, 'answered');
}

const WORKER_PATHS = /^\/(health|metrics)(\/|\?|$)/;

/** Content types of files, which the route reads as a stream. */
const FILES = ['text/csv', 'application/x-ndjson', 'application/octet-stream', 'multipart/form-data'];

/** JSON, a file or nothing. An empty body counts as nothing, whatever its content type. */
function addBodyParsers(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    const finish = (error: Error | null, value?: unknown) =>
      error ? done(new AppError('invalid_json', {}, { cause: error })) : done(null, value);
    let text: string;
    try {
      text = utf8Text(body as Buffer);
    } catch (error) {
      return finish(error as Error);
    }
    void parse(request, text, finish);
  });
  server.addContentTypeParser(FILES, (request, body, done) => {
    if (request.routeOptions.config.endpoint?.takesFile) done(null, body);
    else done(new AppError('unsupported_media_type'));
  });
}

type ProblemListener = (code: ErrorCode, request: FastifyRequest) => void;

const problemListeners = new WeakMap<object, ProblemListener[]>();

/** Calls `listener` for each error of the gateway's own in an answer: one for a request, or one for each refused item. */
export function onProblem(server: FastifyInstance, listener: ProblemListener): void {
  problemListeners.set(server.server, [...(problemListeners.get(server.server) ?? []), listener]);
}

/** For routes that write errors in another form than a problem document. */
export function reportProblem(code: ErrorCode, request: FastifyRequest): void {
  for (const listener of problemListeners.get(request.server.server) ?? []) listener(code, request);
}

/** Writes an error as its problem document, and its cause into the log. */
export function sendProblem(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  let error = toAppError(thrown);
  if (error.code === 'route_not_found' && request.is404 && !(thrown instanceof AppError)) {
    const methods = allowedMethods(request);
    // A route that takes the method may still find nothing, such as one for files. Then another method would not help.
    const isAllowed = methods.includes(request.method);
    const prefix = foreignPrefix(request.url);
    if (methods.length > 0 && !isAllowed) error = new AppError('method_not_allowed', { allow: methods });
    else if (prefix !== null) error = new AppError('route_not_found', { prefix }, { cause: thrown });
  }
  if (error.code === 'body_too_large' && error.facts['limitBytes'] === undefined) {
    error = new AppError('body_too_large', { limitBytes: request.routeOptions.bodyLimit }, { cause: thrown });
  }
  const { problemLog: log, ownPrefix: prefix } = request.server as unknown as { problemLog: Logger; ownPrefix: string };
  if (error.status >= 500) {
    const level = error.code === 'internal_error' ? 'error' : 'info';
    log[level](
      { requestId: request.id, ...errorFields(error.code === 'internal_error' ? thrown : error), code: error.code },
      'A request failed',
    );
  }
  reportProblem(error.code, request);
  if (reply.sent) return;
  const retryAfter = error.facts['retryAfterSeconds'];
  if (typeof retryAfter === 'number') void reply.header('retry-after', String(retryAfter));
  if (error.code === 'unauthenticated') void reply.header('www-authenticate', 'Bearer realm="fleetgate"');
  if (error.code === 'method_not_allowed') void reply.header('allow', (error.facts['allow'] as string[]).join(', '));
  // The headers again, for refusals before any hook ran.
  void reply
    .headers({ 'x-request-id': request.id, ...SECURITY_HEADERS })
    .status(error.status)
    .type('application/problem+json')
    .send(JSON.stringify(toProblem(error, request.id, prefix)));
}

interface DeclaredRoute {
  readonly url: string;
  readonly method: string;
  readonly pattern: RegExp;
  readonly config: FastifyContextConfig;
}

const routes = new WeakMap<object, DeclaredRoute[]>();

/** All declared routes, Nest's and plain ones. */
export function declaredRoutes(server: FastifyInstance): readonly DeclaredRoute[] {
  return routes.get(server.server) ?? [];
}

/** Many callers without a key may send bodies at once: 16 kB hold a name and a password of 512 characters in any spelling. */
const ANONYMOUS_BODY_MAX = 16 * 1024;

function limitAnonymousBodies(server: FastifyInstance, { BODY_LIMIT_BYTES }: GatewayConfig): void {
  server.addHook('onRoute', (route) => {
    if (route.config?.endpoint?.permission !== 'anonymous') return;
    route.bodyLimit = Math.min(BODY_LIMIT_BYTES, ANONYMOUS_BODY_MAX);
  });
}

/** Collects the routes as they are declared, to tell a wrong method from a wrong address. */
function collectRoutes(server: FastifyInstance): void {
  const known: DeclaredRoute[] = [];
  routes.set(server.server, known);
  server.addHook('onRoute', ({ url, method, config = {} }) => {
    const source = url
      .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll(/:\w+/g, '[^/]+')
      .replaceAll('*', '.*');
    for (const name of [method].flat()) known.push({ url, method: name, config, pattern: new RegExp(`^${source}/?$`) });
  });
}

function allowedMethods(request: FastifyRequest): string[] {
  const known = declaredRoutes(request.server);
  const path = request.url.split('?', 1)[0] ?? '';
  return [...new Set(known.filter((route) => route.pattern.test(path)).map((route) => route.method))].sort();
}

/** Answers every error of a route with a problem document; the cause goes only into the log. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendProblem(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }
}
