import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { holds, isPermission, ROLES } from '../../src/auth/rights/permissions.js';
import { type FastifyInstance } from 'fastify';
import { DeviceLists } from '../../src/devices/device-list.service.js';
import { buildDocument } from '../../src/openapi/openapi.js';
import { readConfig } from '../../src/platform/config.js';
import { AppError, ERRORS } from '../../src/platform/errors.js';
import { declaredRoutes } from '../../src/http/http-server.js';
import { expectGolden } from '../support/source/golden.js';
import { inlined } from '../support/source/inlined.js';
import { codesOf, type AnsweringOperation } from '../support/api-document.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

interface Operation {
  readonly summary?: string;
  readonly 'x-permission'?: string;
  readonly 'x-audit-action'?: string;
  readonly 'x-only-reads'?: boolean;
  readonly 'x-scans'?: boolean;
  readonly 'x-etag'?: boolean;
  readonly requestBody?: unknown;
  readonly responses: Record<string, unknown>;
  readonly parameters?: readonly { readonly name?: string; readonly $ref?: string }[];
}

/** The names of all properties in a part of the document and in what it refers to. */
function namesIn(part: unknown, document: object, seen = new Set<string>()): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const { $ref, properties } = part as { $ref?: string; properties?: object };
  const isNew = typeof $ref === 'string' && !seen.has($ref);
  const referred = isNew ? namesIn(partOf(document, $ref), document, seen.add($ref)) : [];
  const inside = Object.values(part).flatMap((one) => namesIn(one, document, seen));
  return [...referred, ...Object.keys(properties ?? {}), ...inside];
}

/** @param ref such as `#/components/schemas/Device` */
const partOf = (document: object, ref: string): unknown =>
  ref
    .split('/')
    .slice(1)
    .reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], document);

/** Calls of a device. */
const PASSED_THROUGH = ['GET /d/{ref}/api/{path}', 'GET /v1/devices/{ref}/api/{path}'];

const isSelection = (name: string) => /^(selector|expectedDigest|dryRun)$/.test(name);

/** Open to everybody on purpose. A route that is not here must want a key. */
const ANONYMOUS = [
  'GET /health/live',
  'GET /health/ready',
  'GET /metrics',
  'GET /v1/oidc',
  'GET /v1/oidc/{providerId}/callback',
  'GET /v1/oidc/{providerId}/login',
  'GET /v1/setup',
  'POST /v1/invitations/accept',
  'POST /v1/login',
  'POST /v1/setup',
];

/** Not a GET on purpose: the selector may be too long for an address, or what is read is a device. They change nothing. */
const ONLY_READS = [
  'POST /v1/devices/preview',
  'POST /v1/devices/{ref}/check', // a call to the device, which no reader of an address should repeat by itself
  'POST /v1/monitoring/policies/price',
  'POST /v1/monitoring/rules/try',
  'POST /v1/templates/{templateName}/plan',
  'POST /v1/watches/price',
];

/** Lists whose length does not follow the fleet. Any other list takes its turn. */
const SHORT_LISTS = [
  'GET /v1/devices/{ref}/history', // of one device, by an index
  'GET /v1/devices/{ref}/observed', // as above
  'GET /v1/devices/{ref}/observed/changes', // as above
  'GET /v1/devices/{ref}/templates', // as above
  'GET /v1/fields',
  'GET /v1/locks', // needed to lift a lock, also while a script of the same person scans
  'GET /v1/roles',
  'GET /v1/self/api-keys', // needed to revoke the key of such a script
  'GET /v1/self/sessions',
  'GET /v1/system/settings',
];

let world: TestGateway;
let document: ReturnType<typeof buildDocument>;
let operations: { name: string; method: string; path: string; operation: Operation; codes: string[] }[];

/** Whether it answers a list, or reads the devices of a selector. */
function isList({ responses, parameters = [] }: Operation): boolean {
  const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const names = parameters.map(({ name, $ref }) => name ?? $ref?.split('/').at(-1) ?? '');
  return answers.some(([, answer]) => namesIn(answer, document).includes('items')) || names.includes('selector');
}

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  document = buildDocument(world.gateway.app);
  const whole = inlined(document).paths as Record<string, Record<string, AnsweringOperation>>;
  operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>)
      .filter(([, operation]) => typeof operation === 'object' && 'responses' in operation)
      .map(([method, operation]) => {
        const codes = codesOf(whole[path]![method]!);
        return { name: `${method.toUpperCase()} ${path}`, method, path, operation, codes };
      }),
  );
});
afterAll(() => world.close());

