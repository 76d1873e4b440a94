/*
 * The errors of the gateway in the words of a person, for the command line and for the console: what happened, with its facts, and
 * what to do in the tool at hand. The gateway's own sentences speak to programs: they name fields, headers and addresses. Where they
 * also suit a person they pass, by the rules below; the other codes have words of their own in `problem-table.ts`.
 * A browser and Node use it alike.
 */

import { LINKS, type LinkOfProblem, SCREEN_PATHS } from './problem-links.js';
import { DEMANDED, LISTS, WORDS } from './problem-table.js';
import { permissionText } from './permission-words.js';
import { relativeText } from './relative-time.js';

export type Tool = 'cli' | 'console';

/** A refusal as its problem document says it; `ApiError` is one. */
export interface RefusedRequest {
  readonly code: string;
  readonly title: string;
  readonly detail: string | null;
  /** The complete problem document, with the facts of its code. */
  readonly problem: Readonly<Record<string, unknown>>;
}

export interface ProblemWords {
  /** What happened, without a full stop. */
  readonly title: string;
  /** What to do. */
  readonly detail: string | null;
  /** The command that does it, after what it is for; only for the command line. */
  readonly command: string | null;
  /** Where it is done; only for the console. */
  readonly link: LinkOfProblem | null;
}

type Facts = ReadonlyMap<string, string>;

/** Texts of the gateway, of people and of devices are shown up to this length. */
const TEXT_MAX = 300;
/** Of a list, such as the jobs that use an artifact. */
const ITEMS_MAX = 10;

/** The words of an error in a tool. @param now for how long ago something was, in milliseconds */
export function wordsOf(
  { code, title, detail, problem }: RefusedRequest,
  tool: Tool,
  now: number = Date.now(),
): ProblemWords {
  const facts = factsOf(problem, tool, now);
  const own = facts.has('demand') ? DEMANDED : Object.hasOwn(WORDS, code) ? WORDS[code]! : {};
  const selector = code === 'invalid_selector' ? selectorAdvice(facts) : null;
  const isConsole = tool === 'console';
  const texts = [own.text, isConsole ? own.console : undefined];
  const said = texts.flatMap((text) => filled(text, facts) || []).join(' ');
  const command = isConsole ? null : filled(own.cli, facts, quoted);
  const hasOwn = said !== '' || command !== null || (own.text === undefined && (own.cli ?? own.console) !== undefined);
  const passed = hasOwn || selector !== null ? null : passedOn(detail ?? '', facts, tool);
  const ownTitle = (isConsole ? filled(own.consoleTitle, facts) : null) ?? filled(own.title, facts);
  return {
    title: ownTitle ?? titleOf(title, facts),
    detail: (selector ?? (hasOwn ? said : passed?.text)) || null,
    command: command ?? passed?.command ?? null,
    link: isConsole ? (linkOf(code, facts) ?? passed?.link ?? null) : null,
  };
}

/** Where it is done, with the facts that it needs. */
function linkOf(code: string, facts: Facts): LinkOfProblem | null {
  const link = Object.hasOwn(LINKS, code) ? LINKS[code]! : null;
  const to = filled(link?.to, facts, encodeURIComponent);
  return link && to !== null ? { ...link, to } : null;
}

/** The part of a request that was refused, as people name it: `tags.0` for `/body/tags/0`. */
export function fieldName(pointer: string): string {
  const [, part = '', ...names] = pointer.split('/');
  return names.length === 0 ? `the ${part}` : names.join('.');
}

