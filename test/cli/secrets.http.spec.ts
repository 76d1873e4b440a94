import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCliWorld, type CliWorld } from '../support/cli/cli-world.js';
import { commandLine, type RunOptions } from '../support/cli/command-line.js';
import { allCommands } from '../support/cli/commands.js';

/* Secrets are planted in every place where the command line takes one, or where a person puts one by mistake. */

let world: CliWorld;

const PLANTED = 'planted-Q7x';
let count = 0;
const plant = (): string => `${PLANTED}-${++count}!Aa1`;

beforeAll(async () => {
  world = await openCliWorld(1, { ROLE: 'api' });
});
afterAll(() => world.close());

/** Runs commands, and gives all that they wrote. */
async function written(...commands: (readonly [args: readonly string[], options?: RunOptions])[]): Promise<string> {
  let all = '';
  for (const [args, options] of commands) {
    const { out, err } = await world.run(args, options);
    expect(out + err, `${args.join(' ')} says something`).not.toBe('');
    all += out + err;
  }
  return all;
}

const secretFile = (): Promise<string> => world.file('secret.txt', `${plant()}\n`);
const ID = '0192f3a1-7c4e-7b1a-9d2e-5f60718293a4';

/** How a secret gets in. Each gives what was written, which has none. */
const WAYS: Readonly<Record<string, () => Promise<string>>> = {
  'the password of a device, from a file': async () => {
    const given = ['device', 'credentials', 'pump-1', '--username', 'x', '--password-file', await secretFile()];
    return written([given], [[...given, '--dry-run']]);
  },
  'the password for reads, typed': async () => {
    const typed = { isTerminal: true, input: `${plant()}\n` };
    return written([['device', 'read-credentials', 'pump-1', '--username', 'y'], typed]);
  },
  'the password of a new device, from standard input': async () => {
    const add = ['device', 'add', 'new', '--base-url', 'https://192.0.2.7', '--username', 'x', '--password-file', '-'];
    return written([add, { input: plant() }]);
  },
  'the token of a set-up': async () => written([['setup', 'eve', '--token-file', await secretFile()]]),
  'the token of an invitation, and the new password': async () => {
    const password = await world.file('password.txt', plant());
    return written([['accept-invitation', '--token-file', await secretFile(), '--password-file', password]]);
  },
  'a sealed value': async () => {
    const give = ['sealed-value', 'give', '--label', 'wifi', '--value-file', await secretFile()];
    return written([give], [['sealed-value', 'list', '-o', 'json']]);
  },
  'a passphrase in the parameters of a job': async () => {
    const spec = await world.file('spec.yaml', `passphrase: ${plant()}\nunknown: 1\n`);
    const start = ['job', 'start', 'pump-1', 'backup', '-f', spec];
    return written([start], [[...start, '--dry-run']]);
  },
  'the credentials of a search': async () => {
    const credentials = `credentials: [{username: x, password: ${plant()}}]`;
    const search = await world.file('search.yaml', `networks: [127.0.0.1/32]\n${credentials}\n`);
    const start = ['discover', 'start', '-f', search];
    return written([[...start, '--yes']], [[...start, '--dry-run']]);
  },
  'a password in a file that is damaged': async () => {
    const damaged = await world.file('damaged.yaml', `password: "${plant()}\n  x: [\n`);
    return written([['job', 'start', 'pump-1', 'backup', '-f', damaged]]);
  },
  'a wrong API key': async () => {
    const { out, err } = await commandLine(world.environment(`fg_${plant()}`), ['device', 'list']);
    const doctor = await commandLine(world.environment(`fg_${plant()}`), ['doctor']);
    return out + err + doctor.out + doctor.err;
  },
  'an API key that is not stored after a refused sign-in': async () => {
    const key = await world.file('key.txt', `fg_${plant()}`);
    return written([['login', '--key-file', key]]);
  },
  'a damaged file of profiles': async () => {
    await world.run(['login', '--key-file', await world.file('key.txt', world.gateway.keys.administrator)]);
    await world.file(path.join('fleetgate', 'profiles.json'), `{"current":"a","profiles":{"a":{"key":"${plant()}"`);
    const text = await written([['device', 'list']], [['profile', 'list']]);
    await world.file(path.join('fleetgate', 'profiles.json'), '{"current":"default","profiles":{}}');
    return text;
  },
  'a password in the address of a gateway': () =>
    written([['device', 'list', '--url', `http://eve:${plant()}@127.0.0.1`]]),
  'a flag that does not exist': () =>
    written(
      [['device', 'credentials', 'pump-1', `--password=${plant()}`]],
      [['device', 'credentials', 'pump-1', '--password', plant()]],
      [['sealed-value', 'give', '--value', plant()]],
    ),
  'a secret in --set': () =>
    written(
      [['job', 'start', 'pump-1', 'backup', '--set', `passphrase=${plant()}`]],
      [['device', 'edit', 'pump-1', '--set', `credentials.password=${plant()}`]],
    ),
  'a secret where a file is wanted': () =>
    written([['device', 'credentials', 'pump-1', '--username', 'x', '--password-file', plant()]]),
  'an argument too many': () => written([['login', plant()]], [['approval', 'approve', ID, plant()]]),
};

describe('a planted secret is in no output', () => {
  it.each(Object.keys(WAYS))('%s', async (way) => {
    const before = count;
    const text = await WAYS[way]!();
    expect(count).toBeGreaterThan(before);
    expect(text).not.toContain(PLANTED);
  });
});

it('refuses a file of profiles that others may read, and says how to close it', async () => {
  const file = path.join(world.folder, 'fleetgate', 'profiles.json');
  await chmod(file, 0o640);
  const { code, err } = await world.run(['device', 'list']);
  await chmod(file, 0o600);
  expect([code, err]).toEqual([2, expect.stringContaining(`chmod 600 ${file}`)]);
});

it('takes no secret as the value of a flag, and shows none in an example', async () => {
  const wrong = (await allCommands()).flatMap(({ words, command }) => {
    const flags = command.options.filter(
      ({ long, required, optional }) =>
        (required || optional) && /(password|passphrase|secret|token|psk|private-key)$/.test(long ?? ''),
    );
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    const shown = /--(password|passphrase|secret|token)[ =]|fg_\w|setup_\w/.exec(help);
    return [...flags.map(({ long }) => `${words} ${long}`), ...(shown ? [`${words}: ${shown[0]}`] : [])];
  });
  expect(wrong).toEqual([]);
});

it('completes commands without a key in what it prints', async () => {
  const environment = world.environment(`fg_${plant()}`);
  for (const args of [
    ['completion', 'bash'],
    ['__complete', '--', 'device', 'show', 'p'],
  ]) {
    const { out, err } = await commandLine(environment, args);
    expect(out + err).not.toContain(PLANTED);
  }
});
