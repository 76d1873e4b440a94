import { holds, infoOf, PERMISSION_NAMES, ROLES } from '../../../src/auth/rights/permissions.js';
import { ROWS_MAX } from '../../../src/database/row-limits.js';
import { EVENT_TYPES } from '../../../src/events/event-types.js';
import { configSchema } from '../../../src/platform/config.js';
import { ERRORS } from '../../../src/platform/errors.js';
import { type ErrorInfo } from '../../../src/platform/errors/error-info.js';
import { Metrics } from '../../../src/platform/metrics.js';
import { allCommands } from '../cli/commands.js';

/*
 * The tables of docs/reference that are made from the code. Each replaces the lines between `<!-- table: <name> -->` and
 * `<!-- end of table -->` in its page.
 */

export interface ReferenceTable {
  readonly page: string;
  readonly name: string;
  readonly rows: () => Promise<readonly (readonly string[])[]>;
  readonly head: readonly string[];
}

/** Defaults that are not the same on every machine. */
const VARYING_DEFAULTS: Readonly<Record<string, string>> = {
  DATA_DIR: '`/var/lib/fleetgate` as root, else `$XDG_DATA_HOME/fleetgate`',
};

const code = (text: string) => `\`${text}\``;

/** How the default of a setting is shown: `–` for none, `empty` for an empty list or text. */
function defaultOf(name: string, value: string | number | boolean | readonly string[] | undefined): string {
  if (VARYING_DEFAULTS[name] !== undefined) return VARYING_DEFAULTS[name];
  if (value === undefined) return '–';
  const text = String(value);
  return text === '' ? 'empty' : code(text);
}

const BUILT_IN = ROLES.filter((role) => role !== 'administrator');

export const REFERENCE_TABLES: readonly ReferenceTable[] = [
  {
    page: 'docs/reference/errors.md',
    name: 'errors',
    head: ['code', 'status', 'what happened', 'what to do', 'retryable'],
    rows: async () =>
      Object.entries<ErrorInfo>(ERRORS).map(([name, { status, title, advice, retryable }]) => [
        code(name),
        String(status),
        `${title}.`,
        advice,
        retryable ? 'yes' : 'no',
      ]),
  },
  {
    page: 'docs/reference/config.md',
    name: 'settings',
    head: ['variable', 'default', 'meaning'],
    rows: async () =>
      Object.entries(configSchema.shape).map(([name, setting]) => [
        code(name),
        defaultOf(name, setting.parse(undefined)),
        setting.description ?? '',
      ]),
  },
  {
    page: 'docs/reference/config.md',
    name: 'row-limits',
    head: ['noun', 'largest number', 'of'],
    rows: async () =>
      Object.entries(ROWS_MAX).map(([noun, { limit, counted }]) => [code(noun), limit.toLocaleString('en'), counted]),
  },
  {
    page: 'docs/reference/rights.md',
    name: 'permissions',
    head: ['permission', 'to', 'about', ...BUILT_IN],
    rows: async () =>
      PERMISSION_NAMES.map((name) => {
        const { to, about } = infoOf(name);
        return [code(name), to, about, ...BUILT_IN.map((role) => (holds(role, name) ? 'yes' : ''))];
      }),
  },
  {
    page: 'docs/reference/events.md',
    name: 'events',
    head: ['type', 'what happened', '`data`'],
    rows: async () =>
      Object.entries(EVENT_TYPES).map(([type, { happened, data }]) => [
        code(type),
        happened,
        data.map(code).join(', '),
      ]),
  },
  {
    page: 'docs/reference/command-line.md',
    name: 'commands',
    head: ['command', 'what it does'],
    rows: async () =>
      (await allCommands()).map(({ words, command }) => [
        code(`${words} ${command.registeredArguments.map((place) => `<${place.name()}>`).join(' ')}`.trim()),
        `${command.description()}.`,
      ]),
  },
  {
    page: 'docs/reference/metrics.md',
    name: 'metrics',
    head: ['metric', 'type', 'labels', 'meaning'],
    rows: async () =>
      new Metrics().registry
        .getMetricsAsArray()
        .filter(({ name }) => name.startsWith('fleetgate_'))
        .map((metric) => {
          const { name, help, labelNames = [], constructor } = metric as typeof metric & { labelNames?: string[] };
          return [code(name), constructor.name.toLowerCase(), labelNames.map(code).join(', '), help];
        }),
  },
];

/** A page with its table as the code has it now. @throws Error where the page has no place for it */
export async function withTable(text: string, { name, head, rows }: ReferenceTable): Promise<string> {
  const place = new RegExp(`(<!-- table: ${name} -->\n).*?(<!-- end of table -->\n)`, 's');
  if (!place.test(text)) throw new Error(`There is no place for the table ${name}`);
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  const table = line(head) + `|${'---|'.repeat(head.length)}\n` + (await rows()).map(line).join('');
  return text.replace(place, (_, before: string, after: string) => `${before}\n${table}\n${after}`);
}
