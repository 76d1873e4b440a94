/*
 * From a request to an answer, without any bytes: version, route, token, rights, query, and then the service. Bulk items go
 * the same way as single requests, so that they cannot differ.
 */
import {
  ACTION_OF_METHOD,
  bulkAnswer,
  METHODS,
  PATHS,
  VERSION_PREFIX,
  type DeviceMethod,
} from '../device-api/contract.js';
import type { SimulatedDevice } from './device/device.js';
import { ok, DeviceRefusal, refuse, type SimulatedAnswer, type SimulatedRequest } from './device/exchange.js';
import { openApiDocument } from './http/openapi.js';
import { LATEST_VERSION, SPEC_VERSIONS } from './device/profile.js';
import { answerAsRecorded, type RecordedAnswer } from './device/recording.js';
import { isRecord } from './http/request-data.js';
import { onGet, onPost, type Route } from './http/route.js';
import { answerConfiguration, configurationTarget, listQuery } from './services/configuration.js';
import { SERVICE_ROUTES } from './services/route-table.js';

const BULK: Route = onPost(PATHS.bulk, 'Several requests in one, answered in order', bulk, {
  answer: bulkAnswer,
  codes: [107, 114],
  effect: 'each item’s own',
});

const DOCUMENT: Route = onGet('/api/openapi.json', 'This document', (device, { version }) => ({
  status: 200,
  body: openApiDocument(device, ROUTES, version),
}));

const ROUTES: readonly Route[] = [...SERVICE_ROUTES, BULK, DOCUMENT];

type Methods = Partial<Record<string, Route>>;
const literal = new Map<string, Methods>();
const patterns: { matcher: RegExp; methods: Methods }[] = [];
for (const route of ROUTES) {
  if (!route.path.includes('{')) {
    literal.set(route.path, { ...literal.get(route.path), [route.method]: route });
    continue;
  }
  const source = `^${route.path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`;
  const known = patterns.find(({ matcher }) => matcher.source === new RegExp(source).source);
  if (known) known.methods[route.method] = route;
  else patterns.push({ matcher: new RegExp(source), methods: { [route.method]: route } });
}

export interface ResolvedRoute {
  readonly methods: Methods;
  readonly params: Readonly<Record<string, string>>;
}

const NO_PARAMS = {};

/** The fixed routes of a path; null when it has none, which leaves the configuration services. */
export function resolve(path: string): ResolvedRoute | null {
  const methods = literal.get(path);
  if (methods) return { methods, params: NO_PARAMS };
  for (const pattern of patterns) {
    const match = pattern.matcher.exec(path);
    if (match) return { methods: pattern.methods, params: { ...match.groups } };
  }
  return null;
}

/** The path that tables and rights know, or null when the device serves no such version. */
export function plainPath(device: SimulatedDevice, path: string): string | null {
  const trimmed = path.length > 1 ? withoutSlashes(path) : path;
  const version = VERSION_PREFIX.exec(trimmed);
  if (!version) return trimmed;
  const isServed = device.behaviour.anyVersion || SPEC_VERSIONS.map(String).includes(version[1]!);
  return isServed ? `/api${trimmed.slice(version[0].length)}` : null;
}

/** Without those at the end: a pattern would look at each once for every one before it. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

/** The version that a path asks for; undefined where versions do not differ. */
export function versionOf(device: SimulatedDevice, path: string): number | undefined {
  if (device.behaviour.anyVersion) return undefined;
  return Number(VERSION_PREFIX.exec(path)?.[1] ?? LATEST_VERSION);
}

/** Whether a path may be asked without a token. */
export function isOpen(device: SimulatedDevice, resolved: ResolvedRoute | null): boolean {
  if (!resolved) return false;
  return Object.values(resolved.methods).some((route) => route?.open && has(device, route));
}

const has = (device: SimulatedDevice, route: Route): boolean =>
  route.profiles?.includes(device.behaviour.profile) ?? true;

/** Authentication and rights, before a body is read. @throws Refused 120, 121, 123, 124, 125 */
export function authorize(device: SimulatedDevice, request: SimulatedRequest, authorization: string | undefined): void {
  const { profile } = device.behaviour;
  if (authorization === undefined) throw refuse('missingToken', profile, 'authorization');
  const token = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization)?.[1];
  const session = token === undefined ? null : device.sessions.find(token);
  if (!session) throw refuse('deadToken', profile, 'authorization');
  request.session = session;
  request.entry.session = session.label;
  allow(device, request);
}

