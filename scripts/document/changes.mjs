import { inlined, operationsOf } from './inlined.mjs';

/*
 * What a new OpenAPI document breaks for clients of an old one, as sentences. The rules are simple and err to the strict side:
 *
 *   a client may send    every operation, parameter, field and value as before, and nothing more is required of it
 *   a client may read    every field as before: it is there when it was always there, and has no further types
 */

/** Schemas can hold themselves; further down nothing is compared. */
const DEPTH_MAX = 8;

/**
 * @param {object} oldDocument
 * @param {object} newDocument
 * @returns {string[]} a sentence for each break, beginning with the name of the operation, such as `GET /v1/devices`
 */
export function breaksBetween(oldDocument, newDocument) {
  const [before, after] = [inlined(oldDocument), inlined(newDocument)];
  const now = new Map(operationsOf(after));
  return operationsOf(before).flatMap(([name, old]) => {
    const operation = now.get(name);
    if (!operation) return [`${name} was removed`];
    const found = [
      ...parameterBreaks(old, operation),
      ...bodyBreaks(contentOf(old.requestBody), contentOf(operation.requestBody), before, after),
      ...bodyRequiredBreaks(old, operation),
      ...answerBreaks(old, operation, before, after),
    ];
    return found.map((what) => `${name}: ${what}`);
  });
}

function parameterBreaks(before, after) {
  const old = parametersOf(before);
  const now = parametersOf(after);
  const removed = [...old.keys()].filter((name) => !now.has(name)).map((name) => `${name} was removed`);
  const required = [...now]
    .filter(([name, parameter]) => parameter.required === true && old.get(name)?.required !== true)
    .map(([name]) => `${name} is now required`);
  return [...removed, ...required];
}

const parametersOf = ({ parameters }) =>
  new Map((parameters ?? []).map((one) => [`the ${String(one.in)} ${String(one.name)}`, one]));

function bodyRequiredBreaks(before, after) {
  const isRequired = ({ requestBody }) => requestBody?.required === true;
  return isRequired(after) && !isRequired(before) ? ['the body is now required'] : [];
}

function bodyBreaks(before, after, old, now) {
  return [...before].flatMap(([type, schema]) => {
    const other = after.get(type);
    if (!other) return [`the body ${type} was removed`];
    return inputBreaks(fieldsOf(schema, old), fieldsOf(other, now));
  });
}

function inputBreaks(before, after) {
  const found = [];
  for (const [at, { types }] of before) {
    const now = after.get(at);
    if (!now) found.push(`the field ${at} of the body was removed`);
    else if (!now.types.has('any')) {
      const lost = [...types].filter((type) => !now.types.has(type) && !(isValue(type) && now.types.has('string')));
      if (lost.length > 0) found.push(`the field ${at} of the body no longer takes ${lost.join(', ')}`);
    }
  }
  for (const [at, { isRequired }] of after) {
    const isNew = isRequired && before.get(at)?.isRequired !== true && before.has(parentOf(at));
    if (isNew) found.push(`the field ${at} of the body is now required`);
  }
  return found;
}

function answerBreaks(before, after, old, now) {
  const answers = (operation) => Object.entries(operation.responses ?? {}).filter(([status]) => status.startsWith('2'));
  const others = new Map(answers(after));
  return answers(before).flatMap(([status, answer]) => {
    const other = others.get(status);
    if (!other) return [`the answer ${status} was removed`];
    const contents = contentOf(other);
    return [...contentOf(answer)].flatMap(([type, schema]) => {
      const content = contents.get(type);
      if (!content) return [`the answer ${type} was removed`];
      return outputBreaks(fieldsOf(schema, old), fieldsOf(content, now));
    });
  });
}

function outputBreaks(before, after) {
  const found = [];
  for (const [at, { types, isRequired }] of before) {
    const now = after.get(at);
    if (!now) {
      found.push(`the field ${at} of the answer was removed`);
      continue;
    }
    if (isRequired && !now.isRequired) found.push(`the field ${at} of the answer can now be absent`);
    const further = types.has('any') ? [] : [...now.types].filter((type) => !types.has(type) && !isValue(type));
    if (further.length > 0) found.push(`the field ${at} of the answer can now be ${further.join(', ')}`);
  }
  return found;
}

/** A value of an enumeration. Answers may have further ones: clients are told to expect them. */
const isValue = (type) => type.startsWith('"');

function contentOf(part) {
  const content = part?.content ?? {};
  return new Map(Object.entries(content).map(([type, media]) => [type, media.schema ?? {}]));
}

const parentOf = (at) => at.slice(0, Math.max(at.lastIndexOf('.'), 0)) || '(body)';

/** The fields of a schema by their place, such as `items[].name`; `(body)` is the schema itself. */
function fieldsOf(schema, document) {
  const fields = new Map();
  const schemas = document.components?.schemas ?? {};
  const visit = (part, at, isRequired, depth) => {
    const { $ref, contentSchema } = part;
    const target = contentSchema ?? ($ref === undefined ? null : schemas[$ref.slice($ref.lastIndexOf('/') + 1)]);
    if (target) return visit(target, at, isRequired, depth);
    const known = fields.get(at) ?? { types: new Set(), isRequired };
    fields.set(at, known);
    known.isRequired &&= isRequired;
    for (const type of typesOf(part)) known.types.add(type);
    if (depth >= DEPTH_MAX) return;
    for (const option of optionsOf(part)) visit(option, at, isRequired, depth + 1);
    const prefix = at === '(body)' ? '' : `${at}.`;
    const required = new Set(part.required ?? []);
    for (const [name, property] of Object.entries(part.properties ?? {})) {
      visit(property, prefix + name, required.has(name), depth + 1);
    }
    if (isSchema(part.items)) visit(part.items, `${at === '(body)' ? '' : at}[]`, true, depth + 1);
    if (isSchema(part.additionalProperties)) visit(part.additionalProperties, `${prefix}*`, false, depth + 1);
  };
  visit(schema, '(body)', true, 0);
  return fields;
}

const isSchema = (value) => typeof value === 'object' && value !== null;

const optionsOf = ({ anyOf, oneOf, allOf }) =>
  [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []));

/** Types by their names, and the values of an enumeration in JSON. `any` for a schema that takes everything. */
function typesOf(schema) {
  const { type, enum: values } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value));
  if ('const' in schema) return [JSON.stringify(schema.const)];
  if (type === undefined) return optionsOf(schema).length === 0 && schema.properties === undefined ? ['any'] : [];
  return [type].flat().map((name) => (name === 'integer' ? 'number' : name));
}

/**
 * @param {string[]} breaks
 * @param {string} changeLog CHANGELOG.md
 * @returns {string[]} the breaks whose operation no line under `## Unreleased` names between backticks
 */
export function withoutEntry(breaks, changeLog) {
  const unreleased = changeLog.split(/^## /m).find((part) => part.startsWith('Unreleased')) ?? '';
  return breaks.filter((sentence) => {
    const name = /^[A-Z]+ [^\s:]+/.exec(sentence)?.[0] ?? sentence;
    return !unreleased.includes(`\`${name}\``);
  });
}
