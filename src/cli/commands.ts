import { Command } from 'commander';
import { noun, type Open } from './command.js';
import { type CommandSpec } from './operations/api-command.js';

/*
 * All commands by their first word, in the order of the help. Each one loads its code when it is asked for: loading all
 * of it takes longer than a list of devices may take.
 */

interface FirstWord {
  readonly summary: string;
  /** Makes the command, or the commands of a noun. */
  readonly load: (open: Open) => Promise<Command | readonly Command[]>;
}

export const COMMANDS: Readonly<Record<string, FirstWord>> = {
  setup: {
    summary: 'Creates the first administrator',
    load: async (open) => one(open, (await import('./nouns/service.js')).SETUP),
  },
  'accept-invitation': {
    summary: 'Sets a password with an invitation',
    load: async (open) => one(open, (await import('./nouns/service.js')).ACCEPT_INVITATION),
  },
  login: {
    summary: 'Stores the address of a gateway and an API key for it',
    load: async (open) => (await import('./nouns/sign-in.js')).loginCommand(open),
  },
  logout: {
    summary: 'Removes a stored key',
    load: async (open) => (await import('./nouns/sign-in.js')).logoutCommand(open),
  },
  profile: {
    summary: 'Stored gateways',
    load: async (open) => (await import('./nouns/sign-in.js')).profileCommands(open),
  },
  device: {
    summary: 'The registry of devices',
    load: async (open) => {
      const { DEVICES } = await import('./nouns/devices.js');
      const { importCommand, exportCommand } = await import('./nouns/files.js');
      return [...(await made(open, DEVICES)), importCommand(open), exportCommand(open)];
    },
  },
  import: {
    summary: 'Imports that go on without their sender',
    load: async (open) => made(open, (await import('./nouns/devices.js')).IMPORTS),
  },
  discover: {
    summary: 'Search of networks for devices',
    load: async (open) => made(open, (await import('./nouns/devices.js')).DISCOVERY),
  },
  field: {
    summary: 'Custom fields of devices',
    load: async (open) => made(open, (await import('./nouns/devices.js')).FIELDS),
  },
  selector: {
    summary: 'Saved selectors: named sets of devices',
    load: async (open) => made(open, (await import('./nouns/devices.js')).SELECTORS),
  },
  call: {
    summary: 'The API of one device',
    load: async (open) => (await import('./nouns/call.js')).callCommands(open),
  },
  'fan-out': {
    summary: 'Calls all devices of a selector',
    load: async (open) => (await import('./nouns/fan-out.js')).fanOutCommand(open),
  },
  'fan-outs': {
    summary: 'Stored fan-outs, with their outcomes and answers',
    load: async (open) => made(open, (await import('./nouns/work.js')).FAN_OUTS),
  },
  job: {
    summary: 'Long operations on one device',
    load: async (open) => {
      const { JOBS } = await import('./nouns/work.js');
      const { startCommand, watchCommand, retryCommand } = await import('./nouns/jobs.js');
      return [startCommand(open), ...(await made(open, JOBS)), watchCommand(open), retryCommand(open)];
    },
  },
  backup: {
    summary: 'Backups of devices',
    load: async (open) => {
      const { BACKUPS } = await import('./nouns/work.js');
      const { restoreCommand } = await import('./nouns/jobs.js');
      return [...(await made(open, BACKUPS)), restoreCommand(open)];
    },
  },
  'backup-policy': {
    summary: 'Which devices are backed up, and when',
    load: async (open) => made(open, (await import('./nouns/work.js')).BACKUP_POLICIES),
  },
  firmware: {
    summary: 'Firmware images',
    load: async (open) => {
      const { FIRMWARE } = await import('./nouns/work.js');
      const { uploadCommand } = await import('./nouns/files.js');
      return [uploadCommand(open, 'firmware'), ...(await made(open, FIRMWARE))];
    },
  },
  artifact: {
    summary: 'Files: backups, firmware images, certificates',
    load: async (open) => {
      const { ARTIFACTS } = await import('./nouns/work.js');
      const { uploadCommand } = await import('./nouns/files.js');
      return [uploadCommand(open, null), ...(await made(open, ARTIFACTS))];
    },
  },
  certificate: {
    summary: 'Certificates on devices',
    load: async (open) => made(open, (await import('./nouns/work.js')).CERTIFICATES),
  },
  rollout: {
    summary: 'One change for many devices, in waves',
    load: async (open) => {
      const { ROLLOUTS } = await import('./nouns/work.js');
      const { planCommand, applyCommand, watchCommand } = await import('./nouns/rollouts.js');
      return [planCommand(open), applyCommand(open), watchCommand(open), ...(await made(open, ROLLOUTS))];
    },
  },
  schedule: {
    summary: 'Rollouts that start repeatedly',
    load: async (open) => made(open, (await import('./nouns/work.js')).SCHEDULES),
  },
  lock: {
    summary: 'What stops operators, devices or all writes',
    load: async (open) => made(open, (await import('./nouns/access.js')).LOCKS),
  },
  approval: {
    summary: 'The consent of a second person',
    load: async (open) => made(open, (await import('./nouns/access.js')).APPROVALS),
  },
  operator: {
    summary: 'People and programs',
    load: async (open) => made(open, (await import('./nouns/access.js')).OPERATORS),
  },
  role: {
    summary: 'What operators may do',
    load: async (open) => made(open, (await import('./nouns/access.js')).ROLES),
  },
  key: {
    summary: 'API keys',
    load: async (open) => made(open, (await import('./nouns/access.js')).KEYS),
  },
  session: {
    summary: 'Sessions of people',
    load: async (open) => made(open, (await import('./nouns/access.js')).SESSIONS),
  },
  self: {
    summary: 'You, and your sessions',
    load: async (open) => made(open, (await import('./nouns/service.js')).SELF),
  },
  'sealed-value': {
    summary: 'Secrets for jobs',
    load: async (open) => made(open, (await import('./nouns/access.js')).SEALED_VALUES),
  },
  audit: {
    summary: 'Who did what, and its proof',
    load: async (open) => {
      const { AUDIT } = await import('./nouns/service.js');
      const { auditCommands } = await import('./nouns/audit.js');
      return [...(await made(open, AUDIT)), ...auditCommands(open)];
    },
  },
  events: {
    summary: 'Prints events as they happen',
    load: async (open) => (await import('./nouns/events.js')).eventsCommand(open),
  },
  webhook: {
    summary: 'Events, sent to other systems',
    load: async (open) => made(open, (await import('./nouns/service.js')).WEBHOOKS),
  },
  system: {
    summary: 'The gateway itself',
    load: async (open) => made(open, (await import('./nouns/service.js')).SYSTEM),
  },
  doctor: {
    summary: 'Finds what is wrong, and says what to do',
    load: async (open) => (await import('./nouns/doctor.js')).doctorCommand(open),
  },
  open: {
    summary: 'Opens the console in your browser',
    load: async (open) => (await import('./nouns/console.js')).openCommand(open),
  },
  completion: {
    summary: 'Prints the script with which a shell completes commands',
    load: async (open) => (await import('./nouns/completion.js')).completionCommand(open),
  },
  serve: {
    summary: 'Starts the gateway',
    load: async () => (await import('./nouns/programs.js')).serveCommand(),
  },
  simulator: {
    summary: 'Starts a fleet of simulated routers',
    load: async () => (await import('./nouns/programs.js')).simulatorCommand(),
  },
};

/** First words that are commands of their own. */
const WITHOUT_VERBS: ReadonlySet<string> = new Set(
  'setup accept-invitation login logout fan-out events doctor open completion serve simulator'.split(' '),
);

/** Whether a first word is a noun, whose commands have a verb. */
export const hasVerbs = (word: string): boolean => Object.hasOwn(COMMANDS, word) && !WITHOUT_VERBS.has(word);

/** The command of a first word, with its inner commands. */
export async function loadCommand(word: string, open: Open): Promise<Command> {
  const { summary, load } = COMMANDS[word]!;
  const loaded = await load(open);
  return loaded instanceof Command ? loaded : noun(word, summary, loaded);
}

/** A first word without its code, for the help. */
export const commandTitle = (word: string): Command => new Command(word).description(COMMANDS[word]!.summary);

async function made(open: Open, specs: readonly CommandSpec[]): Promise<Command[]> {
  const { apiCommand } = await import('./operations/api-command.js');
  return specs.map((spec) => apiCommand(spec, open));
}

async function one(open: Open, spec: CommandSpec): Promise<Command> {
  const [command] = await made(open, [spec]);
  return command!;
}
