import { Argument, Command } from 'commander';
import { plainCommand, type OpenContext } from '../command.js';
import { type Context } from '../context.js';
import { withQuery } from '../operations/request.js';
import { type Row } from '../output/cells.js';

/* Completion in shells: commands and flags from the program, names of devices from the gateway. */

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type ShellName = (typeof SHELLS)[number];

/** Names of devices that are offered at once. */
const NAMES_MAX = 100;

const SCRIPTS: Readonly<Record<ShellName, string>> = {
  bash: `_fleetgate() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(fleetgate __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _fleetgate fleetgate`,
  zsh: `#compdef fleetgate
_fleetgate() {
  local -a words_found
  words_found=("\${(@f)$(fleetgate __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -- $words_found || _files
}
compdef _fleetgate fleetgate`,
  fish: `complete -c fleetgate -f -a '(fleetgate __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
};

export function completionCommand(open: OpenContext): Command {
  const command = plainCommand({
    words: 'completion',
    summary: 'Prints the script with which a shell completes commands, flags and names of devices',
    examples: [
      'source <(fleetgate completion bash)',
      'fleetgate completion zsh > "${fpath[1]}/_fleetgate"',
      'fleetgate completion fish > ~/.config/fish/completions/fleetgate.fish',
    ],
  });
  command.addArgument(new Argument('<shell>', 'which one').choices(SHELLS));
  return command.action((shell: ShellName) => open({}).out(SCRIPTS[shell]));
}

/** The hidden command that the scripts call with the words so far; the last one is being typed. */
export function completeCommand(program: (words: readonly string[]) => Promise<Command>, open: OpenContext): Command {
  const command = new Command('__complete').argument('[words...]').allowUnknownOption();
  return command.action(async (words: readonly string[]) => {
    const context = open({});
    const named = await program(words.slice(0, -1));
    for (const found of await completions(named, words, () => deviceNames(context, words.at(-1) ?? '')))
      context.out(found);
  });
}

/** What can follow the words. @param names of the devices that begin with the last word */
export async function completions(
  program: Command,
  words: readonly string[],
  names: () => Promise<string[]>,
): Promise<string[]> {
  const typed = words.at(-1) ?? '';
  let command = program;
  let places = 0;
  for (const word of words.slice(0, -1)) {
    const next = command.commands.find((one) => one.name() === word);
    if (next) command = next;
    else if (!word.startsWith('-')) places++;
  }
  const found = typed.startsWith('-')
    ? command.options.map(({ long }) => long ?? '')
    : command.commands.map((one) => one.name()).filter((name) => !name.startsWith('__'));
  const wantsDevice = command.registeredArguments[places]?.name() === 'device' && !typed.startsWith('-');
  return [...found, ...(wantsDevice ? await names() : [])].filter((one) => one !== '' && one.startsWith(typed));
}

async function deviceNames(context: Context, typed: string): Promise<string[]> {
  const query = { limit: String(NAMES_MAX), fields: 'name', q: typed === '' ? undefined : typed };
  const answer = await context.send('GET', withQuery('/v1/devices', query));
  const { items } = (await answer.json()) as { readonly items: readonly Row[] };
  return items.map(({ name }) => String(name)).filter((name) => /^[\w.:/-]+$/.test(name));
}