/** The same in words: `Tags, number 1` for `/body/tags/0`. */
export function fieldText(pointer: string): string {
  const [, part = '', ...names] = pointer.split('/');
  if (names.length === 0) return part === '' ? 'The request' : `The ${part}`;
  const text = names.map((name) => (/^\d+$/.test(name) ? `number ${Number(name) + 1}` : wordsIn(name))).join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `newPassword` and `new_password` are `new password`. */
const wordsIn = (name: string): string =>
  FIELD_WORDS[name] ??
  name
    .replaceAll(/([a-z\d])([A-Z])/g, (_all, before: string, capital: string) => `${before} ${capital.toLowerCase()}`)
    .replaceAll(/[_-]/g, ' ');

/** Without the marks of code, which only documents show as such. */
export const unmarked = (text: string): string => text.replaceAll('`', '');

/** The one of `choices` that a person may have meant; null: none is near. */
export function nearestOf(written: string, choices: readonly string[]): string | null {
  const ranked = choices.map((choice) => [distance(written.toLowerCase(), choice.toLowerCase()), choice] as const);
  const [[least, nearest] = [Infinity, null]] = ranked.sort(([a], [b]) => a - b);
  return least <= Math.max(1, Math.floor(written.length / 3)) ? nearest : null;
}

/** Letters to add, remove, change or swap (Levenshtein, with transpositions). */
function distance(from: string, to: string): number {
  let [before, last] = [[] as number[], Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const changed = last[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row.push(Math.min(changed, last[j]! + 1, row[j - 1]! + 1, isSwap ? before[j - 2]! + 1 : Infinity));
    }
    [before, last] = [last, row];
  }
  return last[to.length]!;
}

/** Where a selector is wrong, and what was meant. */
function selectorAdvice(facts: Facts): string | null {
  const expected = facts.get('expected');
  if (expected === undefined) return null;
  const near = facts.get('near');
  if (near === undefined) return `${facts.get('position') === '0' ? 'Expected' : 'Expected at its end'}: ${expected}.`;
  const [, field, choices] = CHOICE.exec(expected) ?? [];
  if (field !== undefined) return notOneOf(field, near, choices!);
  if (!expected.startsWith('one of ')) return `At "${near}": expected ${expected}.`;
  return notOneOf('field', near, expected.slice('one of '.length));
}

/** What a field of a selector can be: `state is one of new, online`. */
const CHOICE = /^(state|trust|profile) is one of (.{1,300})$/;

function notOneOf(noun: string, near: string, choices: string): string {
  const written = /^[\w.]{1,40}/.exec(near)?.[0] ?? near;
  const meant = nearestOf(written, choices.split(', '));
  return `At "${written}": no such ${noun}. ${meant === null ? `There are ${choices}.` : `Did you mean "${meant}"?`}`;
}

/** Says why, where a fact does. */
function titleOf(title: string, facts: Facts): string {
  const reason = facts.get('reason') ?? facts.get('why');
  return reason === undefined ? unmarked(title) : `${unmarked(title)}: ${reason}`;
}

const LISTED = /^GET (\/\S{1,80}) (?:lists|shows|has|counts) /;
/** Its value is in the title. */
const REASONED = /^`(?:reason|why)` says/;
const LIMITED = /^`limit` is the (?:largest )?number\.$/;
const BY_ADDRESS = /\b(?:GET|POST|PUT|PATCH|DELETE) \//;

interface PassedAdvice {
  readonly text: string;
  readonly command: string | null;
  readonly link: LinkOfProblem | null;
}

/** The gateway's own advice, where it suits a person: with facts in the place of their names, and without addresses of the API. */
function passedOn(detail: string, facts: Facts, tool: Tool): PassedAdvice {
  const kept: string[] = [];
  let command: string | null = null;
  let link: LinkOfProblem | null = null;
  for (const sentence of detail.slice(0, 4 * TEXT_MAX).split(/(?<=\.) /)) {
    const list = LISTS[LISTED.exec(sentence)?.[1] ?? ''];
    if (list && tool === 'cli') command ??= `See: fleetgate ${list[0]}`;
    else if (list) link ??= { text: `Open ${list[1]}`, to: SCREEN_PATHS[list[1]]! };
    else kept.push(...sentenceOf(sentence, facts));
  }
  return { text: kept.join(' '), command, link };
}

function sentenceOf(sentence: string, facts: Facts): string[] {
  if (REASONED.test(sentence)) return [];
  if (LIMITED.test(sentence)) return facts.has('limit') ? [`At most ${facts.get('limit')}.`] : [];
  const wait = facts.get('retryAfterSeconds');
  const text = sentence
    .replace('Retry-After seconds', wait === undefined ? 'a few seconds' : `${wait} s`)
    .replace(/ with PUT(?=[ ,.])/, '')
    .replaceAll(/`(\w{1,40})`/g, (marked, name: string) => facts.get(name) ?? marked);
  const isUnclear = /`\w{1,40}`/.test(text) || BY_ADDRESS.test(text);
  return isUnclear ? [] : [unmarked(text)];
}

/** A template with its facts; null when one is missing that it needs. @param write a fact, in a command */
function filled(template: string | undefined, facts: Facts, write = (value: string) => value): string | null {
  let isWhole = template !== undefined;
  const part = (text: string): string | null => {
    let hasAll = true;
    const said = text.replaceAll(/\{(\w{1,40})\}/g, (_all, name: string) => {
      const value = facts.get(name);
      hasAll &&= value !== undefined;
      return value === undefined ? '' : write(value);
    });
    return hasAll ? said : null;
  };
  const parts = (template ?? '').split(/[[\]]/).map((text, at) => {
    if (at % 2 === 1)
      return (
        text
          .split('|')
          .map(part)
          .find((said) => said !== null) ?? ''
      );
    const said = part(text);
    isWhole &&= said !== null;
    return said;
  });
  return isWhole ? parts.join('') : null;
}

/** As a shell takes it. */
const quoted = (value: string): string => (/^[\w.:@/+-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`);

/** The facts that can be said, and what follows from them: `may` are permissions in words, `since` is a distance in time. */
function factsOf(problem: Readonly<Record<string, unknown>>, tool: Tool, now: number): Facts {
  const said = Object.entries(problem).map(([name, value]) => [name, factText(name, value)] as const);
  const facts = new Map(said.filter((one): one is [string, string] => one[1] !== ''));
  const may = permissionText(facts.get('permission') ?? '');
  if (may !== null) facts.set('may', may);
  const { since } = problem;
  if (typeof since === 'string' && tool === 'console') facts.set('since', relativeText(Date.parse(since) - now));
  if (problem['locked'] === 'writes') facts.set('frozen', 'Frozen');
  return facts;
}

const FIELD_WORDS: Readonly<Record<string, string>> = {
  baseUrl: 'base URL',
  mac: 'MAC',
  serial: 'serial number',
  url: 'address',
  username: 'user name',
};
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

/** A fact as text; empty: there is none. */
function factText(name: string, value: unknown): string {
  if (typeof value === 'number') return name.endsWith('Bytes') ? bytesText(value) : value.toLocaleString('en');
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') {
    const known = name === 'field' ? FIELD_WORDS[value] : undefined;
    return known ?? (TIME.test(value) ? localTime(value) : unmarked(value).slice(0, TEXT_MAX));
  }
  if (!Array.isArray(value)) return '';
  const items = value.map((item: unknown) => factText(name, isDeviceError(item) ? item.error : item)).filter(Boolean);
  const more = items.length > ITEMS_MAX ? [`and ${items.length - ITEMS_MAX} more`] : [];
  return [...items.slice(0, ITEMS_MAX), ...more].join(', ');
}

const isDeviceError = (value: unknown): value is { readonly error: string } =>
  typeof (value as { error?: unknown } | null)?.error === 'string';

/** In the time of the reader: `2026-11-26 16:04`. */
function localTime(time: string): string {
  const at = new Date(time);
  const [month, day, hour, minute] = [at.getMonth() + 1, at.getDate(), at.getHours(), at.getMinutes()].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${at.getFullYear()}-${month}-${day} ${hour}:${minute}`;
}

/** Sizes that are limits are powers of two. */
function bytesText(bytes: number): string {
  const MIB = 1_048_576;
  return bytes >= MIB ? `${Math.round((bytes / MIB) * 10) / 10} MiB` : `${bytes.toLocaleString('en')} bytes`;
}
