import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Command } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/cli/command-table.js';

/* Each command that the console shows is one of the command line, with flags that it has. */

/** `command="…"`, `command={`…`}`, and `command: '…'` in the sources. */
const SHOWN = /\bcommand[=:] ?\{?(?:"([^"\n]+)"|'([^'\n]+)'|`([^`\n]+)`)/g;

interface Line {
  readonly file: string;
  readonly text: string;
}

const files = readdirSync('console/src', { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));

const lines: Line[] = files.flatMap((file) =>
  [...readFileSync(path.join('console/src', file), 'utf8').matchAll(SHOWN)].flatMap(([, ...texts]) => {
    const text = (texts.find(Boolean) ?? '')
      .replaceAll(/\$\{[^}]*\}/g, ' VALUE ')
      .replaceAll(/ +/g, ' ')
      .trim()
      .replace(/^fleetgate /, '');
    return text.startsWith('npm ') || /^(?:VALUE|words)/.test(text) ? [] : [{ file, text }];
  }),
);

const open = () => {
  throw new Error('no command is run here');
};
const commands = new Map<string, Command>();

beforeAll(async () => {
  for (const [word, { load }] of Object.entries(COMMANDS)) {
    const loaded = await load(open, word);
    for (const command of [loaded].flat()) add(word, command);
  }
});

function add(word: string, command: Command): void {
  commands.set(command.name() === word ? word : `${word} ${command.name()}`, command);
  for (const inner of command.commands) commands.set(`${word} ${inner.name()}`, inner);
}

function problemOf({ text }: Line): string | null {
  const words = text.split(' ');
  const command = commands.get(words.slice(0, 2).join(' ')) ?? commands.get(words[0] ?? '');
  if (words[1] === 'VALUE' && [...commands.keys()].some((name) => name.startsWith(`${words[0]} `))) return null;
  if (!command) return `${text}: there is no such command`;
  const known = new Set(command.options.flatMap(({ short, long }) => [short, long]));
  const unknown = words.filter((word) => /^--?[a-z]/.test(word) && !known.has(word));
  return unknown.length === 0 ? null : `${text}: ${command.name()} has no ${unknown.join(' and ')}`;
}

describe('the command lines of the console', () => {
  it('are commands of the command line with flags that it has', () => {
    expect(lines.length).toBeGreaterThan(50);
    expect(lines.flatMap((line) => problemOf(line) ?? [])).toEqual([]);
  });

  it('name no day, which would be over one day', () => {
    expect(lines.filter(({ text }) => /\d{4}-\d\d-\d\d| TIME\b/.test(text))).toEqual([]);
  });
});
