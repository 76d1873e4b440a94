import { isDeepStrictEqual } from 'node:util';
import { type OpenAPIObject } from '@nestjs/swagger';
import { z } from 'zod';

/*
 * From zod to the schemas of the OpenAPI document. One declaration can have two forms: in a body, a field with a default may
 * be left out; in an answer, it is always there. Where the forms differ and both are used, the one of bodies is named
 * `…Input`; a single name for both would make one of them wrong.
 */

export type Json = Record<string, unknown>;
export type Direction = 'input' | 'output';

/** Marks names of the form for bodies until it is known which of them need a name of their own. */
const INPUT_MARK = '--input';
const SCHEMAS = '#/components/schemas/';

export interface ConvertedSchema {
  readonly schema: Json;
  /** What `schema` refers to, by name. */
  readonly components: Record<string, Json>;
}

/** A schema with what it refers to. zod puts everything with an `id` below `$defs`, the schema itself included. */
export function convert(schema: z.core.$ZodType, io: Direction): ConvertedSchema {
  const suffix = io === 'input' ? INPUT_MARK : '';
  const json = z.toJSONSchema(schema, { io, target: 'draft-2020-12', override: withoutKnown }) as Json;
  const renamed = withRefs(json, (ref) =>
    ref.startsWith('#/$defs/') ? `${SCHEMAS}${ref.slice('#/$defs/'.length)}${suffix}` : ref,
  ) as Json;
  const { $defs, ...rest } = renamed;
  const components = Object.entries(($defs ?? {}) as Record<string, Json>).map(
    ([name, part]) => [`${name}${suffix}`, withoutNames(part)] as const,
  );
  return { schema: withoutNames(rest), components: Object.fromEntries(components) };
}

/** Formats that every reader of JSON Schema knows: their patterns were a tenth of the document. */
const KNOWN_FORMATS: ReadonlySet<unknown> = new Set(['date-time', 'uuid']);

/** Without what a reader knows: patterns of formats, and that whole numbers lie within ±2^53 (RFC 8259, 6). */
function withoutKnown({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (KNOWN_FORMATS.has(jsonSchema.format)) delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

/** Gives every schema its final name: the form for bodies has one of its own only where it differs. */
export function nameSchemas(document: OpenAPIObject): OpenAPIObject {
  const schemas = document.components?.schemas as Record<string, Json>;
  const own = differing(schemas);
  const nameOf = (name: string): string => {
    if (!name.endsWith(INPUT_MARK)) return name;
    const bare = name.slice(0, -INPUT_MARK.length);
    return own.has(bare) ? `${bare}Input` : bare;
  };
  const named = withRefs(document, (ref) =>
    ref.startsWith(SCHEMAS) ? SCHEMAS + nameOf(ref.slice(SCHEMAS.length)) : ref,
  ) as OpenAPIObject;
  const entries = Object.entries(named.components!.schemas!).map(([name, part]) => [nameOf(name), part] as const);
  named.components!.schemas = Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  return named;
}

/** Names whose two forms differ, by themselves or by what they refer to. */
function differing(schemas: Record<string, Json>): ReadonlySet<string> {
  const own = new Set<string>();
  const plain = (part: Json | undefined) =>
    withRefs(part, (ref) => {
      const bare = ref.endsWith(INPUT_MARK) ? ref.slice(0, -INPUT_MARK.length) : ref;
      return own.has(bare.slice(SCHEMAS.length)) ? ref : bare;
    });
  for (let before = -1; before < own.size;) {
    before = own.size;
    for (const [name, part] of Object.entries(schemas)) {
      const input = schemas[name + INPUT_MARK];
      if (input && !isDeepStrictEqual(plain(input), plain(part))) own.add(name);
    }
  }
  return own;
}

/** A copy with other references. */
function withRefs(node: unknown, change: (ref: string) => string): unknown {
  if (Array.isArray(node)) return node.map((inner) => withRefs(inner, change));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string' ? change(inner) : withRefs(inner, change),
    ]),
  );
}

function withoutNames({ $schema: _version, id: _id, ...rest }: Json): Json {
  return rest;
}
