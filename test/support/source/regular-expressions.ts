import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { PROJECT } from './project.js';

/* The regular expressions of the sources, as the parser of TypeScript finds them, and whether one is linear in its text. */

const ROOT = fileURLToPath(PROJECT);

export interface FoundPattern {
  /** File and place among the patterns of that file, such as `src/device-api/redaction.ts#3`. */
  readonly place: string;
  /** As it is written. */
  readonly text: string;
  /** Null: it is built while the program runs. */
  readonly pattern: RegExp | null;
}

/** Every literal, and every call of `RegExp`. */
export function patternsOf(folder: string): FoundPattern[] {
  const files = readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .toSorted()
    .flatMap((file) => patternsIn(path.posix.join(folder, file.replaceAll(path.sep, '/'))));
}

function patternsIn(file: string): FoundPattern[] {
  const found: FoundPattern[] = [];
  const add = (text: string, pattern: RegExp | null) => found.push({ place: `${file}#${found.length}`, text, pattern });
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) add(node.text, literal(node.text));
    const isCall = ts.isNewExpression(node) || ts.isCallExpression(node);
    if (isCall && node.expression.getText(source) === 'RegExp') add(node.getText(source), null);
    ts.forEachChild(node, visit);
  };
  const source = ts.createSourceFile(file, readFileSync(path.join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest);
  visit(source);
  return found;
}

function literal(text: string): RegExp {
  const end = text.lastIndexOf('/');
  return new RegExp(text.slice(1, end), text.slice(end + 1));
}

/** A text of any length: a beginning, something again and again, and an end that does not match. */
interface Attack {
  readonly start: string;
  readonly again: string;
  readonly end: string;
}

const GENERAL = ['a', 'Z', '7', ' ', '.', '-', '_', '/', ':', '=', '"', "'", '\n', '!'];
const ENDS = ['', '\0\n\0'];
const MAX_WORDS = 10;

/** Found by hand; every pattern meets all of them. */
const KNOWN: readonly Attack[] = [
  { start: '{"text":"secret ', again: 'a.', end: '' },
  { start: '', again: 'secret a.', end: '' },
  { start: '://', again: ':', end: '' },
  { start: '', again: '://a:', end: ' ' },
  { start: 'option key ', again: "'", end: '\n' },
  { start: 'option a', again: ' ', end: '\ra\ra' },
  { start: '', again: '-----BEGIN CERTIFICATE-----', end: '' },
  { start: '', again: 'eyJaaaaaaaa.', end: '' },
];

/** What repeats without a bound: without it no text holds a pattern up for long. */
const UNBOUNDED = /[*+]|\{\d+,\}/;

/** Attacks of the words and signs that a pattern itself consists of: what it looks for is what holds it up. */
function attacksOn(pattern: RegExp): Attack[] {
  const plain = pattern.source.replaceAll(/\\([/.+*?()[\]{}|$^-])/g, '$1').replaceAll(/\\[dDwWsSbBpPnrt]/g, ' ');
  const words = [...new Set(plain.match(/[A-Za-z0-9_./:-]{2,40}/g) ?? [])].slice(0, MAX_WORDS);
  const signs = [...new Set(plain.match(/[^A-Za-z0-9\s\\^$?+*|()]/gu) ?? [])].filter((sign) => !GENERAL.includes(sign));
  const single = [...GENERAL, ...signs];
  const pumps = [...single, ...words, ...single.map((sign) => `a${sign}`)];
  const starts = ['', 'a', ...words.flatMap((word) => [word, `${word} a`]), ...signs];
  return starts.flatMap((start) => pumps.flatMap((again) => ENDS.map((end) => ({ start, again, end }))));
}

const textOf = ({ start, again, end }: Attack, length: number): string =>
  start + again.repeat(Math.ceil(length / again.length)) + end;

/** The time that a pattern takes for a text: the shortest of several rounds, so that other work does not count. */
function shortest(pattern: RegExp, text: string, rounds: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    if (pattern.global) text.replaceAll(pattern, '');
    else pattern.test(text);
    best = Math.min(best, performance.now() - startedAt);
  }
  return best;
}

/** Long enough for a square to stand out from what all attacks take. */
const FIRST_LOOK = 400;
const SHORT = 1_000;
const LONG = 16 * SHORT;

/** A linear pattern takes 16 times as long for 16 times the text, a quadratic one 256 times: a quarter of it, four times the other. */
const MOST = 64;

/** A machine that was busy in one try is not in all of them; a pattern that is not linear is slow in each. */
const TRIES = 30;

/** A linear pattern takes a few milliseconds for the longest text, so what takes this long is in no need of as many tries. */
const CLEAR_MS = 100;
const TRIES_WHEN_CLEAR = 4;

/** Attacks that are measured: those that took longest at the first look. */
const MEASURED = 3;

/** Whether the worst attack takes as many times longer as its text grows, and which one does not. */
export function growthOf(pattern: RegExp): { readonly isLinear: boolean; readonly worst: string } {
  if (!UNBOUNDED.test(pattern.source)) return { isLinear: true, worst: '' };
  const looked = attacksOn(pattern).map((attack) => ({ attack, ms: shortest(pattern, textOf(attack, FIRST_LOOK), 1) }));
  const slowest = looked.toSorted((one, other) => other.ms - one.ms).slice(0, MEASURED);
  for (const attack of [...slowest.map((one) => one.attack), ...KNOWN]) {
    const ratio = ratioOf(pattern, attack);
    if (ratio > MOST)
      return { isLinear: false, worst: `${JSON.stringify(attack)} takes ${ratio.toFixed(0)} times as long` };
  }
  return { isLinear: true, worst: '' };
}

/** How many times longer a text of 16 times the length takes: the least of several tries. */
function ratioOf(pattern: RegExp, attack: Attack): number {
  let ratio = Number.POSITIVE_INFINITY;
  let most = TRIES;
  for (let tries = 0; tries < most && ratio > MOST; tries++) {
    const longMs = shortest(pattern, textOf(attack, LONG), 2);
    if (longMs > CLEAR_MS) most = TRIES_WHEN_CLEAR;
    ratio = Math.min(ratio, longMs / shortest(pattern, textOf(attack, SHORT), 5));
  }
  return ratio;
}
