import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { type Field, type Fields, isShown, isSpec, type Spec } from '../../../console/src/screens/job-forms/fields.js';
import { fieldsOf, type JobKind } from '../../../console/src/screens/job-forms/job-fields.js';
import { KIND_ACTS } from '../../../console/src/screens/jobs/kinds.js';
import { startConsoleWorld, type ConsoleWorld } from '../../support/console/console-world.js';
import { Keyboard } from '../../support/console/keyboard.js';
import { itInFull } from '../../support/forms.js';

/*
 * Every field of every kind of job by the keyboard alone and without JSON, as a job, as a rollout and as a schedule. The fields are
 * those of the forms, whose names are those of the schemas: a new one that no key reaches fails here.
 */

const SHA = 'b'.repeat(64);

let world: ConsoleWorld;
let db: pg.Client;
let keyboard: Keyboard;

beforeAll(async () => {
  world = await startConsoleWorld({ ROLE: 'api' });
  db = new pg.Client({ connectionString: world.gateway.databaseUrl });
  await db.connect();
  const { id } = await world.gateway.api.post<{ id: string }>('/v1/devices', {
    name: 'pump-1',
    baseUrl: 'https://127.0.0.1:1',
    tags: ['pump'],
    credentials: { username: 'admin', password: 'a password of a device' },
  });
  for (const [kind, name, deviceId] of [
    ['backup', 'pump-1.tar.gz', id],
    ['file', 'logo.png', null],
    ['firmware', 'RUTX.bin', null],
  ])
    // prettier-ignore
    await db.query(
      `insert into artifact (id, sha256, bytes, kind, name, device_id, created_by_name, created_at)
       values ($1, $2, 1, $3, $4, $5, 'Grace', now())`,
      [randomUUID(), SHA, kind, name, deviceId],
    );
});
afterAll(async () => {
  await db.end();
  await world.close();
});
afterEach(async () => {
  await keyboard.page.close();
  await db.query('delete from job');
});

/** A kind, or one of two ways to fill it in, where some fields have a meaning in one of them only. */
interface Case {
  readonly kind: JobKind;
  readonly way: string;
  /** Fields that are left as they are. */
  readonly without: readonly string[];
}

const plain = (kind: JobKind): Case => ({ kind, way: '', without: [] });

const CASES: readonly Case[] = [
  ...(['reboot', 'backup', 'restore', 'certificates', 'upload', 'users', 'credentials', 'call', 'configure'] as const).map(plain),
  { kind: 'firmware', way: 'of the vendor', without: ['source', 'backup', 'requireSignature', 'allowUnauthorized'] },
  { kind: 'firmware', way: 'of a stored image', without: ['version', 'backupMaxAgeHours'] },
]; // prettier-ignore

/** Texts for fields that take no other, by their names. */
const TEXTS: Readonly<Record<string, string>> = { path: '/api/ntp/global', version: '7.17.1', fileName: 'logo.png' };

/** No way of a kind fills them in: there are none. */
const NEVER_FILLED = CASES.flatMap(({ kind, without }) =>
  without.filter((name) => CASES.every((one) => one.kind !== kind || one.without.includes(name))),
);

const starting = (text: string) => new RegExp(`^${text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}`);

async function put(label: string, keys: string): Promise<void> {
  await keyboard.reach(starting(label));
  await keyboard.type(keys);
}

async function press(label: string, key = 'Enter'): Promise<void> {
  await keyboard.reach(starting(label));
  await keyboard.press(key);
}

async function seal(label: string, secret: string): Promise<void> {
  await put(label, 'Type');
  await put(`The ${secret}`, 'a secret of the test');
  await keyboard.press('Enter');
  const { page } = keyboard;
  await page.locator('input[type=password]').waitFor({ state: 'detached' });
}

/** Fills in a field with something that is not its usual value: that one would not be sent. */
async function fillIn(name: string, field: Field): Promise<void> {
  const { label } = field;
  switch (field.is) {
    case 'text':
      return put(label, TEXTS[name] ?? field.example ?? 'web');
    case 'words':
      return put(label, 'first, second');
    case 'number':
      return put(label, String(field.preset === undefined ? field.min + 1 : field.preset - 1));
    case 'number-choice':
      return put(label, String(field.options.at(-1)));
    case 'choice':
      return put(label, choiceOf(name, field.options));
    case 'check':
      return put(label, ' ');
    case 'artifact':
    case 'firmware':
      return press(label, 'ArrowDown');
    case 'sealed':
      return seal(label, field.secret);
    case 'pairs':
      await press(field.of === 'access' ? 'Add a path' : 'Add a value');
      await put(field.of === 'access' ? 'Path' : 'Name', field.of === 'access' ? '/api/system/*' : 'interval');
      return put(field.of === 'access' ? 'May' : 'Value', field.of === 'access' ? 'Read and' : '7200');
    case 'group':
      return fillAll(field.of, []);
    case 'list':
      if (name !== 'accounts') await press(field.add); // the first account is there
      return fillAll(field.of, []);
    case 'changes':
      await put('Section', '/api/ntp/global');
      await put('Option', 'interval');
      await put('New value', '7200');
      await press('Add a secret option');
      await put('Secret option', 'key');
      return seal('Its value', 'value');
    case 'with-another':
      return undefined;
  }
}