describe('every operation of the document', () => {
  it('declares a permission that exists, or is open on purpose', () => {
    const open = operations
      .filter(({ operation }) => operation['x-permission'] === 'anonymous')
      .map(({ name }) => name);
    expect(open.sort()).toEqual(ANONYMOUS);
    for (const { name, operation } of operations) {
      const permission = operation['x-permission'] ?? '';
      expect([name, permission === 'anonymous' || isPermission(permission)]).toEqual([name, true]);
    }
  });

  it('has an audit action when it changes something', () => {
    const silent = operations.filter(
      ({ method, operation }) =>
        method !== 'get' && method !== 'head' && method !== 'options' && !operation['x-audit-action'],
    );
    expect(silent.map(({ name }) => name)).toEqual(ONLY_READS);
    const declared = operations.filter(({ operation }) => operation['x-only-reads']);
    expect(declared.map(({ name }) => name)).toEqual(ONLY_READS);
  });

  it('declares whether it scans when it reads, or names devices by a selector', () => {
    const decisive = operations.filter(
      ({ name, method, operation }) =>
        !PASSED_THROUGH.includes(name) &&
        operation['x-permission'] !== 'anonymous' &&
        (method === 'get' || operation['x-only-reads'] || namesIn(operation.requestBody, document).some(isSelection)),
    );
    expect(decisive.length).toBeGreaterThan(70);
    const silent = decisive.filter(({ operation }) => operation['x-scans'] === undefined);
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it('scans when it answers a list or takes a selector, and is refused then by its own code', () => {
    const short = operations.filter(
      ({ method, operation }) => method === 'get' && operation['x-scans'] === false && isList(operation),
    );
    expect(short.map(({ name }) => name).sort()).toEqual(SHORT_LISTS);
    const scanning = operations.filter(({ operation }) => operation['x-scans']);
    const refusing = operations.filter(({ codes }) => codes.includes('too_many_scans'));
    expect(refusing).toEqual(scanning);
  });

  it('takes If-Match when it changes a resource that is read with an ETag', () => {
    const tagged = new Set(
      operations.filter(({ method, operation }) => method === 'get' && operation['x-etag']).map(({ path }) => path),
    );
    const deaf = operations.filter(
      ({ method, path, operation }) =>
        ['put', 'patch', 'delete'].includes(method) && tagged.has(path) && !operation['x-etag'],
    );
    expect(tagged.size).toBeGreaterThan(8);
    expect(deaf.map(({ name }) => name)).toEqual([]);
  });

  it('lists its error codes, each of them in the table, and a summary', () => {
    for (const { name, operation, codes } of operations) {
      expect([name, codes.filter((code) => !(code in ERRORS))]).toEqual([name, []]);
      expect(operation.summary).toMatch(/^[A-Z]/);
    }
  });

  it('is held by the roles that the golden file names', () => {
    const matrix = operations
      .map(({ name, operation }) => {
        const permission = operation['x-permission'] ?? '';
        const roles = isPermission(permission)
          ? ROLES.filter((role) => holds(role, permission)).join(' ')
          : 'everybody';
        return `${name}: ${permission}: ${roles}`;
      })
      .sort()
      .join('\n');
    expectGolden('permissions.txt', `${matrix}\n`);
  });
});

describe('every route of the server', () => {
  it('refuses who has no key, unless it is open on purpose', async () => {
    const id = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
    const server: FastifyInstance = world.gateway.app.getHttpAdapter().getInstance();
    for (const { name, method, path } of operations.filter((one) => !ANONYMOUS.includes(one.name))) {
      const url = path.replaceAll(/\{\w+\}/g, id);
      const answer = await server.inject({ url, method: method.toUpperCase() as 'GET' });
      expect([name, answer.statusCode]).toEqual([name, 401]);
    }
  });

  it('is in the document, or is a page', () => {
    const server: FastifyInstance = world.gateway.app.getHttpAdapter().getInstance();
    const documented = new Set(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`));
    const missing = declaredRoutes(server)
      .filter(({ url }) => url !== '/' && !/^\/(docs|openapi|console)/.test(url))
      .filter(({ method }) => method !== 'HEAD' && method !== 'OPTIONS')
      .map(({ method, url }) => `${method} ${url.replaceAll(/:(\w+)/g, '{$1}').replaceAll('*', '{path}')}`)
      .filter((name) => !documented.has(name));
    expect(missing).toEqual([]);
  });
});

describe('the path of PUBLIC_URL', () => {
  it('never begins as an address of the gateway does', () => {
    const server: FastifyInstance = world.gateway.app.getHttpAdapter().getInstance();
    const segments = new Set(declaredRoutes(server).map(({ url }) => url.split('/', 2)[1]!));
    segments.delete(''); // `/` itself
    const accepted = [...segments].filter((segment) => {
      try {
        return readConfig({ PUBLIC_URL: `https://gateway.example/${segment}` });
      } catch {
        return false;
      }
    });
    expect([segments.size > 5, accepted]).toEqual([true, []]);
  });
});

describe('a gateway of the tests', () => {
  it('fails the test in which a route answers a code that it does not declare', async () => {
    const own = await startTestGateway({ ROLE: 'api' });
    vi.spyOn(own.gateway.app.get(DeviceLists), 'list').mockRejectedValue(new AppError('rollout_is_empty'));
    await expect(own.api.get('/v1/devices')).rejects.toMatchObject({ code: 'rollout_is_empty' });
    await expect(own.close()).rejects.toThrow('GET /v1/devices: rollout_is_empty');
  });
});
