import { type Command, Option } from 'commander';
import { addApprovalFlag, addChangeFlags, gatewayCommand, type OpenContext } from '../command.js';
import { type Context, type GlobalFlags } from '../context.js';
import { type Row } from '../output/cells.js';
import { UsageError } from '../exit-codes.js';
import { readDocument } from '../input/document.js';
import { readInstant } from '../input/instant.js';
import { ask, readSecret, requireConsent } from '../input/secret.js';
import { previewSelection } from '../selection.js';
import { type ListDocument, type Note, writeAnswer } from './answers.js';
import { dryRun } from './dry-run.js';
import { idOf, lockTarget, waveOf } from './named-things.js';
import { placesOf, type ApiOperation } from './operation.js';
import {
  argumentNames,
  flagFields,
  flagKey,
  kebab,
  optionOf,
  requireFields,
  takesReason,
  type FlagField,
  type FlagSpec,
} from './operation-flags.js';
import { OPERATIONS, type OperationId } from './operations.js';
import { buildRequest, collect, readValue, setFields, withFields, type RequestInput } from './request.js';

/* A command that is one operation of the API: its flags are the parameters and the fields of the body. */

/**
 * The commands of a noun by their words, such as `show <device>`. Arguments fill the places of the path in their order; the
 * others are fields by their names.
 */
export type CommandSpecs = Readonly<Record<string, CommandSpec>>;

export interface CommandSpec extends FlagSpec {
  readonly operation: OperationId;
  /** Of a table, by their dotted names. */
  readonly columns?: string;
  /** `yes`: asks before it acts. A number: asks for the argument at this place, since it cannot be undone. */
  readonly consent?: 'yes' | number;
  /** The permission with which the devices of the selector are called or changed; they are shown before. */
  readonly bulk?: string | ((body: Readonly<Record<string, unknown>>) => string);
  /** Flags that a person is asked for when they are absent, with what to ask; nothing typed leaves them out. */
  readonly asks?: Readonly<Record<string, string>>;
  /** What a table shows of the answer, or of each row of a list; other formats, and `--fields`, get it as it is. */
  readonly shown?: (answer: Row) => Row;
  /** What the answer leaves to do, or what the first page of a list counts, for people; null: nothing. */
  readonly note?: Note;
  /** The operation needs no key: it is how a person gets one. */
  readonly anonymous?: boolean;
  /** A field of the answer; the command ends with 1 where it is false. */
  readonly succeeds?: string;
  /** Parameters that the command sets by itself. */
  readonly query?: Readonly<Record<string, string>>;
  /** Fields that rows of the list have only when the request names them. */
  readonly onRequest?: readonly string[];
  /** A format of its own for `-o`, which has all rows of the list in one document. */
  readonly document?: ListDocument & { readonly format: string };
  /** What follows the noun and the verb; absent: its arguments, and the consent. */
  readonly examples?: readonly string[];
}

/** An id as examples have it. */
export const EXAMPLE_ID = '0192f3a1-7c4e-7b1a-9d2e-5f60718293a4';

/** Arguments of examples that are named by a name; the others are ids. */
const EXAMPLE_NAMES: Readonly<Record<string, string>> = {
  '<device>': 'pump-1',
  '<key>': 'inventory',
  '<operator>': 'ada',
  '<policy>': 'nightly',
  '<rollout>': 'june-firmware',
  '<schedule>': 'monthly',
  '<template>': 'base',
  '<watch>': 'accounts',
  '<webhook>': 'pager',
};

interface ApiFlags extends GlobalFlags {
  readonly file?: string;
  readonly set?: readonly string[];
  readonly limit?: number;
  readonly watch?: number;
}

/** Of `--watch`, in seconds: a day. */
const PAUSE_MAX_S = 86_400;

type Values = Readonly<Record<string, unknown>>;

const SPEC_OF = new WeakMap<Command, CommandSpec>();

/** The declaration of a command that is one operation. */
export const specOf = (command: Command): CommandSpec | null => SPEC_OF.get(command) ?? null;

/** The operation of a command, where it has one. */
export const operationOf = (command: Command): OperationId | null => specOf(command)?.operation ?? null;

/** The commands of operations. @param noun absent: their words are complete */
export const apiCommands = (specs: CommandSpecs, open: OpenContext, noun?: string): Command[] =>
  Object.entries(specs).map(([words, spec]) => apiCommand(words, spec, open, noun));