/** The choice under which most other fields have a meaning. */
function choiceOf(name: string, options: readonly (readonly [value: string, text: string])[]): string {
  const wanted: Readonly<Record<string, string>> = { state: 'present', method: 'PUT', type: 'server' };
  const [, text] = options.find(([value]) => value === wanted[name]) ?? options.at(-1)!;
  return text;
}

async function fillAll(fields: Fields, without: readonly string[]): Promise<void> {
  const wanted = inOrder(fields).filter(([name]) => !without.includes(name));
  const rare = wanted.filter(([, { isRare }]) => isRare);
  for (const [name, field] of wanted) if (!field.isRare) await fillIn(name, field);
  if (rare.length > 0) await press('More options'); // they are folded
  for (const [name, field] of rare) await fillIn(name, field);
}

/** Choices first: they decide which other fields there are. */
const inOrder = (fields: Fields): readonly (readonly [string, Field])[] =>
  Object.entries(fields).toSorted(([, a], [, b]) => Number(b.is === 'choice') - Number(a.is === 'choice'));

/** The fields that the form shows and the parameters do not have. */
function missingIn(fields: Fields, spec: Spec, without: readonly string[], place = ''): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    if (!isShown(field, spec) || without.includes(name) || ('preset' in field && name === 'state')) return [];
    // The image stands for the source.
    const value = field.is === 'firmware' ? (spec[name] ?? spec['artifactId']) : spec[name];
    if (value === undefined) return [`${place}${name}`];
    if (field.is === 'group' && isSpec(value)) return missingIn(field.of, value, [], `${place}${name}.`);
    if (field.is !== 'list' || !Array.isArray(value)) return [];
    return value.flatMap((one) => (isSpec(one) ? missingIn(field.of, one, [], `${place}${name}.`) : []));
  });
}

function expectAll({ kind, without }: Case, spec: unknown): void {
  expect(NEVER_FILLED).toEqual([]);
  expect(isSpec(spec) ? missingIn(fieldsOf(kind), spec, without) : spec).toEqual([]);
}

const title = (kind: string) =>
  KIND_ACTS.flatMap(([, acts]): readonly (readonly [string, string])[] => acts).find(([known]) => known === kind)![1];

async function at(path: string): Promise<Keyboard> {
  const page = await world.open(path);
  await page.locator('main h1').first().waitFor();
  keyboard = new Keyboard(page);
  return keyboard;
}

describe('every field by the keyboard alone', () => {
  itInFull.each(CASES)('of a job of the kind $kind $way', async (one) => {
    const { page } = await at('/devices/name:pump-1');
    await press('Start a job');
    await page.getByRole('dialog').waitFor();
    await put('What to do', title(one.kind));
    if (one.kind === 'configure') await press('Type a section by hand'); // of one device its settings are offered
    await fillAll(fieldsOf(one.kind), one.without);
    if (one.kind === 'restore') await put('Type pump-1 to confirm', 'pump-1');
    await press(one.kind === 'reboot' ? 'Restart' : 'Start job');
    await page.waitForURL(/\/jobs\/[0-9a-f-]{36}$/);
    const { rows } = await db.query<{ kind: string; spec: unknown }>('select kind, spec from job');
    expect(rows.map(({ kind }) => kind)).toEqual([one.kind]);
    expectAll(one, rows[0]!.spec);
  });

  itInFull.each(CASES)('of a rollout of the kind $kind $way', async (one) => {
    const { page } = await at('/rollouts/new');
    await put('What to do', title(one.kind));
    await press('Edit as text');
    await put('Selector', 'tag:pump');
    if (one.kind === 'configure') await press('Type a section by hand');
    await fillAll(fieldsOf(one.kind), one.without);
    await page.getByText('1 device takes part').first().waitFor(); // also beside the button, on narrow screens
    await page.getByRole('button', { name: 'Create a draft' }).and(page.locator(':enabled')).waitFor();
    await press('Create a draft');
    await page.waitForURL(/\/rollouts\/[0-9a-f-]{36}$/);
    const { rows } = await db.query<{ kind: string; spec: unknown }>(
      'select kind, spec from rollout order by created_at desc limit 1',
    );
    expect(rows.map(({ kind }) => kind)).toEqual([one.kind]);
    expectAll(one, rows[0]!.spec);
  });

  itInFull.each(CASES)('of a schedule of the kind $kind $way', async (one) => {
    const name = `${one.kind} ${one.way}`.trim();
    const { page } = await at('/schedules');
    await press('Add a schedule');
    await page.getByRole('dialog').waitFor();
    await put('Name of the schedule', name);
    await put('What to do', title(one.kind));
    await press('Edit as text');
    await put('Selector', 'tag:pump');
    if (one.kind === 'configure') await press('Type a section by hand');
    await fillAll(fieldsOf(one.kind), one.without);
    await page.getByRole('dialog').getByText('1 device').waitFor();
    await press('Add schedule');
    await page.getByRole('table', { name: 'What runs by itself' }).getByRole('cell', { name, exact: true }).waitFor();
    interface Schedule {
      readonly name: string;
      readonly rollout: { readonly kind: string; readonly spec: unknown };
    }
    const { items } = await world.gateway.api.get<{ items: Schedule[] }>('/v1/schedules');
    const made = items.find((schedule) => schedule.name === name)!.rollout;
    expect(made.kind).toBe(one.kind);
    expectAll(one, made.spec);
  });
});
