import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.js';
import { addressOfNamed } from '../../src/cli/operations/dry-run.js';
import { openCliWorld, type CliWorld } from '../support/cli/cli-world.js';

/* A person writes names: of people, keys, policies, schedules, webhooks, rollouts and devices. An id works as well. */

let world: CliWorld;

const ROLLOUT = { kind: 'call', spec: { method: 'GET', path: '/api/system/device/status' }, selector: 'tag:pump' };
const POLICY = { waves: [{ take: 'rest' }] };

/** Runs a command, with a body on its standard input. */
const run = (args: readonly string[], body?: object) =>
  body ? world.run([...args, '-f', '-', '--yes'], { input: JSON.stringify(body) }) : world.run(args);

beforeAll(async () => {
  world = await openCliWorld(2, { ROLE: 'api' });
  const made = await Promise.all([
    run(['operator', 'add', 'Bob', '--role', 'viewer']),
    run(['backup-policy', 'add', 'nightly'], { selector: 'all', rhythm: { everySeconds: 86_400 } }),
    run(['webhook', 'add', 'pager', '--to', 'http://127.0.0.1:9/hook', '--types', 'job.ended']),
    run(['rollout', 'apply'], { ...ROLLOUT, name: 'june', policy: POLICY }),
    run(['rule', 'add', 'deaf', '-l', 'rsrp<-110', '--for-seconds', '1800', '--clear-selector', 'rsrp>-105']),
    run(['schedule', 'add', 'monthly'], {
      rhythm: { everySeconds: 86_400 },
      rollout: { ...ROLLOUT, name: 'monthly run', policy: POLICY },
    }),
  ]);
  expect(made.map(({ code, err }) => (code === 0 ? '' : err))).toEqual(['', '', '', '', '', '']);
  expect(await run(['key', 'issue', 'script', '--operator-id', 'Bob'])).toMatchObject({ code: 0 });
});
afterAll(() => world.close());

const COMMANDS: readonly string[] = [
  'operator show Bob',
  'operator roles Bob',
  'operator edit Bob --name Bob',
  'session list --operator-id Bob',
  'device explain --operator Bob --device pump-1 --action device.read',
  'backup-policy show nightly',
  'webhook show pager',
  'webhook deliveries pager',
  'rollout show june',
  'rollout devices june',
  'schedule show monthly',
  'rule show deaf',
  'alert list --rule deaf --state all',
  'rule remove deaf --yes',
  'audit list --device-id pump-1',
  'lock set operator Bob --reason test --yes',
  'lock set key script --reason test --yes',
  'lock set device pump-2 --reason test --yes',
  'key rotate script',
  'operator edit Bob --disabled --dry-run',
];

describe('a name in the place of an id', () => {
  it.each(COMMANDS)('%s', async (command) => {
    const { code, err } = await world.run(command.split(' '));
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
  });

  it.each([
    ['operator show Nobody', 'There is no operator Nobody; `fleetgate operator list` shows all'],
    ['rollout watch july', 'There is no rollout july'],
    ['webhook remove nothing --yes', 'There is no webhook nothing'],
    ['operator edit Nobody --disabled --dry-run', 'There is no operator Nobody'],
  ])('that nothing has is not found: %s', async (command, sentence) => {
    const { code, err } = await world.run(command.split(' '));
    expect(code).toBe(EXIT.notFound);
    expect(err).toContain(sentence);
  });

  it.each([
    ['the rest', 'No wave is named the rest. The rollout has: 1 (wave 1)'],
    ['wave 2', 'No wave is named wave 2. The rollout has: 1 (wave 1)'],
  ])('of a wave is one of its rollout, and not %s', async (wave, sentence) => {
    const { code, err } = await world.run(['rollout', 'promote', 'june', wave, '--yes']);
    expect([code, err]).toEqual([EXIT.notFound, expect.stringContaining(sentence)]);
  });

  it.each(['wave 1', '1'])('of a wave is its own or its number: %s', async (wave) => {
    const { code, err } = await world.run(['rollout', 'promote', 'june', wave, '--dry-run']);
    expect([code, err]).toEqual([EXIT.done, expect.stringMatching(/waves\/0\/promote/)]);
  });

  it('that several things have is refused with their ids', async () => {
    const second = { ...ROLLOUT, name: 'june', policy: { ...POLICY, held: 'wait' } };
    expect(await run(['rollout', 'apply'], second)).toMatchObject({ code: EXIT.done });
    const { code, err } = await world.run(['rollout', 'show', 'june']);
    expect(code).toBe(EXIT.usage);
    expect(err).toMatch(/2 have the name june\. Give the id: [0-9a-f-]{36}, [0-9a-f-]{36}/);
  });

  it('is no name when it is an id', async () => {
    const { out } = await world.run(['operator', 'show', 'Bob', '--json']);
    const { id } = JSON.parse(out) as { id: string };
    expect((await world.run(['operator', 'show', id])).code).toBe(EXIT.done);
  });
});

