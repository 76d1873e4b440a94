import { type z } from 'zod';

/*
 * What is wrong with a value, in words for a person: the schemas say it where they have a rule of their own, and this file says it
 * for all other rules. The library's sentences speak of types of a program. Pure.
 */

const VALUES_MAX = 20;

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  date: 'a date',
  null: 'null',
};

const FORMATS: Readonly<Record<string, string>> = {
  email: 'a mail address',
  url: 'an address such as https://192.0.2.7',
  uuid: 'an id such as 0199b1d2-7a3c-7c51-8f7e-2f1f4c9b7a10',
  datetime: 'a time such as 2026-01-31T12:00:00Z',
  date: 'a date such as 2026-01-31',
  time: 'a time such as 12:00',
  base64: 'base64',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  cidrv4: 'a network such as 192.0.2.0/24',
  cidrv6: 'a network such as 2001:db8::/32',
};

/** What is wrong by a rule that has no words of its own; undefined: the words of the library stay. */
export function issueText(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is missing';
      return `must be ${TYPES[issue.expected] ?? `a ${issue.expected}`}`;
    case 'too_small':
      return limitText(issue.origin, Number(issue.minimum), issue.inclusive !== false ? 'at least' : 'more than');
    case 'too_big':
      return limitText(issue.origin, Number(issue.maximum), issue.inclusive !== false ? 'at most' : 'less than');
    case 'invalid_format':
      return FORMATS[issue.format] === undefined
        ? 'has a form that is not allowed'
        : `must be ${FORMATS[issue.format]}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is missing' : valuesText(issue.values);
    case 'unrecognized_keys':
      return `must not have ${issue.keys.slice(0, VALUES_MAX).join(', ')}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_union':
      return issue.input === undefined ? 'is missing' : 'has a form that is not allowed';
    case 'invalid_key':
    case 'invalid_element':
      return 'has an entry that is not allowed';
    default:
      return undefined;
  }
}

const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  set: ['entry', 'entries'],
  map: ['entry', 'entries'],
  record: ['entry', 'entries'],
};

function limitText(origin: string, limit: number, bound: string): string {
  const unit = UNITS[origin];
  if (!unit) return `must be ${bound} ${limit.toLocaleString('en')}`;
  if (limit === 1 && bound === 'at least') return 'must not be empty';
  return `must have ${bound} ${limit.toLocaleString('en')} ${unit[limit === 1 ? 0 : 1]}`;
}

function valuesText(values: readonly unknown[]): string {
  const shown = values.slice(0, VALUES_MAX).map(String);
  const more = values.length > VALUES_MAX ? ` or another of ${values.length}` : '';
  return `must be ${shown.length > 1 ? 'one of ' : ''}${shown.join(', ')}${more}`;
}
