import { type Command } from 'commander';
import { type OpenContext } from '../../../src/cli/command.js';
import { COMMANDS, loadCommand } from '../../../src/cli/command-table.js';

export interface NamedCommand {
  /** Such as `device show`. */
  readonly words: string;
  readonly command: Command;
}

const NO_CONTEXT: OpenContext = () => {
  throw new Error('no command runs');
};

/** All commands that do something, in the order of the help. */
export async function allCommands(): Promise<NamedCommand[]> {
  const loaded = await Promise.all(Object.keys(COMMANDS).map((word) => loadCommand(word, NO_CONTEXT)));
  return loaded.flatMap((command) => leavesOf(command, ''));
}

function leavesOf(command: Command, before: string): NamedCommand[] {
  const words = `${before} ${command.name()}`.trim();
  if (command.commands.length === 0) return [{ words, command }];
  return command.commands.flatMap((inner) => leavesOf(inner, words));
}
