/*
 * The shape of an answer: names of fields and kinds of values, and no value. Pure. What a router says is hostile: depth,
 * fields and entries have bounds, and nothing of a text stays but its kind.
 */

/** Of a value that is no object and no list. */
type ValueKind =
  | 'null'
  | 'boolean'
  | 'integer'
  | 'number'
  | 'text'
  | 'text-empty'
  | 'text-none'
  | 'text-flag'
  | 'text-integer'
  | 'text-number'
  | 'text-ipv4'
  | 'text-mac'
  | 'text-time';

interface FieldsShape {
  readonly fields: Readonly<Record<string, Shape>>;
  /** Those that some objects of this place lack. */
  readonly sometimes?: readonly string[];
  /** Fields whose names are no words of an API, such as addresses: how many, and what they hold. */
  readonly names?: { readonly count: number; readonly of: Shape };
}

interface ListShape {
  readonly list: Shape | null;
  readonly count: number;
}

export type Shape = ValueKind | FieldsShape | ListShape | { readonly any: readonly Shape[] };

/** What is deeper is not looked at. */
const DEPTH_MAX = 16;
/** Fields of one object, and entries of one list, that are looked at. */
const LOOKED_AT_MAX = 500;

/* Each pattern looks at a character once. */
const TEXT_KINDS: readonly (readonly [ValueKind, RegExp])[] = [
  ['text-empty', /^$/],
  ['text-none', /^(?:N\/A|-|unknown|none)$/i],
  ['text-flag', /^[01]$/],
  ['text-integer', /^-?\d{1,18}$/],
  ['text-number', /^-?\d{1,18}\.\d{1,18}$/],
  ['text-ipv4', /^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?:\/\d{1,2})?$/],
  ['text-mac', /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/i],
  ['text-time', /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?/],
];

/** Names of fields of an API, such as `5G_SA` and `.type`; no address and no number that could be one of a device. */
const FIELD_NAME = /^\.?[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;
const LONG_NUMBER = /\d{5}|^\d+$/;

/** All texts of an answer, in lower case: a field with such a name may be that of a section, a network or a person. */
export function textsIn(value: unknown, into: Set<string> = new Set(), depth = 0): Set<string> {
  if (typeof value === 'string') into.add(value.toLowerCase());
  else if (typeof value === 'object' && value !== null && depth < DEPTH_MAX)
    for (const part of Object.values(value)) textsIn(part, into, depth + 1);
  return into;
}

/** @param texts those of all answers of the device (`textsIn`) */
export function shapeOf(value: unknown, texts: ReadonlySet<string>, depth = 0): Shape {
  if (value === null || depth >= DEPTH_MAX) return 'null';
  if (Array.isArray(value)) {
    const shapes = value.slice(0, LOOKED_AT_MAX).map((entry) => shapeOf(entry, texts, depth + 1));
    return { list: shapes.length === 0 ? null : shapes.reduce(joined), count: value.length };
  }
  if (typeof value === 'object') return fieldsOf(Object.entries(value).slice(0, LOOKED_AT_MAX), texts, depth);
  if (typeof value === 'string') return TEXT_KINDS.find(([, pattern]) => pattern.test(value))?.[0] ?? 'text';
  if (typeof value === 'boolean') return 'boolean';
  return Number.isInteger(value) ? 'integer' : 'number';
}

function fieldsOf(entries: readonly [string, unknown][], texts: ReadonlySet<string>, depth: number): FieldsShape {
  const fields = new Map<string, Shape>();
  const named: Shape[] = [];
  const names = namesAmong(entries, texts);
  for (const [name, value] of entries) {
    const shape = shapeOf(value, texts, depth + 1);
    if (names.has(name)) named.push(shape);
    else fields.set(name, shape);
  }
  const counted = named.length === 0 ? {} : { names: { count: named.length, of: named.reduce(joined) } };
  return { fields: Object.fromEntries(fields), ...counted };
}

/**
 * Fields that are called by what someone or something chose: no word of an API, or a text that the device says elsewhere.
 * One such field among others, with a plain value, is one of the API (`serial`).
 */
function namesAmong(entries: readonly [string, unknown][], texts: ReadonlySet<string>): ReadonlySet<string> {
  const isStrange = (name: string): boolean => !FIELD_NAME.test(name) || LONG_NUMBER.test(name);
  const doubtful = entries.filter(([name]) => isStrange(name) || texts.has(name.toLowerCase()));
  if (2 * doubtful.length >= entries.length) return new Set(entries.map(([name]) => name));
  return new Set(
    doubtful.filter(([name, value]) => isStrange(name) || typeof value === 'object').map(([name]) => name),
  );
}

/** The shape that fits both. */
export function joined(one: Shape, other: Shape): Shape {
  if (one === other) return one;
  if (isFields(one) && isFields(other)) return joinedFields(one, other);
  if (isList(one) && isList(other)) {
    const list = one.list === null || other.list === null ? (one.list ?? other.list) : joined(one.list, other.list);
    return { list, count: Math.max(one.count, other.count) };
  }
  const all = new Map<string, Shape>();
  for (const shape of [...alternatives(one), ...alternatives(other)]) {
    const kind = typeof shape === 'string' ? shape : isFields(shape) ? 'fields' : 'list';
    const known = all.get(kind);
    all.set(kind, known === undefined ? shape : joined(known, shape));
  }
  const [first, ...rest] = all.values();
  return rest.length === 0 ? first! : { any: [first!, ...rest] };
}

function joinedFields(one: FieldsShape, other: FieldsShape): FieldsShape {
  const fields = new Map(Object.entries(one.fields));
  const sometimes = new Set([...(one.sometimes ?? []), ...(other.sometimes ?? [])]);
  for (const name of fields.keys()) if (!Object.hasOwn(other.fields, name)) sometimes.add(name);
  for (const [name, shape] of Object.entries(other.fields)) {
    const known = fields.get(name);
    if (known === undefined) sometimes.add(name);
    fields.set(name, known === undefined ? shape : joined(known, shape));
  }
  const counts = [one.names, other.names].flatMap((names) => (names === undefined ? [] : [names]));
  const names = counts.length === 0 ? undefined : counts.reduce((a, b) => ({ count: Math.max(a.count, b.count), of: joined(a.of, b.of) })); // prettier-ignore
  return {
    fields: Object.fromEntries(fields),
    ...(sometimes.size === 0 ? {} : { sometimes: [...sometimes] }),
    ...(names === undefined ? {} : { names }),
  };
}

/** All names of fields of a shape: what a person reads before it is given away. */
export function fieldNamesOf(shape: Shape | null): string[] {
  if (shape === null || typeof shape === 'string') return [];
  if ('any' in shape) return shape.any.flatMap(fieldNamesOf);
  if ('list' in shape) return fieldNamesOf(shape.list);
  const inner = [...Object.values(shape.fields), shape.names?.of ?? null];
  return [...Object.keys(shape.fields), ...inner.flatMap(fieldNamesOf)];
}

const isFields = (shape: Shape): shape is FieldsShape => typeof shape === 'object' && 'fields' in shape;
const isList = (shape: Shape): shape is ListShape => typeof shape === 'object' && 'list' in shape;
const alternatives = (shape: Shape): readonly Shape[] =>
  typeof shape === 'object' && 'any' in shape ? shape.any : [shape];
