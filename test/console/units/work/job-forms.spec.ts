import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isPlaced, refusedAt } from '../../../../console/src/screens/job-forms/field-errors.js';
import { type Field, type Fields, usesRare } from '../../../../console/src/screens/job-forms/fields.js';
import {
  asFields,
  asJson,
  gapOf,
  newJob,
  readJob,
  specIn,
  withJson,
  withSpec,
} from '../../../../console/src/screens/job-forms/job-draft.js';
import { fieldsOf, type JobKind } from '../../../../console/src/screens/job-forms/job-fields.js';
import { pairsOf, recordOf, textOfValue, valueOfText } from '../../../../console/src/screens/job-forms/pairs.js';

/* The forms of jobs against the named schemas of the API document, and what they make of what is typed. */

interface JsonSchema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly (JsonSchema & { readonly const?: unknown })[];
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly type?: string;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

const { components } = JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8')) as {
  components: { schemas: Readonly<Record<string, JsonSchema>> };
};

const schemaOf = (schema: JsonSchema): JsonSchema =>
  schema.$ref ? components.schemas[schema.$ref.split('/').at(-1)!]! : schema;

const KINDS: readonly JobKind[] = [
  'backup', 'call', 'certificates', 'configure', 'credentials', 'firmware', 'reboot', 'restore', 'upload', 'users',
]; // prettier-ignore

/** Where a form says something else than the schema of its object. */
function differences(fields: Fields, given: JsonSchema, place: string): string[] {
  const { properties = {}, required = [] } = schemaOf(given);
  const missing = Object.keys(properties).filter((name) => !(name in fields));
  return [
    ...missing.map((name) => `${place}.${name} has no field`),
    ...Object.entries(fields).flatMap(([name, field]) =>
      differencesOf(field, schemaOf(properties[name] ?? {}), required.includes(name), `${place}.${name}`),
    ),
  ];
}

function differencesOf(field: Field, schema: JsonSchema, isRequired: boolean, at: string): string[] {
  const found: string[] = [];
  const same = (what: string, ours: unknown, theirs: unknown) =>
    JSON.stringify(ours) === JSON.stringify(theirs) || found.push(`${at}: ${what} is ${JSON.stringify(theirs)}`);
  if (isRequired) same('required', field.isRequired, true);
  if ('preset' in field) same('the default', field.preset, schema.default);
  if (field.is === 'number') {
    const range = schema.anyOf?.find(({ type }) => type === 'number') ?? schema;
    same('the range', [field.min, field.max], [range.minimum ?? 1, range.maximum]);
  }
  if (field.is === 'number-choice')
    same(
      'the choice',
      field.options,
      schema.anyOf?.map((one) => one.const),
    );
  const values = 'options' in field ? field.options.map((one) => (typeof one === 'number' ? '' : one[0])) : [];
  if (field.is === 'choice') same('the choice', values.filter(Boolean).toSorted(), schema.enum?.toSorted());
  if (field.is === 'text') same('the pattern', field.pattern, schema.pattern);
  if (field.is === 'sealed' || field.is === 'artifact') same('the format', 'uuid', schema.format);
  if (field.is === 'list') found.push(...differences(field.of, schema.items!, at));
  if (field.is === 'group') found.push(...differences(field.of, schema, at));
  return found;
}