function allow(device: SimulatedDevice, request: SimulatedRequest): void {
  const account = device.accounts.find(request.session!.username);
  const { profile } = device.behaviour;
  if (!account) throw refuse('deadToken', profile, 'authorization');
  if (account.mustChangePassword && request.path !== PATHS.firstPassword)
    throw new DeviceRefusal(125, { source: 'authorization' });
  if (account.expired) throw new DeviceRefusal(124, { source: 'authorization' });
  const action = ACTION_OF_METHOD[request.method as DeviceMethod] ?? 'write';
  // A user who must set a first password may, and every user may end their own session.
  if (request.path === PATHS.logout || request.path === PATHS.sessionStatus || request.path === PATHS.firstPassword)
    return;
  // Each item of a bulk request is judged by itself.
  if (request.path === PATHS.bulk) return;
  if (!device.accounts.allows(account, action, request.path)) throw refuse('aclRefused', profile, 'authorization');
}

/** The route that will answer; null for a configuration service. @throws Refused when there is neither, or not this method */
export function routeFor(
  device: SimulatedDevice,
  request: SimulatedRequest,
  resolved: ResolvedRoute | null,
): Route | null {
  const { profile } = device.behaviour;
  if (!(METHODS as readonly string[]).includes(request.method)) throw refuse('unsupportedMethod', profile);
  const served = resolved && Object.values(resolved.methods).some((route) => route && has(device, route));
  if (!served) {
    if (configurationTarget(device, request)) return null;
    throw missing(device, request);
  }
  const route = resolved.methods[request.method];
  if (!route || !has(device, route)) {
    // A configuration service may have a fixed route for one method: an upload into a section.
    if (configurationTarget(device, request)) return null;
    throw refuse('unsupportedMethod', profile);
  }
  if (route.needs && !device.family.has[route.needs]) throw new DeviceRefusal(100, { source: request.path });
  request.params = resolved.params;
  return route;
}

/** Ends of a path after a service: another end was recorded as a verb that is not there. */
const ENDS = new Set(['config', 'global', 'status', 'options']);

/**
 * What real devices say of a POST to an end that a service does not have (recorded from a RUT241): 501 after a service, and
 * 403 after a group of services.
 */
function unknownEnd(device: SimulatedDevice, { path, method, version }: SimulatedRequest): DeviceRefusal | null {
  const { profile } = device.behaviour;
  const [, stem = '', end = ''] = /^(\/api\/.+)\/([^/]+)$/.exec(path) ?? [];
  if (profile !== 'rutos' || method !== 'POST' || ENDS.has(end)) return null;
  if (configurationTarget(device, { path: `${stem}/config`, version })) return refuse('unsupportedMethod', profile);
  const isGroup = [...device.declarations.keys()].some((service) => `/api/${service}`.startsWith(`${stem}/`));
  return isGroup ? refuse('aclRefused', profile) : null;
}

/** `/x/actions` lacks the action (101), `/x/actions/y` has one that is not there (102); the rest is no endpoint. */
function missing(device: SimulatedDevice, request: SimulatedRequest): DeviceRefusal {
  const { path, method } = request;
  const isAction = /^\/api\/[a-z0-9_/]+\/actions(\/[^/]+)?$/.exec(path);
  if (isAction && method === 'POST') return new DeviceRefusal(isAction[1] === undefined ? 101 : 102, { source: path });
  return unknownEnd(device, request) ?? refuse('unknownEndpoint', device.behaviour.profile, path);
}

/** Runs the service. @throws Refused */
export function answer(
  device: SimulatedDevice,
  request: SimulatedRequest,
  route: Route | null,
): SimulatedAnswer | Promise<SimulatedAnswer> {
  const target = route ? null : configurationTarget(device, request);
  const isList = target !== null && request.method === 'GET' && target.id === undefined;
  const allowed = route ? (route.query ?? []) : isList ? listQuery(device, target.address) : [];
  if (request.query.size > 0) {
    const unknown = [...request.query.keys()].find((name) => !allowed.includes(name));
    if (unknown !== undefined) throw new DeviceRefusal(116, { source: unknown, value: request.query.get(unknown) });
  }
  if (request.body !== undefined && !isRecord(request.body)) throw new DeviceRefusal(122, { source: 'body' });
  const run = (asked: SimulatedRequest) =>
    route ? route.handle(device, asked) : answerConfiguration(device, asked, target!);
  const { options } = (request.body ?? {}) as { options?: unknown };
  if (options === undefined || request.method !== 'GET' || !device.behaviour.optionsOnGet) return run(request);
  return withOptions(request, options, allowed, run);
}

