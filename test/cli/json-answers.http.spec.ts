import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { operationOf } from '../../src/cli/operations/api-command.js';
import { type ApiOperation } from '../../src/cli/operations/operation.js';
import { OPERATIONS } from '../../src/cli/operations/operations.js';
import { AlertSweeper } from '../../src/monitoring/alerts/alert.sweeper.js';
import { openCliWorld, type CliWorld } from '../support/cli/cli-world.js';
import { allCommands, type NamedCommand } from '../support/cli/commands.js';
import { inlined } from '../support/source/inlined.js';
import { until } from '../support/until.js';

/* `-o json` of every command that reads: what it writes is what the OpenAPI document says. */

/** Commands whose arguments cannot be found in a list. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  'monitoring history': ['pump-1', '--metric', 'rsrp'],
  'monitoring sparklines': ['--metric', 'rsrp', '--ids', '00000000-0000-4000-8000-000000000001'],
  'schedule next-runs': ['0 3 * * 1'],
  'watch show': ['accounts'],
  'template show': ['base'],
  'template ignored': ['base'],
  'template versions': ['base'],
  'template version': ['base', '1'],
  'template devices': ['base'],
  'template of': ['pump-1'],
  'observed groups': ['--path', '/api/users/config'],
  'observed matrix': ['--path', '/api/users/config'],
  'observed show': ['pump-1'],
  'observed changes': ['pump-1'],
  'device explain': ['--device', 'pump-1', '--method', 'PUT', '--path', '/api/system/config'],
};

/** Commands that are not run, with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'approval show': 'nothing here needs an approval',
  'import show': 'imports this small end at once, without an id',
  'fan-outs answer': 'a digest of an answer is in no list of the fan-out',
  'observed compare': 'no watch has read a device here, so there is no digest',
  'backup diff': 'the backups of a test are not comparable',
};

interface Schema {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly items?: Schema;
  readonly properties?: { readonly items?: Schema; readonly id?: Schema };
}

interface DescribedOperation {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const document = inlined(JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8')) as ApiDocument);
const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
formats.default(ajv);
ajv.addSchema({ $id: 'document', components: document.components });

let world: CliWorld;
let reads: NamedCommand[];

/** @param words an argument with spaces needs a list */
const run = async (words: string | readonly string[]): Promise<string> => {
  const list = typeof words === 'string' ? words.split(' ') : words;
  const { code, out, err } = await world.run(list);
  if (code !== 0) throw new Error(`${list.join(' ')}: ${err}`);
  return out;
};

/** A row for each list. */
async function fill(): Promise<void> {
  const yaml = (name: string, text: string) => world.file(`${name}.yaml`, text);
  const call = 'kind: call\nspec: {method: GET, path: /api/system/device/status}\n';
  const rollout = await yaml('rollout', `name: Checks\nselector: tag:pump\n${call}`);
  const nightly = 'selector: tag:pump\nrhythm: {cron: "0 3 * * *"}\n';
  const fanOut = await yaml('fan-out', 'selector: tag:pump\nrequest: {method: GET, path: /api/system/device/status}\n');
  await run('field save contract --type text --description Contract');
  await run('selector save pumps -l tag:pump');
  await run('job start pump-1 backup --watch');
  await run(`rollout apply -f ${rollout} --yes --watch`);
  const monthly = `rhythm: {cron: "0 3 1 * *"}\nrollout: {name: Checks, selector: 'tag:pump', kind: backup}\n`;
  await run(`schedule add monthly -f ${await yaml('schedule', monthly)}`);
  await run(`backup-policy add nightly -f ${await yaml('policy', nightly)}`);
  await run('monitoring add pumps -l tag:pump');
  const base = 'selector: tag:pump\nitems: [{path: /api/ntp/global, options: {enabled: "1"}}]\n';
  await run(`template add base -f ${await yaml('base', base)}`);
  await run('template publish base --reason works');
  const option = '-l tag:pump --path /api/ntp/global --option enabled';
  await run(`template ignore base ${option} --until 1h --reason works`);
  await run('rule add everything -l all --for-seconds 0');
  await run(`mute add -l tag:pump --until 1h --reason works`);
  await run('lock set selector tag:none --reason storm --yes');
  await run('webhook add pager --to https://example.org/hook --types job.ended');
  await run(`sealed-value give --label wifi --value-file ${await world.file('secret.txt', 'planted')}`);
  await run(`fan-outs start -f ${fanOut} --yes`);
  await run('discover start --networks 127.0.0.1/32 --yes');
  const alerts = await until(async () => {
    await world.gateway.gateway.app.get(AlertSweeper).sweep();
    const found = JSON.parse(await run('alert list -o json')) as { id: string }[];
    return found.length > 0 && found;
  });
  await run(`alert ack ${alerts[0]!.id} --note coming`);
}

beforeAll(async () => {
  world = await openCliWorld();
  await fill();
  reads = (await allCommands()).filter(({ words, command }) => {
    const id = operationOf(command);
    const operation: ApiOperation | null = id === null ? null : OPERATIONS[id];
    return operation?.method === 'GET' && ['page', 'json'].includes(operation.answer) && !(words in LEFT_OUT);
  });
});
afterAll(() => world.close());

/** The schema of what a command writes: a list is written without its page. */
function schemaOf(operationId: string): Schema {
  const described = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .find((one) => one.operationId === operationId);
  const schema = described!.responses['200']!.content!['application/json']!.schema;
  const resolved = document.components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
  const { items: list, id } = resolved.properties ?? {};
  return id ? schema : (list ?? schema); // what has an id is no list
}

/** The arguments of a command, from the first row of the list of its noun. */
async function argumentsOf({ words, command }: NamedCommand): Promise<readonly string[]> {
  const [noun] = words.split(' ');
  if (words in ARGUMENTS) return ARGUMENTS[words]!;
  if (command.registeredArguments.length === 0) return [];
  const [row] = JSON.parse(await run(`${noun} list -o json`)) as Record<string, string>[];
  if (!row) throw new Error(`${noun} list is empty, so ${words} cannot be tried`);
  return command.registeredArguments.map(
    (place) => (row[place.name()] ?? (noun === 'device' ? row['name'] : row['id']))!,
  );
}

it('is what the document says, for each command', async () => {
  const wrong: string[] = [];
  for (const one of reads) {
    const out = await run([...one.words.split(' '), ...(await argumentsOf(one)), '-o', 'json']);
    const schema = JSON.stringify(schemaOf(operationOf(one.command)!)).replaceAll('"#/', '"document#/');
    const validate = ajv.compile(JSON.parse(schema) as object);
    if (!validate(JSON.parse(out))) wrong.push(`${one.words}: ${ajv.errorsText(validate.errors)}`);
  }
  expect(wrong).toEqual([]);
  expect(reads.length).toBeGreaterThan(45);
});

it('names only commands that exist as left out', async () => {
  const all = new Set((await allCommands()).map(({ words }) => words));
  expect(Object.keys({ ...LEFT_OUT, ...ARGUMENTS }).filter((words) => !all.has(words))).toEqual([]);
});
