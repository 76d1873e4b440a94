import { Command, CommanderError } from 'commander';
import { noun, ownFlagsFirst, plainCommand, type Open } from './command.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { exitCodeOfError, sentencesOf } from './errors.js';
import { APPROVALS, KEYS, LOCKS, OPERATORS, ROLES, SEALED_VALUES, SESSIONS } from './nouns/access.js';
import { auditCommands } from './nouns/audit.js';
import { callCommands } from './nouns/call.js';
import { completeCommand, completionCommand } from './nouns/completion.js';
import { DEVICES, DISCOVERY, FIELDS, IMPORTS, SELECTORS } from './nouns/devices.js';
import { doctorCommand } from './nouns/doctor.js';
import { eventsCommand } from './nouns/events.js';
import { exportCommand, importCommand, uploadCommand } from './nouns/files.js';
import { fanOutCommand } from './nouns/fan-out.js';
import { retryCommand, startCommand, watchCommand } from './nouns/jobs.js';
import { applyCommand, planCommand, watchCommand as watchRolloutCommand } from './nouns/rollouts.js';
import { AUDIT, ACCEPT_INVITATION, SELF, SETUP, SYSTEM, WEBHOOKS } from './nouns/service.js';
import { loginCommand, logoutCommand, profileCommands } from './nouns/sign-in.js';
import {
  ARTIFACTS,
  BACKUP_POLICIES,
  BACKUPS,
  CERTIFICATES,
  FAN_OUTS,
  FIRMWARE,
  JOBS,
  ROLLOUTS,
  SCHEDULES,
} from './nouns/work.js';
import { apiCommand, type CommandSpec } from './operations/api-command.js';
import { VERSION } from './version.js';
import { openShell, type Shell } from './shell.js';

/* `fleetgate <noun> <verb>`. A noun is a list of declarations, with commands of its own where one request is not enough. */

const TEACHING = `
First steps:
  $ fleetgate login                          stores the address of a gateway and your API key
  $ fleetgate device list                    the devices that you may see
  $ fleetgate call get <device> /system/device/status

Each command has examples: fleetgate <noun> <verb> --help. Standard output is data, standard error is for people.
Exit codes: 0 done, 1 error, 2 usage, 3 some devices failed, 4 not signed in, 5 not found, 6 conflict, 7 not permitted,
8 still running at --timeout, 9 the audit log is not correct, 130 interrupted.`;

/** @returns the exit code of a command line, without the name of the program */
export async function run(args: readonly string[], shell: Shell): Promise<ExitCode> {
  const { open, exitCode } = openShell(shell);
  const program = buildProgram(open, shell, args[0]);
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: 'user' });
    return exitCode();
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (shell.interrupted.aborted) return EXIT.interrupted;
    for (const line of sentencesOf(error)) shell.stderr.write(`${line}\n`);
    return exitCodeOfError(error);
  }
}

/**
 * The program with its commands.
 * @param first its first word: when that names a command, no other one is made, since a start should be quick
 */
function buildProgram(open: Open, shell: Pick<Shell, 'stdout' | 'stderr'>, first?: string): Command {
  const program = new Command('fleetgate')
    .description('Operates a fleet of routers through a Fleetgate gateway.')
    .version(VERSION, '--version', 'prints the version')
    .exitOverride()
    .configureOutput({ writeOut: (text) => shell.stdout.write(text), writeErr: (text) => shell.stderr.write(text) })
    .showSuggestionAfterError()
    .addHelpText('after', TEACHING);
  const named = first !== undefined && Object.hasOwn(COMMANDS, first) ? [COMMANDS[first]!] : Object.values(COMMANDS);
  for (const make of named) program.addCommand(make(open));
  program.addCommand(
    completeCommand(() => buildProgram(open, shell), open),
    { hidden: true },
  );
  for (const command of program.commands) inherit(command, program);
  return program;
}

const made = (open: Open, specs: readonly CommandSpec[]): Command[] => specs.map((spec) => apiCommand(spec, open));

