import { AppError } from '../../platform/errors.js';
import { type Selector, type TextField } from './selector.js';

/* Converts a selector to a condition on table `device`. Values are always parameters. Pure. */

const COLUMNS: Readonly<Record<Exclude<TextField, 'tag'>, string>> = {
  site: 'device.site',
  name: 'device.name',
  id: 'device.id::text',
  serial: 'device.serial',
  mac: 'device.mac',
  model: 'device.model',
  firmware: 'device.firmware',
  operator: 'device.network_operator',
  profile: 'device.profile',
  state: 'device.state',
  trust: 'device.trust',
};

/** Postgres takes 65,535 parameters, and the rest of a statement needs some. */
const PARAMETERS_MAX = 65_000;

/**
 * @param values existing parameters; the selector's are appended
 * @param now the time for ages
 * @returns a condition that is true or false for every row, never null
 * @throws AppError `invalid_selector` when the statement would have too many parameters
 */
export function selectorSql(selector: Selector, values: unknown[], now: Date): string {
  const param = (value: unknown) => {
    if (values.length >= PARAMETERS_MAX) throw tooManyValues();
    return `$${values.push(value)}`;
  };
  switch (selector.is) {
    case 'saved':
      throw new Error(`The saved selector ${selector.name} was not expanded`);
    case 'all':
      return 'true';
    case 'and':
    case 'or':
      return `(${selector.of.map((part) => selectorSql(part, values, now)).join(` ${selector.is} `)})`;
    case 'not':
      return `not ${selectorSql(selector.of, values, now)}`;
    case 'text':
      return textSql(selector, param);
    case 'field':
      return fieldSql(selector, param);
    case 'version':
      return `coalesce(firmware_version(device.firmware) ${selector.order} ${param(selector.than)}::int[], false)`;
    case 'seen': {
      // Seen less than two hours ago means seen after that instant, so the comparison is reversed.
      const turned = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }[selector.order];
      return `coalesce(device.seen_at ${turned} ${param(new Date(now.getTime() - selector.ageMs))}::timestamptz, false)`;
    }
  }
}

function textSql(
  { field, pattern, exact }: Extract<Selector, { is: 'text' }>,
  param: (value: unknown) => string,
): string {
  const isOpen = !exact && pattern.includes('*');
  if (field === 'tag') {
    if (!isOpen) return `device.tags @> array[${param(pattern)}]::text[]`;
    return `exists (select from unnest(device.tags) as tag where tag like ${param(likePattern(pattern))})`;
  }
  return likeSql(COLUMNS[field], pattern, isOpen, param);
}

function fieldSql(
  { key, pattern, exact }: Extract<Selector, { is: 'field' }>,
  param: (value: unknown) => string,
): string {
  return likeSql(`(device.fields ->> ${param(key)}::text)`, pattern, !exact && pattern.includes('*'), param);
}

/** @param isOpen whether `*` in the pattern matches any text */
function likeSql(column: string, pattern: string, isOpen: boolean, param: (value: unknown) => string): string {
  if (!isOpen) return `coalesce(lower(${column}) = lower(${param(pattern)}), false)`;
  return `coalesce(lower(${column}) like lower(${param(likePattern(pattern))}), false)`;
}

function tooManyValues(): AppError {
  return new AppError('invalid_selector', {
    position: 0,
    expected: `fewer terms: the selector and the rules of your roles together have more than ${PARAMETERS_MAX}`,
  });
}

/** `*` matches any text; the special characters of `like` are escaped. */
function likePattern(pattern: string): string {
  return pattern.replaceAll(/[\\%_]/g, '\\$&').replaceAll('*', '%');
}
