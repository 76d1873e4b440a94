import { Command } from 'commander';
import { noun, plainCommand, type OpenContext } from './command.js';
import { type CommandSpecs } from './operations/api-command.js';

/*
 * All commands by their first word, in the order of the help. Each one loads its code when it is asked for: loading all
 * of it takes longer than a list of devices may take.
 */

interface FirstWord {
  readonly summary: string;
  /** Makes the command, or the commands of a noun. */
  readonly load: (open: OpenContext, word: string) => Promise<Command | Command[]>;
}

/** The commands that a table of `nouns` declares. */
function declared<Name extends string>(tables: () => Promise<Readonly<Record<Name, CommandSpecs>>>, name: Name) {
  return async (open: OpenContext, word: string): Promise<Command[]> => {
    const { apiCommands } = await import('./operations/api-command.js');
    return apiCommands((await tables())[name], open, hasVerbs(word) ? word : undefined);
  };
}

const access = () => import('./nouns/access.js');
const devices = () => import('./nouns/devices.js');
const service = () => import('./nouns/service.js');
const work = () => import('./nouns/work.js');

export const COMMANDS: Readonly<Record<string, FirstWord>> = {
  setup: { summary: 'Creates the first administrator', load: declared(service, 'SETUP') },
  'accept-invitation': {
    summary: 'Sets a password with an invitation',
    load: declared(service, 'ACCEPT_INVITATION'),
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
    load: async (open, word) => {
      const { importCommand, exportCommand } = await import('./nouns/files.js');
      return [...(await declared(devices, 'DEVICES')(open, word)), importCommand(open), exportCommand(open)];
    },
  },
  import: { summary: 'Imports that go on without their sender', load: declared(devices, 'IMPORTS') },
  discover: { summary: 'Search of networks for devices', load: declared(devices, 'DISCOVERY') },
  field: { summary: 'Custom fields of devices', load: declared(devices, 'FIELDS') },
  selector: { summary: 'Saved selectors: named sets of devices', load: declared(devices, 'SELECTORS') },
  call: {
    summary: 'The API of one device',
    load: async (open) => (await import('./nouns/call.js')).callCommands(open),
  },
  'fan-out': {
    summary: 'Calls all devices of a selector',
    load: async (open) => (await import('./nouns/fan-out.js')).fanOutCommand(open),
  },
  'fan-outs': { summary: 'Stored fan-outs, with their outcomes and answers', load: declared(work, 'FAN_OUTS') },
  job: {
    summary: 'Long operations on one device',
    load: async (open, word) => {
      const { startCommand, watchCommand, retryCommand } = await import('./nouns/jobs.js');
      return [
        startCommand(open),
        ...(await declared(work, 'JOBS')(open, word)),
        watchCommand(open),
        retryCommand(open),
      ];
    },
  },
  backup: {
    summary: 'Backups of devices',
    load: async (open, word) => {
      const { restoreCommand } = await import('./nouns/jobs.js');
      return [...(await declared(work, 'BACKUPS')(open, word)), restoreCommand(open)];
    },
  },
  'backup-policy': { summary: 'Which devices are backed up, and when', load: declared(work, 'BACKUP_POLICIES') },
  monitoring: {
    summary: 'Which devices are sampled, how often, and what it costs',
    load: declared(work, 'MONITORING'),
  },
  watch: { summary: 'Which configuration of which devices is read, and how often', load: declared(work, 'WATCHES') },
  observed: { summary: 'What watches have read: groups, differences, changes', load: declared(work, 'OBSERVED') },
  template: {
    summary: 'What devices should be set to: drafts, plans, versions',
    load: async (open, word) => {
      const { diffCommand, exportCommand, importCommand, planCommand } = await import('./nouns/templates.js');
      const own = [planCommand, exportCommand, importCommand, diffCommand];
      return [...(await declared(work, 'TEMPLATES')(open, word)), ...own.map((make) => make(open))];
    },
  },
  rule: { summary: 'Which devices need attention, and after what time', load: declared(work, 'RULES') },
  alert: { summary: 'Devices that need attention', load: declared(work, 'ALERTS') },
  mute: { summary: 'Devices about which no receiver is notified for a time', load: declared(work, 'MUTES') },
  firmware: {
    summary: 'Firmware images',
    load: async (open, word) => {
      const { uploadCommand } = await import('./nouns/files.js');
      return [uploadCommand(open, 'firmware'), ...(await declared(work, 'FIRMWARE')(open, word))];
    },
  },
  artifact: {
    summary: 'Files: backups, firmware images, certificates',
    load: async (open, word) => {
      const { uploadCommand } = await import('./nouns/files.js');
      return [uploadCommand(open, null), ...(await declared(work, 'ARTIFACTS')(open, word))];
    },
  },
  certificate: { summary: 'Certificates on devices', load: declared(work, 'CERTIFICATES') },
  rollout: {
    summary: 'One change for many devices, in waves',
    load: async (open, word) => {
      const { planCommand, applyCommand, watchCommand } = await import('./nouns/rollouts.js');
      return [
        planCommand(open),
        applyCommand(open),
        watchCommand(open),
        ...(await declared(work, 'ROLLOUTS')(open, word)),
      ];
    },
  },
  schedule: { summary: 'Rollouts that start repeatedly', load: declared(work, 'SCHEDULES') },
  lock: { summary: 'What stops operators, devices or all writes', load: declared(access, 'LOCKS') },
  approval: { summary: 'The consent of a second person', load: declared(access, 'APPROVALS') },
  operator: { summary: 'People and programs', load: declared(access, 'OPERATORS') },
  role: { summary: 'What operators may do', load: declared(access, 'ROLES') },
  key: { summary: 'API keys', load: declared(access, 'KEYS') },
  session: { summary: 'Sessions of people', load: declared(access, 'SESSIONS') },
  self: { summary: 'You, and your sessions', load: declared(service, 'SELF') },
  'sealed-value': { summary: 'Secrets for jobs', load: declared(access, 'SEALED_VALUES') },
  audit: {
    summary: 'Who did what, and its proof',
    load: async (open, word) => {
      const { auditCommands } = await import('./nouns/audit.js');
      return [...(await declared(service, 'AUDIT')(open, word)), ...auditCommands(open)];
    },
  },
  events: {
    summary: 'Prints events as they happen',
    load: async (open) => (await import('./nouns/events.js')).eventsCommand(open),
  },
  webhook: { summary: 'Events, sent to other systems', load: declared(service, 'WEBHOOKS') },
  system: { summary: 'The gateway itself', load: declared(service, 'SYSTEM') },
  doctor: {
    summary: 'Finds what is wrong, and says what to do',
    load: async (open) => (await import('./nouns/doctor.js')).doctorCommand(open),
  },
  mcp: {
    summary: 'Lets an assistant read the fleet',
    load: async (open) => (await import('./mcp/mcp.js')).mcpCommand(open),
  },
  open: {
    summary: 'Opens the console in your browser',
    load: async (open) => (await import('./nouns/console.js')).openCommand(open),
  },
  completion: {
    summary: 'Prints the script with which a shell completes commands',
    load: async (open) => (await import('./nouns/completion.js')).completionCommand(open),
  },
  // `main.ts` starts these two by itself: this is their help.
  serve: {
    summary: 'Starts the gateway',
    load: async () =>
      plainCommand({
        words: 'serve',
        summary: 'Starts the gateway; environment variables configure it',
        examples: ['PORT=9000 fleetgate serve'],
      }),
  },
  simulator: {
    summary: 'Starts a fleet of simulated routers',
    load: async () =>
      plainCommand({
        words: 'simulator',
        summary: 'Starts a fleet of simulated routers; it has a help of its own',
        examples: [
          'fleetgate simulator --devices 25',
          'fleetgate simulator image --family RUTX50 --version 07.25.3',
          'fleetgate simulator --help',
        ],
      }),
  },
};

/** First words that are commands of their own. */
const WITHOUT_VERBS: ReadonlySet<string> = new Set(
  'setup accept-invitation login logout fan-out events doctor mcp open completion serve simulator'.split(' '),
);

/** Whether a first word is a noun, whose commands have a verb. */
export const hasVerbs = (word: string): boolean => Object.hasOwn(COMMANDS, word) && !WITHOUT_VERBS.has(word);

/** The command of a first word, with its inner commands. */
export async function loadCommand(word: string, open: OpenContext): Promise<Command> {
  const { summary, load } = COMMANDS[word]!;
  const commands = [await load(open, word)].flat();
  return hasVerbs(word) ? noun(word, summary, commands) : commands[0]!;
}

/** A first word without its code, for the help. */
export const commandTitle = (word: string): Command => new Command(word).description(COMMANDS[word]!.summary);
