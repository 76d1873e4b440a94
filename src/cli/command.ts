import { Command, Option } from 'commander';
import { type Context, type GlobalFlags } from './context.js';
import { UsageError } from './exit-codes.js';
import { FORMATS } from './output/formats.js';

/* What all commands have in common: flags, examples, and how their action gets its context. */

const ALL = 'Flags of all commands:';
const CHANGES = 'Flags of changes:';

/** Makes the context of one command from its flags. */
export type OpenContext = (flags: GlobalFlags) => Context;

export interface CommandText {
  /** Such as `show <device>`. */
  readonly words: string;
  readonly summary: string;
  /** Command lines without `$`. */
  readonly examples: readonly string[];
  /** More to know, after the examples. */
  readonly more?: string;
  /** Of `-o`, beside those of all commands. */
  readonly formats?: readonly string[];
}

/** A command with the flags of all commands that call the gateway. */
export function gatewayCommand(text: CommandText): Command {
  const command = plainCommand(text);
  const formats = [...FORMATS, ...(text.formats ?? [])];
  const shared = [
    new Option('--profile <name>', 'a gateway that `login` stored (FLEETGATE_PROFILE)'),
    new Option('--url <url>', 'where the gateway answers (FLEETGATE_URL)'),
    new Option('-o, --output <format>', `one of ${formats.join(', ')}`).choices(formats),
    new Option('--json', 'the same as -o json').implies({ output: 'json' }),
    new Option('--fields <names>', 'only these fields, in this order, such as name,state,trust.mode'),
    new Option('--utc', 'times as the gateway writes them, in UTC, instead of those of your clock'),
    new Option('--timeout <seconds>', 'longest wait for the gateway').argParser(secondsOf),
    new Option('--no-input', 'asks nothing; what would be asked is an error'),
  ];
  for (const option of shared) command.addOption(option.helpGroup(ALL));
  return command;
}

export interface OwnCommand<Flags> extends CommandText {
  /** Whether it changes something; `approved`: a second person may have to approve it. */
  readonly changes?: true | 'approved';
  readonly options?: readonly (Option | readonly [flags: string, about: string])[];
  readonly run: (context: Context, flags: Flags, ...args: string[]) => Promise<void>;
}

/** A command with code of its own, which gets the flags and the arguments. */
export function ownCommand<Flags extends GlobalFlags = GlobalFlags>(
  open: OpenContext,
  own: OwnCommand<Flags>,
): Command {
  const { changes, options = [], run, ...text } = own;
  const command = gatewayCommand(text);
  if (changes) addChangeFlags(command);
  if (changes === 'approved') addApprovalFlag(command);
  for (const option of options) command.addOption(option instanceof Option ? option : new Option(...option));
  return command.action((...received: unknown[]) => {
    const flags = command.opts<Flags>();
    const places = received.slice(0, command.registeredArguments.length).flat(); // the last one can be several
    return run(open(flags), flags, ...(places.filter((place) => place !== undefined) as string[]));
  });
}

/** The flag of a command that takes a document. */
export const BODY_FILE = ['-f, --file <file>', 'the body as JSON or YAML; - is standard input'] as const;

/** Flags of commands that change something. */
export function addChangeFlags(command: Command): Command {
  const shared = [
    new Option('--reason <text>', 'why, for the audit log'),
    new Option('--dry-run', 'says what would happen, and changes nothing'),
    new Option('-y, --yes', 'does it without a question'),
    new Option('--confirm <name>', 'consent to what cannot be undone: the name of what is changed'),
  ];
  for (const option of shared) command.addOption(option.helpGroup(CHANGES));
  return command;
}

/** The flag of changes that a second person may have to approve. */
export function addApprovalFlag(command: Command): Command {
  const option = new Option('--approval <id>', 'the approval of a second person, where the gateway asked for one');
  return command.addOption(option.helpGroup(CHANGES));
}

/** Orders the flags of a command for its help: its own, then those of changes, then those of all commands. */
export function ownFlagsFirst(command: Command): void {
  const rankOf = ({ helpGroupHeading }: Option): number => [undefined, CHANGES, ALL].indexOf(helpGroupHeading);
  (command.options as Option[]).sort((a, b) => rankOf(a) - rankOf(b));
}

/** A command that needs no gateway. */
export function plainCommand({ words, summary, examples, more }: CommandText): Command {
  const [name = '', ...places] = words.split(' ');
  const command = new Command(name).description(summary);
  for (const place of places) command.argument(place);
  if (examples.length > 0)
    command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  $ ${line}`).join('\n')}`);
  if (more !== undefined) command.addHelpText('after', `\n${more}`);
  return command;
}

/** A noun with its commands; without one of them it shows its help. */
export function noun(name: string, summary: string, commands: readonly Command[]): Command {
  const made = new Command(name).description(summary);
  for (const command of commands) made.addCommand(command);
  return made;
}

function secondsOf(written: string): number {
  const seconds = Number(written);
  if (!(seconds > 0)) throw new UsageError('--timeout is a number of seconds');
  return seconds;
}
