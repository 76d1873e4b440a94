import { Option } from 'commander';
import { UsageError } from '../exit-codes.js';
import { isSecretName, type ApiOperation, type Field } from './operation.js';
import { type ApiRequest } from './request.js';

/* The flags of a command that is one operation: its parameters, and the fields of its body that are one value. */

export interface FlagSpec {
  /** Other names of fields: `{ username: 'credentials.username' }` makes `--username`. */
  readonly alias?: Readonly<Record<string, string>>;
  /** A field whose value is a secret, though its name does not say it. */
  readonly secret?: string;
}

export interface FlagField extends Field {
  /** Read from a prompt, a file or standard input, never from an argument. */
  readonly isSecret: boolean;
  /** Of an instant: whether `7d` is before now or after it. */
  readonly direction: -1 | 1 | null;
}

/** Fields that the command sets by itself. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['limit', 'cursor', 'dryRun', 'expectedDigest', 'fields']);

/** A body with a reason of its own takes that of `--reason`, which all changes have. */
export const takesReason = ({ body }: ApiOperation): boolean => body !== null && 'reason' in body;

/** The fields that get a flag: parameters, and fields of the body that are one value. */
export function flagFields({ alias = {}, secret }: FlagSpec, operation: ApiOperation): Record<string, FlagField> {
  const { body, query } = operation;
  const all: Record<string, FlagField> = Object.fromEntries(
    Object.entries<Field>({ ...body, ...query }).map(([name, field]) => {
      const isSecret = field.type === 'string' && (name === secret || isSecretName(name));
      const direction = field.type === 'instant' ? directionOf(name, !(name in query)) : null;
      return [name, { ...field, isSecret, direction }];
    }),
  );
  if (takesReason(operation)) delete all['reason'];
  const own = Object.entries(all).filter(([name, { type }]) => {
    const isSimple = type !== 'other' && !name.includes('.');
    return isSimple && !OWN_FIELDS.has(name) && !Object.values(alias).includes(name);
  });
  const others = Object.entries(alias).map(([name, path]) => {
    const field = all[path];
    if (!field) throw new Error(`${path} is no field of the operation`);
    return [name, field] as const;
  });
  return Object.fromEntries([...own, ...others]);
}

/** A body sets what comes; a query asks for what was, but for what expires. */
const directionOf = (name: string, isSet: boolean): -1 | 1 => (isSet || name.startsWith('expires') ? 1 : -1);

export function optionOf(name: string, field: FlagField): Option {
  const flag = `--${kebab(name)}`;
  const short = name === 'selector' ? '-l, ' : '';
  if (field.isSecret)
    return new Option(`${flag}-file <file>`, `a file with the ${name}; - is standard input, without it you are asked`);
  const about = aboutOf(field);
  if (field.type === 'boolean') return new Option(`${flag} [true|false]`, about).preset('true');
  const option = new Option(`${short}${flag} <${field.type === 'number' ? 'number' : 'value'}>`, about);
  return field.choices ? option.choices(field.choices) : option;
}

function aboutOf({ type, about, direction }: FlagField): string {
  if (direction !== null) return `${about}; such as 7d for 7 days ${direction < 0 ? 'ago' : 'from now'}, or 2026-11-26`;
  return type === 'list' ? `${about} (separated by commas)` : about;
}

/** @throws UsageError that names the flags of what the operation needs and nothing gave */
export function requireFields(spec: FlagSpec, { body, ...operation }: ApiOperation, { json }: ApiRequest): void {
  const given = (json ?? {}) as Readonly<Record<string, unknown>>;
  const missing = Object.entries(body ?? {}).filter(([name, { required }]) => {
    return required && !name.includes('.') && given[name] === undefined;
  });
  if (missing.length === 0) return;
  const flags = flagFields(spec, { body, ...operation });
  const ways = missing.map(([name]) => {
    const flag = Object.keys(flags).find((one) => (spec.alias?.[one] ?? one).split('.')[0] === name);
    if (name === 'reason') return '--reason'; // a flag of all changes
    if (flag === undefined) return `${name} in the file of -f`;
    return flags[flag]!.isSecret ? `--${kebab(flag)}-file` : `--${kebab(flag)}`;
  });
  throw new UsageError(`Give ${ways.join(' and ')}`);
}

/** The arguments, as fields are named: `<operator-name>` is `operatorName`. */
export const argumentNames = (words: string): string[] =>
  words
    .split(' ')
    .slice(1)
    .map((place) => flagKey(place.replaceAll(/[<>[\].]/g, '')));

/** `baseUrl` as `base-url`. */
export const kebab = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('_', '-');

/** The name under which commander stores a flag. */
export const flagKey = (name: string): string =>
  kebab(name).replaceAll(/-([a-z])/g, (_all, letter: string) => letter.toUpperCase());
