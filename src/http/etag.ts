import { createHash } from 'node:crypto';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';
import { AppError } from '../platform/errors.js';
import { type EndpointInfo } from './endpoint.js';

/** The entity tag of a row: its version (RFC 9110, 8.8.3). */
const etag = (version: number) => `"${version}"`;

/** RFC 9110, 13.1.1. @returns null when any version is accepted @throws AppError `version_changed` for an odd tag */
export function readIfMatch(header: string | undefined): number | null {
  if (header === undefined || header.trim() === '*') return null;
  const version = /^"(\d{1,9})"$/.exec(header.trim())?.[1];
  if (version === undefined) throw new AppError('version_changed', { expected: 'the ETag of the resource' });
  return Number(version);
}

/**
 * For changing routes that take no If-Match: their resource has no ETag, so no tag of a caller can match it.
 * @throws AppError `version_changed`
 */
export function refuseIfMatch(
  { etag, headers }: Pick<EndpointInfo, 'etag' | 'headers'>,
  ifMatch: string | undefined,
): void {
  if (etag || headers?.['If-Match'] || ifMatch === undefined || ifMatch.trim() === '*') return;
  throw new AppError('version_changed', { expected: 'no If-Match: the resource has no ETag' });
}

/** Whether If-None-Match names this tag (RFC 9110, 13.1.2): the caller has that version. */
export function isKnownTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const bare = (text: string) => text.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((one) => bare(one) === bare(tag));
}

/** The entity tag of a resource without a version: a digest of its editable part. */
export function contentTag(editable: unknown): string {
  return `"${createHash('sha256').update(JSON.stringify(editable)).digest('base64url').slice(0, 22)}"`;
}

/** Call it under a lock. @throws AppError `version_changed` */
export function requireTag(header: string | undefined, editable: unknown): void {
  if (header === undefined || header.trim() === '*') return;
  if (header.trim() !== contentTag(editable)) throw new AppError('version_changed');
}

const TAG = Symbol('entity tag');

/** An answer whose entity tag becomes a header. The serializer drops the symbol. */
export const tagged = <Answer extends object>(answer: Answer, tag: string): Answer => ({ ...answer, [TAG]: tag });

/** As `tagged`, by the version of the answer. */
export const versioned = <Answer extends { readonly version: number }>(answer: Answer): Answer =>
  tagged(answer, etag(answer.version));

/** Sends the tag of a `tagged` answer. It runs inside the serializer. */
@Injectable()
export class EtagInterceptor implements NestInterceptor {
  intercept(
    context: ExecutionContext,
    next: CallHandler<{ readonly [TAG]?: string } | undefined>,
  ): Observable<unknown> {
    return next.handle().pipe(
      map((answer) => {
        const tag = answer?.[TAG];
        if (tag !== undefined) void context.switchToHttp().getResponse<FastifyReply>().header('etag', tag);
        return answer;
      }),
    );
  }
}
