import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunOptions } from '../support/cli/command-line.js';
import { openCliWorld, type CliWorld } from '../support/cli/cli-world.js';

/* A person filters, looks at a preview and agrees; before that, three other devices got the tag: nothing may happen. */

let world: CliWorld;

beforeAll(async () => {
  world = await openCliWorld(6);
  await tag('add', 'pump-1,pump-2,pump-3', 'chosen');
});
afterAll(() => world.close());

/** Changes tags by another way than the one under test. */
async function tag(how: 'add' | 'remove', names: string, value: string): Promise<void> {
  for (const name of names.split(',')) {
    const { client } = world.gateway.api;
    const params = { path: { ref: `name:${name}` } };
    const { tags } = await client.get('/v1/devices/{ref}', { params });
    const others = tags.filter((one) => one !== value);
    await client.patch('/v1/devices/{ref}', { params, body: { tags: how === 'add' ? [...others, value] : others } });
  }
}

const names = async (): Promise<string[]> =>
  (await world.run(['device', 'list', '-l', 'tag:chosen', '-o', 'ndjson', '--fields', 'name'])).out
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { name: string }).name)
    .sort();

const CALL = { method: 'PUT', path: '/api/system/device/config', json: { data: { name: 'changed' } } };

const COMMANDS: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  'POST /v1/devices/tags': async () => ['device', 'tag', '-l', 'tag:chosen', '--add', 'north'],
  'POST /v1/devices/delete': async () => ['device', 'remove-all', '-l', 'tag:chosen'],
  'POST /v1/fan-out': async () => [
    'fan-out',
    'put',
    CALL.path,
    '-l',
    'tag:chosen',
    '-f',
    await world.file('body.json', JSON.stringify(CALL.json)),
  ],
  'POST /v1/fan-outs': async () => [
    'fan-outs',
    'start',
    '-f',
    await world.file('fan-out.json', JSON.stringify({ selector: 'tag:chosen', request: CALL })),
  ],
};

it.each(Object.keys(COMMANDS))('%s is refused by its command, and nothing was sent', async (route) => {
  const { ledger } = world.fleet;
  const before = await names();
  expect(before).toEqual(['pump-1', 'pump-2', 'pump-3']);
  ledger.clear();
  const answer = async () => {
    await tag('add', 'pump-4,pump-5,pump-6', 'chosen');
    return 'y';
  };
  const { code, err } = await world.run(await COMMANDS[route]!(), { answer });
  expect([code, err]).toEqual([6, expect.stringContaining('selection_changed')]);
  expect(err).toContain('3 of 3 devices');
  expect(ledger.entries()).toEqual([]);
  expect(await names()).toHaveLength(6);
  expect((await world.run(['device', 'list', '-l', 'tag:north', '-o', 'json'])).out).toBe('[]\n');
  await tag('remove', 'pump-4,pump-5,pump-6', 'chosen');
});

it('POST /v1/rollouts is refused with the digest of a preview in its file, and nothing was sent', async () => {
  const { ledger } = world.fleet;
  const preview = await world.run(['device', 'preview', '-l', 'tag:chosen', '-o', 'json']);
  const { digest } = JSON.parse(preview.out) as { digest: string };
  await tag('add', 'pump-4,pump-5,pump-6', 'chosen');
  ledger.clear();
  const { method, path, json } = CALL;
  const spec = { method, path, data: json.data };
  const rollout = { name: 'Names', kind: 'call', selector: 'tag:chosen', spec, expectedDigest: digest };
  const file = await world.file('rollout.json', JSON.stringify(rollout));
  const { code, err } = await world.run(['rollout', 'apply', '-f', file, '--yes']);
  expect([code, err]).toEqual([6, expect.stringContaining('selection_changed')]);
  expect(ledger.entries()).toEqual([]);
  expect((await world.run(['rollout', 'list', '-o', 'json'])).out).toBe('[]\n');
});

describe('rollout apply', () => {
  const rollout = { name: 'Consent', kind: 'call', selector: 'tag:chosen', spec: { method: 'GET', path: CALL.path } };
  const apply = async () => ['rollout', 'apply', '-f', await world.file('consent.json', JSON.stringify(rollout))];
  const states = async () => {
    const { out } = await world.run(['rollout', 'list', '-o', 'json']);
    return (JSON.parse(out) as { state: string }[]).map(({ state }) => state);
  };

  it.each<[string, RunOptions, number]>([
    ['is not given', {}, 2],
    ['is refused', { answer: () => Promise.resolve('n') }, 2],
  ])('leaves no draft when consent %s', async (_what, options, expected) => {
    const { code, err } = await world.run(await apply(), options);
    expect(code).toBe(expected);
    expect(err).toMatch(/rest: \d+ devices \(pump-\d/);
    expect(await states()).toEqual([]);
  });

  it('starts nothing when the plan is another one after the consent', async () => {
    const { ledger } = world.fleet;
    ledger.clear();
    const answer = async () => {
      await tag('remove', 'pump-6', 'chosen');
      return 'y';
    };
    const { code, err } = await world.run(await apply(), { answer });
    expect([code, err]).toEqual([6, expect.stringContaining('The plan is another one by now')]);
    expect(await states()).toEqual([expect.stringMatching(/^abort(ing|ed)$/)]);
    expect(ledger.entries()).toEqual([]);
  });
});

it('covers each operation of the document that takes a digest', async () => {
  const { readFile } = await import('node:fs/promises');
  const document = JSON.parse(await readFile('docs/reference/openapi.json', 'utf8')) as OpenApi;
  const schemaOf = (ref: string | undefined) => document.components.schemas[ref?.split('/').at(-1) ?? ''];
  const routes = Object.entries(document.paths).flatMap(([path, { post }]) => {
    const schema = post?.requestBody?.content['application/json']?.schema;
    const { properties } = schemaOf(schema?.$ref) ?? schema ?? {};
    return properties && 'expectedDigest' in properties ? [`POST ${path}`] : [];
  });
  expect(routes.sort()).toEqual([...Object.keys(COMMANDS), 'POST /v1/rollouts'].sort());
});

interface Schema {
  readonly $ref?: string;
  readonly properties?: object;
}

interface OpenApi {
  readonly paths: Readonly<
    Record<
      string,
      { readonly post?: { readonly requestBody?: { readonly content: Record<string, { schema: Schema }> } } }
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
