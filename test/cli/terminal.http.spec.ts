import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCliWorld, type CliWorld } from '../support/cli/cli-world.js';
import { HAS_TMUX, NO_TMUX, TmuxTerminal } from '../support/cli/tmux-terminal.js';

/* What a person sees on a real terminal of 80 columns: progress, lists that are watched, prompts, Ctrl-C. */

let world: CliWorld;
let bin: string;
let terminal: TmuxTerminal;

beforeAll(async () => {
  world = await openCliWorld();
  bin = await world.program();
});
afterAll(() => world.close());

beforeEach(({ skip }) => {
  if (!HAS_TMUX) skip(NO_TMUX);
  const PATH = `${bin}:${process.env['PATH'] ?? ''}`;
  terminal = new TmuxTerminal({ ...world.environment(world.gateway.keys.administrator), PATH, PS1: '$ ' });
});
afterEach(() => {
  if (HAS_TMUX) terminal.close();
});

/** Starts a rollout whose second wave waits for a person. */
async function startRollout(): Promise<string> {
  const policy = 'policy:\n  waves:\n    - {name: lab, take: {count: 1}}\n    - {take: rest, gate: manual}\n';
  const spec = 'spec: {method: GET, path: /api/system/device/status}\n';
  const file = await world.file('rollout.yaml', `name: Checks\nkind: call\nselector: tag:pump\n${spec}${policy}`);
  const applied = await world.run(['rollout', 'apply', '-f', file, '--yes', '-o', 'json', '--fields', 'id']);
  expect(applied.err).toContain('fleetgate rollout watch');
  return (JSON.parse(applied.out) as { id: string }).id;
}

const isProgress = (line: string): boolean => / of 3 devices/.test(line);

describe('rollout watch', () => {
  it('shows its progress in one line, goes on after Ctrl-C, and ends with the result', async () => {
    const id = await startRollout();
    terminal.type(`fleetgate rollout watch ${id}; echo "exit $?"`);
    const during = await terminal.shows('1 of 3 devices');
    expect(during.filter(isProgress)).toHaveLength(1);
    expect(during.every((line) => line.length <= 80)).toBe(true);
    terminal.interrupt();
    const left = await terminal.shows('exit 130');
    expect(left.filter(isProgress)).toEqual([]);
    const come = left.findIndex((line) => line === 'It goes on. Follow it again with:');
    expect(left[come + 1]).toBe(`  fleetgate rollout watch ${id}`);
    const running = await world.run(['rollout', 'show', id, '-o', 'json', '--fields', 'state']);
    expect(JSON.parse(running.out)).toEqual({ state: 'running' });

    terminal.type(`clear; fleetgate rollout watch ${id}; echo "exit $?"`);
    await terminal.shows('1 of 3 devices');
    expect((await world.run(['rollout', 'promote', id, '2'])).code).toBe(0);
    const ended = await terminal.shows('exit 0');
    expect(ended.filter(isProgress)).toEqual([]);
    expect(ended.some((line) => /^counts\.succeeded +3$/.test(line))).toBe(true);
  });
});

describe('device list --watch', () => {
  it('draws the list again at the same place, and ends at Ctrl-C', async () => {
    terminal.type('fleetgate device list --watch 0.2 --fields name,site; echo "exit $?"');
    await terminal.shows('Ctrl-C ends it');
    expect(terminal.lines()[0]).toMatch(/^NAME +SITE$/);
    expect((await world.run(['device', 'edit', 'pump-2', '--site', 'kaunas/b'])).code).toBe(0);
    const lines = await terminal.shows(/^pump-2 +kaunas\/b$/);
    expect(lines.filter((line) => line.startsWith('pump-'))).toHaveLength(3);
    terminal.interrupt();
    await terminal.shows(/^exit 130$/);
  });
});

describe('device replace', () => {
  it('asks for the login of the new hardware, without showing the password', async () => {
    terminal.type(
      'fleetgate device replace pump-3 --serial NEW-1 --confirm pump-3 --fields serial,credentials.username',
    );
    await terminal.shows('The user name on the new hardware');
    terminal.type('installer');
    await terminal.shows('the password:');
    terminal.type('Typed-Secret-3');
    const lines = await terminal.shows(/credentials\.username +installer/);
    expect(lines.join('\n')).not.toContain('Typed-Secret-3');
  });

  it('says that no login is stored when none is typed', async () => {
    terminal.type('fleetgate device replace pump-3 --serial NEW-2 --confirm pump-3');
    await terminal.shows('The user name on the new hardware');
    terminal.press('', 'Enter');
    await terminal.shows('No credentials are stored for pump-3');
    const { out } = await world.run(['device', 'list', '-l', 'credentials:none', '-o', 'ndjson', '--fields', 'name']);
    expect(out).toBe('{"name":"pump-3"}\n');
  });
});

describe('login', () => {
  it('does not show the key that is typed', async () => {
    const key = world.gateway.keys.viewer;
    const login = `fleetgate login --url ${world.gateway.url}; echo "exit $?"`;
    terminal.type(`XDG_CONFIG_HOME=${path.join(world.folder, 'typed')} ${login}`);
    await terminal.shows('The API key:');
    terminal.type(key);
    const lines = await terminal.shows(/^exit \d+$/);
    expect(lines.join('\n')).toContain('You are ');
    expect(lines.join('')).not.toContain(key);
    expect(lines.join('')).not.toContain(key.slice(0, 12));
  });
});
