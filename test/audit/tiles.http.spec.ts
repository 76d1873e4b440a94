import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { Sequencer } from '../../src/audit/log/sequencer.js';
import { parseTile } from '../../src/audit/log/tiles.js';
import { sizeOf } from '../support/forms.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { until } from '../support/until.js';
import { mirrorOf } from './tile-mirror.js';

/* The log as tools of others read it: a mirror that knows the specification alone, over HTTP. */

const run = promisify(execFile);

const NO_CURL =
  spawnSync('curl', ['--version']).status === 0 ? null : ', skipped: curl is not installed (apt-get install curl)';

/** The nightly form has hashes of level 2. */
const ENTRIES = sizeOf({ short: 900, long: 900, nightly: 66_000 });

let world: TestGateway;
let owner: DataSource;
let key: string;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  owner = await new DataSource({ type: 'postgres', url: world.databaseUrl }).initialize();
  await grow(ENTRIES);
  key = (await world.api.get<{ key: string }>('/v1/audit/log')).key;
});
afterAll(async () => {
  await owner.destroy();
  await world.close();
});

async function grow(entries: number, subject = 'PUT /'): Promise<void> {
  const before = await sizeOfLog();
  await owner.query(
    `insert into audit_entry (id, opened_at, action, actor, actor_name, subject)
     select gen_random_uuid(), now(), 'device.call_write', 'key:x', 'x', $2 || number from generate_series(1, $1::int) as number`,
    [entries, subject],
  );
  await until(async () => {
    await world.gateway.app.get(Sequencer).catchUp(); // the gateway's own may be at it
    return (await sizeOfLog()) >= before + entries;
  });
}

const sizeOfLog = async () => (await world.api.get<{ size: number }>('/v1/audit/log')).size;

const get = (path: string, apiKey = world.keys.administrator) =>
  fetch(`${world.url}/v1/audit/tiles/${path}`, { headers: { authorization: `Bearer ${apiKey}` } });

async function read(path: string): Promise<Buffer> {
  const answer = await get(path);
  if (answer.status !== 200) throw new Error(`${path}: ${await answer.text()}`);
  return Buffer.from(await answer.arrayBuffer());
}

const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as { code: string }).code];

it.each([
  ['067', { index: 67, width: 256 }],
  ['256', { index: 256, width: 256 }],
  ['x001/256', { index: 1_256, width: 256 }],
  ['x001/x234/067.p/12', { index: 1_234_067, width: 12 }],
])('the address %s is that of a tile', (address, tile) => expect(parseTile(address)).toEqual(tile));

