import { firmwareVersion } from '../device-api/firmware-version.js';
import { canonicalMac, macPattern } from '../device-api/mac.js';
import { AppError } from '../platform/errors.js';
import { isMeasure, MEASURE_NAMES, type MeasureName, readMeasure } from './measures.js';
import { isRecord, readWord, RECORD_NAMES, type RecordName, wordsText } from './records.js';
import { type DeviceProfile, type DeviceState, type DeviceTrust } from './matched-device.js';

/*
 * A selector names a set of devices:  tag:pump & site:vilnius/* & firmware<7.14 & !model:RUT2*
 *
 *   selector = and { "|" and }
 *   and      = not { "&" not }
 *   not      = "!" not | "(" selector ")" | "all" | "@" name | term
 *   term     = field operator value
 *   field    = "field." key | tag | site | name | id | serial | mac | model | firmware | operator | profile | state | trust
 *              | seen | one of measures.ts, such as rsrp or data.month | one of records.ts, such as credentials or job
 *   operator = ":" | "=" | "!=" | "<" | "<=" | ">" | ">="
 *   value    = "text" in double quotes (\" and \\ inside) | letters, digits and _ . : / * @ + -
 *
 * ":" matches, with * for any text; "=" is exact. Order is for `firmware` (7.14 < 7.14.2; zeros at the end make no
 * difference) and `seen` (an age: seen<2h is "answered within two hours"). A device without the value matches no term
 * of that field, so `!model:X` takes devices without a model too. Letter case makes no difference, except for tags.
 *
 * `credentials:none` and the other terms of `records.ts` are about what the gateway has of a device, by words.
 *
 * `field.rack` is the custom field `rack`; a number and true or false match as texts.
 *
 * `rsrp<-110` and the other terms of `measures.ts` are about the latest sample of a device.
 *
 * `@name` refers to a saved selector, which `saved-selectors.service.ts` expands.
 *
 * The same tree becomes SQL in `selector-sql.ts` and an answer for one device in `selector-match.ts`, which knows no records and
 * no measures. Pure.
 */

const TEXT_FIELDS = [
  'tag',
  'site',
  'name',
  'id',
  'serial',
  'mac',
  'model',
  'firmware',
  'operator',
  'profile',
  'state',
  'trust',
] as const;
export type TextField = (typeof TEXT_FIELDS)[number];
export type Order = '<' | '<=' | '>' | '>=';

export type Selector =
  | { readonly is: 'all' }
  | { readonly is: 'and' | 'or'; readonly of: readonly Selector[] }
  | { readonly is: 'not'; readonly of: Selector }
  /** Replaced before the selector is used; `at` is its position, for errors. */
  | { readonly is: 'saved'; readonly name: string; readonly at: number }
  /** In `pattern` * matches any text; with `exact` it is an ordinary character. */
  | { readonly is: 'text'; readonly field: TextField; readonly pattern: string; readonly exact: boolean }
  /** A custom field, otherwise as `text`. */
  | { readonly is: 'field'; readonly key: string; readonly pattern: string; readonly exact: boolean }
  | { readonly is: 'version'; readonly order: Order; readonly than: readonly number[] }
  | { readonly is: 'seen'; readonly order: Order; readonly ageMs: number }
  /** `at` is its position, for errors. */
  | { readonly is: 'record'; readonly name: RecordName; readonly word: string; readonly at: number }
  /** A measured value, in its unit; `at` is its position, for errors. */
  | {
      readonly is: 'measure';
      readonly name: MeasureName;
      readonly order: Order;
      readonly value: number;
      readonly at: number;
    };

/** The longest selector; one that names 500 devices by name is shorter. */
export const SELECTOR_LENGTH_MAX = 16_000;

/** The longest value: no field of a device is longer, and each value is a parameter of a statement. */
const VALUE_LENGTH_MAX = 500;

/** The deepest nesting of brackets and negations, to protect the stack. */
const DEPTH_MAX = 50;

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

