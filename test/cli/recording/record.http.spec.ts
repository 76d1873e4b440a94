import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RECORDED_PATHS } from '../../../src/cli/recording/recorded-paths.js';
import { type RouterRecording } from '../../../src/cli/recording/recording.js';
import { shapeOf, textsIn } from '../../../src/cli/recording/shape.js';
import { readRecording } from '../../../src/simulator/device/recording.js';
import { type Fleet } from '../../../src/simulator/fleet.js';
import { Caller } from '../../simulator/caller.js';
import { openCliWorld, type CliWorld } from '../../support/cli/cli-world.js';
import { startOwnFleet } from '../../support/devices/own-fleet.js';

/* A router is recorded, nothing of it is in the file, and a simulated router answers in the same shape. */

const CANARIES = ['canary_section', 'Canary SSID', 'canary.person@example.com', 'canary-peer'];

let world: CliWorld;
let caller: Caller;
let copies: Fleet | undefined;
let file: string;

beforeAll(async () => {
  world = await openCliWorld(1);
  file = path.join(world.folder, 'recording.json');
  caller = await new Caller(world.fleet.devices[0]!).login();
  world.fleet.devices[0]!.faults.add({ kind: 'error', path: '/api/gps/nmea/status', status: 404, code: 122 });
  const [section, ssid, person, peer] = CANARIES;
  await caller.post('/api/wireguard/config', { id: section });
  await caller.post(`/api/wireguard/${section}/peers/config`, { id: 'c1', description: peer });
  await caller.put('/api/system/device/global', { devicename: ssid });
  await caller.post('/api/recipients/email_users/config', { id: '1', name: person });
});
afterAll(async () => {
  await copies?.close();
  await world.close();
});

const record = (...flags: string[]) => world.run(['doctor', '--record', 'pump-1', '--to', file, ...flags]);
const read = async () => JSON.parse(await readFile(file, 'utf8')) as RouterRecording;

/** Addresses, serial numbers, versions, names that people write: no words that are fields of the API, too. */
const OF_ONE_DEVICE = /[A-Z .:@/]|\d{3}/;

function valuesIn(value: unknown): string[] {
  if (typeof value === 'string') return value.length > 3 ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(valuesIn) : [];
}

/** All names and kinds of a recording that come from the router's bodies. */
function wordsIn(shape: unknown): string[] {
  if (typeof shape === 'string') return [shape];
  if (typeof shape !== 'object' || shape === null) return [];
  if (Array.isArray(shape)) return shape.flatMap(wordsIn);
  return Object.entries(shape).flatMap(([name, inner]) => [name, ...wordsIn(inner)]);
}

describe('fleetgate doctor --record', () => {
  it('shows what would be written, and writes nothing without consent', async () => {
    const refused = await record();
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('Give --yes')]);
    expect(refused.err).toMatch(/\d+ answers: .+\n\d+ names of fields:\n\n(?:[\w .:-]{1,80}\n){20,}/);
    expect(refused.err).toContain(' mnfinfo ');
    const declined = await world.run(['doctor', '--record', 'pump-1', '--to', file], { answer: async () => 'n' });
    expect(declined.code).toBe(2);
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('has no value and no name of the router in it', async () => {
    expect((await record('--yes')).code).toBe(0);
    const { model, answers } = await read();
    expect(model).toBeUndefined();
    expect(answers.map((answer) => answer.path)).toEqual(RECORDED_PATHS);
    const text = await readFile(file, 'utf8');
    const { serial, mac, name, username } = world.fleet.devices[0]!;
    for (const canary of [...CANARIES, serial, mac, name, username, 'pump-1']) expect(text).not.toContain(canary);
    const values = new Set<string>();
    for (const answer of answers)
      for (const value of valuesIn((await caller.get(answer.path)).body))
        if (OF_ONE_DEVICE.test(value)) values.add(value);
    expect(values.size).toBeGreaterThan(100);
    const written = answers.flatMap(({ body }) => wordsIn(body)).join('\n');
    expect([...values].filter((value) => written.includes(value))).toEqual([]);
  });

  it('has statuses, codes, sizes and headers', async () => {
    const { answers } = await read();
    const at = (wanted: string) => answers.find((answer) => answer.path === wanted);
    expect(at('/api/system/device/status')).toMatchObject({
      status: 200,
      codes: [],
      headers: { 'content-type': 'application/json', 'content-length': 'present' },
      body: { fields: { success: 'boolean', data: { fields: { mnfinfo: { fields: { serial: 'text-integer' } } } } } },
    });
    expect(at('/api/system/device/status')!.bytes).toBeGreaterThan(1_000);
    expect(at('/api/gps/nmea/status')).toMatchObject({ status: 404, codes: [122] });
  });

  it('does not write over a file, and has the model where it is asked for', async () => {
    const again = await record('--yes');
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('already exists')]);
    const other = path.join(world.folder, 'with-model.json');
    await world.run(['doctor', '--record', 'pump-1', '--to', other, '--with-model', '--yes']);
    expect(JSON.parse(await readFile(other, 'utf8'))).toMatchObject({
      model: world.fleet.devices[0]!.family.model,
      firmware: expect.stringMatching(/_R_00\.07/),
    });
  });

  it('says what is missing', async () => {
    const nobody = await world.run(['doctor', '--record']);
    expect([nobody.code, nobody.err]).toEqual([2, expect.stringContaining('fleetgate doctor --record <device>')]);
    const alone = await world.run(['doctor', '--with-model']);
    expect([alone.code, alone.err]).toEqual([2, expect.stringContaining('belong to --record')]);
    expect((await world.run(['doctor', '--record', 'nobody', '--yes'])).code).toBe(5);
  });

  it('is what a simulated router of another family answers with', async () => {
    const recording = readRecording(file);
    copies = await startOwnFleet({ devices: 1, family: 'TRB140', profile: 'rutos', seed: 9, recording });
    const copy = await new Caller(copies.devices[0]!).login();
    for (const answer of (await read()).answers) {
      const { status, body } = await copy.get(answer.path);
      expect([answer.path, status]).toEqual([answer.path, answer.status]);
      if (status < 400) expect(namesOf(shapeOf(body, new Set()))).toMatchObject(namesOf(answer.body) ?? {});
    }
    const bulk = { data: [{ endpoint: '/api/system/device/status', method: 'GET' }] };
    const [item] = (await copy.send('POST', '/api/bulk', { body: bulk })).body.data;
    expect(item.data.mnfinfo.serial).toBe(copies.devices[0]!.serial);
  });

  it('is refused by the simulator where it is none', async () => {
    const bad = await world.file('bad.json', '{"recording":1,"answers":[{"path":"/etc"}]}');
    expect(() => readRecording(bad)).toThrow('is no recording');
    const deep = await world.file('deep.json', `{"recording":1,"answers":${'['.repeat(200)}${']'.repeat(200)}}`);
    expect(() => readRecording(deep)).toThrow('deeper');
    expect(textsIn({})).toEqual(new Set());
  });
});

/** The fields that are always there, at each place; without those below names and lists that may be empty. */
function namesOf(shape: unknown): object | null {
  if (typeof shape !== 'object' || shape === null || !('fields' in shape)) return null;
  const { fields, sometimes = [] } = shape as { fields: Record<string, unknown>; sometimes?: string[] };
  const names = Object.keys(fields).filter((name) => !sometimes.includes(name));
  return Object.fromEntries(names.sort().map((name) => [name, namesOf(fields[name])]));
}
