import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { ModulesContainer, Reflector } from '@nestjs/core';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type OpenAPIObject } from '@nestjs/swagger';
import { beforeAll, describe, expect, it } from 'vitest';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { z } from 'zod';
import { JOB_KINDS } from '../../src/jobs/kinds/index.js';
import { buildDocument } from '../../src/openapi/openapi.js';
import { handlersOf, operationIdOf } from '../../src/openapi/openapi-contents.js';
import { ERRORS, type ErrorCode } from '../../src/platform/errors.js';
import { ENDPOINT, type EndpointInfo } from '../../src/http/endpoint.js';
import { codesOf, documentText, routesOnly } from '../support/api-document.js';
import { inlined } from '../support/source/inlined.js';

/* The document against its own schemas and against the handlers. `openapi/tools.long.spec.ts` gives it to tools. */

interface Media {
  readonly schema?: Record<string, unknown>;
  readonly example?: unknown;
  readonly examples?: Record<string, { value?: unknown }>;
}
interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly parameters?: { name: string; in: string }[];
  readonly requestBody?: { content: Record<string, Media> };
  readonly responses: Record<string, { headers?: Record<string, unknown>; content?: Record<string, Media> }>;
}

let app: NestFastifyApplication;
let document: OpenAPIObject;
let operations: { name: string; operation: Operation }[];