describe('the log as tiles', () => {
  it('is mirrored and verified by a tool that knows the specification alone', async () => {
    const { size, entries } = await mirrorOf(read, key);
    expect(size).toBeGreaterThan(ENTRIES);
    const { items } = await world.api.get<{ items: { id: string }[] }>('/v1/audit?limit=5');
    for (const { id } of items) expect(entries.some((entry) => entry.includes(id))).toBe(true);
  });

  it.skipIf(NO_CURL)(`is mirrored by curl, and the folder is a mirror${NO_CURL ?? ''}`, async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-mirror-'));
    const env = { ...process.env, FLEETGATE_URL: world.url, FLEETGATE_API_KEY: world.keys.administrator };
    const script = async () => (await run('bash', ['docs/mirror-audit.sh', folder], { env })).stdout;
    await script();
    await grow(10);
    const said = await script();
    const { size, entries } = await mirrorOf((address) => readFile(path.join(folder, address)), key);
    expect(said).toBe(`${size} leaves in ${folder}\n`);
    expect(entries.filter((entry) => entry.includes('PUT /'))).toHaveLength(ENTRIES + 10);
    await rm(folder, { recursive: true });
  });

  it('is mirrored again where it grew, and tiles of before are as they were', async () => {
    const before = await mirrorOf(read, key);
    await grow(300);
    const now = await mirrorOf(read, key);
    expect(now.size).toBeGreaterThan(before.size);
    expect(now.entries.slice(0, before.size)).toEqual(before.entries);
  });

  it('shows the mirror an entry that somebody altered, and a checkpoint of another key', async () => {
    await owner.query(`update audit_entry set subject = 'PUT /other' where subject = 'PUT /7'`);
    await expect(mirrorOf(read, key)).rejects.toThrow(/^entry \d+ has another hash$/);
    await owner.query(`update audit_entry set subject = 'PUT /7' where subject = 'PUT /other'`);
    await expect(mirrorOf(read, key.replace(/\+[0-9a-f]{8}\+/, '+00000000+'))).rejects.toThrow(
      /not signed by this key/,
    );
  });

  it('may be kept for ever, but for the checkpoint', async () => {
    const headersOf = async (path: string) => {
      const { headers } = await get(path);
      return [headers.get('content-type'), headers.get('cache-control')];
    };
    const tile = ['application/octet-stream', 'private, max-age=31536000, immutable'];
    expect(await headersOf('tile/0/000')).toEqual(tile);
    expect(await headersOf('tile/entries/000.p/3')).toEqual(tile);
    expect(await headersOf('checkpoint')).toEqual(['text/plain; charset=utf-8', 'no-cache']);
  });

  it.each([
    ['tile/0/999', 404, 'audit_tile_not_found'],
    ['tile/0/x001/000', 404, 'audit_tile_not_found'],
    ['tile/0/x000/000', 404, 'audit_tile_not_found'],
    ['tile/0/0', 404, 'audit_tile_not_found'],
    ['tile/0/000.p/0', 404, 'audit_tile_not_found'],
    ['tile/0/000.p/256', 404, 'audit_tile_not_found'],
    ['tile/0/000.p/01', 404, 'audit_tile_not_found'],
    ['tile/7/000', 404, 'audit_tile_not_found'],
    ['tile/63/000.p/255', 404, 'audit_tile_not_found'],
    ['tile/entries/999', 404, 'audit_tile_not_found'],
    ['tile/0/x999/x999/x999/x999/999', 404, 'audit_tile_not_found'],
    ['tile/64/000', 400, 'invalid_input'],
    ['tile/0/x999/x999/x999/x999/x999/x999/x999/x999/999', 400, 'invalid_input'],
  ])('has no %s', async (path, status, code) => {
    expect(await codeOf(await get(path))).toEqual([status, code]);
  });

  it('is not served to those who may not export it, or only the entries of some devices', async () => {
    for (const path of ['checkpoint', 'tile/0/000', 'tile/entries/000']) {
      expect(await codeOf(await get(path, world.keys.operator))).toEqual([403, 'forbidden']);
      expect(await codeOf(await get(path, 'fg_wrong'))).toEqual([401, 'unauthenticated']);
    }
    const issue = (scope: object) =>
      world.api.post<{ key: string }>('/v1/self/api-keys', { name: `mirror ${JSON.stringify(scope)}`, scope });
    const narrow = await issue({ selector: 'site:riga', stepUp: true });
    expect(await codeOf(await get('tile/0/000', narrow.key))).toEqual([403, 'forbidden']);
    const bare = await issue({ permissions: ['audit.export', 'audit.read'] });
    expect((await get('tile/0/000', bare.key)).status).toBe(200);
    expect(await codeOf(await get('tile/entries/000', bare.key))).toEqual([403, 'step_up_required']);
  });

  it('says which entry is longer than a bundle can have it', async () => {
    const before = await sizeOfLog();
    await grow(1, 'x'.repeat(70_000));
    const size = await sizeOfLog();
    // Entries of other requests may come before and after it, and fill its bundle.
    const first = Math.floor(before / 256);
    const bundles = Array.from({ length: Math.ceil(size / 256) - first }, (_, index) => first + index);
    const answers = await Promise.all(
      bundles.map((index) => {
        const width = Math.min(256, size - index * 256);
        return get(`tile/entries/${String(index).padStart(3, '0')}${width === 256 ? '' : `.p/${width}`}`);
      }),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    const problems = (await Promise.all(refused.map((answer) => answer.json()))) as { code: string; bytes: number }[];
    expect(problems).toEqual([expect.objectContaining({ code: 'audit_entry_too_long' })]);
    expect(problems[0]!.bytes).toBeGreaterThan(70_000);
  });
});
