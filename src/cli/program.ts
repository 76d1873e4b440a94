import { Command, CommanderError } from 'commander';
import { ownFlagsFirst, type OpenContext } from './command.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { exitCodeOfError, sentencesOf } from './errors.js';
import { COMMANDS, commandTitle, hasVerbs, loadCommand } from './command-table.js';
import { flagsLast } from './flag-order.js';
import { VERSION } from './version.js';
import { openShell, type Shell } from './shell.js';

/* `fleetgate <noun> <verb>`. A noun is a list of declarations, with commands of its own where one request is not enough. */

/** The hidden command that completion scripts call. */
const COMPLETE = '__complete';

const TEACHING = `
First steps:
  $ fleetgate login          stores the address of a gateway and your API key
  $ fleetgate device list    the devices that you may see
  $ fleetgate call get <device> /system/device/status

Each command has examples: fleetgate <noun> <verb> --help.
Standard output is data, standard error is for people.
Exit codes: 0 done, 1 error, 2 usage, 3 some devices failed or something differs,
4 not signed in, 5 not found, 6 conflict, 7 not permitted, 8 still running at --timeout,
9 the audit log is not correct, 10 waits for a person, 130 interrupted.`;

/** @returns the exit code of a command line, without the name of the program */
export async function run(args: readonly string[], shell: Shell): Promise<ExitCode> {
  const { open, exitCode } = openShell(shell);
  try {
    const ordered = args[0] === COMPLETE ? args : flagsLast(args, hasVerbs);
    const program = await buildProgram(open, shell, ordered);
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(ordered, { from: 'user' });
    return exitCode();
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (shell.interrupted.aborted) {
      if (shell.stderr.isTTY) shell.stderr.write('\n'); // after the ^C of the terminal
      return EXIT.interrupted;
    }
    for (const line of sentencesOf(error)) shell.stderr.write(`${line}\n`);
    return exitCodeOfError(error);
  }
}

/**
 * The program with its commands. Only the one that the words name is complete, since a start should be quick; without one
 * there are the titles of all.
 */
async function buildProgram(
  open: OpenContext,
  shell: Pick<Shell, 'stdout' | 'stderr'>,
  [first = '', second = '']: readonly string[],
): Promise<Command> {
  const program = new Command('fleetgate')
    .description('Operates a fleet of routers through a Fleetgate gateway.')
    .version(VERSION, '--version', 'prints the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => shell.stdout.write(text),
      writeErr: (text) => shell.stderr.write(withoutValues(text)),
    })
    .showSuggestionAfterError()
    .addHelpText('after', TEACHING);
  const named = first === 'help' ? second : first;
  if (first === COMPLETE) program.addCommand(await completion(open, shell), { hidden: true });
  else if (Object.hasOwn(COMMANDS, named)) program.addCommand(await loadCommand(named, open));
  else for (const word of Object.keys(COMMANDS)) program.addCommand(commandTitle(word));
  for (const command of program.commands) inherit(command, program, program.name());
  return program;
}

async function completion(open: OpenContext, shell: Pick<Shell, 'stdout' | 'stderr'>): Promise<Command> {
  const { completeCommand } = await import('./nouns/completion.js');
  return completeCommand((words) => buildProgram(open, shell, words), open);
}

/** What is wrong with a flag, without its value: `--password=…` is unknown, and its value is a secret. */
const withoutValues = (text: string): string => text.replace(/^(error: unknown option '[^='\n]*=)[^\n]*/, "$1…'");

/** Commands made elsewhere write and end as the program does, and name their help after a wrong flag or argument. */
function inherit(command: Command, parent: Command, words: string): void {
  const path = `${words} ${command.name()}`;
  command.copyInheritedSettings(parent).showHelpAfterError(`See: ${path} --help`);
  ownFlagsFirst(command);
  for (const inner of command.commands) inherit(inner, command, path);
}