/** All commands by their first word, in the order of the help. */
export const COMMANDS: Readonly<Record<string, (open: Open) => Command>> = {
  setup: (open) => apiCommand(SETUP, open),
  'accept-invitation': (open) => apiCommand(ACCEPT_INVITATION, open),
  login: loginCommand,
  logout: logoutCommand,
  profile: (open) => noun('profile', 'Stored gateways', profileCommands(open)),
  device: (open) =>
    noun('device', 'The registry of devices', [...made(open, DEVICES), importCommand(open), exportCommand(open)]),
  import: (open) => noun('import', 'Imports that go on without their sender', made(open, IMPORTS)),
  discover: (open) => noun('discover', 'Search of networks for devices', made(open, DISCOVERY)),
  field: (open) => noun('field', 'Custom fields of devices', made(open, FIELDS)),
  selector: (open) => noun('selector', 'Saved selectors: named sets of devices', made(open, SELECTORS)),
  call: (open) => noun('call', 'The API of one device', callCommands(open)),
  'fan-out': fanOutCommand,
  'fan-outs': (open) => noun('fan-outs', 'Stored fan-outs, with their outcomes and answers', made(open, FAN_OUTS)),
  job: (open) =>
    noun('job', 'Long operations on one device', [
      startCommand(open),
      ...made(open, JOBS),
      watchCommand(open),
      retryCommand(open),
    ]),
  backup: (open) => noun('backup', 'Coverage and comparison of backups', made(open, BACKUPS)),
  'backup-policy': (open) =>
    noun('backup-policy', 'Which devices are backed up, and when', made(open, BACKUP_POLICIES)),
  firmware: (open) => noun('firmware', 'Firmware images', [uploadCommand(open, 'firmware'), ...made(open, FIRMWARE)]),
  artifact: (open) =>
    noun('artifact', 'Files: backups, firmware images, certificates', [
      uploadCommand(open, null),
      ...made(open, ARTIFACTS),
    ]),
  certificate: (open) => noun('certificate', 'Certificates on devices', made(open, CERTIFICATES)),
  rollout: (open) =>
    noun('rollout', 'One change for many devices, in waves', [
      planCommand(open),
      applyCommand(open),
      watchRolloutCommand(open),
      ...made(open, ROLLOUTS),
    ]),
  schedule: (open) => noun('schedule', 'Rollouts that start repeatedly', made(open, SCHEDULES)),
  lock: (open) => noun('lock', 'What stops operators, devices or all writes', made(open, LOCKS)),
  approval: (open) => noun('approval', 'The consent of a second person', made(open, APPROVALS)),
  operator: (open) => noun('operator', 'People and programs', made(open, OPERATORS)),
  role: (open) => noun('role', 'What operators may do', made(open, ROLES)),
  key: (open) => noun('key', 'API keys', made(open, KEYS)),
  session: (open) => noun('session', 'Sessions of people', made(open, SESSIONS)),
  self: (open) => noun('self', 'You, and your sessions', made(open, SELF)),
  'sealed-value': (open) => noun('sealed-value', 'Secrets for jobs', made(open, SEALED_VALUES)),
  audit: (open) => noun('audit', 'Who did what, and its proof', [...made(open, AUDIT), ...auditCommands(open)]),
  events: eventsCommand,
  webhook: (open) => noun('webhook', 'Events, sent to other systems', made(open, WEBHOOKS)),
  system: (open) => noun('system', 'The gateway itself', made(open, SYSTEM)),
  doctor: doctorCommand,
  completion: completionCommand,
  serve: () =>
    plainCommand({
      words: 'serve',
      summary: 'Starts the gateway; environment variables configure it',
      examples: ['PORT=9000 fleetgate serve'],
    }),
  simulator: () =>
    plainCommand({
      words: 'simulator',
      summary: 'Starts a fleet of simulated routers; it has a help of its own',
      examples: ['fleetgate simulator --devices 25', 'fleetgate simulator --help'],
    }),
};

/** Commands made elsewhere write and end as the program does. */
function inherit(command: Command, parent: Command): void {
  command.copyInheritedSettings(parent);
  ownFlagsFirst(command);
  for (const inner of command.commands) inherit(inner, command);
}