beforeAll(async () => {
  app = await routesOnly();
  // As a client reads it: what is not JSON is not there.
  document = JSON.parse(JSON.stringify(buildDocument(app))) as OpenAPIObject;
  operations = Object.entries(inlined(document).paths).flatMap(([at, item]) =>
    Object.entries(item as unknown as Record<string, Operation>).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${at}`,
      operation,
    })),
  );
});

const operationOf = (name: string): Operation => operations.find((one) => one.name === name)!.operation;

/** Each body and each answer of an operation that did what it was asked for, or that the device gave. */
function* mediaOf({ requestBody, responses }: Operation): Generator<[at: string, media: Media]> {
  for (const [type, media] of Object.entries(requestBody?.content ?? {})) yield [`body ${type}`, media];
  for (const [status, { content }] of Object.entries(responses)) {
    for (const [type, media] of Object.entries(content ?? {})) yield [`${status} ${type}`, media];
  }
}

function* refsIn(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  if ('$ref' in node && typeof node.$ref === 'string') yield node.$ref;
  for (const inner of Object.values(node)) yield* refsIn(inner);
}

describe('the groups of operations', () => {
  it('are one for each operation, each of them in use and described', () => {
    const used = operations.map(({ name, operation }) => `${name}: ${String(operation.tags)}`);
    const groups = (document.tags ?? []).map(({ name }) => name);
    expect(used.filter((line) => !groups.some((group) => line.endsWith(`: ${group}`)))).toEqual([]);
    expect(groups.filter((group) => !used.some((line) => line.endsWith(`: ${group}`)))).toEqual([]);
    expect((document.tags ?? []).every(({ description }) => description!.length > 10)).toBe(true);
  });

  it('file nothing under "Service" that is for people', () => {
    const service = operations.filter(({ operation }) => operation.tags?.includes('Service'));
    expect(service.map(({ name }) => name).toSorted()).toEqual([
      'GET /health/live',
      'GET /health/ready',
      'GET /metrics',
    ]);
  });

  it('name a noun that stands in the path', () => {
    const groupOf = (name: string) => operationOf(name).tags;
    expect(groupOf('GET /v1/rollouts')).toEqual(['Rollouts']);
    expect(groupOf('GET /v1/webhooks')).toEqual(['Webhooks']);
    expect(groupOf('GET /v1/devices/{ref}/api/{path}')).toEqual(['Passthrough']);
  });
});

it('the passthrough declares what every route can answer', () => {
  const codes = codesOf(operationOf('GET /v1/devices/{ref}/api/{path}'));
  expect(codes).toEqual(expect.arrayContaining(['rate_limited', 'address_refused', 'cross_site_refused']));
});

describe('the document', () => {
  it('has what each of its references names', () => {
    const lost = [...new Set(refsIn(document))].filter((ref) => {
      let node: unknown = document;
      for (const part of ref.replace(/^#\//, '').split('/'))
        node = (node as Record<string, unknown> | undefined)?.[part];
      return node === undefined || (node as { $ref?: string }).$ref === ref;
    });
    expect(lost).toEqual([]);
  });

  it('lists If-None-Match and 304 for exactly those reads of the gateway that answer an ETag', () => {
    const reads = operations.filter(({ name }) => name.startsWith('GET '));
    const tagged = reads.filter(({ operation }) => operation.responses['200']?.headers?.['ETag']);
    const conditional = reads.filter(
      ({ operation: { parameters, responses } }) =>
        parameters?.some(({ name, in: where }) => name === 'If-None-Match' && where === 'header') &&
        responses['304']?.headers?.['ETag'] &&
        responses['304'].content === undefined,
    );
    expect(conditional.map(({ name }) => name)).toEqual(tagged.map(({ name }) => name));
    expect(reads.filter(({ operation }) => operation.responses['304'])).toHaveLength(conditional.length);
    expect(conditional.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['GET /v1/devices/{ref}', 'GET /v1/artifacts/{artifactId}/content']),
    );
  });
});

describe('every operation of the document', () => {
  it('has an example of each body and each answer, and each example is what its schema says', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false }); // formats that it does not know are not its business
    formats.default(ajv);
    ajv.addSchema({ $id: 'document', components: document.components });
    const wrong: unknown[] = [];
    const checks = new Map<string, unknown>();
    const compiled = new Map<string, ValidateFunction>();
    const check = (schema: object, value: unknown) => {
      const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
      const key = `${text} ${JSON.stringify(value)}`;
      if (!checks.has(key)) {
        const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text) as object);
        compiled.set(text, validate);
        checks.set(key, validate(value) ? null : ajv.errorsText(validate.errors));
      }
      return checks.get(key);
    };
    for (const { name, operation } of operations) {
      for (const [at, { schema, example, examples }] of mediaOf(operation)) {
        const given = Object.values(examples ?? {}).map(({ value }) => value);
        if (example !== undefined) given.push(example);
        if (given.length === 0 || schema === undefined) wrong.push([name, at, 'has no example or no schema']);
        for (const part of given.flatMap((value) => partsOf(schema ?? {}, value))) {
          const problem = check(part.schema, part.value);
          if (problem) wrong.push([name, at, problem, JSON.stringify(part.value)]);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('has an example of its JSON body that the gateway itself would read', () => {
    const refused: unknown[] = [];
    let bodies = 0;
    for (const { operationId, body } of handlers()) {
      const media = operations.find((one) => one.operation.operationId === operationId)?.operation.requestBody?.content;
      if (!body) continue;
      bodies++;
      const { example, examples } = media?.['application/json'] ?? {};
      for (const value of examples ? Object.values(examples).map((one) => one.value) : [example]) {
        const read = body.safeParse(value);
        if (!read.success) refused.push([operationId, z.prettifyError(read.error), value]);
      }
    }
    expect(refused).toEqual([]);
    expect(bodies).toBeGreaterThan(30);
  });

  it('names every header that its handler reads', () => {
    const silent = handlers().flatMap(({ operationId, headers }) => {
      const { parameters, requestBody, responses } = operations.find(
        ({ operation }) => operation.operationId === operationId,
      )!.operation;
      const named = new Set(parameters?.filter((one) => one.in === 'header').map((one) => one.name.toLowerCase()));
      // OpenAPI has these two as the media types of bodies and answers.
      if (requestBody) named.add('content-type');
      if (Object.values(responses).some(({ content }) => Object.keys(content ?? {}).length > 1)) named.add('accept');
      return headers.filter((header) => !named.has(header)).map((header) => [operationId, header]);
    });
    expect(silent).toEqual([]);
  });

  it('has the body of a file, where it takes one', () => {
    const types = (name: string) => Object.keys(operationOf(name).requestBody?.content ?? {});
    expect(types('POST /v1/devices/import')).toEqual(['text/csv', 'application/x-ndjson']);
    expect(types('POST /v1/artifacts')).toEqual(['application/octet-stream', 'multipart/form-data']);
  });
});

describe('every operation is complete for a generator of clients', () => {
  it('with a summary, and the codes of its errors, each at its status', () => {
    const wrong = operations.flatMap(({ name, operation }) => {
      const { summary, responses } = operation;
      const misplaced = Object.entries(responses).flatMap(([status, answer]) =>
        codesOf({ responses: { [status]: answer } }).filter(
          (code) => ERRORS[code as ErrorCode].status !== Number(status),
        ),
      );
      const codes = codesOf(operation);
      return summary && codes.length > 0 && misplaced.length === 0 ? [] : [[name, summary, codes.length, misplaced]];
    });
    expect(wrong).toEqual([]);
  });

  it('with a type for each body and each answer; only devices answer anything', () => {
    const untyped = operations.flatMap(({ name, operation }) =>
      [...mediaOf(operation)]
        .filter(([, { schema }]) => schema === undefined || Object.keys(schema).length === 0)
        .map(([at]) => `${name} ${at}`),
    );
    expect(untyped.filter((line) => !/^[A-Z]+ \/(v1\/devices|d)\/\{ref\}\/api\/\{path\} /.test(line))).toEqual([]);
  });

  it('with an answer that has a content, or the status of one without', () => {
    const empty = operations.flatMap(({ name, operation }) =>
      Object.entries(operation.responses)
        .filter(([status, { content }]) => status.startsWith('2') && status !== '204' && !content)
        .map(([status]) => `${name} ${status}`),
    );
    expect(empty).toEqual([]);
  });
});

describe('the document in git', () => {
  it('is of these routes; `npm run docs` writes it', () => {
    const text = readFileSync('docs/reference/openapi.json', 'utf8');
    expect(text === documentText(document)).toBe(true); // a difference of a megabyte says nothing
  });

  it('is small: for a reader of its changes, and for a program that loads it', () => {
    const text = documentText(document);
    expect(text.split('\n').length).toBeLessThan(38_000);
    expect(Buffer.byteLength(text)).toBeLessThan(1_200_000);
    const served = JSON.stringify(document);
    expect(Buffer.byteLength(served)).toBeLessThan(4_000 * operations.length);
    expect(gzipSync(served).length).toBeLessThan(470 * operations.length);
  });
});

describe('the parts that operations share', () => {
  const KINDS = ['responses', 'parameters', 'headers', 'examples'] as const;

  it('are written once', () => {
    const seen = new Map<string, string>();
    const twice: string[] = [];
    for (const [kind, at, part] of partsIn(document)) {
      const key = `${kind} ${canonical(part)}`;
      const other = seen.get(key);
      if (other !== undefined) twice.push(`${at} is ${other}`);
      seen.set(key, at);
    }
    expect(seen.size).toBeGreaterThan(400);
    expect(twice).toEqual([]);
  });

  it('are all in use', () => {
    const used = new Set(refsIn(document));
    const names = KINDS.flatMap((kind) =>
      Object.keys(document.components![kind]!).map((name) => `#/components/${kind}/${name}`),
    );
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name) => !used.has(name))).toEqual([]);
  });
});

