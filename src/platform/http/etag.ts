import { createHash } from 'node:crypto';
import { AppError } from '../errors.js';

/** The entity tag of a row: its version (RFC 9110, 8.8.3). */
export const etag = (version: number) => `"${version}"`;

/** RFC 9110, 13.1.1. @returns null when any version is accepted @throws AppError `version_changed` for an odd tag */
export function readIfMatch(header: string | undefined): number | null {
  if (header === undefined || header.trim() === '*') return null;
  const version = /^"(\d{1,9})"$/.exec(header.trim())?.[1];
  if (version === undefined) throw new AppError('version_changed', { expected: 'the ETag of the resource' });
  return Number(version);
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
