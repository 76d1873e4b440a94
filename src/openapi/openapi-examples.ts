import { type Json } from './openapi-schemas.js';

/*
 * Examples of the document, made from its schemas. What a schema cannot say by itself (a pattern, which of two fields) has
 * its example beside its declaration (`.meta({ examples })`); `test/app/openapi.spec.ts` compares all of them with the schemas.
 */

const SCHEMAS = '#/components/schemas/';

/** Schemas may hold themselves; deeper than this a list is empty and what may be null is. */
const DEPTH_MAX = 20;

const OF_FORMAT: Readonly<Record<string, string>> = {
  uuid: '0192f3a1-7c4e-7b1a-9d2e-5f60718293a4',
  'date-time': '2026-06-01T12:00:00.000Z',
  uri: 'https://example.com/hook',
  base64: 'c2lnbmF0dXJl',
};

export class Examples {
  constructor(private readonly schemas: Readonly<Record<string, Json>>) {}

  /** An example of a schema. @param name of the field that it is for: the last resort for a text */
  of(schema: Json, name = 'text', depth = 0): unknown {
    const { $ref, default: preset, enum: choices, anyOf, oneOf } = schema as Schema;
    const told = toldIn(schema);
    if (told !== undefined) return told;
    if ($ref !== undefined) return this.of(this.schemas[$ref.slice(SCHEMAS.length)] ?? {}, name, depth + 1);
    if ('const' in schema) return schema['const'];
    if (choices) return choices[0];
    if (preset !== undefined) return preset;
    const options = anyOf ?? oneOf;
    if (options && schema['properties'] === undefined) return this.oneOf(options, name, depth);
    switch (typeOf(schema)) {
      case 'object':
        return this.object(schema, depth);
      case 'array':
        return this.array(schema, name, depth);
      case 'string':
        return OF_FORMAT[String(schema['format'])] ?? name;
      case 'integer':
      case 'number':
        return numberFor(schema);
      case 'boolean':
        return true;
      case 'null':
        return null;
      default:
        return {};
    }
  }

  /** An example for each form of a union by kind, under the name of the kind. */
  byKind(schema: Json): Record<string, unknown> | null {
    const { $ref, oneOf, properties } = schema as Schema;
    if ($ref !== undefined) return this.byKind(this.schemas[$ref.slice(SCHEMAS.length)] ?? {});
    if (!oneOf || !properties) return null;
    const { oneOf: _forms, ...shared } = schema;
    return Object.fromEntries(
      oneOf.map((form) => {
        const own = this.of(form) as { kind: string };
        return [own.kind, { ...(this.of(shared) as object), ...own }];
      }),
    );
  }

  private oneOf(options: readonly Json[], name: string, depth: number): unknown {
    const isNull = (option: Json) => option['type'] === 'null';
    if (depth > DEPTH_MAX && options.some(isNull)) return null;
    return this.of(options.find((option) => !isNull(option)) ?? options[0]!, name, depth + 1);
  }

  private object({ properties = {}, required = [], oneOf, additionalProperties }: Schema, depth: number): unknown {
    const has = Object.entries(properties).filter(
      ([key, property]) => required.includes(key) || this.isTold(property) || additionalProperties !== false,
    );
    // A record with names that are known has them as `required` alone.
    const ofRecord = required.filter((key) => !(key in properties)).map((key) => [key, additionalProperties] as const);
    const made = Object.fromEntries(
      [...has, ...ofRecord].map(([key, property]) => [key, this.of(property as Json, key, depth + 1)]),
    );
    return oneOf ? { ...made, ...(this.of(oneOf[0]!, 'text', depth + 1) as object) } : made;
  }

  /** Whether it has an example that was written by hand. */
  private isTold(schema: Schema): boolean {
    const { $ref } = schema;
    if ($ref !== undefined) return this.isTold(this.schemas[$ref.slice(SCHEMAS.length)] ?? {});
    return toldIn(schema) !== undefined;
  }

  private array({ items, minItems = 1 }: Schema, name: string, depth: number): unknown[] {
    if (depth > DEPTH_MAX || items === undefined) return [];
    return Array.from({ length: Math.max(minItems, 1) }, () => this.of(items, name, depth + 1));
  }
}

interface Schema extends Json {
  readonly $ref?: string;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Json[];
  readonly oneOf?: readonly Json[];
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: Json;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

/** The example beside a declaration; Nest keeps the first one, as `example`. */
const toldIn = ({ example, examples }: Schema): unknown => example ?? examples?.[0];

/** Of a field that may be null, what it is otherwise. */
function typeOf({ type }: Json): unknown {
  return Array.isArray(type) ? type.find((one) => one !== 'null') : type;
}

function numberFor({ minimum = 1, exclusiveMinimum, maximum = Infinity }: Schema): number {
  const least = exclusiveMinimum === undefined ? minimum : exclusiveMinimum + 1;
  return Math.min(Math.max(least, Math.min(1, maximum)), maximum);
}
