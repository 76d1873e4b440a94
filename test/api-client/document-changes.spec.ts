import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT } from '../support/source/project.js';

/* A change of the API that breaks clients has an entry in CHANGELOG.md: the rules of `node scripts/api-changes.mjs`. */

const { breaksBetween, withoutEntry } = (await import(new URL('scripts/document/changes.mjs', PROJECT).href)) as {
  breaksBetween: (before: object, after: object) => string[];
  withoutEntry: (breaks: readonly string[], changeLog: string) => string[];
};

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

/** A document whose operation refers to shared parts. */
function sharedDocument(parts: Record<string, Schema>, name = 'part'): Schema {
  const reference = (kind: string) => ({ $ref: `#/components/${kind}/${name}` });
  const { parameters, requestBodies, responses } = parts;
  const operation = {
    ...(parameters ? { parameters: [reference('parameters')] } : {}),
    ...(requestBodies ? { requestBody: reference('requestBodies') } : {}),
    ...(responses ? { responses: { 200: reference('responses') } } : {}),
  };
  const components = Object.fromEntries(Object.entries(parts).map(([kind, part]) => [kind, { [name]: part }]));
  return { paths: { '/v1/things': { post: operation } }, components };
}

describe('parts that operations share', () => {
  const content = (schema: Schema, type = 'application/json') => ({ content: { [type]: { schema } } });

  it.each<[string, Record<string, Schema>, Record<string, Schema>, string]>([
    [
      'a parameter that it must have',
      { parameters: parameter('q') },
      { parameters: parameter('q', true) },
      'the query q is now required',
    ],
    ['another parameter', { parameters: parameter('q') }, { parameters: parameter('p') }, 'the query q was removed'],
    ['a parameter that is gone', { parameters: parameter('q') }, {}, 'the query q was removed'],
    [
      'a body that it must have',
      { requestBodies: content(text) },
      { requestBodies: { ...content(text), required: true } },
      'the body is now required',
    ],
    [
      'a field that it must send',
      { requestBodies: content(object({})) },
      { requestBodies: content(object({ a: text }, ['a'])) },
      'the field a of the body is now required',
    ],
    [
      'a body of another media type',
      { requestBodies: content(text, 'text/csv') },
      { requestBodies: content(text, 'text/html') },
      'the body text/csv was removed',
    ],
    [
      'a field that it no longer gets',
      { responses: content(object({ a: text })) },
      { responses: content(object({})) },
      'the field a of the answer was removed',
    ],
    [
      'a field that it does not always get',
      { responses: content(object({ a: text }, ['a'])) },
      { responses: content(object({ a: text })) },
      'the field a of the answer can now be absent',
    ],
    [
      'a type that it did not expect',
      { responses: content(object({ a: text })) },
      { responses: content(object({ a: { type: 'number' } })) },
      'the field a of the answer can now be number',
    ],
    [
      'an answer of another media type',
      { responses: content(text, 'text/csv') },
      { responses: content(text, 'text/html') },
      'the answer text/csv was removed',
    ],
    ['an answer that is gone', { responses: content(text) }, {}, 'the answer 200 was removed'],
  ])('break a client by %s', (_how, before, after, wanted) => {
    expect(breaksBetween(sharedDocument(before), sharedDocument(after))).toEqual([`POST /v1/things: ${wanted}`]);
  });

  it('are the same under another name, and as parts that are written where they are used', () => {
    const parts = {
      parameters: parameter('q', true),
      requestBodies: content(object({ a: text }, ['a'])),
      responses: content(object({ b: text }, ['b'])),
    };
    const inPlace = documentOf({
      parameters: [parts.parameters],
      requestBody: parts.requestBodies,
      responses: { 200: parts.responses },
    });
    const all = [sharedDocument(parts), sharedDocument(parts, 'other'), inPlace];
    expect(all.flatMap((before) => all.flatMap((after) => breaksBetween(before, after)))).toEqual([]);
  });
});

it('the script names each break since the last commit that has no entry, and ends with 1', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'fleetgate-changes-'));
  const write = (file: string, content: string) => writeFileSync(path.join(folder, file), content);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
      cwd: folder,
      env: outside(),
    });
  const run = () => {
    const script = path.join(folder, 'scripts/api-changes.mjs');
    const { status, stdout } = spawnSync(process.execPath, [script], { encoding: 'utf8', env: outside() });
    return [status, stdout];
  };
  try {
    cpSync(new URL('scripts/document', PROJECT), path.join(folder, 'scripts/document'), { recursive: true });
    for (const script of ['api-changes.mjs', 'base-commit.mjs']) {
      cpSync(new URL(`scripts/${script}`, PROJECT), path.join(folder, 'scripts', script));
    }
    mkdirSync(path.join(folder, 'docs/reference'), { recursive: true });
    write('CHANGELOG.md', '## Unreleased\n');
    write('docs/reference/openapi.json', JSON.stringify(documentOf({ parameters: [parameter('q')] })));
    expect(run()).toEqual([0, expect.stringContaining('no history')]);
    git('init', '--quiet', '--initial-branch=work');
    git('add', '.');
    git('commit', '--quiet', '-m', 'One');
    git('commit', '--quiet', '--allow-empty', '-m', 'Two');
    expect(run()).toEqual([0, '']);
    write('docs/reference/openapi.json', JSON.stringify(documentOf({})));
    expect(run()).toEqual([1, expect.stringContaining('POST /v1/things: the query q was removed')]);
    write('CHANGELOG.md', '## Unreleased\n- `POST /v1/things` has no `q`.\n');
    expect(run()).toEqual([0, '']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** The environment without that of a hook of git, which names another repository. */
const outside = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