function apiCommand(words: string, spec: CommandSpec, open: OpenContext, noun: string | undefined): Command {
  const operation: ApiOperation = OPERATIONS[spec.operation];
  const formats = spec.document ? [spec.document.format] : [];
  const examples = examplesOf(words, spec, noun);
  const command = gatewayCommand({ words, summary: operation.summary, examples, formats });
  SPEC_OF.set(command, spec);
  const taken = new Set(argumentNames(words).slice(placesOf(operation.path).length));
  for (const [name, field] of Object.entries(flagFields(spec, operation))) {
    if (!taken.has(name)) command.addOption(optionOf(name, field));
  }
  if (operation.body) {
    command.option('-f, --file <file>', 'the body as JSON or YAML; - is standard input');
    command.option(
      '--set <field=value>',
      'a field of the body, such as policy.maxFailures=3; can be repeated',
      collect,
    );
  }
  if (operation.answer === 'page') command.option('--limit <rows>', 'at most this many rows', countOf);
  if (isList(spec, operation)) {
    const about = 'reads it again after so many seconds (2) until Ctrl-C; a pipe gets the rows that changed';
    command.addOption(new Option('-w, --watch [seconds]', about).preset('2').argParser(pauseOf));
  }
  if (operation.method !== 'GET') addChangeFlags(command);
  if (operation.headers.includes('Approval-Id')) addApprovalFlag(command);
  return command.action(async (...received: unknown[]) => {
    const flags = command.opts<ApiFlags & Values>();
    const places = received.slice(0, command.registeredArguments.length) as string[];
    const isDocument = spec.document !== undefined && flags['output'] === spec.document.format;
    const input = { words, places, flags, isDocument };
    await runOperation(spec, operation, input, open(isDocument ? { ...flags, output: 'json' } : flags));
  });
}

function examplesOf(words: string, { examples, consent }: CommandSpec, noun: string | undefined): string[] {
  const [verb, ...places] = words.split(' ');
  const usual = [...places.map((place) => EXAMPLE_NAMES[place] ?? EXAMPLE_ID), consent === 'yes' ? '--yes' : undefined];
  const lines = examples?.map((line) => [line || undefined]) ?? [usual];
  return lines.map((line) => ['fleetgate', noun, verb, ...line].filter((part) => part !== undefined).join(' '));
}

interface CommandInput {
  readonly words: string;
  readonly places: readonly string[];
  readonly flags: ApiFlags & Values;
  /** Whether `-o` is the document of the command. */
  readonly isDocument: boolean;
}

async function runOperation(
  spec: CommandSpec,
  operation: ApiOperation,
  received: CommandInput,
  context: Context,
): Promise<void> {
  if (received.isDocument && (received.flags.fields ?? received.flags.watch) !== undefined)
    throw new UsageError(`-o ${spec.document!.format} is one document: leave out --fields and --watch`);
  const given = await givenOf(spec, operation, received, context);
  const selected = spec.bulk === undefined ? given : await withDigest(spec.bulk, given, context);
  const request = buildRequest(operation, selected);
  requireFields(spec, operation, request);
  if (received.flags.dryRun && !takesDryRun(operation)) return dryRun(operation, request, context);
  if (spec.consent !== undefined) {
    const name = typeof spec.consent === 'number' ? received.places[spec.consent]! : null;
    await requireConsent(actOf(operation), name, received.flags, context.terminal);
  }
  const { columns = '', anonymous = false, succeeds, shown, note } = spec;
  const { limit = Infinity, watch: watchSeconds = null } = received.flags;
  const shownColumns = columns.split(' ').filter(Boolean);
  const document = received.isDocument ? spec.document : undefined;
  const options = { columns: shownColumns, limit, anonymous, watchSeconds, succeeds, shown, note, document };
  await writeAnswer(operation, request, options, context);
}

async function givenOf(
  spec: CommandSpec,
  operation: ApiOperation,
  { words, places, flags }: CommandInput,
  context: Context,
): Promise<RequestInput> {
  const count = placesOf(operation.path).length;
  const query: Record<string, string> = { ...spec.query };
  const fields: Record<string, unknown> = {};
  const written: Record<string, unknown> = { ...(await askedFor(spec, flags, context)), ...flags };
  for (const [at, name] of argumentNames(words).slice(count).entries()) written[flagKey(name)] = places[count + at];
  for (const [name, field] of Object.entries(flagFields(spec, operation))) {
    const path = spec.alias?.[name] ?? name;
    const isNeeded = field.required ?? Object.keys(fields).some((known) => known.startsWith(parentOf(path)));
    if (isWave(path, operation)) continue; // below, when the rollout is known
    const value = await valueOf(name, { ...field, required: isNeeded }, written, context);
    if (value === undefined) continue;
    if (path in operation.query) query[path] = await idOf(path, queryText(value), context);
    else fields[path] = typeof value === 'string' ? await idOf(path, value, context) : value;
  }
  if (spec.operation === 'locks_lock' && typeof fields['target'] === 'string') {
    fields['target'] = await lockTarget(fields['kind'], fields['target'], context);
  }
  if (flags.reason !== undefined && takesReason(operation)) fields['reason'] = flags.reason;
  if (spec.onRequest) Object.assign(query, namedFields(spec.onRequest, flags.fields));
  if (flags.dryRun && 'dryRun' in operation.query) query['dryRun'] = 'true';
  if (flags.dryRun && operation.body && 'dryRun' in operation.body) fields['dryRun'] = true;
  Object.assign(fields, setFields(flags.set));
  const document = flags.file === undefined ? undefined : await readDocument(flags.file, context.terminal.stdin);
  const names = placesOf(operation.path);
  const ids = await Promise.all(names.map((name, at) => idOf(name, places[at] ?? '', context, operation.path)));
  const wave = names.indexOf('ordinal');
  if (wave > 0 && ids[wave]) ids[wave] = await waveOf(ids[0]!, ids[wave], context);
  const waveFilter = flags['wave'];
  if (isWave('wave', operation) && typeof waveFilter === 'string')
    query['wave'] = await waveOf(ids[0]!, waveFilter, context);
  return { places: ids, query, fields, document };
}

