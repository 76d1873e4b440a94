import { describe, expect, it } from 'vitest';
import { COMMANDS, hasVerbs, loadCommand } from '../../src/cli/command-table.js';
import { flagsLast } from '../../src/cli/flag-order.js';

const ordered = (line: string) => flagsLast(line.split(' '), hasVerbs).join(' ');

describe('flags before the verb', () => {
  it.each([
    ['device --json list', 'device list --json'],
    ['--json device list', 'device list --json'],
    ['--json device show pump-1', 'device show --json pump-1'],
    ['device -o yaml list -l tag:pump', 'device list -o yaml -l tag:pump'],
    ['-o yaml device --fields name list', 'device list -o yaml --fields name'],
    ['--url=http://x device list', 'device list --url=http://x'],
    ['--profile test --no-input job watch x', 'job watch --profile test --no-input x'],
    ['--timeout 5 events', 'events --timeout 5'],
    ['device list --json', 'device list --json'],
    ['fan-out --json get /x -l all', 'fan-out get --json /x -l all'],
    ['fan-out -l all get /x', 'fan-out -l all get /x'],
    ['--help', '--help'],
    ['device --help', 'device --help'],
    ['--version', '--version'],
    ['device --json', 'device --json'],
  ])('%s is read as %s', (line, expected) => {
    expect(ordered(line)).toBe(expected);
  });

  it.each([
    ['device -l tag:pump list', '-l goes behind the verb: fleetgate device <verb> -l'],
    ['device --limit=5 list', '--limit goes behind the verb: fleetgate device <verb> --limit'],
    ['--yes device remove pump-1', '--yes goes behind the verb: fleetgate <noun> <verb> --yes'],
    ['--password=x device add pump-1', '--password goes behind the verb: fleetgate <noun> <verb> --password'],
  ])('%s is refused: %s', (line, sentence) => {
    expect(() => ordered(line)).toThrow(new RegExp(`^${sentence.replaceAll(/[<>]/g, '.')}$`));
  });

  it('knows which first words have verbs', async () => {
    const open = () => {
      throw new Error('no command runs');
    };
    const words = Object.keys(COMMANDS);
    const loaded = await Promise.all(words.map((word) => loadCommand(word, open)));
    expect(words.filter(hasVerbs)).toEqual(words.filter((_word, at) => loaded[at]!.commands.length > 0));
  });
});
