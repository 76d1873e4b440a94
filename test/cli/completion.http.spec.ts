import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCliWorld, type CliWorld } from '../support/cli/cli-world.js';
import { HAS_TMUX, NO_TMUX, TmuxTerminal } from '../support/cli/tmux-terminal.js';
import { until } from '../support/until.js';

/* Completion in the shells themselves, with the names of the devices of a running gateway. */

const DEVICES = ['pump-1', 'pump-2', 'pump-3'];

let world: CliWorld;
let bin: string;

beforeAll(async () => {
  world = await openCliWorld(3, { ROLE: 'api' });
  bin = await world.program();
});
afterAll(() => world.close());

const environment = () => ({
  ...world.environment(world.gateway.keys.viewer),
  PATH: `${bin}:${process.env['PATH'] ?? ''}`,
  HOME: world.folder,
});

/** Runs a script in a shell. @returns the words that it printed */
async function words(shell: string, script: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(shell, ['-c', script], { env: environment() });
  return stdout.split(/\s+/).filter(Boolean);
}

const isMissing = (shell: string): boolean => spawnSync(shell, ['--version']).status !== 0;
const reason = (shell: string): string => `SKIPPED: ${shell} is not installed (apt-get install ${shell})`;

it('completes commands, flags and names of devices in bash', async ({ skip }) => {
  if (isMissing('bash')) skip(reason('bash'));
  const typed = (line: string, count: number) =>
    words(
      'bash',
      `source <(fleetgate completion bash); COMP_WORDS=(${line}); COMP_CWORD=${count}; _fleetgate; echo "\${COMPREPLY[@]}"`,
    );
  expect((await typed('fleetgate device show pu', 3)).sort()).toEqual(DEVICES);
  expect(await typed('fleetgate rollout pro', 2)).toEqual(['promote']);
  expect(await typed('fleetgate device list --sel', 3)).toEqual(['--selector']);
});

it('completes them in fish', async ({ skip }) => {
  if (isMissing('fish')) skip(reason('fish'));
  const typed = (line: string) => words('fish', `fleetgate completion fish | source; complete -C '${line}'`);
  expect((await typed('fleetgate device show pu')).sort()).toEqual(DEVICES);
  expect(await typed('fleetgate rollout pro')).toEqual(['promote']);
});

it('completes them in zsh', async ({ skip }) => {
  if (isMissing('zsh')) skip(reason('zsh'));
  if (!HAS_TMUX) skip(NO_TMUX);
  const terminal = new TmuxTerminal({ ...environment(), PS1: '$ ' });
  // A shell that is on its way to its prompt may lose what is typed.
  const prompt = () => until(() => terminal.lines().at(-1) === 'zsh>');
  try {
    terminal.type(`exec env PS1='zsh> ' zsh -f`);
    await prompt();
    terminal.type('autoload -U compinit; compinit -u -D; source <(fleetgate completion zsh); echo "is ready"');
    await terminal.shows(/^is ready$/);
    await prompt();
    terminal.press('fleetgate device show pum', 'Tab');
    await terminal.shows(/show pump-/);
    terminal.press('', 'Tab');
    const lines = await terminal.shows(/pump-1 +pump-2 +pump-3/);
    expect(lines.filter((line) => line.includes('fleetgate device show pump-'))).toHaveLength(1);
  } finally {
    terminal.close();
  }
});