/** What a command would do, such as `This lifts a lock.` */
const actOf = ({ summary }: ApiOperation): string => `This ${summary.charAt(0).toLowerCase()}${summary.slice(1)}.`;

/** A parameter that takes the ordinal of a wave of the rollout in the path. */
const isWave = (name: string, { path, query }: ApiOperation): boolean =>
  name === 'wave' && 'wave' in query && path.includes('{rolloutId}');

/** The parameter for the chosen fields when one of them comes on request alone; others are chosen from complete rows. */
function namedFields(onRequest: readonly string[], chosen = ''): { fields?: string } {
  const names = [...new Set(chosen.split(',').map((name) => name.trim().split('.')[0]!))];
  return names.some((name) => onRequest.includes(name)) ? { fields: names.join(',') } : {};
}

/** What a person types for absent flags. A document or a dry run says all by itself. */
async function askedFor({ asks = {} }: CommandSpec, flags: ApiFlags & Values, { terminal }: Context): Promise<Values> {
  if (!terminal.mayAsk || flags.file !== undefined || flags.dryRun) return {};
  const typed: Record<string, string> = {};
  for (const [name, question] of Object.entries(asks)) {
    if (flags[flagKey(name)] !== undefined) continue;
    const answer = (await ask(`${question}: `, terminal)).trim();
    if (answer !== '') typed[flagKey(name)] = answer;
  }
  return typed;
}

/** `credentials.` of `credentials.password`: who gives one field of an object has to give its secret. */
const parentOf = (path: string): string => (path.includes('.') ? path.slice(0, path.lastIndexOf('.') + 1) : '/');

const queryText = (value: unknown): string =>
  Array.isArray(value) ? value.join(',') : typeof value === 'string' ? value : JSON.stringify(value);

async function valueOf(name: string, field: FlagField, written: Values, { terminal }: Context): Promise<unknown> {
  if (field.isSecret) {
    const file = written[flagKey(`${name}File`)] as string | undefined;
    if (file === undefined && !field.required) return undefined;
    return readSecret(`the ${name}`, `--${kebab(name)}-file`, file, terminal);
  }
  const value = written[flagKey(name)];
  if (value === undefined) return undefined;
  if (typeof value === 'string' && field.direction !== null)
    return readInstant(`--${kebab(name)}`, value, field.direction, Date.now());
  return typeof value === 'string' ? readValue(`--${kebab(name)}`, value, field) : value;
}

/** Shows the devices of the selector, and sends their digest: another set by then is refused. */
async function withDigest(
  bulk: NonNullable<CommandSpec['bulk']>,
  given: RequestInput,
  context: Context,
): Promise<RequestInput> {
  const body = withFields(given.document, given.fields);
  const { selector } = body;
  const permission = typeof bulk === 'string' ? bulk : bulk(body);
  if (typeof selector !== 'string') throw new UsageError('Give the devices with -l, such as -l tag:pump');
  const { digest } = await previewSelection(selector, permission, context);
  return { ...given, fields: { ...given.fields, expectedDigest: digest } };
}

const takesDryRun = ({ query, body }: ApiOperation): boolean =>
  'dryRun' in query || (body !== null && 'dryRun' in body);

/** Whether the answer has rows, which can be watched. */
const isList = ({ columns }: CommandSpec, { method, answer }: ApiOperation): boolean =>
  method === 'GET' && (answer === 'page' || (answer === 'json' && columns !== undefined));

function pauseOf(written: string): number {
  const seconds = Number(written);
  if (!(seconds > 0 && seconds <= PAUSE_MAX_S))
    throw new UsageError(`--watch is a number of seconds up to ${PAUSE_MAX_S}`);
  return seconds;
}

function countOf(written: string): number {
  const count = Number(written);
  if (!Number.isInteger(count) || count < 1) throw new UsageError('--limit is a number of rows');
  return count;
}
