import { type Command } from 'commander';
import { COMMANDS, loadCommand } from '../../../src/cli/command-table.js';

/* Whether a command line of a page or of a help could run: its command, its flags and the number of its arguments exist. */

const NEVER_OPENED = () => {
  throw new Error('no command runs');
};

/** Programs of their own, whose flags are not ours to check here. */
const PROGRAMS: ReadonlySet<string> = new Set(['serve', 'simulator']);

/** The command lines of the text that call `fleetgate`, as words. */
export function fleetgateLines(text: string): string[][] {
  return wordsOf(text.replaceAll('\\\n', ' ')).flatMap((words) => {
    const at = words.indexOf('fleetgate');
    const isCommand = at >= 0 && words.slice(0, at).every((word) => /^\w+=/.test(word));
    return isCommand ? [words.slice(at + 1)] : [];
  });
}

/** @returns what is wrong with the words after `fleetgate`; null when they could run */
export async function problemOf(words: readonly string[]): Promise<string | null> {
  const [first = '--help', ...others] = words;
  if (first.startsWith('-') || first === 'help' || PROGRAMS.has(first)) return null;
  if (!Object.hasOwn(COMMANDS, first)) return `there is no ${first}`;
  let command = await loadCommand(first, NEVER_OPENED);
  let rest = others;
  while (command.commands.length > 0) {
    const next = command.commands.find((one) => one.name() === rest[0]);
    if (!next) return rest[0] === undefined || rest[0] === '--help' ? null : `${command.name()} has no ${rest[0]}`;
    command = next;
    rest = rest.slice(1);
  }
  return problemOfArguments(command, rest);
}

function problemOfArguments(command: Command, words: readonly string[]): string | null {
  if (words.includes('--help')) return null;
  const name = command.name();
  let said = '';
  command.exitOverride().configureOutput({ writeErr: (text) => (said += text) });
  try {
    const { operands, unknown } = command.parseOptions([...words]);
    if (unknown.length > 0) return `${name} has no ${unknown.join(' ')}`;
    const places = command.registeredArguments;
    const needed = places.filter((place) => place.required).length;
    if (operands.length < needed) return `${name} wants ${needed} arguments`;
    const isOpen = places.at(-1)?.variadic === true;
    return operands.length > places.length && !isOpen ? `${name} has too many arguments: ${operands.join(' ')}` : null;
  } catch {
    return said.trim();
  }
}

/** The words of each command of a shell text: quotes are removed; pipes, redirections and substitutions end a command. */
function wordsOf(text: string): string[][] {
  const commands: string[][] = [[]];
  let word: string | null = null;
  let quote: string | null = null;
  const end = () => {
    if (word !== null) commands.at(-1)!.push(word);
    word = null;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (quote !== null) {
      if (character === quote) quote = null;
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (character === '#' && word === null) {
      while (at + 1 < text.length && text[at + 1] !== '\n') at++;
    } else if (' \t'.includes(character)) end();
    else if ('\n|;&()<>'.includes(character)) {
      end();
      // What follows < or > is a file, and so no word of a command.
      commands.push(...('<>'.includes(character) ? [['a file']] : [[]]));
    } else word = (word ?? '') + character;
  }
  end();
  return commands.filter((words) => words.length > 0);
}
