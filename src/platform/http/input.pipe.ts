import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { z } from 'zod';
import { AppError } from '../errors.js';

/** A list of problems longer than this helps nobody. */
const PROBLEMS_MAX = 50;

const PLACES: Readonly<Record<string, string>> = { body: 'body', query: 'query', param: 'path', custom: 'header' };

/**
 * Checks what comes in against the schema at the parameter and hands on what the schema makes of it. Each problem is
 * named with a JSON pointer (RFC 6901) that begins with the part of the request: `/body/tags/0`, `/query/limit`.
 */
@Injectable()
export class InputPipe implements PipeTransform {
  async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { schema } = metadata;
    if (!(schema instanceof z.core.$ZodType)) return value;
    const start = [PLACES[metadata.type] ?? metadata.type, ...(metadata.data ? [metadata.data] : [])];
    const unkept = findUnkept(value);
    if (unkept) throw invalid([{ pointer: pointerTo([...start, ...unkept.path]), detail: unkept.detail }]);
    const parsed = await z.safeParseAsync(schema, value);
    if (parsed.success) return parsed.data;
    const { issues } = parsed.error;
    throw invalid(
      issues
        .slice(0, PROBLEMS_MAX)
        .map(({ path, message }) => ({ pointer: pointerTo([...start, ...path]), detail: message })),
    );
  }
}

interface InputProblem {
  readonly pointer: string;
  readonly detail: string;
}

const invalid = (errors: InputProblem[]) => new AppError('invalid_input', { errors });

/** Deeper than any body of ours; a body that is built to be deep is refused before anything walks down it. */
const DEPTH_MAX = 30;

/**
 * Looks for what Postgres cannot keep: U+0000, and half of a surrogate pair. Walks plain objects and arrays alone, so
 * that a body that is a stream is left alone, and without recursion, so that depth costs nothing.
 */
export function findUnkept(value: unknown): { path: readonly PropertyKey[]; detail: string } | null {
  const open: { value: unknown; path: readonly PropertyKey[] }[] = [{ value, path: [] }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value: part, path } = next;
    if (typeof part === 'string') {
      const problem = problemOf(part);
      if (problem) return { path, detail: problem };
    } else if (Array.isArray(part) || isPlain(part)) {
      if (path.length >= DEPTH_MAX) return { path, detail: `must not be nested deeper than ${DEPTH_MAX} levels` };
      for (const [key, inner] of Object.entries(part)) {
        const problem = problemOf(key);
        if (problem) return { path, detail: `a field name ${problem}` };
        open.push({ value: inner, path: [...path, key] });
      }
    }
  }
  return null;
}

function problemOf(text: string): string | null {
  if (text.includes('\0')) return 'must not hold the character U+0000';
  return text.isWellFormed() ? null : 'must not hold half of a surrogate pair';
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
