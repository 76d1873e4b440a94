import { AppError } from '../platform/errors.js';
import { measureSql, type SampleRow, scopeOfMeasure, type SelectorReader } from './measures.js';
import { recordSql, scopeOfRecord } from './records.js';
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

type Pattern = Pick<Extract<Selector, { is: 'text' }>, 'pattern' | 'exact'>;

/** Adds a value to the statement. */
type Param = (value: unknown) => string;

type ReadTerm = Extract<Selector, { is: 'measure' | 'record' }>;

/** What each part of a selector needs. */
interface Statement {
  readonly param: Param;
  readonly now: Date;
  /** A condition: where the reader may read a value or a record. */
  readonly readable: (term: ReadTerm) => string;
  readonly row: SampleRow;
}

/** Postgres takes 65,535 parameters, and the rest of a statement needs some. */
const PARAMETERS_MAX = 65_000;

/**
 * @param values existing parameters; the selector's are appended
 * @param now the time for ages
 * @param reader whose rights decide which measured values count
 * @param row where the statement has measured values
 * @returns a condition that is true or false for every row, never null
 * @throws AppError `invalid_selector` when the statement would have too many parameters
 */
export function selectorSql(
  selector: Selector,
  values: unknown[],
  now: Date,
  reader: SelectorReader,
  row: SampleRow = 'latest',
): string {
  const param = (value: unknown) => {
    if (values.length >= PARAMETERS_MAX) throw tooManyValues();
    return `$${values.push(value)}`;
  };
  const scopes = new Map<string, string>();
  const readable = (term: ReadTerm) => {
    const scope =
      term.is === 'measure' ? scopeOfMeasure(term.name, reader) : scopeOfRecord(term.name, term.word, reader);
    const key = term.is === 'measure' ? term.name : `${term.name}:${term.word}`;
    const known = scopes.get(key) ?? scope?.(values, now) ?? 'true';
    scopes.set(key, known);
    return known;
  };
  return partSql(selector, { param, now, readable, row });
}

function partSql(selector: Selector, statement: Statement): string {
  const { param, now } = statement;
  switch (selector.is) {
    case 'saved':
      throw new Error(`The saved selector ${selector.name} was not expanded`);
    case 'all':
      return 'true';
    case 'and':
      return `(${selector.of.map((part) => partSql(part, statement)).join(' and ')})`;
    case 'or':
      return `(${orParts(selector.of, statement).join(' or ')})`;
    case 'not':
      return `not ${partSql(selector.of, statement)}`;
    case 'text':
      return textSql(selector, param);
    case 'field':
      return fieldSql(selector, param);
    case 'version':
      return `coalesce(firmware_version(device.firmware) ${selector.order} ${param(selector.than)}::int[], false)`;
    case 'record':
      return `(${statement.readable(selector)} and ${recordSql(selector.name, selector.word, param)})`;
    case 'measure':
      return `(${statement.readable(selector)} and ${measureSql(selector, param, now, statement.row)})`;
    case 'seen': {
      // Seen less than two hours ago means seen after that instant, so the comparison is reversed.
      const turned = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }[selector.order];
      return `coalesce(device.seen_at ${turned} ${param(new Date(now.getTime() - selector.ageMs))}::timestamptz, false)`;
    }
  }
}

/**
 * The texts of one column are two conditions, one for open patterns and one for the others: a thousand open ones take a fifth
 * of the time, a thousand others a hundredth, and each condition has one parameter.
 */
function orParts(of: readonly Selector[], statement: Statement): string[] {
  const texts = new Map<string, Extract<Selector, { is: 'text' }>[]>();
  const others: string[] = [];
  for (const part of of) {
    if (part.is === 'text' && !(part.field === 'tag' && isOpen(part))) {
      const kind = `${part.field} ${isOpen(part)}`;
      const those = texts.get(kind);
      if (those) those.push(part);
      else texts.set(kind, [part]);
    } else others.push(partSql(part, statement));
  }
  return [...others, ...[...texts.values()].map((those) => anySql(those, statement.param))];
}

/** Whether one of several texts of one field matches; all of them are open, or none is. */
function anySql(texts: readonly Extract<Selector, { is: 'text' }>[], param: Param): string {
  const [first] = texts as [Extract<Selector, { is: 'text' }>];
  if (texts.length === 1) return textSql(first, param);
  const patterns = texts.map(({ pattern }) => pattern);
  if (first.field === 'tag') return `device.tags && ${param(patterns)}::text[]`;
  const column = COLUMNS[first.field];
  if (isOpen(first)) return openSql(column, patterns, param);
  // A subquery, whose rows Postgres hashes once: an array would be searched from its start for each device.
  return `coalesce(lower(${column}) in (select lower(text) from unnest(${param(patterns)}::text[]) as text), false)`;
}

function textSql(selector: Extract<Selector, { is: 'text' }>, param: Param): string {
  const { field, pattern } = selector;
  if (field === 'tag') {
    if (!isOpen(selector)) return `device.tags @> array[${param(pattern)}]::text[]`;
    return `exists (select from unnest(device.tags) as tag where tag like ${param(likePattern(pattern))})`;
  }
  return likeSql(COLUMNS[field], selector, param);
}

function fieldSql(selector: Extract<Selector, { is: 'field' }>, param: Param): string {
  return likeSql(`(device.fields ->> ${param(selector.key)}::text)`, selector, param);
}

function likeSql(column: string, text: Pattern, param: Param): string {
  if (isOpen(text)) return openSql(column, [text.pattern], param);
  return `coalesce(lower(${column}) = lower(${param(text.pattern)}), false)`;
}

/** Whether the text of a column matches one of the patterns. Their small letters are made once for the statement. */
function openSql(column: string, patterns: readonly string[], param: Param): string {
  const [first, ...more] = patterns.map(likePattern);
  if (more.length === 0) return `coalesce(lower(${column}) like lower(${param(first)}), false)`;
  const all = `array(select lower(pattern) from unnest(${param([first, ...more])}::text[]) as pattern)`;
  return `coalesce(lower(${column}) like any (${all}), false)`;
}

/** Whether `*` in the pattern matches any text. */
const isOpen = ({ pattern, exact }: Pattern): boolean => !exact && pattern.includes('*');

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