describe('the specs of jobs in the document', () => {
  it('are a union by kind, of a request as of a job', () => {
    for (const name of ['StartJob', 'Job']) {
      const { oneOf } = document.components!.schemas![name] as {
        oneOf: { properties: { kind: { enum: string[] } } }[];
      };
      expect(oneOf.flatMap(({ properties }) => properties.kind.enum)).toEqual([...JOB_KINDS.keys()]);
    }
  });

  it('have an example that the kind itself takes', () => {
    const examples = operationOf('POST /v1/devices/{ref}/jobs').requestBody!.content['application/json']!.examples!;
    expect(Object.keys(examples)).toEqual([...JOB_KINDS.keys()]);
    for (const [name, kind] of JOB_KINDS) {
      const { spec } = examples[name]!.value as { spec: unknown };
      expect([name, kind.spec.safeParse(spec).error?.message]).toEqual([name, undefined]);
    }
  });
});

/** All answers, parameters, headers and examples that are written in the document, wherever they are. */
function* partsIn(node: unknown, at = '#'): Generator<[kind: string, at: string, part: unknown]> {
  if (typeof node !== 'object' || node === null || /\/(schemas?|examples?)$/.test(at)) return;
  for (const [key, inner] of Object.entries(node)) {
    const isKind = ['responses', 'parameters', 'headers', 'examples'].includes(key);
    for (const [name, part] of isKind ? Object.entries(inner as Record<string, object>) : []) {
      if (!('$ref' in part)) yield [key, `${at}/${key}/${name}`, part];
    }
    if (key === 'example') yield ['examples', `${at}/${key}`, { value: inner as unknown }];
    yield* partsIn(inner, `${at}/${key}`);
  }
}

/** JSON in which the order of fields says nothing. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

/** A stream is a text of many values: the schema of one of them is its `contentSchema`. */
function partsOf(schema: { contentSchema?: object; contentMediaType?: string }, value: unknown) {
  if (!schema.contentSchema) return [{ schema, value }];
  const lines = (value as string).split('\n').filter((line) => line !== '');
  const isStream = schema.contentMediaType === 'text/event-stream';
  const values = isStream ? lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice(6)) : lines;
  expect(values).not.toEqual([]);
  return values.map((line) => ({ schema: schema.contentSchema!, value: JSON.parse(line) as unknown }));
}

/** What the handlers of the gateway say that they read. */
function handlers(): { operationId: string; headers: string[]; body: z.ZodType | undefined }[] {
  return [...app.get(ModulesContainer).values()].flatMap(({ controllers }) =>
    [...controllers.values()].flatMap(({ metatype }) => {
      if (!metatype) return [];
      return handlersOf(metatype).flatMap(([method, handler]) => {
        const info = app.get(Reflector).get<EndpointInfo | undefined>(ENDPOINT, handler);
        if (!info) return [];
        const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, metatype, method) ?? {}) as Record<
          string,
          { data?: unknown; schema?: z.ZodType }
        >;
        const of = (type: number) => Object.entries(args).filter(([key]) => key.startsWith(`${type}:`));
        return [
          {
            operationId: operationIdOf(metatype.name, method),
            headers: of(6).map(([, { data }]) => String(data)), // RouteParamtypes.HEADERS
            body: of(3)[0]?.[1].schema, // RouteParamtypes.BODY
          },
        ];
      });
    }),
  );
}
