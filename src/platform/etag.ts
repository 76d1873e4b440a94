import { AppError } from './errors.js';

/** The entity tag of a row: its version (RFC 9110, 8.8.3). */
export const etag = (version: number) => `"${version}"`;

/**
 * Reads If-Match (RFC 9110, 13.1.1).
 * @returns the version that must still be there, or null when any will do
 * @throws AppError `version_changed` for a tag that no version of ours can have
 */
export function readIfMatch(header: string | undefined): number | null {
  if (header === undefined || header.trim() === '*') return null;
  const version = /^"(\d{1,9})"$/.exec(header.trim())?.[1];
  if (version === undefined) throw new AppError('version_changed', { expected: 'the ETag of the resource' });
  return Number(version);
}
