import { type OpenAPIObject } from '@nestjs/swagger';
import { expect, it } from 'vitest';
import { shareParts } from '../../src/openapi/openapi-shared.js';
import { inlined } from '../support/source/inlined.js';

/* Which parts of a document are shared, and under which names. */

type Json = Record<string, unknown>;

const schema = { type: 'string' };
const error = (text: string, ...codes: string[]): Json => {
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
  return { description: text, content: { 'application/problem+json': { schema, examples } } };
};
const query = (name: string, more: Json = {}): Json => ({ name, in: 'query', schema, ...more });
const answer = (media: Json, more: Json = {}): Json => ({
  description: 'It',
  content: { 'application/json': media },
  ...more,
});

/** A document with these operations, and with examples of errors, as it is before. */
const documentOf = (operations: readonly Json[]): OpenAPIObject =>
  structuredClone({
    paths: Object.fromEntries(operations.map((operation, at) => [`/${at}`, { get: operation }])),
    components: { schemas: {}, examples: { gone: { value: 'gone' }, taken: { value: 'taken' } } },
  }) as unknown as OpenAPIObject;

it.each<[string, Json[], string[]]>([
  ['nothing that is there once', [{ responses: { 404: error('a', 'gone') }, parameters: [query('q')] }], []],
  [
    'answers about one error, by its code',
    [{ responses: { 404: error('a', 'gone') } }, { responses: { 404: error('a', 'gone') } }],
    ['responses gone'],
  ],
  [
    'answers about several errors, by their status',
    [{ responses: { 404: error('a', 'gone', 'taken') } }, { responses: { 404: error('a', 'gone', 'taken') } }],
    ['responses 404'],
  ],
  [
    'different answers of one name, by digests',
    ['a', 'b', 'a', 'b'].map((text) => ({ responses: { 404: error(text, 'gone', 'taken') } })),
    ['responses 404-******', 'responses 404-******'],
  ],
  [
    'an equal answer of other statuses',
    [{ responses: { 200: { description: 'It' } } }, { responses: { default: { description: 'It' } } }],
    ['responses 200'],
  ],
  ['parameters', [{ parameters: [query('q')] }, { parameters: [query('p'), query('q')] }], ['parameters q']],
  [
    'different parameters of one name',
    [{}, { required: true }, {}, { required: true }].map((more) => ({ parameters: [query('q', more)] })),
    ['parameters q-******', 'parameters q-******'],
  ],
  [
    'headers of different answers',
    ['a', 'b'].map((description) => ({ responses: { 200: { description, headers: { ETag: { schema } } } } })),
    ['headers ETag'],
  ],
  [
    'an example by the name of its schema',
    ['a', 'b'].map((description) => {
      const media = { schema: { $ref: '#/components/schemas/Device' }, example: { id: 1 } };
      return { responses: { 200: answer(media, { description }) } };
    }),
    ['examples Device'],
  ],
  [
    'an example of the lines of a stream',
    ['a', 'b'].map((description) => {
      const media = { schema: { ...schema, contentSchema: { $ref: '#/components/schemas/Line' } }, example: '{}\n' };
      return { responses: { 200: answer(media, { description }) } };
    }),
    ['examples Line'],
  ],
  [
    'examples with names, of bodies too; a name that an error has gets a digest',
    [{ examples: { taken: { value: 1 } } }, { examples: { other: { value: 1 } } }].map((media) => ({
      requestBody: { content: { 'application/json': { schema, ...media } } },
    })),
    ['examples taken-******'],
  ],
  [
    'examples of different parameters',
    ['p', 'q'].map((name) => ({ parameters: [query(name, { example: 'x' })] })),
    ['examples example'],
  ],
])('shares %s', (_what, operations, wanted) => {
  const document = documentOf(operations);
  shareParts(document);
  const names = Object.entries(document.components as Record<string, object>).flatMap(([kind, parts]) =>
    Object.keys(parts).map((name) => `${kind} ${name.replace(/-[0-9a-f]{6}$/, '-******')}`),
  );
  expect(names.filter((name) => !['examples gone', 'examples taken'].includes(name))).toEqual(wanted);
  // Whatever is shared, the document says the same.
  expect(withLists(inlined(document).paths)).toEqual(withLists(inlined(documentOf(operations)).paths));
});

/** A single example is a list of one. */
const withLists = (paths: object): unknown =>
  JSON.parse(JSON.stringify(paths), (_key, node: Json) => {
    if (typeof node !== 'object' || node === null || !('example' in node) || !('schema' in node)) return node;
    const { example, ...rest } = node;
    return { ...rest, examples: { example: { value: example } } };
  });
