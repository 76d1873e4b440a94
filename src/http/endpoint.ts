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
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Actor } from '../platform/actor.js';
import { ERRORS, type ErrorCode } from '../platform/errors.js';

/*
 * One decorator declares everything about a route except its address: permission, audit action, answer and errors. The
 * guard, the OpenAPI document and the tests read the same declaration.
 */

/** `noun.verb`; `auth/rights/permissions.ts` assigns it to roles. A route with an unknown one stops the start. */
export type PermissionName = `${string}.${string}`;

/** A body or an answer that is not, or not only, one JSON value. */
export interface Content {
  /** The schema of the value, of one line (NDJSON) or of one event's data. Absent: the content is text or bytes. */
  readonly schema?: z.ZodType;
  /** An example of the complete content; absent: made from the schema. */
  readonly example?: string;
}

/** By media type. */
export type Contents = Readonly<Record<string, Content>>;

export interface EndpointInfo {
  readonly summary: string;
  readonly description?: string;
  /** `anonymous` is only for health, set-up and documents. */
  readonly permission: PermissionName | 'anonymous';
  /** The action in the audit; every operation that changes something has one. */
  readonly audit?: PermissionName;
  /** Whether it requires a recent second factor. */
  readonly stepUp?: boolean;
  /** Whether it is allowed while all writes are locked, though it changes something. */
  readonly whileLocked?: boolean;
  /** Whether a POST changes nothing: its input is too long for an address. It is allowed while all writes are locked. */
  readonly onlyReads?: true;
  /**
   * Whether its cost grows with the fleet, as that of lists, summaries, previews and dry runs does. It then takes its turn
   * among the scans of its caller (`auth/limits/caller-scans.ts`). A route that reads, or that names devices by a
   * selector, must say it (`test/app/endpoints.spec.ts`).
   */
  readonly scans?: boolean;
  /**
   * The effect of an Idempotency-Key on an operation that changes something. Absent: a repeated request gets the answer
   * of the first one. `required`: the key is mandatory. `by the route`: the handler implements it. Anything else is a
   * sentence why the route takes no key.
   */
  readonly replay?: 'required' | 'by the route' | `no: ${string}`;
  /**
   * Whether the resource has an ETag: reads return it and take If-None-Match, changes take If-Match
   * (`http/etag.ts`).
   */
  readonly etag?: true;
  readonly status?: number;
  readonly answer?: z.ZodType;
  /** Further statuses of the same answer, and when they come; with `produces` they alone have those contents. */
  readonly otherStatuses?: Readonly<Record<number, string>>;
  /** Present when the body is a file, which the handler reads as a stream: the accepted contents. */
  readonly takesFile?: Contents;
  /** Answers that are not JSON. */
  readonly produces?: Contents;
  /** Headers that the handler reads, beyond those of every changing route and of ETags. */
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly example: string }>>;
  /** Error codes besides those of every route. */
  readonly errors?: readonly ErrorCode[];
}

export const ENDPOINT = 'fleetgate:endpoint';

/** Whether `changes.interceptor.ts` stores the answer of a changing route for its Idempotency-Key. */
export function takesIdempotencyKey({ permission, takesFile, replay }: EndpointInfo): boolean {
  if (replay !== undefined) return replay === 'required';
  return permission !== 'anonymous' && takesFile === undefined;
}

/** The `x-idempotency` text of the OpenAPI document, for operations that change something. */
function replayOf(info: EndpointInfo): string {
  if (info.replay !== undefined) return info.replay;
  if (info.permission === 'anonymous') return 'no: the caller is not known, so the key would belong to no one';
  return info.takesFile ? 'no: a file cannot be read twice for a comparison' : 'optional';
}

/** Errors of every route that identifies the caller. */
export const COMMON_ERRORS: readonly ErrorCode[] = [
  'unauthenticated',
  'forbidden',
  'cross_site_refused',
  'address_refused',
  'locked',
  'rate_limited',
  'invalid_input',
  'malformed_request',
  'internal_error',
  'database_unavailable',
  'disk_full',
  'took_too_long',
];

/** Errors of every route that identifies no caller. */
const ANONYMOUS_ERRORS: readonly ErrorCode[] = [
  'internal_error',
  'malformed_request',
  'invalid_input',
  'too_many_requests_at_once',
  'took_too_long',
];

/** Errors of every route that changes something, since it may take a body. */
const BODY_ERRORS: readonly ErrorCode[] = [
  'invalid_json',
  'body_too_large',
  'unsupported_media_type',
  'request_too_slow',
  'request_aborted',
];

/** Errors of every route that changes something: a missing change reason, and an If-Match that does not match. */
const CHANGE_ERRORS: readonly ErrorCode[] = ['change_reason_required', 'version_changed'];

/** Errors of every route that stores its answer for an Idempotency-Key. */
const IDEMPOTENCY_ERRORS: readonly ErrorCode[] = [
  'idempotency_key_running',
  'idempotency_key_reused',
  'idempotency_outcome_unknown',
  'idempotency_answer_withheld',
];

/** Loose: an error may add facts. */
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

/** The codes that follow from a declaration, and those that it names. */
function errorsOf(info: EndpointInfo): ReadonlySet<ErrorCode> {
  return new Set<ErrorCode>([
    ...(info.permission === 'anonymous' ? ANONYMOUS_ERRORS : COMMON_ERRORS),
    ...(info.scans ? (['too_many_scans', 'request_aborted'] as const) : []),
    ...(info.audit || info.onlyReads ? BODY_ERRORS : []),
    ...(info.audit && info.permission !== 'anonymous' ? CHANGE_ERRORS : []),
    ...(info.audit && takesIdempotencyKey(info) ? IDEMPOTENCY_ERRORS : []),
    ...(info.replay === 'required' ? (['idempotency_key_required'] as const) : []),
    ...(info.stepUp ? (['step_up_required'] as const) : []),
    ...(info.errors ?? []),
  ]);
}

export function Endpoint(info: EndpointInfo): MethodDecorator {
  const status = info.status ?? 200;
  const errors = errorsOf(info);
  return applyDecorators(
    SetMetadata(ENDPOINT, info),
    RouteConfig({ endpoint: info }), // for decisions before the body is read
    HttpCode(status),
    ApiOperation({ summary: info.summary, ...(info.description ? { description: info.description } : {}) }),
    ApiExtension('x-permission', info.permission),
    ...(info.etag ? [ApiExtension('x-etag', true)] : []),
    ...(info.stepUp ? [ApiExtension('x-step-up', true)] : []),
    ...(info.onlyReads ? [ApiExtension('x-only-reads', true)] : []),
    ...(info.scans === undefined ? [] : [ApiExtension('x-scans', info.scans)]),
    ...(info.audit ? [ApiExtension('x-audit-action', info.audit), ApiExtension('x-idempotency', replayOf(info))] : []),
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

export const CurrentActor = createParamDecorator((_data: unknown, context: ExecutionContext): Actor => {
  const { actor } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!actor) throw new Error('A route without an actor needs one');
  return actor;
});

/** Aborts when the connection of the caller is closed, or the answer complete. */
export function untilClosed({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  if (raw.closed) return AbortSignal.abort();
  const closed = new AbortController();
  raw.once('close', () => closed.abort());
  return closed.signal;
}