describe('a dry run finds out', () => {
  it.each([
    ['device remove nosuch --dry-run', EXIT.notFound, 'device_not_found'],
    ['device edit nosuch --site x --dry-run', EXIT.notFound, 'device_not_found'],
    ['backup restore nosuch 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4 --dry-run', EXIT.notFound, 'device_not_found'],
    ['backup restore pump-1 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4 --dry-run', EXIT.notFound, 'artifact'],
    ['job start pump-1 nosuch --dry-run', EXIT.error, 'kind'],
    ['job start nosuch backup --dry-run', EXIT.notFound, 'device_not_found'],
    ['rollout abort 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4 --dry-run', EXIT.notFound, 'rollout'],
    ['webhook remove 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4 --dry-run', EXIT.notFound, 'webhook'],
    ['operator invite 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4 --dry-run', EXIT.notFound, 'operator'],
    ['role remove nosuch --dry-run', EXIT.notFound, 'role'],
    ['job cancel 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4 --dry-run', EXIT.notFound, 'job'],
    ['artifact remove 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4 --dry-run', EXIT.notFound, 'artifact'],
    ['backup-policy remove 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4 --dry-run', EXIT.notFound, 'polic'],
    ['schedule remove 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4 --dry-run', EXIT.notFound, 'schedule'],
  ])('what is not there: %s', async (command, expected, word) => {
    const { code, err } = await world.run(command.split(' '));
    expect(code).toBe(expected);
    expect(err).toContain(word);
    expect(err).not.toContain('Would');
  });

  it.each(['job start pump-1 backup --dry-run', 'device remove pump-1 --dry-run'])(
    'nothing else: %s',
    async (command) => {
      const { code, err } = await world.run(command.split(' '));
      expect({ code, err }).toMatchObject({ code: EXIT.done, err: expect.stringMatching(/^Would/) });
    },
  );
});

describe('a dry run says how far it looked', () => {
  const CHECKED = 'What it changes is there';
  const UNCHECKED = 'Nothing was checked';
  it.each([
    ['device remove pump-1 --dry-run', CHECKED],
    ['schedule remove monthly --dry-run', CHECKED],
    ['webhook test pager --dry-run', CHECKED],
    ['operator edit Bob --disabled --dry-run', CHECKED],
    ['operator add Eve --role viewer --dry-run', UNCHECKED],
    ['lock set writes --reason storm --dry-run', UNCHECKED],
    ['lock lift 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4 --dry-run', UNCHECKED],
    ['key issue-own laptop --dry-run', UNCHECKED],
  ])('%s: %s', async (command, sentence) => {
    const { code, err } = await world.run(command.split(' '));
    expect({ code, err }).toMatchObject({ code: EXIT.done, err: expect.stringContaining(sentence) });
  });

  it.each([
    ['/v1/rollouts/{rolloutId}/waves/{ordinal}/promote', '/v1/rollouts/r/waves/0/promote', '/v1/rollouts/r'],
    ['/v1/devices/{ref}', '/v1/devices/name:a%2Fb', '/v1/devices/name:a%2Fb'],
    ['/v1/devices/{ref}/credentials', '/v1/devices/name:a/credentials?x=1', '/v1/devices/name:a'],
    ['/v1/locks/{lockId}', '/v1/locks/l', null],
    ['/v1/operators', '/v1/operators', null],
  ])('by the address of what it changes: %s', (template, path, address) => {
    expect(addressOfNamed(template, path)).toBe(address);
  });
});

describe('what is missing is named by its flag', () => {
  it.each([
    ['device add spare', 'Give --base-url'],
    ['device add spare --dry-run', 'Give --base-url'],
    ['operator add Eve', 'Give --role'],
    ['webhook add other', 'Give --to and --types'],
    ['backup-policy add weekly', 'Give --selector and --cron'],
    ['lock set writes --yes', 'Give --reason'],
    ['schedule add yearly', 'Give --cron and rollout in the file of -f'],
  ])('%s', async (command, sentence) => {
    const { code, err } = await world.run(command.split(' '));
    expect({ code, err }).toMatchObject({ code: EXIT.usage, err: expect.stringContaining(sentence) });
  });
});

it.each(['127.0.0.1:8080', 'fleet.example', 'ftp://fleet.example', 'localhost:8080', '/v1'])(
  'an address of a gateway is not %s',
  async (url) => {
    const { code, err } = await world.run(['login', '--url', url, '--key-file', '/dev/null/none']);
    expect(code).toBe(EXIT.usage);
    const listed = await world.run(['device', 'list', '--url', url]);
    expect([listed.code, listed.err]).toEqual([
      EXIT.usage,
      expect.stringContaining(`http://127.0.0.1:8080, not ${url}`),
    ]);
    expect(err).not.toContain('Invalid URL');
  },
);