/** `options` of a GET say what its query can say; what is wrong there is an invalid option, and no query parameter. */
async function withOptions(
  request: SimulatedRequest,
  options: unknown,
  allowed: readonly string[],
  run: (asked: SimulatedRequest) => SimulatedAnswer | Promise<SimulatedAnswer>,
): Promise<SimulatedAnswer> {
  if (!isRecord(options)) throw new DeviceRefusal(107, { source: 'options' });
  const query = new URLSearchParams(request.query);
  for (const [name, value] of Object.entries(options)) {
    const isPlain = typeof value === 'string' || typeof value === 'number';
    if (!allowed.includes(name) || !isPlain) throw new DeviceRefusal(103, { source: name, section: 'options', value });
    query.set(name, String(value));
  }
  try {
    return await run({ ...request, query });
  } catch (error) {
    const { source, value } = error instanceof DeviceRefusal ? error.detail : {};
    if (
      error instanceof DeviceRefusal &&
      error.code === 116 &&
      source !== undefined &&
      Object.hasOwn(options, source)
    ) {
      throw new DeviceRefusal(103, { source, section: 'options', value });
    }
    throw error;
  }
}

/**
 * The answer of the device, or of the recorded router that it imitates, for a path that the recording has.
 * @throws Refused
 */
export function answerOrRecorded(
  device: SimulatedDevice,
  { method, path }: SimulatedRequest,
  own: () => SimulatedAnswer | Promise<SimulatedAnswer>,
): SimulatedAnswer | Promise<SimulatedAnswer> {
  const recorded = method === 'GET' ? device.setup.recording?.get(path) : undefined;
  return recorded === undefined ? own() : imitate(device, recorded, own);
}

async function imitate(
  device: SimulatedDevice,
  recorded: RecordedAnswer,
  own: () => SimulatedAnswer | Promise<SimulatedAnswer>,
): Promise<SimulatedAnswer> {
  let answered: SimulatedAnswer | null = null;
  try {
    answered = await own();
  } catch (error) {
    if (!(error instanceof DeviceRefusal)) throw error;
  }
  // The same values at each read.
  return answerAsRecorded(recorded, answered, device.random.fork(recorded.path));
}

/** Paths that have no place inside a bulk request: a login, another bulk request. */
const NOT_IN_BULK: ReadonlySet<string> = new Set([PATHS.bulk, PATHS.login]);

async function bulk(device: SimulatedDevice, request: SimulatedRequest): Promise<SimulatedAnswer> {
  if (request.body === undefined) throw new DeviceRefusal(114, { source: 'bulk' });
  const { data } = request.body as { data?: unknown };
  if (!Array.isArray(data)) throw new DeviceRefusal(107, { source: 'data', section: 'bulk' });
  if (data.length > device.behaviour.maxBulkItems) {
    const error = `At most ${device.behaviour.maxBulkItems} items`;
    throw new DeviceRefusal(107, { error, source: 'data', section: 'bulk' });
  }
  const answers: object[] = [];
  for (const item of data) answers.push((await bulkItem(device, request, item)).body as object);
  return { ...ok(answers), status: device.behaviour.bulkStatus };
}

/** One item as a request of its own: its refusal is its answer, and the next item runs. */
async function bulkItem(device: SimulatedDevice, outer: SimulatedRequest, item: unknown): Promise<SimulatedAnswer> {
  const { profile } = device.behaviour;
  try {
    const { endpoint, method, data } = (item ?? {}) as Record<string, unknown>;
    if (typeof endpoint !== 'string' || typeof method !== 'string' || !endpoint.startsWith('/')) {
      throw new DeviceRefusal(107, { source: 'bulk' });
    }
    const [rawPath = '', query = ''] = endpoint.split('?', 2);
    // Clients write the endpoint with and without `/api`.
    const whole = rawPath.startsWith('/api/') ? rawPath : `/api${rawPath}`;
    const path = plainPath(device, whole);
    if (path === null || NOT_IN_BULK.has(path)) throw refuse('unknownEndpoint', profile, 'bulk');
    const request: SimulatedRequest = {
      ...outer,
      method,
      path,
      version: versionOf(device, whole),
      query: new URLSearchParams(query),
      body: data === undefined ? undefined : { data },
      params: NO_PARAMS,
    };
    allow(device, request);
    return await answerOrRecorded(device, request, () => {
      const route = routeFor(device, request, resolve(path));
      if (route?.upload || path.endsWith('/download')) throw new DeviceRefusal(102, { source: 'bulk' });
      return answer(device, request, route);
    });
  } catch (error) {
    if (error instanceof DeviceRefusal) return error.answer(profile);
    throw error;
  }
}
