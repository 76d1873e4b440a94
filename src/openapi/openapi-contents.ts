import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import { type OpenAPIObject } from '@nestjs/swagger';
import { ERRORS } from '../platform/errors.js';
import { ENDPOINT, type Content, type Contents, type EndpointInfo } from '../http/endpoint.js';
import { type Examples } from './openapi-examples.js';
import { convert, type Direction, type Json } from './openapi-schemas.js';

/*
 * What Nest does not put into the document: bodies and answers that are no JSON, headers that a handler reads, further
 * statuses, and examples. All of it is declared at the routes (`EndpointInfo`).
 */

export interface Media {
  schema?: Json;
  example?: unknown;
  examples?: Record<string, object>;
}

export interface OpenApiAnswer {
  description?: string;
  headers?: Record<string, object>;
  content?: Record<string, Media>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: object;
  readonly example?: unknown;
}

export interface Operation {
  readonly operationId?: string;
  readonly 'x-permission'?: string;
  readonly 'x-idempotency'?: string;
  readonly 'x-etag'?: boolean;
  readonly 'x-only-reads'?: boolean;
  readonly responses?: Record<string, OpenApiAnswer>;
  requestBody?: { required?: boolean; description?: string; content?: Record<string, Media> };
  parameters?: Parameter[];
  security?: unknown[];
  tags?: string[];
}

/** Media types of which the declared schema is that of one value of many. */
const STREAMS: ReadonlySet<string> = new Set(['application/x-ndjson', 'text/event-stream']);

export const operationIdOf = (controller: string, method: string): string =>
  `${controller.replace(/Controller$/, '').toLowerCase()}_${method}`;

/** The methods of a controller by name, with those that it inherits. */
export function handlersOf(controller: {
  readonly name: string;
  readonly prototype: object;
}): [string, () => unknown][] {
  const methods = controller.prototype as Record<string, () => unknown>;
  return new MetadataScanner().getAllMethodNames(methods).map((name) => [name, methods[name]!]);
}

/** What the routes of the application declare, by the id of their operation. */
export function declaredEndpoints(app: NestFastifyApplication): ReadonlyMap<string, EndpointInfo> {
  const reflector = app.get(Reflector);
  const found = new Map<string, EndpointInfo>();
  for (const { controllers } of app.get(ModulesContainer).values()) {
    for (const { metatype } of controllers.values()) {
      if (!metatype) continue;
      for (const [method, handler] of handlersOf(metatype)) {
        const info = reflector.get<EndpointInfo | undefined>(ENDPOINT, handler);
        if (info) found.set(operationIdOf(metatype.name, method), info);
      }
    }
  }
  return found;
}

/** Adds the contents, headers and statuses of a route, and the schemas of these to the document. */
export function describeContents(operation: Operation, info: EndpointInfo, document: OpenAPIObject): void {
  const schemas = document.components!.schemas as Record<string, Json>;
  const read = (contents: Contents, io: Direction) =>
    Object.fromEntries(Object.entries(contents).map(([type, content]) => [type, mediaOf(type, content, io, schemas)]));
  if (info.takesFile) operation.requestBody = { required: true, content: read(info.takesFile, 'input') };
  const status = String(info.status ?? 200);
  const answer = operation.responses?.[status];
  const produced = info.produces && read(info.produces, 'output');
  if (produced && answer && !info.otherStatuses) answer.content = { ...answer.content, ...produced };
  for (const [other, description] of Object.entries(info.otherStatuses ?? {})) {
    operation.responses![other] = { ...answer, description, ...(produced ? { content: produced } : {}) };
  }
  for (const [name, { description, example }] of Object.entries(info.headers ?? {})) {
    const parameter = { name, in: 'header', required: false, description, schema: { type: 'string' }, example };
    operation.parameters = [...(operation.parameters ?? []), parameter];
  }
}

function mediaOf(type: string, { schema, example }: Content, io: Direction, schemas: Record<string, Json>): Media {
  const text = { type: 'string', ...(type === 'application/octet-stream' ? { format: 'binary' } : {}) };
  if (!schema) return { schema: text, example };
  const converted = convert(schema, io);
  Object.assign(schemas, converted.components);
  // A stream is one text for a client. The schema of its parts is at the place that JSON Schema has for a text with JSON.
  if (STREAMS.has(type))
    return { schema: { ...text, contentMediaType: type, contentSchema: converted.schema }, ...given(example) };
  return { schema: converted.schema, ...given(example) };
}

const given = (example: unknown) => (example === undefined ? {} : { example });

/** Gives every body and every answer its example. */
export function addExamples(operation: Operation, examples: Examples): void {
  for (const media of Object.values(operation.requestBody?.content ?? {})) addExample(media, examples);
  for (const { content } of Object.values(operation.responses ?? {})) {
    for (const media of Object.values(content ?? {})) addExample(media, examples);
  }
}

function addExample(media: Media, examples: Examples): void {
  if (media.example !== undefined || media.examples || !media.schema) return;
  const { contentSchema, contentMediaType } = media.schema as { contentSchema?: Json; contentMediaType?: string };
  if (contentSchema) {
    const json = JSON.stringify(examples.of(contentSchema));
    media.example = contentMediaType === 'text/event-stream' ? `data: ${json}\n\n` : `${json}\n`;
    return;
  }
  const kinds = examples.byKind(media.schema);
  if (!kinds) media.example = examples.of(media.schema);
  else media.examples = Object.fromEntries(Object.entries(kinds).map(([kind, value]) => [kind, { value }]));
}

/** An example of each error that an answer refers to. */
export function problemExamples(document: OpenAPIObject): Record<string, { value: object }> {
  const text = JSON.stringify(document.paths);
  const used = Object.entries(ERRORS).filter(([code]) => text.includes(`"#/components/examples/${code}"`));
  return Object.fromEntries(
    used.map(([code, { status, title, advice }]) => {
      const requestId = '0192f3a1-7c4e-7b1a-9d2e-5f60718293a4';
      return [code, { value: { type: `/docs/errors#${code}`, title, status, detail: advice, code, requestId } }];
    }),
  );
}
