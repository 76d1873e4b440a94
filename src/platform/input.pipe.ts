import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { z } from 'zod';
import { AppError } from './errors.js';

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
    const nul = pathToNul(value, []);
    if (nul) throw invalid([{ pointer: pointerTo([...start, ...nul]), detail: 'must not hold the character U+0000' }]);
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

/** Where in a value a text holds U+0000, which Postgres cannot keep; null when nowhere. */
function pathToNul(value: unknown, path: readonly PropertyKey[]): readonly PropertyKey[] | null {
  if (typeof value === 'string') return value.includes('\0') ? path : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, part] of Object.entries(value)) {
    const found = key.includes('\0') ? path : pathToNul(part, [...path, key]);
    if (found) return found;
  }
  return null;
}

function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
