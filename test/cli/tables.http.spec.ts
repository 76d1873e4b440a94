import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCliWorld, type CliWorld } from '../support/cli/cli-world.js';

/* Tables for people: names, words and local times where the API has ids, lists and instants. */

let world: CliWorld;

const POLICY = 'policy: {waves: [{name: lab, take: {count: 1}}, {take: rest, gate: manual}]}\n';
const CALL = 'kind: call\nselector: tag:pump\nspec: {method: GET, path: /api/system/device/status}\n';

const run = async (line: string): Promise<{ out: string; err: string }> => {
  const { code, out, err } = await world.run(line.split(' '));
  expect({ line, code, err }).toMatchObject({ line, code: 0 });
  return { out, err };
};
const table = async (line: string): Promise<string> => (await run(line)).out;

beforeAll(async () => {
  world = await openCliWorld(3);
  await run('job start pump-1 backup --watch');
  await run('job start pump-2 backup --watch');
  await run('lock set device pump-3 --reason test --yes');
  const file = await world.file('june.yaml', `name: june\n${CALL}${POLICY}`);
  await run(`rollout apply -f ${file} --yes`);
});
afterAll(() => world.close());

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}/;
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:/;

describe('a table', () => {
  it.each([
    ['job list', /^backup .* pump-1 +Ada /m],
    ['job list', /^KIND .* DEVICE .* CREATED AT UTC /m],
    ['backup list', /^backup-.* pump-2 /m],
    ['lock list', /^device +pump-3 +test /m],
    ['key list', /^set-up +Ada /m],
    ['operator list', /^Ada +administrator /m],
    ['rollout devices june', /^pump-\d +lab /m],
    ['device summary --by state', /^ +state +online +2$/m],
    ['device summary --by model', /^ +model +\(none\) +3$/m],
    ['system show', / all \d+ ok +all \d+ done /m],
    ['rollout show june', /^ +1 +lab .* \d [a-z]+$/m],
    ['rollout show june', /^ +2 +wave 2 +waiting /m],
    ['rollout show june', /^ +wave 2 +rest /m],
    ['backup diff --a pump-1 --b pump-2', /^ +etc\/config\/snmp +changed +1 +1$/m],
    ['backup diff --a pump-1 --b pump-2', /^ +etc\/config\/snmp +- +"sys_name"/m],
    ['backup contents pump-1', /^ +etc\/config\/snmp +\d+ +\d+$/m],
    ['device explain --device pump-1 --action device.read', /^ +operator +administrator .* all +all$/m],
  ])('%s has %s', async (line, expected) => {
    const out = await table(line);
    expect(out).toMatch(expected);
    expect(out).not.toMatch(INSTANT);
    expect(out).not.toMatch(/[{}[\]]"/);
  });

  it('has ids and instants as they are in CSV, JSON, chosen fields and with --utc', async () => {
    for (const format of ['-o csv', '-o ndjson', '--fields deviceId,createdAt --utc'])
      expect(await table(`job list ${format}`)).toMatch(UUID);
    expect(await table('job list --utc')).toMatch(INSTANT);
    expect(await table('job list -o csv')).toMatch(INSTANT);
    expect(await table('job list -o csv')).toContain('deviceId');
  });

  it('is followed by what the list counts', async () => {
    expect((await run('backup coverage')).err).toBe('3 devices: 1 without a backup, 2 fresh\n');
  });

  it('of no stored fan-outs says how one is stored', async () => {
    expect((await run('fan-outs list')).err).toBe(
      'fleetgate fan-out stores its answers with --keep\nNothing was found\n',
    );
  });

  it('of devices without a login says so in lines of their own', async () => {
    const { err } = await run('device add pump-bare --base-url https://192.0.2.44');
    expect(err).toMatch(
      /^No credentials .* pump-bare; a new address .*\nCalls .*\n  fleetgate device credentials id:.*\n$/,
    );
    await run('device remove pump-bare --confirm pump-bare');
  });

  it.each(['name,sample', 'loginsToday,name', 'name,sampling', 'certificate,name'])(
    'of devices has the fields %s',
    async (fields) => {
      const rows = (await table(`device list -o ndjson --fields ${fields}`)).trim().split('\n');
      for (const row of rows) expect(Object.keys(JSON.parse(row) as object)).toEqual(fields.split(','));
      expect(rows).toHaveLength(3);
    },
  );

  it('of a fan-out names equal answers, and shows each once', async () => {
    const { out, err } = await run('fan-out get /date_time/ntp/client/config -l name:pump-1|name:pump-2');
    const [head, ...lines] = out.trimEnd().split('\n');
    expect(head).toMatch(/^NAME +OUTCOME +STATUS +REASON +MS +ANSWER$/);
    const digests = lines.slice(0, 2).map((line) => line.split(/ +/).at(-1));
    expect(digests[0]).toMatch(/^[0-9a-f]{8}$/);
    expect(digests[1]).toBe(digests[0]);
    expect(lines.slice(2)).toEqual([
      '',
      expect.stringMatching(/^ANSWER +DEVICES +CONTENT$/),
      expect.stringMatching(new RegExp(`^${digests[0]} +2 +success true, `)),
    ]);
    expect(err).toBe('2 devices: 2 succeeded\n');
  });

  it('of a fan-out without answers has no second one', async () => {
    expect((await world.run(['fan-out', 'get', '/x', '-l', 'name:nothing'])).out).toBe('');
  });
});

describe('a wave', () => {
  it.each([
    ['rollout devices june --wave 1', 1],
    ['rollout devices june --wave lab', 1],
    ['rollout devices june --wave 2', 2],
  ])('goes by its name, or by its number from 1: %s', async (line, count) => {
    expect((await table(`${line} -o ndjson`)).trim().split('\n')).toHaveLength(count);
  });

  it.each(['0', '3', 'labs'])('is not %s', async (wave) => {
    const { code, err } = await world.run(['rollout', 'devices', 'june', '--wave', wave]);
    expect([code, err]).toEqual([5, `Error: No wave is named ${wave}. The rollout has: 1 (lab), 2 (wave 2)\n`]);
  });
});
