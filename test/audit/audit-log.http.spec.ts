import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { Audit } from '../../src/audit/entries/audit.js';
import { READING_ACTIONS } from '../../src/audit/entries/audit-actions.js';
import { Sequencer } from '../../src/audit/log/sequencer.js';
import { systemActor } from '../../src/platform/actor.js';
import { commandLine, type CommandResult } from '../support/cli/command-line.js';
import { casesOf } from '../support/forms.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { until } from '../support/until.js';

/* The log from outside: routes, command line, and the script that an auditor runs. */

const run = promisify(execFile);

let world: TestGateway;
let folder: string;
let owner: DataSource;
let devices: string[];

interface LogAnswer {
  readonly key: string;
  readonly size: number;
  readonly checkpoint: string;
}

const audit = () => world.gateway.app.get(Audit);
const sequencer = () => world.gateway.app.get(Sequencer);
/** Until all that is committed has its place: while the gateway's own pass is at it, another one finds it busy. */
const placed = () => until(async () => (await sequencer().pass(0)) === 'done');
const log = () => world.api.get<LogAnswer>('/v1/audit/log');

async function act(deviceId: string, value: string): Promise<string> {
  const actor = systemActor('test');
  const fact = { actor, action: 'device.call_write' as const, subject: 'PUT /api/x', deviceId, facts: { value } };
  const id = await audit().open(fact);
  await audit().close(id, 'succeeded', { answer: { status: 200 } });
  return id;
}

const fleetgate = (...args: string[]): Promise<CommandResult> =>
  commandLine({ FLEETGATE_URL: world.url, FLEETGATE_API_KEY: world.keys.administrator }, args);

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  owner = await new DataSource({ type: 'postgres', url: world.databaseUrl }).initialize();
  folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-export-'));
  devices = [];
  for (const [index, site] of ['vilnius', 'vilnius', 'riga'].entries()) {
    const { id } = await world.api.post<{ id: string }>('/v1/devices', {
      name: `router-${index}`,
      baseUrl: `https://192.0.2.${index + 1}`,
      site,
    });
    devices.push(id);
  }
  for (let index = 0; index < 20; index++) await act(devices[index % 3]!, `ąž "quoted" \\ ${index}`);
  await placed();
});
afterAll(async () => {
  await owner.destroy();
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the audit log', () => {
  it('says its key and its last checkpoint, and proves earlier ones to be its beginning', async () => {
    const before = await log();
    expect(before.checkpoint.split('\n')[1]).toBe(String(before.size));
    await act(devices[0]!, 'more');
    await until(async () => {
      await sequencer().catchUp(); // the gateway's own may be at it
      return (await log()).size > before.size;
    });
    const proof = await world.api.get<{ proof: string[]; to: number }>(`/v1/audit/consistency?from=${before.size}`);
    expect(proof.to).toBeGreaterThan(before.size);
    expect(proof.proof.length).toBeGreaterThan(0);
    await expect(world.api.get('/v1/audit/consistency?from=999999')).rejects.toMatchObject({
      code: 'checkpoint_not_found',
    });
  });

  it('is verified by the command line, which writes down that it was', async () => {
    const { code, out, err } = await fleetgate('audit', 'verify');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^OK: the audit is correct: \d+ entries and \d+ outcomes/);
    const { items } = await world.api.get<{ items: { facts: unknown }[] }>('/v1/audit?action=audit.verify&limit=1');
    expect(items).toMatchObject([{ facts: { holds: true, findings: 0 } }]);
  });

  it('is listed without sign-ins, refusals and reads of secrets where only changes are asked for', async () => {
    await world.api.post('/v1/operators', { name: 'only changes', role: 'viewer' });
    const actions = async (query: string) => {
      const { items } = await world.api.get<{ items: { action: string }[] }>(`/v1/audit?limit=500${query}`);
      return new Set(items.map(({ action }) => action));
    };
    const isRead = (action: string) => (READING_ACTIONS as readonly string[]).includes(action);
    const [all, changes] = [await actions(''), await actions('&only=changes')];
    expect([...all].filter(isRead)).toContain('audit.verify');
    expect([...changes]).toEqual([...all].filter((action) => !isRead(action)));
    expect([...changes]).toEqual(expect.arrayContaining(['operator.create', 'device.register']));
    await expect(world.api.get('/v1/audit?only=reads')).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('is verified with the file of a witness, and fails with that of another log', async () => {
    const file = path.join(folder, 'witness');
    await writeFile(file, (await log()).checkpoint);
    const key = (await fleetgate('audit', 'key')).out.trim();
    expect(await fleetgate('audit', 'verify', '--witness', file, '--key', key)).toMatchObject({ code: 0 });
    await writeFile(file, (await log()).checkpoint.replace(/\n\d+\n/, '\n100000\n'));
    const { code, out } = await fleetgate('audit', 'verify', '--witness', file);
    expect(code).toBe(9);
    expect(out).toContain('FOUND  wrong_key');
  });

  it('says why it could not verify at all, with 2 for a missing file and 1 for no answer', async () => {
    const nowhere = path.join(folder, 'nowhere');
    const err = `Error: There is no file ${nowhere}\n`;
    expect(await fleetgate('audit', 'verify', '--witness', nowhere)).toMatchObject({ code: 2, err });
    const unanswered = await fleetgate('audit', 'key', '--url', 'http://127.0.0.1:1');
    expect(unanswered).toMatchObject({ code: 1, err: expect.stringMatching(/No answer from http:[^]*--url/) });
    expect(await fleetgate('audit', 'sing')).toMatchObject({ code: 2 });
    expect((await fleetgate('audit', 'verify', '--help')).out).toContain('Examples:');
  });

  it('names the row that somebody altered behind the back of the gateway', async () => {
    const id = await act(devices[0]!, 'to be altered');
    await placed();
    const original = JSON.stringify({ value: 'to be altered' });
    try {
      await owner.query(`update audit_entry set facts = '{"value": "altered"}' where id = $1`, [id]);
      const { code, out } = await fleetgate('audit', 'verify', '-o', 'ndjson');
      const lines = out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object);
      expect(code).toBe(9);
      expect(lines).toContainEqual(expect.objectContaining({ kind: 'row_altered', row: { kind: 'entry', id } }));
    } finally {
      await owner.query(`update audit_entry set facts = $2::jsonb where id = $1`, [id, original]);
    }
    expect(await fleetgate('audit', 'verify')).toMatchObject({ code: 0 });
  });

  it('keeps from those who have no right to it', async () => {
    await expect(world.as('viewer').post('/v1/audit/verify', {})).rejects.toMatchObject({ code: 'forbidden' });
    await expect(world.as('operator').post('/v1/audit/export', {})).rejects.toMatchObject({ code: 'forbidden' });
  });
});