const WORD = /[A-Za-z0-9_.:/*@+-]/;

export const DEVICE_STATES: readonly DeviceState[] = [
  'new',
  'online',
  'offline',
  'credentials_refused',
  'trust_changed',
];
const TRUSTS: readonly DeviceTrust[] = ['pin', 'ca', 'insecure'];
const PROFILES: readonly DeviceProfile[] = ['spec', 'rutos', 'unknown'];

/** Fields that have no other values: another one is a mistake, which would name no device without a word. */
const CHOICES: Readonly<Partial<Record<TextField, readonly string[]>>> = {
  state: DEVICE_STATES,
  trust: TRUSTS,
  profile: PROFILES,
};

/**
 * @param isStored of what was accepted before: its values are not judged again
 * @throws AppError `invalid_selector` with `position` (from 0) and what was expected there
 */
export function parseSelector(text: string, isStored = false): Selector {
  return new Parser(text, isStored).parse();
}

class Parser {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly isStored: boolean,
  ) {}

  parse(): Selector {
    if (this.text.length > SELECTOR_LENGTH_MAX)
      this.fail(`at most ${SELECTOR_LENGTH_MAX} characters`, SELECTOR_LENGTH_MAX);
    const tree = this.either(0);
    if (this.at < this.text.length) this.fail('& or | or the end');
    return tree;
  }

  private either(depth: number): Selector {
    return this.chain('|', 'or', () => this.both(depth));
  }

  private both(depth: number): Selector {
    return this.chain('&', 'and', () => this.negation(depth));
  }

  private chain(sign: string, is: 'and' | 'or', part: () => Selector): Selector {
    const of = [part()];
    while (this.take(sign)) of.push(part());
    return of.length === 1 ? of[0]! : { is, of };
  }

  private negation(depth: number): Selector {
    if (depth > DEPTH_MAX) this.fail(`at most ${DEPTH_MAX} levels of ! and ( )`);
    if (this.take('!')) return not(this.negation(depth + 1));
    if (this.take('(')) {
      const inner = this.either(depth + 1);
      if (!this.take(')')) this.fail(')');
      return inner;
    }
    return this.term();
  }

  private term(): Selector {
    this.skipSpace();
    const start = this.at;
    if (this.text[start] === '@') return this.saved();
    const field = /^(?:(?:memory|flash|data|observed)\.)?[a-z]+/i
      .exec(this.text.slice(start, start + 24))?.[0]
      ?.toLowerCase();
    if (!field) return this.fail('a field such as tag or site, or all, !, (');
    this.at += field.length;
    if (field === 'all') return { is: 'all' };
    if (field === 'field') return this.customField();
    if (isRecord(field)) return this.record(field, start);
    if (isMeasure(field)) return this.measure(field, start, this.operator());
    if (field !== 'seen' && !isTextField(field))
      return this.fail(
        `one of ${[...new Set([...TEXT_FIELDS, 'seen', ...RECORD_NAMES, ...MEASURE_NAMES])].join(', ')}, field.…, all`,
        start,
      );
    const operator = this.operator();
    const valueAt = (this.skipSpace(), this.at);
    const { value, quoted } = this.value();
    if (field === 'seen') return this.age(operator, value, valueAt);
    if (operator in ORDERS) return this.version(field, operator as Order, value, start, valueAt);
    const exact = quoted || operator !== ':';
    const pattern = field === 'mac' ? this.mac(value, exact, valueAt) : value;
    this.requireChoice(field, value, exact, valueAt);
    const match: Selector = { is: 'text', field, pattern, exact };
    return operator === '!=' ? not(match) : match;
  }

  /** One that no address matches is a mistake, which would name no device without a word. */
  private mac(value: string, exact: boolean, at: number): string {
    const pattern = exact ? canonicalMac(value) : macPattern(value);
    return pattern ?? this.fail('a MAC address such as 00:1e:42:00:00:01, or its beginning or end with *', at);
  }

  private requireChoice(field: TextField, value: string, exact: boolean, at: number): void {
    const choices = this.isStored || (!exact && value.includes('*')) ? undefined : CHOICES[field];
    if (choices && !choices.includes(value.toLowerCase())) this.fail(`${field} is one of ${choices.join(', ')}`, at);
  }

  private customField(): Selector {
    const key = /^\.([a-z][a-z0-9_]{0,39})/i.exec(this.text.slice(this.at, this.at + 41))?.[1]?.toLowerCase();
    if (!key) return this.fail('. and the key of a custom field, such as field.rack');
    this.at += key.length + 1;
    const start = this.at;
    const operator = this.operator();
    if (operator in ORDERS) this.fail(': or = or != after a custom field', start);
    this.skipSpace();
    const { value, quoted } = this.value();
    const match: Selector = { is: 'field', key, pattern: value, exact: quoted || operator !== ':' };
    return operator === '!=' ? not(match) : match;
  }

  /** `backup` is a measure too: its operator says which. */
  private record(name: RecordName, at: number): Selector {
    const start = (this.skipSpace(), this.at);
    const operator = this.operator();
    if (operator in ORDERS && isMeasure(name)) return this.measure(name, at, operator);
    if (operator in ORDERS) this.fail(`: or = or != after ${name}`, start);
    const valueAt = (this.skipSpace(), this.at);
    const word = readWord(name, this.value().value) ?? this.fail(wordsText(name), valueAt);
    const term: Selector = { is: 'record', name, word, at };
    return operator === '!=' ? not(term) : term;
  }

  private saved(): Selector {
    const at = this.at++;
    const name = /^[a-z0-9][a-z0-9_-]{0,62}/.exec(this.text.slice(this.at, this.at + 63))?.[0];
    if (!name) return this.fail('the name of a saved selector');
    this.at += name.length;
    return { is: 'saved', name, at };
  }

  private operator(): string {
    this.skipSpace();
    const found = /^(?:<=|>=|!=|[:=<>])/.exec(this.text.slice(this.at, this.at + 2))?.[0];
    if (!found) return this.fail('an operator such as : or = or <');
    this.at += found.length;
    return found;
  }

  private value(): { value: string; quoted: boolean } {
    if (this.text[this.at] === '"') return { value: this.quoted(), quoted: true };
    const start = this.at;
    while (this.at < this.text.length && WORD.test(this.text[this.at]!)) this.at++;
    if (this.at === start) this.fail('a value; put it in double quotes if it has spaces or signs');
    return { value: this.bounded(this.text.slice(start, this.at), start), quoted: false };
  }

  private quoted(): string {
    const start = this.at++;
    let value = '';
    for (;;) {
      const letter = this.text[this.at++];
      if (letter === undefined) return this.fail('a closing "', start);
      if (letter === '"') return this.bounded(value, start);
      value += letter === '\\' ? (this.text[this.at++] ?? '') : letter;
    }
  }

  private bounded(value: string, start: number): string {
    if (value.length > VALUE_LENGTH_MAX) this.fail(`a value of at most ${VALUE_LENGTH_MAX} characters`, start);
    return value;
  }

  private version(field: string, order: Order, value: string, fieldAt: number, valueAt: number): Selector {
    if (field !== 'firmware') this.fail('firmware or seen before < and >', fieldAt);
    const than = firmwareVersion(value)?.parts;
    if (!than) return this.fail('a version such as 7.14.2', valueAt);
    return { is: 'version', order, than };
  }

  private age(operator: string, value: string, valueAt: number): Selector {
    const parts = /^(\d{1,6})([smhdw])$/.exec(value);
    if (!(operator in ORDERS) || !parts) return this.fail('< or > and an age such as 30m, 2h or 7d', valueAt);
    return { is: 'seen', order: operator as Order, ageMs: Number(parts[1]) * UNITS_MS[parts[2]!]! };
  }

  private measure(name: MeasureName, at: number, operator: string): Selector {
    const valueAt = (this.skipSpace(), this.at);
    const { value: text } = this.value();
    const value = readMeasure(name, text);
    if (typeof value === 'string' || !(operator in ORDERS))
      return this.fail(`< or > and ${typeof value === 'string' ? value : 'a value'}`, valueAt);
    return { is: 'measure', name, order: operator as Order, value, at };
  }

  private take(sign: string): boolean {
    this.skipSpace();
    if (this.text[this.at] !== sign) return false;
    this.at++;
    return true;
  }

  private skipSpace(): void {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++;
  }

  private fail(expected: string, position = this.at): never {
    throw new AppError('invalid_selector', { position, expected, near: this.text.slice(position, position + 20) });
  }
}

const ORDERS: Readonly<Record<string, true>> = { '<': true, '<=': true, '>': true, '>=': true };

const isTextField = (name: string): name is TextField => (TEXT_FIELDS as readonly string[]).includes(name);

/** Negates a tree. Two negations cancel each other, so that a selector has no more parts than terms allow. */
const not = (of: Selector): Selector => (of.is === 'not' ? of.of : { is: 'not', of });

/** A part that has no parts of its own. */
export type Term = Exclude<Selector, { is: 'and' | 'or' | 'not' }>;

/** Replaces terms by other trees, or by themselves. */
export function replaceTerms(selector: Selector, replacement: (term: Term) => Selector): Selector {
  switch (selector.is) {
    case 'not':
      return not(replaceTerms(selector.of, replacement));
    case 'and':
    case 'or':
      return { is: selector.is, of: selector.of.map((part) => replaceTerms(part, replacement)) };
    default:
      return replacement(selector);
  }
}
