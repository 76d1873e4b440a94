import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { breaksBetween, withoutEntry } from '../support/source/document-changes.js';

/*
 * A change of the API that breaks clients has an entry in CHANGELOG.md. What changed is seen from the document of the commit
 * on which this work is based.
 */

const DOCUMENT = 'docs/reference/openapi.json';

type Schema = Readonly<Record<string, unknown>>;

const text = { type: 'string' };
const object = (properties: Schema, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
});

/** A document with one operation. */
function documentOf(operation: Schema, schemas: Schema = {}, path = '/v1/things', method = 'post'): Schema {
  return { paths: { [path]: { [method]: operation } }, components: { schemas } };
}

const body = (schema: Schema, required = false): Schema => ({
  requestBody: { required, content: { 'application/json': { schema } } },
});
const answer = (schema: Schema, status = '200', type = 'application/json'): Schema => ({
  responses: { [status]: { content: { [type]: { schema } } }, 404: { content: {} } },
});
const parameter = (name: string, required = false): Schema => ({ name, in: 'query', required, schema: text });

describe('a client of the old document is broken', () => {
  it.each<[string, Schema, Schema, string]>([
    ['by a parameter that is gone', { parameters: [parameter('q')] }, { parameters: [] }, 'the query q was removed'],
    [
      'by a parameter that it must have',
      { parameters: [parameter('q')] },
      { parameters: [parameter('q', true)] },
      'the query q is now required',
    ],
    ['by a body that it must have', body(object({})), body(object({}), true), 'the body is now required'],
    [
      'by a field that it may not send',
      body(object({ a: text })),
      body(object({})),
      'the field a of the body was removed',
    ],
    [
      'by a field that it must send',
      body(object({ a: object({}) })),
      body(object({ a: object({ b: text }, ['b']) })),
      'the field a.b of the body is now required',
    ],
    [
      'by a type that it may not send',
      body(object({ a: { type: ['string', 'null'] } })),
      body(object({ a: text })),
      'the field a of the body no longer takes null',
    ],
    [
      'by a value that it may not send',
      body(object({ a: { enum: ['x', 'y'] } })),
      body(object({ a: { enum: ['x'] } })),
      'the field a of the body no longer takes "y"',
    ],
    ['by a status that is gone', answer(text, '201'), answer(text, '200'), 'the answer 201 was removed'],
    [
      'by a media type that is gone',
      answer(text, '200', 'text/csv'),
      answer(text, '200', 'text/html'),
      'the answer text/csv was removed',
    ],
    [
      'by a field that it no longer gets',
      answer(object({ items: { type: 'array', items: object({ a: text }) } })),
      answer(object({ items: { type: 'array', items: object({}) } })),
      'the field items[].a of the answer was removed',
    ],
    [
      'by a field that it does not always get',
      answer(object({ a: text }, ['a'])),
      answer(object({ a: text })),
      'the field a of the answer can now be absent',
    ],
    [
      'by a type that it did not expect',
      answer(object({ a: text })),
      answer(object({ a: { anyOf: [text, { type: 'null' }] } })),
      'the field a of the answer can now be null',
    ],
  ])('%s', (_how, before, after, wanted) => {
    expect(breaksBetween(documentOf(before), documentOf(after))).toEqual([`POST /v1/things: ${wanted}`]);
  });

  it('by an operation that is gone', () => {
    expect(breaksBetween(documentOf({}), documentOf({}, {}, '/v1/others'))).toEqual(['POST /v1/things was removed']);
    expect(breaksBetween(documentOf({}), documentOf({}, {}, '/v1/things', 'put'))).toEqual([
      'POST /v1/things was removed',
    ]);
  });

  it('behind a name, and in schemas that hold themselves', () => {
    const tree = (leaf: Schema) => ({ Tree: object({ ...leaf, inner: { $ref: '#/components/schemas/Tree' } }) });
    const named = answer({ $ref: '#/components/schemas/Tree' });
    const breaks = breaksBetween(documentOf(named, tree({ a: text })), documentOf(named, tree({})));
    expect(breaks).toContain('POST /v1/things: the field a of the answer was removed');
    expect(breaks.length).toBeLessThan(20);
  });
});

describe('a client of the old document works', () => {
  it.each<[string, Schema, Schema]>([
    ['when a parameter is added', { parameters: [] }, { parameters: [parameter('q')] }],
    ['when a field of the body is added', body(object({})), body(object({ a: text }))],
    [
      'when a new object of the body has a required field',
      body(object({})),
      body(object({ a: object({ b: text }, ['b']) })),
    ],
    ['when the body takes more', body(object({ a: { enum: ['x'] } })), body(object({ a: text }))],
    ['when the body takes anything', body(object({ a: text })), body(object({ a: {} }))],
    ['when a field of the answer is added', answer(object({})), answer(object({ a: text }, ['a']))],
    [
      'when an enumeration of the answer has a further value',
      answer(object({ a: { enum: ['x'] } })),
      answer(object({ a: { enum: ['x', 'y'] } })),
    ],
    ['when an error is added', answer(text), { responses: { ...(answer(text)['responses'] as object), 409: {} } }],
  ])('%s', (_how, before, after) => {
    expect(breaksBetween(documentOf(before), documentOf(after))).toEqual([]);
  });
});

describe('an entry of the change log', () => {
  const breaks = ['GET /v1/a: the query q was removed', 'POST /v1/a was removed'];

  it('names the operation, among what is not released', () => {
    const log =
      '# Changelog\n\n## Unreleased\n\n- `GET /v1/a` no longer takes `q`.\n\n## 1.0\n\n- `POST /v1/a` is new.\n';
    expect(withoutEntry(breaks, log)).toEqual(['POST /v1/a was removed']);
  });

  it('of one path is not one of a longer path', () => {
    expect(withoutEntry(breaks, '## Unreleased\n`GET /v1/a/{b}` and `POST /v1/a`')).toEqual([breaks[0]]);
  });
});

/** @returns what git prints; null when it fails, such as in a folder without history */
function git(...args: string[]): string | null {
  try {
    const maxBuffer = 64 * 1024 * 1024;
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer }).trim();
  } catch {
    return null;
  }
}

/** Where this work branched off; on the main branch itself, the commit before. */
function baseCommit(): string | null {
  const head = git('rev-parse', 'HEAD');
  const bases = ['origin/main', 'main'].map((branch) => git('merge-base', 'HEAD', branch));
  return bases.find((base) => base !== null && base !== head) ?? git('rev-parse', 'HEAD~1');
}

it('has no break without an entry since the commit on which this work is based', ({ skip }) => {
  const base = baseCommit();
  const before = base === null ? null : git('show', `${base}:${DOCUMENT}`);
  if (before === null) skip(base === null ? 'There is no git history to compare with' : `${base} has no ${DOCUMENT}`);
  const breaks = breaksBetween(JSON.parse(before!) as Schema, JSON.parse(readFileSync(DOCUMENT, 'utf8')) as Schema);
  expect(withoutEntry(breaks, readFileSync('CHANGELOG.md', 'utf8'))).toEqual([]);
});
