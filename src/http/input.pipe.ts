import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { z } from 'zod';
import { AppError } from '../platform/errors.js';
import { issueText } from './issue-words.js';

const PROBLEMS_MAX = 50;

const PLACES: Readonly<Record<string, string>> = { body: 'body', query: 'query', param: 'path', custom: 'header' };

/**
 * Checks input against the parameter's schema and returns the schema's output. Each problem has a JSON pointer (RFC
 * 6901) that begins with the part of the request: `/body/tags/0`, `/query/limit`.
 */
@Injectable()
export class InputPipe implements PipeTransform {
  async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { schema } = metadata;
    if (!(schema instanceof z.core.$ZodType)) return value;
    const start = [PLACES[metadata.type] ?? metadata.type, ...(metadata.data ? [metadata.data] : [])];
    const unstorable = findUnstorable(value);
    if (unstorable) throw invalid([{ pointer: pointerTo([...start, ...unstorable.path]), detail: unstorable.detail }]);
    const parsed = await z.safeParseAsync(schema, value, { error: issueText });
    if (parsed.success) return parsed.data;
    const { issues } = parsed.error;
    throw invalid(
      issues
        .slice(0, PROBLEMS_MAX)
        .map(({ path, message }) => ({ pointer: pointerTo([...start, ...path]), detail: message })),
    );
  }
}

const invalid = (errors: { pointer: string; detail: string }[]) => new AppError('invalid_input', { errors });

/** Deeper than any valid body. A deeper one is refused before any code walks through it. */
const DEPTH_MAX = 30;

/**
 * Looks for characters that Postgres cannot store: U+0000 and unpaired surrogates. It walks only plain objects and
 * arrays, so it skips a body that is a stream. It does not recurse, so depth costs no stack.
 */
export function findUnstorable(value: unknown): { path: readonly PropertyKey[]; detail: string } | null {
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
