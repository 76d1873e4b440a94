import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFleet, type Fleet } from '../../src/simulator/fleet.js';
import { NEWEST_VENDOR_FIRMWARE } from '../../src/simulator/device/families.js';
import { openCliWorld, type CliWorld } from '../support/cli/cli-world.js';
import { casesOf } from '../support/forms.js';
import { freePort } from '../support/servers/free-port.js';
import { commandBlocks, scriptOf, type CommandBlock, type Replacements } from '../support/source/command-blocks.js';
import { CommandSandbox, LIMIT_OF_PAGE_MS, type TypedAnswer } from '../support/source/command-sandbox.js';
import { until } from '../support/until.js';

/*
 * The command blocks of README and docs, run by bash in their order; an answer with an error status fails its page. Only what
 * a reader fills in is replaced: addresses, keys, ids, passwords and folders.
 */

/** Goes on where the README ends. */
const REGISTER = 'docs/howto/register-devices.md';

/** Pages that start a gateway themselves, each with those that go on from there. */
const WITH_OWN_GATEWAY: readonly (readonly string[])[] = [
  ['README.md', REGISTER],
  ['docs/tutorials/first-fleet.md', 'docs/tutorials/first-rollout.md', 'docs/howto/back-up-and-restore.md'],
];

const PAGES = [
  'README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !file.startsWith('adr'))
    .map((file) => path.posix.join('docs', file)),
].filter((page) => commandBlocks(page).length > 0);

