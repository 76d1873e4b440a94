import { isSecretName, type AnswerForm, type Field, type ApiOperation } from '../../../src/cli/operations/operation.js';

/* `src/cli/operations/operations.ts` from the OpenAPI document: all that the command line needs, and no more. */

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly const?: unknown;
}

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: Schema }>> }>>;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Objects inside of objects whose fields get a flag of their own. */
const DEPTH_MAX = 3;
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
/** The API of a device has one operation for each method; `fleetgate call` has them all. */
const PASSED_ON = /^(passthrough|facade)_/;
/** Fields whose value is a secret, and whose name does not say it. */
const SECRET_FIELDS: ReadonlySet<string> = new Set(['sealedvalues_give.value']);

/** The operations of the document by their id. */
export function cliOperations(document: Document): Record<string, ApiOperation> {
  const found: Record<string, ApiOperation> = {};
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, described] of Object.entries(methods as Record<string, Described>)) {
      const verb = method.toUpperCase();
      if (!METHODS.has(verb) || PASSED_ON.test(described.operationId)) continue;
      found[described.operationId] = {
        method: verb as ApiOperation['method'],
        path,
        summary: described.summary,
        ...inputOf(described, document),
        answer: answerOf(described, document),
      };
    }
  }
  return found;
}

/** The text of the generated file. */
export function cliOperationsText(document: Document): string {
  const operations = JSON.stringify(cliOperations(document), null, 2);
  return `/* Made from the OpenAPI document by \`npm run docs\`. */
import { type ApiOperation } from './operation.js';

export const OPERATIONS = ${operations} as const satisfies Readonly<Record<string, ApiOperation>>;

export type OperationId = keyof typeof OPERATIONS;
`;
}

function inputOf(described: Described, document: Document): Pick<ApiOperation, 'query' | 'headers' | 'body' | 'media'> {
  const query: Record<string, Field> = {};
  const headers: string[] = [];
  for (const { name, in: place, required, description, schema } of described.parameters ?? []) {
    if (place === 'header') headers.push(name);
    if (place === 'query') query[name] = fieldOf(name, schema, required ?? false, description);
  }
  const content = described.requestBody?.content ?? {};
  const json = content['application/json']?.schema;
  const body = json ? fieldsOf(merged(resolve(json, document)), document) : null;
  for (const [name, field] of Object.entries(body ?? {})) {
    if (SECRET_FIELDS.has(`${described.operationId}.${name}`)) body![name] = { ...field, secret: true };
  }
  return { query, headers, body, media: Object.keys(content).filter((type) => type !== 'application/json') };
}

/** A body of one of several forms as one form: the fields of all, of which those that all require are required. */
function merged(schema: Schema): Schema {
  const forms = schema.anyOf ?? schema.oneOf ?? [];
  if (schema.properties || forms.length === 0 || !forms.every((form) => form.properties)) return schema;
  const properties: Record<string, Schema> = {};
  for (const [name, field] of forms.flatMap((form) => Object.entries(form.properties!))) {
    const known = properties[name];
    const values = [known, field].flatMap((one) => one?.enum ?? (one?.const === undefined ? [] : [one.const]));
    properties[name] = {
      ...known,
      ...field,
      ...(values.length > 0 ? { type: 'string', enum: [...new Set(values)] } : {}),
    };
  }
  const required = Object.keys(properties).filter((name) => forms.every((form) => form.required?.includes(name)));
  return { properties, required };
}

/** The fields of an object, and those of the objects in it. A field of an object that may be absent is not required. */
function fieldsOf(schema: Schema, document: Document, before = '', isThere = true): Record<string, Field> {
  const fields: Record<string, Field> = {};
  for (const [name, value] of Object.entries(schema.properties ?? {})) {
    const inner = resolve(value, document);
    const required = isThere && (schema.required?.includes(name) ?? false);
    fields[before + name] = fieldOf(name, inner, required, value.description);
    if (inner.properties && before.split('.').length < DEPTH_MAX) {
      Object.assign(fields, fieldsOf(inner, document, `${before}${name}.`, required));
    }
  }
  return fields;
}

function fieldOf(name: string, schema: Schema, required: boolean, about?: string): Field {
  const choices = schema.enum?.filter((value) => typeof value === 'string');
  const type = typeOf(schema);
  return {
    type,
    about: about ?? schema.description ?? '',
    ...(choices?.length ? { choices } : {}),
    ...(required ? { required } : {}),
    ...(type === 'string' && isSecretName(name) ? { secret: true } : {}),
  };
}

function typeOf(schema: Schema): Field['type'] {
  const types = [schema.type ?? [], ...(schema.anyOf ?? []).map(({ type }) => type ?? [])].flat();
  const [first = 'other', ...others] = new Set(types.filter((type) => type !== 'null'));
  if (others.length > 0) return 'other';
  if (first === 'integer' || first === 'number') return 'number';
  if (first === 'array') return isText(schema.items) ? 'list' : 'other';
  return first === 'string' || first === 'boolean' ? first : 'other';
}

const isText = ({ type, anyOf }: Schema = {}): boolean => type === 'string' || (anyOf?.every(isText) ?? false);

function answerOf(described: Described, document: Document): AnswerForm {
  const success = Object.keys(described.responses).find((status) => status.startsWith('2'));
  const content = success === undefined ? {} : (described.responses[success]!.content ?? {});
  if ('application/x-ndjson' in content) return 'ndjson';
  if ('text/event-stream' in content) return 'events';
  const json = content['application/json']?.schema;
  if (!json) return Object.keys(content).length > 0 ? 'bytes' : 'none';
  const { properties = {} } = resolve(json, document);
  return 'items' in properties && 'next' in properties ? 'page' : 'json';
}

function resolve(schema: Schema, { components }: Document): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (components.schemas[name] ?? schema);
}