describe('the form of a kind of job', () => {
  it.each(KINDS)('has the fields, ranges and choices of the API: %s', (kind) => {
    const name = `${kind[0]!.toUpperCase()}${kind.slice(1)}JobSpec`;
    expect(differences(fieldsOf(kind), components.schemas[name]!, kind)).toEqual([]);
  });

  it.each<[JobKind, Record<string, unknown>, string | null]>([
    ['reboot', {}, null],
    ['firmware', { source: 'vendor' }, null],
    ['firmware', {}, 'Choose the firmware.'],
    ['firmware', { source: 'vendor', minimumSignalDbm: null }, null],
    ['firmware', { source: 'vendor', minimumSignalDbm: '-200' }, 'Weakest signal, dBm: Type a'],
    ['certificates', {}, 'What is made: still missing.'],
    ['certificates', { type: 'ca', days: 'ten' }, 'Valid for days: “ten” is not a number'],
    ['certificates', { type: 'ca', name: 'no blanks' }, 'Name of the files: “no blanks” cannot be used.'],
    ['certificates', { type: 'ca', name: '{{device.name}}' }, null],
    ['restore', {}, 'Backup: still missing.'],
    ['users', {}, 'Add an account or a group.'],
    ['users', { accounts: [{ username: 'ada' }, {}] }, 'Account 2, User name: still missing.'],
    ['users', { accounts: [{ username: 'ada', sealedValue: null }] }, 'Account 1, Password: Type the password, and seal'],
    ['upload', { artifactId: 'x', path: '/api/x', into: { path: '/api/y' } }, 'Use it in a section, Option: still missing.'],
    ['configure', { changes: [{ action: 'update', path: '/api/ntp/global', data: {} }] }, 'Change 1: name an option'],
    ['configure', { changes: [{ action: 'delete', path: '/api/x/config/1' }] }, null],
  ])('%s with %j: %s', (kind, spec, problem) => {
    const read = readJob(newJob(kind, spec));
    if (problem === null) expect(read).toEqual({ spec, problem: null });
    else expect(read.problem).toContain(problem);
  }); // prettier-ignore

  it.each<[JobKind, Record<string, unknown>, string | null]>([
    ['users', { accounts: [{}] }, 'a user name'],
    ['users', {}, 'an account or a group'],
    ['firmware', {}, 'the firmware'],
    ['restore', {}, 'a backup'],
    ['certificates', { type: 'ca', days: 'ten' }, null],
    ['reboot', {}, null],
  ])('%s with %j still needs: %s', (kind, spec, gap) => expect(gapOf(readJob(newJob(kind, spec)).problem)).toBe(gap));

  it.each<[Record<string, unknown>, boolean]>([
    [{ source: 'vendor' }, false],
    [{ source: 'vendor', keepSettings: true, backup: 'required', backupMaxAgeHours: 24 }, false],
    [{ source: 'vendor', requireSignature: true }, false], // it has no meaning there
    [{ artifactId: 'x', requireSignature: true }, true],
    [{ source: 'vendor', minimumSignalDbm: null }, true],
    [{ source: 'vendor', backup: 'skip' }, true],
  ])('opens the options that few need where one is not as usual: %j %s', (spec, isOpen) =>
    expect(usesRare(fieldsOf('firmware'), spec)).toBe(isOpen),
  );

  it('shows in its JSON what was typed in fields, and in its fields what was typed as JSON', () => {
    const filled = withSpec(newJob('certificates'), { type: 'ca', days: 30 });
    const text = asJson(filled);
    expect(JSON.parse(text.json!)).toEqual({ type: 'ca', days: 30 });
    const typed = withJson(text, '{"type": "dh", "replace": true}');
    expect(specIn(asFields(typed))).toEqual({ type: 'dh', replace: true });
    const broken = withJson(typed, '{"type":');
    expect(readJob(broken).problem).toContain('This is not a JSON object');
    expect(specIn(asFields(broken))).toEqual({ type: 'dh', replace: true });
  });

  it('leaves out what has no meaning beside the other fields', () => {
    const call = newJob('call', { method: 'GET', path: '/api/x', data: { a: '1' }, verify: false });
    expect(readJob(call).spec).toEqual({ method: 'GET', path: '/api/x' });
    const users = newJob('users', { accounts: [{ username: 'old', state: 'absent', group: 'user' }] });
    expect(readJob(users).spec).toEqual({ accounts: [{ username: 'old', state: 'absent' }] });
  });
});

describe('an error of the gateway', () => {
  const errors = [
    { pointer: '/spec/accounts/1/username', detail: 'not a name' },
    { pointer: '/rollout/spec/changes/0/data/a~1b', detail: 'use `sealed`' },
  ];

  it('stands at its field, also in the body of a schedule', () => {
    expect(refusedAt(errors, ['accounts', '1', 'username'])).toBe('not a name');
    expect(refusedAt(errors, ['accounts', '0', 'username'])).toBeNull();
    expect(refusedAt(errors, ['changes', '0', 'data', 'a/b'])).toBe('use sealed');
  });

  it('is told in general where no field shows it', () => {
    const users = fieldsOf('users');
    expect(isPlaced(users, '/spec/accounts/1/username')).toBe(true);
    expect(isPlaced(users, '/spec/accounts/1/unheard')).toBe(false);
    expect(isPlaced(users, '/spec/accounts')).toBe(false);
    expect(isPlaced(users, '/selector')).toBe(false);
    expect(isPlaced(fieldsOf('firmware'), '/spec/sha256')).toBe(false);
  });
});

describe('rows of names and values', () => {
  it('make an object of the rows that have a name', () => {
    expect(recordOf([['a', '1'], [' ', '2'], [' b ', true]])).toEqual({ a: '1', b: true }); // prettier-ignore
    expect(recordOf([['', 'x']])).toBeUndefined();
    expect(pairsOf({ a: 1 })).toEqual([['a', 1]]);
  });

  it.each([true, false, 7, -1.5, 'text', '7', 'true', '"', '{x', { a: [1] }, null, ''])(
    'keep the value %j',
    (value) => {
      expect(valueOfText(textOfValue(value))).toEqual(value);
    },
  );
});