/** `fleet` and `csv`, as the first pages define them for the others. */
const FUNCTIONS = ['README.md', REGISTER]
  .flatMap((page) => readFileSync(page, 'utf8').split('\n'))
  .filter((line) => /^(fleet|csv)\(\) \{/.test(line))
  .join('\n');

const IMAGE = 'an image of firmware';
const KEY_WRITTEN = /fg_[\w-]+/g;

let sandbox: CommandSandbox;

beforeEach(async () => {
  sandbox = await CommandSandbox.make();
});
afterEach(() => sandbox.close());

describe('blocks that are not run', () => {
  it('have a reason', () => {
    const all = PAGES.flatMap((page) => commandBlocks(page));
    expect(all.length).toBeGreaterThan(45);
    const leftOut = all.filter((block) => block.leftOut !== null);
    expect(leftOut.filter(({ leftOut: reason }) => reason!.length < 10)).toEqual([]);
    expect(leftOut.length).toBeLessThan(26); // most of them change the machine: services, containers
  });
});

describe('pages that start their own gateway', () => {
  let fleet: Fleet;

  beforeEach(async () => {
    // A session lives five seconds: a shorter one can end between its login and the call, on a busy machine.
    fleet = await startFleet({ devices: 1, profile: 'rutos', timeScale: 60 });
  });
  afterEach(() => fleet.close());

  it.each(WITH_OWN_GATEWAY)('%s', { timeout: LIMIT_OF_PAGE_MS }, async (...pages) => {
    const port = await freePort();
    const { baseUrl, password } = fleet.devices[0]!;
    const { folder } = sandbox;
    const replacements: Replacements = {
      'localhost:8080': `127.0.0.1:${port}`,
      '127.0.0.1:8080': `127.0.0.1:${port}`,
      'setup_…': `'"$TOKEN"'`,
      'fg_…': '$(key_written)',
      'https://192.0.2.7': baseUrl,
      '"password":"…"': `"password":"${password}"`,
      '/tmp/fleet.csv': `${folder}/tutorial.csv`,
      '/tmp/image.bin': `${folder}/tutorial.bin`,
      '/mnt/': `${folder}/mnt/`,
      '/srv/': `${folder}/srv/`,
    };
    const csv = /```csv\n(.*?)```/s.exec(readFileSync(REGISTER, 'utf8'))![1]!;
    await sandbox.file('fleet.csv', csv.replace('https://192.0.2.7', baseUrl).replace('Secret-1234', password));
    const blocks = pages.flatMap(commandBlocks);
    const typed: TypedAnswer = { question: 'The API key:', answer: (written) => written.match(KEY_WRITTEN)!.at(-1)! };
    const environment = { PORT: String(port), DATA_DIR: `${folder}/data`, DEVICE_ALLOW_LOOPBACK: 'true' };
    const written = await sandbox.run(scriptOf(blocks, replacements), environment, typed);
    expect(placesIn(written)).toEqual(placesOf(blocks));
    // A terminal has colours.
    const plain = stripVTControlCharacters(written);
    if (pages.includes('docs/tutorials/first-rollout.md')) {
      expect(plain).toMatch(/"ready": 0,\s+"notReady": \[\s+\{\s+"reason": "backup_missing",\s+"devices": 20,/);
      expect(plain).toMatch(/"ready": 20,\s+"notReady": \[\]/);
      expect(plain).toMatch(/"counts": \{[^}]*"succeeded": 20,/);
    }
  });
});

describe('pages that go on with a running gateway', () => {
  let world: CliWorld;

  beforeEach(async () => {
    world = await openCliWorld();
    await prepare(world, sandbox);
  });
  afterEach(() => world.close());

  const own = new Set(WITH_OWN_GATEWAY.flat());
  const howTos = PAGES.filter((page) => page.startsWith('docs/howto/') && !own.has(page));
  const others = PAGES.filter((page) => !page.startsWith('docs/howto/') && !own.has(page));
  it.each([...howTos, ...casesOf(others, 4, 4)])('%s', { timeout: LIMIT_OF_PAGE_MS }, async (page) => {
    const { gateway } = world;
    const key = gateway.keys.administrator;
    const ids = await idsFor(page, world);
    const replacements: Replacements = {
      ...ids,
      'http://127.0.0.1:8080': gateway.url,
      'localhost:8080': new URL(gateway.url).host,
      'fg_…': key,
      '/mnt/': `${sandbox.folder}/mnt/`,
      '"password":"…"': `"password":"${world.fleet.devices[0]!.password}"`,
    };
    const environment = {
      GATEWAY: gateway.url,
      KEY: key,
      FLEETGATE_URL: gateway.url,
      FLEETGATE_API_KEY: page.endsWith('command-line.md') ? '' : key,
      ...(ids['$ID'] === undefined ? {} : { ID: ids['$ID'] }),
    };
    const typed: TypedAnswer | undefined = page.endsWith('command-line.md')
      ? { question: 'The API key:', answer: () => key }
      : undefined;
    const script = scriptOf(commandBlocks(page), replacements);
    const written = await sandbox.run(`${FUNCTIONS}\n${script}`, environment, typed);
    expect(placesIn(written)).toEqual(placesOf(commandBlocks(page)));
  });
});

/** Where the blocks are that ran; npm writes its own control characters before them. */
const placesIn = (written: string): string[] => [...written.matchAll(/--- (\S+\.md:\d+)/g)].map(([, at]) => at!);
const placesOf = (blocks: readonly CommandBlock[]): string[] =>
  blocks.filter(({ leftOut }) => leftOut === null).map(({ at }) => at);

/** What pages find: files, a spare device to remove, and the person of the page on invitations. */
async function prepare({ gateway, fleet }: CliWorld, clone: CommandSandbox): Promise<void> {
  const { baseUrl } = fleet.devices[0]!;
  await clone.file('fleet.csv', `name,base_url,tags\nspare,${baseUrl.replace('127.0.0.1', 'localhost')},old retired\n`);
  await clone.file('image.bin', IMAGE);
  await clone.file('router.conf', 'config system');
  await clone.file('new-router.txt', fleet.devices[0]!.password);
  await clone.file(`RUTX_R_00.${NEWEST_VENDOR_FIRMWARE}.bin`, IMAGE);
  const { client } = gateway.api;
  await client.post('/v1/devices', {
    body: { name: 'old-1', baseUrl: 'https://192.0.2.99', tags: ['old', 'retired'] },
  });
}

/** The ids that a page only hints at. */
async function idsFor(page: string, world: CliWorld): Promise<Record<string, string>> {
  const { client } = world.gateway.api;
  if (page.endsWith('find-devices.md')) {
    const { baseUrl, username, password } = world.fleet.devices[2]!;
    const { hostname, port } = new URL(baseUrl);
    await client.delete('/v1/devices/{ref}', { params: { path: { ref: 'name:pump-3' } } });
    const wait = `until fleet localhost:8080/v1/discovery/$ID | jq -e '.state == "finished"' >/dev/null; do sleep 0.2; done`;
    return {
      '"networks":["192.0.2.0/24"]': `"networks":["${hostname}/32"],"ports":[${port}]`,
      '"username":"admin","password":"Secret-1234"': `"username":"${username}","password":"${password}"`,
      'FOUND=$(': `${wait}; FOUND=$(`,
    };
  }
  if (page.endsWith('rights.md')) await client.post('/v1/operators', { body: { name: 'Bob', role: 'viewer' } });
  if (page.endsWith('fan-outs.md')) {
    const request = { method: 'GET', path: '/api/no/such/path' } as const;
    const { id } = await client.post('/v1/fan-outs', { body: { selector: 'tag:pump', request } });
    await until(async () => {
      const { state } = await client.get('/v1/fan-outs/{fanOutId}', { params: { path: { fanOutId: id } } });
      return state !== 'running';
    });
    return { $ID: id };
  }
  if (page.endsWith('replace-a-router.md')) {
    await world.run(['job', 'start', 'pump-1', 'backup', '--watch']);
    return { 1112223399: world.fleet.devices[0]!.serial };
  }
  if (!page.endsWith('backups.md') && !page.endsWith('job-kinds.md')) return {};
  for (const device of ['pump-1', 'pump-2']) await world.run(['job', 'start', device, 'backup', '--watch']);
  const listed = await world.run(['backup', 'list', '--device', 'pump-1', '--json']);
  const [backup] = JSON.parse(listed.out) as [{ id: string; sha256: string }];
  const image = await stored(world, 'firmware&version=7.17.3&models=*', 'image.bin', IMAGE);
  const authority = await stored(world, 'certificate', 'office.pem', 'a certificate');
  return {
    '"kind": "firmware", "spec": {"artifactId": "8f1c…", "sha256": "86cb…"}': `"kind": "firmware", "spec": {"artifactId": "${image.id}", "sha256": "${image.sha256}"}`,
    '"kind": "restore", "spec": {"artifactId": "8f1c…", "sha256": "86cb…"}': `"kind": "restore", "spec": {"artifactId": "${backup.id}", "sha256": "${backup.sha256}"}`,
    '8f1c…': authority.id,
    $ARTIFACT: backup.id,
  };
}

async function stored(
  world: CliWorld,
  kind: string,
  name: string,
  text: string,
): Promise<{ id: string; sha256: string }> {
  const answer = await world.gateway.api.client.request('POST', `/v1/artifacts?kind=${kind}&name=${name}`, {
    content: text,
    headers: { 'content-type': 'application/octet-stream' },
  });
  return (await answer.json()) as { id: string; sha256: string };
}