let exports = 0;
async function exported(...flags: string[]) {
  const file = path.join(folder, `${++exports}.ndjson`); // none is written over
  const made = await fleetgate('audit', 'export', '--to', file, ...flags);
  expect(made).toMatchObject({ code: 0, err: expect.stringMatching(/^[1-9]\d* rows? of the audit, /) });
  return { file, text: await readFile(file, 'utf8') };
}

/** Of all devices, made once, for tests that only read it. */
let whole: ReturnType<typeof exported> | null = null;
const wholeExport = () => (whole ??= exported());

async function forged(forge: (text: string) => string): Promise<string> {
  const { text } = await wholeExport();
  expect(forge(text)).not.toBe(text);
  const file = path.join(folder, `${++exports}.forged.ndjson`);
  await writeFile(file, forge(text));
  return file;
}

const FORGERIES: [string, (text: string) => string][] = [
  ['an altered letter', (text) => text.replace('PUT /api/x', 'PUT /api/y')],
  ['a line taken out', (text) => text.replace(/\n\{"v": 1[^\n]*\n/, '\n')],
  ['a line twice', (text) => text.replace(/\n(\{"v": 1[^\n]*\n)/, '\n$1$1')],
  ['the end cut off', (text) => text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1)],
  ['another number of leaves signed', (text) => text.replace(/(audit\/[\w-]+\\n)(\d+)/, '$19')],
];

const OTHER_KEY = 'sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8';

describe('an export, checked by the command line', () => {
  const verify = (file: string, key: string) => fleetgate('audit', 'verify', '--export', file, '--key', key);

  it('holds everything, and writes over nothing', async () => {
    const { file, text } = await exported();
    expect(text.trim().split('\n').length).toBeGreaterThan(40);
    expect((await fleetgate('audit', 'export', '--to', file)).err).toBe(
      `Error: ${file} already exists: choose another name\n`,
    );
    const none = await fleetgate('audit', 'export', '--to', `${file}.none`, '--until', '2000-01-01T00:00:00Z');
    expect(none).toMatchObject({ code: 0, err: expect.stringContaining('0 rows of the audit') });
    expect(text).toContain('audit.export'); // the export is in what it exports
    expect(await verify(file, (await log()).key)).toMatchObject({ code: 0 });
  });

  it('of some devices stands for all leaves, and holds those devices alone', async () => {
    const { file, text } = await exported('--selector', 'site:riga');
    expect(text).toContain(devices[2]);
    for (const other of devices.slice(0, 2)) expect(text).not.toContain(other);
    expect(await verify(file, (await log()).key)).toMatchObject({ code: 0 });
  });

  it.each(FORGERIES)('with %s is refused', async (_what, forge) => {
    expect(await verify(await forged(forge), (await log()).key)).toMatchObject({ code: 9 });
  });

  it('with the key of somebody else is refused', async () => {
    expect(await verify((await wholeExport()).file, OTHER_KEY)).toMatchObject({ code: 9 });
  });
});

/** What the script asks for; a machine with nothing but Node has no jq. CI has them all with the servers' tests. */
const hasPublicTools = ['openssl', 'jq', 'basenc', 'sha256sum'].every(
  (tool) => spawnSync('bash', ['-c', `command -v ${tool}`]).status === 0,
);

(hasPublicTools ? describe : describe.skip)('an export, checked by public tools alone', () => {
  const script = async (file: string, key: string) =>
    run('bash', ['docs/verify-export.sh', file, key]).then(
      ({ stdout }) => stdout,
      (error: { stderr: string }) => error.stderr,
    );

  const CHOICES: [string, string[]][] = [
    ['everything', []],
    ['some devices', ['--selector', 'site:riga']],
  ];
  // An export of some devices has the leaves of all, and rows.
  it.each(casesOf(CHOICES.toReversed(), 1, 1))('holds %s', async (_what, flags) => {
    const { file } = await exported(...flags);
    expect(await script(file, (await log()).key)).toMatch(/^OK: \d+ lines are what fleetgate\/audit\//);
  });

  it.each(casesOf(FORGERIES, 1, 1))('with %s is refused', async (_what, forge) => {
    expect(await script(await forged(forge), (await log()).key)).toMatch(/^FAILED/);
  });

  it('with the key of somebody else is refused', async () => {
    expect(await script((await wholeExport()).file, OTHER_KEY)).toMatch(/^FAILED/);
  });
});

describe('the list', () => {
  it('is chosen by selector', async () => {
    const page = await world.api.get<{ items: { deviceId: string }[] }>('/v1/audit?selector=site:vilnius&limit=1000');
    const found = new Set(page.items.map(({ deviceId }) => deviceId));
    expect([...found].sort()).toEqual(devices.slice(0, 2).sort());
    await expect(world.api.get('/v1/audit?selector=site:(')).rejects.toMatchObject({ code: 'invalid_selector' });
  });
});

describe('the live stream', () => {
  /** Reads events until `until` is among them. */
  async function follow(lastEventId: string | null, until: string): Promise<string[]> {
    const answer = await fetch(`${world.url}/v1/audit/stream`, {
      headers: {
        authorization: `Bearer ${world.keys.administrator}`,
        ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }),
      },
    });
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    let text = '';
    const reader = answer.body!.getReader();
    while (!text.includes(until)) {
      const { done, value } = await reader.read();
      if (done) break;
      text += Buffer.from(value).toString();
    }
    await reader.cancel();
    return text.split('\n\n').filter((event) => event.startsWith('id: '));
  }

  it('shows what happens within a moment, and goes on where a reader left it', async () => {
    const { size } = await log();
    const id = await act(devices[1]!, 'live');
    const events = await follow(String(size - 1), `"${id}", "type": "outcome"`);
    expect(events.join('\n')).toContain(id);
    const ids = events.map((event) => Number(/^id: (\d+)/.exec(event)?.[1]));
    expect(ids).toEqual(ids.map((_, index) => size + index));
    const second = await act(devices[1]!, 'live again');
    const later = await follow(String(ids.at(-1)), second);
    expect(later[0]).toMatch(new RegExp(`^id: ${ids.at(-1)! + 1}\n`));
  });
});
