import {
  applyDecorators,
  createParamDecorator,
  HttpCode,
  SerializeOptions,
  SetMetadata,
  type ExecutionContext,
} from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtension, ApiOperation, ApiResponse } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Actor } from '../actor.js';
import { ERRORS, type ErrorCode } from '../errors.js';

/*
 * One decorator says all about a route that is not its address: who may use it, what it leaves in the audit, what it
 * answers and which errors it can give. The guard, the OpenAPI document and the tests read the same declaration.
 */

/** `noun.verb`; `auth/rights/permissions.ts` says which role holds it, and a route with an unknown one stops the start. */
export type PermissionName = `${string}.${string}`;

/** A body or an answer that is not, or not only, one JSON value. */
export interface Content {
  /** Of the value; of one line (NDJSON) or of the data of one event. Absent: the whole is a text or bytes. */
  readonly schema?: z.ZodType;
  /** The whole, as it is sent; absent: made from the schema. */
  readonly example?: string;
}

/** By media type. */
export type Contents = Readonly<Record<string, Content>>;

interface HeaderInfo {
  readonly description: string;
  readonly example: string;
}

export interface EndpointInfo {
  readonly summary: string;
  readonly description?: string;
  /** `anonymous` is for health, set-up and documents alone. */
  readonly permission: PermissionName | 'anonymous';
  /** The action that the audit names; every operation that changes something has one. */
  readonly audit?: PermissionName;
  /** Whether it wants a second factor that was shown a moment ago. */
  readonly stepUp?: boolean;
  /** Whether it goes on while all writes are locked, though it changes something. */
  readonly whileLocked?: boolean;
  /**
   * What an Idempotency-Key does to an operation that changes something. Absent: whoever sends one gets the answer of the
   * first request again. `required`: there must be one. `by the route`: its handler sees to it. Anything else is the
   * sentence why it takes none.
   */
  readonly replay?: 'required' | 'by the route' | `no: ${string}`;
  /** Whether the resource has an ETag: reads give it and take If-None-Match, changes take If-Match (`platform/http/etag.ts`). */
  readonly etag?: true;
  readonly status?: number;
  readonly answer?: z.ZodType;
  /** Further statuses of the same answer, and when they come. */
  readonly otherStatuses?: Readonly<Record<number, string>>;
  /** Present when the body is a file, which the handler reads as a stream: what it may be. */
  readonly takesFile?: Contents;
  /** Answers that are not JSON. */
  readonly produces?: Contents;
  /** Headers that the handler reads, beyond those of every changing route and of ETags. */
  readonly headers?: Readonly<Record<string, HeaderInfo>>;
  /** The codes beyond those that every route can give. */
  readonly errors?: readonly ErrorCode[];
}

export const ENDPOINT = 'fleetgate:endpoint';

/** Whether the answer of a changing route is kept for its Idempotency-Key by `changes.interceptor.ts`. */
export function takesIdempotencyKey({ permission, takesFile, replay }: EndpointInfo): boolean {
  if (replay !== undefined) return replay === 'required';
  return permission !== 'anonymous' && takesFile === undefined;
}

/** As it stands in the document, for operations that change something. */
function replayOf(info: EndpointInfo): string {
  if (info.replay !== undefined) return info.replay;
  if (info.permission === 'anonymous') return 'no: nobody is known whose key it would be';
  return info.takesFile ? 'no: a file is not read twice to be compared' : 'optional';
}

/** What any route that wants to know who asks can answer. */
export const COMMON_ERRORS: readonly ErrorCode[] = [
  'unauthenticated',
  'forbidden',
  'cross_site_refused',
  'address_refused',
  'locked',
  'rate_limited',
  'invalid_input',
  'internal_error',
  'database_unavailable',
  'disk_full',
];

/** Loose: an error can bring facts of its own. */
export const problemView = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string().optional(),
    code: z.string().describe('Stable name of the error; see docs/reference/errors.md'),
    requestId: z.string(),
    errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });

/** Declares a route. See `EndpointInfo`. */
export function Endpoint(info: EndpointInfo): MethodDecorator {
  const status = info.status ?? 200;
  const errors = new Set<ErrorCode>([
    ...(info.permission === 'anonymous' ? (['internal_error'] as const) : COMMON_ERRORS),
    ...(info.stepUp ? (['step_up_required'] as const) : []),
    ...(info.errors ?? []),
  ]);
  return applyDecorators(
    SetMetadata(ENDPOINT, info),
    RouteConfig({ endpoint: info }), // for what is decided before a body is read
    HttpCode(status),
    ApiOperation({ summary: info.summary, ...(info.description ? { description: info.description } : {}) }),
    ApiExtension('x-permission', info.permission),
    ...(info.etag ? [ApiExtension('x-etag', true)] : []),
    ...(info.stepUp ? [ApiExtension('x-step-up', true)] : []),
    ...(info.audit ? [ApiExtension('x-audit-action', info.audit), ApiExtension('x-idempotency', replayOf(info))] : []),
    ApiExtension('x-error-codes', [...errors].sort()),
    ...(info.answer
      ? [
          SerializeOptions({ schema: info.answer }),
          ApiResponse({ status, standardSchema: info.answer, description: info.summary }),
        ]
      : [ApiResponse({ status, description: info.summary })]),
    ...problemResponses(errors),
  );
}

function problemResponses(codes: ReadonlySet<ErrorCode>): MethodDecorator[] {
  return [...groupByStatus(codes)].map(([status, names]) =>
    ApiResponse({
      status,
      description: names.map((name) => `\`${name}\`: ${ERRORS[name].title}`).join('; '),
      content: { 'application/problem+json': problemMedia(names) },
    }),
  );
}

/** A problem document, with an example of each of its codes. */
export function problemMedia(codes: readonly ErrorCode[]) {
  return {
    schema: { $ref: '#/components/schemas/Problem' },
    examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
  };
}

function groupByStatus(codes: ReadonlySet<ErrorCode>): Map<number, ErrorCode[]> {
  const groups = new Map<number, ErrorCode[]>();
  for (const code of [...codes].sort()) {
    const group = groups.get(ERRORS[code].status);
    if (group) group.push(code);
    else groups.set(ERRORS[code].status, [code]);
  }
  return groups;
}

/** An instant in answers: a Date inside, RFC 3339 text in UTC outside. */
export const instant = z
  .date()
  .transform((date) => date.toISOString())
  .pipe(z.iso.datetime());

/** The actor whom the guard found. */
export const CurrentActor = createParamDecorator((_data: unknown, context: ExecutionContext): Actor => {
  const { actor } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!actor) throw new Error('A route without an actor asked for one');
  return actor;
});
