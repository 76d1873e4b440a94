import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/* `npm run generate`: the code that is made from the OpenAPI document, in a folder of its own with a document of its own. */

type Json = Readonly<Record<string, unknown>>;

const PROJECT = path.resolve('.');
const TYPES = 'src/api-client/openapi.ts';
const OPERATIONS = 'src/cli/operations/operations.ts';

let folder: string;
let generate: () => Promise<boolean>;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'fleetgate-generate-'));
  for (const made of ['docs/reference', 'node_modules', 'src/api-client', 'src/cli/operations']) {
    mkdirSync(path.join(folder, made), { recursive: true });
  }
  cpSync(path.join(PROJECT, 'scripts'), path.join(folder, 'scripts'), { recursive: true });
  symlinkSync(
    path.join(PROJECT, 'node_modules/openapi-typescript'),
    path.join(folder, 'node_modules/openapi-typescript'),
    'junction',
  );
  ({ generate } = (await import(path.join(folder, 'scripts/generate.mjs'))) as { generate: typeof generate });
});
afterAll(() => rmSync(folder, { recursive: true }));

const read = (file: string): string => readFileSync(path.join(folder, file), 'utf8');
const write = (file: string, text: string): void => writeFileSync(path.join(folder, file), text);

const text = { type: 'string' };
const object = (properties: Json, required: readonly string[] = []): Json => ({ type: 'object', properties, required });

function documentOf(operation: Json, schemas: Json = {}): string {
  const described = { operationId: 'things_read', summary: 'Reads', responses: {}, ...operation };
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    paths: { '/v1/things': { post: described } },
    components: { schemas },
  });
}

/** The one operation of a document, as the command line gets it. */
async function operationFor(operation: Json, schemas?: Json): Promise<Json> {
  write('docs/reference/openapi.json', documentOf(operation, schemas));
  await generate();
  return JSON.parse(/things_read: (.*),\n/.exec(read(OPERATIONS))![1]!) as Json;
}

const body = (schema: Json, type = 'application/json'): Json => ({ requestBody: { content: { [type]: { schema } } } });
const answer = (type: string, schema: Json = text): Json => ({
  responses: { 404: { description: '' }, 200: { description: '', content: { [type]: { schema } } } },
});

describe('the generated files', () => {
  it('are written once, and again when they or the document change', async () => {
    const old = new Date('2026-01-01');
    const times = () => [TYPES, OPERATIONS].map((file) => statSync(path.join(folder, file)).mtimeMs === old.getTime());
    const age = () => [TYPES, OPERATIONS].forEach((file) => utimesSync(path.join(folder, file), old, old));
    write('docs/reference/openapi.json', documentOf({}));
    expect(await generate()).toBe(true);
    const [types, operations] = [read(TYPES), read(OPERATIONS)];
    expect([types, operations]).toEqual([
      expect.stringContaining('export interface paths'),
      expect.stringContaining('things_read'),
    ]);
    age();
    expect([await generate(), times()]).toEqual([false, [true, true]]);
    write(OPERATIONS, 'edited by hand');
    expect([await generate(), read(OPERATIONS) === operations, times()]).toEqual([true, true, [true, false]]);
    age();
    write('docs/reference/openapi.json', documentOf({ description: 'Only the types have it' }));
    expect([await generate(), times()]).toEqual([true, [false, true]]);
  });

  it('need a document that can be read, and say what to do without one', async () => {
    write('docs/reference/openapi.json', '<<<<<<< HEAD\n{}');
    await expect(generate()).rejects.toThrow(/openapi\.json cannot be read: .*npm run docs/s);
  });

  it('have the lines of streams, and the operations that take an Idempotency-Key', async () => {
    const Line = object({ id: text });
    const lines = {
      ...text,
      contentMediaType: 'application/x-ndjson',
      contentSchema: { $ref: '#/components/schemas/Line' },
    };
    const parameters = [{ name: 'Idempotency-Key', in: 'header', schema: text }];
    await operationFor({ parameters, ...answer('application/x-ndjson', lines) }, { Line });
    expect(read(TYPES)).toContain('"POST /v1/things": components["schemas"]["Line"];');
    expect(read(TYPES)).toContain('new Set([\n  "POST /v1/things",\n]);');
    const nameless = { ...lines, contentSchema: Line };
    await expect(operationFor(answer('application/x-ndjson', nameless))).rejects.toThrow('need a schema with a name');
  });
});

describe('an operation of the command line', () => {
  const field = (type: string, more: Json = {}) => ({ type, about: '', ...more });
  const named = (schema: Json): Json => ({ $ref: '#/components/schemas/Body', ...schema });

  it.each<[string, Json, Json, Json?]>([
    [
      'has the parameters of the address and the names of headers',
      {
        parameters: [
          { name: 'q', in: 'query', required: true, description: 'What', schema: text },
          { name: 'If-Match', in: 'header', schema: text },
          { name: 'ref', in: 'path', schema: text },
        ],
      },
      { query: { q: { type: 'string', about: 'What', required: true } }, headers: ['If-Match'], body: null },
    ],
    [
      'has the fields of a body',
      body(object({ a: text }, ['a'])),
      { body: { a: field('string', { required: true }) } },
    ],
    [
      'has fields inside fields; one of a field that may be absent is not required',
      body(object({ a: object({ b: text }, ['b']) })),
      { body: { a: field('other'), 'a.b': field('string') } },
    ],
    [
      'finds a body by its name',
      body(named({})),
      { body: { a: field('number') } },
      { Body: object({ a: { type: ['integer', 'null'] } }) },
    ],
    [
      'joins the forms of a body',
      body({
        oneOf: [
          object({ kind: { const: 'a' }, x: text }, ['kind', 'x']),
          object({ kind: { const: 'b' }, y: { type: 'boolean' } }, ['kind']),
        ],
      }),
      {
        body: {
          kind: field('string', { choices: ['a', 'b'], required: true }),
          x: field('string'),
          y: field('boolean'),
        },
      },
    ],
    [
      'has choices',
      body(object({ a: { enum: ['x', 'y'], ...text } })),
      { body: { a: field('string', { choices: ['x', 'y'] }) } },
    ],
    ['has lists of texts', body(object({ a: { type: 'array', items: text } })), { body: { a: field('list') } }],
    [
      'has no flag for lists of objects',
      body(object({ a: { type: 'array', items: object({}) } })),
      { body: { a: field('other') } },
    ],
    [
      'has no flag for one of several types',
      body(object({ a: { type: ['string', 'number'] } })),
      { body: { a: field('other') } },
    ],
    ['has no fields of a file', body(text, 'text/csv'), { body: null }],
    ['answers nothing', { responses: { 204: { description: '' } } }, { answer: 'none' }],
    ['answers bytes', answer('application/octet-stream'), { answer: 'bytes' }],
    ['answers lines', answer('application/x-ndjson'), { answer: 'ndjson' }],
    ['answers events', answer('text/event-stream'), { answer: 'events' }],
    [
      'answers a page',
      answer('application/json', object({ items: { type: 'array' }, next: text })),
      { answer: 'page' },
    ],
    ['answers JSON', answer('application/json', object({ items: { type: 'array' } })), { answer: 'json' }],
  ])('%s', async (_what, operation, wanted, schemas) => {
    expect(await operationFor(operation, schemas)).toMatchObject(wanted);
  });
});
