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
    const parsed = await z.safeParseAsync(schema, value);
    if (parsed.success) return parsed.data;
    const start = [PLACES[metadata.type] ?? metadata.type, ...(metadata.data ? [metadata.data] : [])];
    throw new AppError('invalid_input', {
      errors: parsed.error.issues.slice(0, PROBLEMS_MAX).map((issue) => ({
        pointer: pointerTo([...start, ...issue.path]),
        detail: issue.message,
      })),
    });
  }
}

function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
