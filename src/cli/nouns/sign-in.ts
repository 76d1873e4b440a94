import { type Command } from 'commander';
import { type ApiClient } from '../../api-client/api-client.js';
import { errorOf } from '../../api-client/api-error.js';
import { ownCommand, type OpenContext } from '../command.js';
import { type Context, type GlobalFlags } from '../context.js';
import { UsageError } from '../exit-codes.js';
import { profilesFile, readProfiles, requireProfileName, writeProfiles } from '../input/profiles.js';
import { ask, readSecret } from '../input/secret.js';
import { each } from '../output/rows.js';

/* `fleetgate login`, `logout` and `profile`: which gateways there are, and with which key. */

interface LoginFlags extends GlobalFlags {
  readonly keyFile?: string;
}

export const loginCommand = (open: OpenContext): Command =>
  ownCommand<LoginFlags>(open, {
    words: 'login',
    summary: 'Stores the address of a gateway and an API key for it, after a test',
    examples: [
      'fleetgate login --url https://fleet.example',
      'fleetgate login --profile test --url http://127.0.0.1:8080 --key-file key.txt',
    ],
    more: 'The key is asked for without showing it. It is stored in a file that you alone can read (XDG_CONFIG_HOME).',
    options: [['--key-file <file>', 'a file with the API key; - is standard input']],
    run: login,
  });

export const logoutCommand = (open: OpenContext): Command =>
  ownCommand(open, {
    words: 'logout',
    summary: 'Removes the stored key of a profile; the key itself stays valid',
    examples: ['fleetgate logout', 'fleetgate logout --profile test'],
    more: 'To end the key everywhere: fleetgate key revoke-own <key>',
    async run(context, flags) {
      const { current, profiles } = await readProfiles(context.environment);
      const name = requireProfileName(flags.profile ?? current);
      const { [name]: removed, ...others } = profiles;
      if (!removed) throw new UsageError(`There is no profile ${name}`);
      await writeProfiles(context.environment, { current: Object.keys(others)[0] ?? 'default', profiles: others });
      context.say(`Removed the profile ${name}`);
    },
  });

export function profileCommands(open: OpenContext): Command[] {
  const list = ownCommand(open, {
    words: 'list',
    summary: 'Lists the stored gateways, without their keys',
    examples: ['fleetgate profile list'],
    async run(context) {
      const { current, profiles } = await readProfiles(context.environment);
      const rows = Object.entries(profiles).map(([name, { url }]) => ({ name, url, current: name === current }));
      await context.rows(each(rows), ['name', 'url', 'current']);
      if (rows.length === 0) context.say('There is none yet: fleetgate login');
    },
  });
  const use = ownCommand(open, {
    words: 'use <name>',
    summary: 'Makes a stored gateway the one that commands use',
    examples: ['fleetgate profile use test'],
    async run(context, _flags, name = '') {
      const { profiles } = await readProfiles(context.environment);
      if (!Object.hasOwn(profiles, requireProfileName(name)))
        throw new UsageError(`There is no profile ${name}: fleetgate profile list`);
      await writeProfiles(context.environment, { current: name, profiles });
      context.say(`Commands now use ${name}`);
    },
  });
  return [list, use];
}

async function login(context: Context, { keyFile }: LoginFlags): Promise<void> {
  const { current, profiles } = await readProfiles(context.environment);
  const name = requireProfileName(context.flags.profile ?? current);
  const url = await addressOf(context, profiles[name]?.url);
  const key = await readSecret('The API key', '--key-file', keyFile, context.terminal);
  const { name: operator } = await selfOf(context.client(url, key));
  await writeProfiles(context.environment, { current: name, profiles: { ...profiles, [name]: { url, key } } });
  context.say(`You are ${operator} at ${url}. The key is in ${profilesFile(context.environment)}`);
}

/** @throws ApiError; SyntaxError where the answer is not that of a gateway */
async function selfOf(api: ApiClient): Promise<{ readonly name: string }> {
  const answer = await api.request('GET', '/v1/self');
  if (!answer.ok) throw await errorOf(answer); // of a server on the way
  const self = (await answer.json()) as { readonly name?: unknown } | null;
  if (typeof self?.name !== 'string') throw new SyntaxError('The answer has no name');
  return { name: self.name };
}

async function addressOf(context: Context, known: string | undefined): Promise<string> {
  const given = context.flags.url ?? (context.environment['FLEETGATE_URL'] || undefined);
  if (given !== undefined) return given;
  const preset = known ?? 'http://127.0.0.1:8080';
  if (!context.terminal.mayAsk) return preset;
  const answer = (await ask(`Address of the gateway [${preset}]: `, context.terminal)).trim();
  return answer === '' ? preset : answer;
}
