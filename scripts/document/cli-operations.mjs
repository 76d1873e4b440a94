import { inlined } from './inlined.mjs';

/* The operations of the command line: what it needs of the document, and no more. `operation.ts` has the types. */

/** Objects inside of objects whose fields get a flag of their own. */
const DEPTH_MAX = 3;
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
/** The API of a device has one operation for each method; `fleetgate call` has them all. */
const PASSED_ON = /^(passthrough|facade)_/;

/**
 * @param {object} document the OpenAPI document
 * @returns {string} the text of `src/cli/operations/operations.ts`
 */
export function cliOperations(document) {
  const lines = Object.entries(inlined(document).paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, { operationId }]) => METHODS.has(method.toUpperCase()) && !PASSED_ON.test(operationId))
      .map(
        ([method, described]) =>
          `  ${described.operationId}: ${JSON.stringify(operationOf(path, method, described, document))},`,
      ),
  );
  return `/* Made from the OpenAPI document by \`npm run generate\`. */
import { type ApiOperation } from './operation.js';

export const OPERATIONS = {
${lines.join('\n')}
} as const satisfies Readonly<Record<string, ApiOperation>>;

export type OperationId = keyof typeof OPERATIONS;
`;
}

function operationOf(path, method, described, document) {
  return {
    method: method.toUpperCase(),
    path,
    summary: described.summary,
    ...inputOf(described, document),
    answer: answerOf(described, document),
  };
}

function inputOf({ parameters = [], requestBody }, document) {
  const query = {};
  const headers = [];
  for (const { name, in: place, required, description, schema } of parameters) {
    if (place === 'header') headers.push(name);
    if (place === 'query') query[name] = fieldOf(schema, required ?? false, description);
  }
  const json = requestBody?.content['application/json']?.schema;
  const body = json ? fieldsOf(merged(resolve(json, document)), document) : null;
  return { query, headers, body };
}

/** A body of one of several forms as one form: the fields of all, of which those that all require are required. */
function merged(schema) {
  const forms = schema.anyOf ?? schema.oneOf ?? [];
  if (schema.properties || forms.length === 0 || !forms.every((form) => form.properties)) return schema;
  const properties = {};
  for (const [name, field] of forms.flatMap((form) => Object.entries(form.properties))) {
    const known = properties[name];
    const values = [known, field].flatMap((one) => one?.enum ?? (one?.const === undefined ? [] : [one.const]));
    const choices = values.length > 0 ? { type: 'string', enum: [...new Set(values)] } : {};
    properties[name] = { ...known, ...field, ...choices };
  }
  const required = Object.keys(properties).filter((name) => forms.every((form) => form.required?.includes(name)));
  return { properties, required };
}

/** The fields of an object, and those of the objects in it. A field of an object that may be absent is not required. */
function fieldsOf(schema, document, before = '', isThere = true) {
  const fields = {};
  for (const [name, value] of Object.entries(schema.properties ?? {})) {
    const inner = resolve(value, document);
    const required = isThere && (schema.required?.includes(name) ?? false);
    fields[before + name] = fieldOf(inner, required, value.description);
    const { properties, required: needed } = merged(inner);
    if (properties && before.split('.').length < DEPTH_MAX) {
      Object.assign(fields, fieldsOf({ properties, required: needed }, document, `${before}${name}.`, required));
    }
  }
  return fields;
}

function fieldOf(schema, required, about = schema.description ?? '') {
  const choices = schema.enum?.filter((value) => typeof value === 'string');
  return { type: typeOf(schema), about, ...(choices?.length ? { choices } : {}), ...(required ? { required } : {}) };
}

function typeOf(schema) {
  const types = [
    schema.type ?? [],
    ...(schema.anyOf ?? []).map(({ type, $ref }) => ($ref ? 'object' : (type ?? []))),
  ].flat();
  const [first = 'other', ...others] = new Set(types.filter((type) => type !== 'null'));
  if (others.length > 0) return 'other';
  if (first === 'integer' || first === 'number') return 'number';
  if (first === 'array') return isText(schema.items) ? 'list' : 'other';
  if (first === 'string' && [schema, ...(schema.anyOf ?? [])].some(({ format }) => format === 'date-time'))
    return 'instant';
  return first === 'string' || first === 'boolean' ? first : 'other';
}

function isText({ type, anyOf } = {}) {
  return type === 'string' || (anyOf?.every(isText) ?? false);
}

function answerOf({ responses }, document) {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const content = Object.assign({}, ...successes.map(([, answer]) => answer.content));
  const json = content['application/json']?.schema;
  if (!json && 'application/x-ndjson' in content) return 'ndjson';
  if (!json && 'text/event-stream' in content) return 'events';
  if (!json) return Object.keys(content).length > 0 ? 'bytes' : 'none';
  const { properties = {} } = resolve(json, document);
  return 'items' in properties && 'next' in properties ? 'page' : 'json';
}

function resolve(schema, { components }) {
  return schema.$ref === undefined ? schema : (components.schemas[schema.$ref.split('/').at(-1)] ?? schema);
}
