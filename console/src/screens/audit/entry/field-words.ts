import { countText } from '../../../api/amount-text.js';
import { permissionWords } from '../../access/permissions.js';
import { factLines, factName } from '../../jobs/timeline/fact-words.js';
import { pathTitle } from '../../observed/path-words.js';
import { rhythmText, rhythmWords } from '../../schedules/rhythm.js';

/* The fields of the gateway's own records as its forms name them, and their values in words. Pure. */

type Facts = Readonly<Record<string, unknown>>;

const NAMES: Readonly<Record<string, string>> = {
  allowedAddresses: 'From these addresses',
  baseUrl: 'Address',
  callsPerMinute: 'Calls per minute, at most',
  effect: 'Effect',
  enabled: 'Switched on',
  endsAt: 'Ends',
  everySeconds: 'How often',
  expiresAt: 'Ends',
  isEncrypted: 'Encrypted',
  keepCount: 'Backups per device, at most',
  keepDays: 'None older than',
  mac: 'MAC address',
  onlyChanges: 'Only where settings changed',
  paths: 'Settings',
  prefix: 'Key begins with',
  requestedBy: 'Asked by',
  rhythm: 'When',
  scope: 'May',
  secondFactor: 'Second factor',
  selector: 'Devices',
  sessions: 'Logins on the device, at most',
  spareUrl: 'Spare address',
  timeZone: 'Time zone',
  trust: 'Recognised by',
  trustPin: 'Fingerprint',
  way: 'Signed in with',
};

/** `everySeconds` as `How often`. */
const fieldName = (name: string): string => (Object.hasOwn(NAMES, name) ? NAMES[name]! : factName(name));

const TRUST: Readonly<Record<string, string>> = {
  pin: 'its own certificate',
  ca: 'an authority',
  insecure: 'nothing: insecure',
};

const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

function timeText(text: string): string {
  const at = Date.parse(text);
  return Number.isNaN(at) ? text : EXACT.format(at);
}

type Words = (value: unknown) => string | null;

const textOf =
  (words: (value: string) => string): Words =>
  (value) =>
    typeof value === 'string' ? words(value) : null;
const numberOf =
  (words: (value: number) => string): Words =>
  (value) =>
    typeof value === 'number' ? words(value) : null;
const listOf =
  (words: (one: string) => string): Words =>
  (value) =>
    Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')
      ? value.map(words).join(', ')
      : null;

/** What narrows something, where it does not: nothing or an empty list there leaves all of it. */
const NOT_NARROWED: Readonly<Record<string, string>> = {
  allowedAddresses: 'any address',
  callsPerMinute: 'any number',
  expiresAt: 'never',
  keepDays: 'any age',
  scope: 'all that the person may',
};

const isNothing = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

const VALUES: Readonly<Record<string, Words>> = {
  endsAt: textOf(timeText),
  everySeconds: numberOf((everySeconds) => rhythmWords({ everySeconds })),
  expiresAt: textOf(timeText),
  keepDays: numberOf((days) => countText(days, 'day')),
  paths: listOf(pathTitle),
  permissions: listOf(permissionWords),
  rhythm: (value) => (isFacts(value) ? rhythmText(value as Parameters<typeof rhythmText>[0]) : null),
  roles: rolesText,
  rules: rulesText,
  scope: scopeText,
  selector: (value) => (value === 'all' ? 'all devices' : null),
  trust: textOf((trust) => TRUST[trust] ?? trust),
};

/** A value of a field; nothing is a dash, where it does not leave all. */
export function fieldValue(name: string, value: unknown): string {
  if (isNothing(value) && Object.hasOwn(NOT_NARROWED, name)) return NOT_NARROWED[name]!;
  if (value === undefined || value === null || value === '') return '–';
  const said = Object.hasOwn(VALUES, name) ? VALUES[name]!(value) : null;
  return said ?? factLines({ [name]: value })[0]![1];
}

/** `auditor, operator on tag:pump`. */
function rolesText(value: unknown): string | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  return value
    .filter(isFacts)
    .map(({ role, selector }) => `${String(role)}${typeof selector === 'string' ? ` on ${selector}` : ''}`)
    .join(', ');
}

/** `start jobs, on tag:lt`, of a key that may not all that its person may. */
function scopeText(value: unknown): string | null {
  if (!isFacts(value)) return null;
  const { permissions, selector } = value;
  const what = listOf(permissionWords)(permissions) ?? NOT_NARROWED['scope']!;
  return typeof selector === 'string' ? `${what}, on ${selector}` : what;
}

/** `May read devices, start jobs on tag:lt; may not call devices to write on 1 path`. */
function rulesText(value: unknown): string | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const texts = value.filter(isFacts).map(({ effect, permissions, selector, devices }) => {
    const what = listOf(permissionWords)(permissions) ?? 'nothing';
    const on = typeof selector === 'string' ? ` on ${selector}` : '';
    const paths = isFacts(devices) && isFacts(devices['api']) ? Object.keys(devices['api']) : [];
    const at = paths.length > 0 ? `, for ${paths.join(', ')}` : '';
    return `${effect === 'deny' ? 'may not' : 'may'} ${what}${on}${at}`;
  });
  const text = texts.join('; ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** People name what stands in it. */
const OWN_FIELDS = 'fields';

export interface FieldChange {
  readonly what: string;
  /** The path in the record, such as `fields/rack`. */
  readonly hint: string;
  readonly one: string;
  readonly other: string;
}

/** What differs of a record, field by field; what it holds itself, such as the fields of a device, by its parts. */
export function fieldChanges(before: unknown, after: unknown, place: readonly string[] = []): FieldChange[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const name = place.at(-1) ?? '';
  const sidesAre = [before, after];
  const isRecord = sidesAre.some(isFacts) && sidesAre.every((one) => isFacts(one) || one == null);
  if (isRecord && !Object.hasOwn(VALUES, name)) {
    const sides = [isFacts(before) ? before : {}, isFacts(after) ? after : {}] as const;
    const names = [...new Set(sides.flatMap(Object.keys))];
    return names.flatMap((inner) => fieldChanges(sides[0][inner], sides[1][inner], [...place, inner]));
  }
  const what = place.map((part, at) => (place[at - 1] === OWN_FIELDS ? part : fieldName(part))).join(' › ') || 'Value';
  return [{ what, hint: place.join('/'), one: fieldValue(name, before), other: fieldValue(name, after) }];
}

/** What is not a record but one value: the roles of a person, the expression of a saved selector. */
const ONE_VALUE: Readonly<Record<string, string>> = { 'role.assign': 'roles', 'selector.save': 'selector' };

/** One side of a change as a record. */
export function recordOf(action: string, value: unknown): unknown {
  const name = ONE_VALUE[action];
  return name === undefined || value == null ? value : { [name]: value };
}

/** Each field as a name and a value. */
export const fieldLines = (facts: Facts): readonly (readonly [string, string])[] =>
  Object.entries(facts).map(([name, value]) => [fieldName(name), fieldValue(name, value)]);

const isFacts = (value: unknown): value is Facts =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
