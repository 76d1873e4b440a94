import { bytesText } from '../../../api/amount-text.js';

/* Facts of a log or a result in words: their names are those of the API, their values may be anything. */

export type FactLine = readonly [name: string, text: string];

/** Names that read badly when they are only taken apart. */
const NAMES: Readonly<Record<string, string>> = {
  bytes: 'Size',
  ms: 'Duration',
  deviceCodes: 'Codes of the device',
  deviceErrors: 'The device said',
  deviceStatus: 'HTTP status',
  sha256: 'SHA-256',
  downSeconds: 'Without an answer for',
  artifactUsed: 'Image from the gateway',
  serial: 'Serial number',
  from: 'Version before',
  planDigest: 'Digest of the plan',
  skipped: 'Left out',
};

/** `freeSpace` as `Free space`. */
export function factName(name: string): string {
  if (Object.hasOwn(NAMES, name)) return NAMES[name]!;
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_.]+/g, ' ')
    .toLowerCase()
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Each fact as a name and a text; what is nested stands behind a fold as JSON, and is only counted here. */
export const factLines = (facts: Readonly<Record<string, unknown>>): readonly FactLine[] =>
  Object.entries(facts).map(([name, value]) => [factName(name), measureText(name, value) ?? factText(value)]);

/** The same of a job, of which what is empty says nothing. */
export const toldLines = (facts: Readonly<Record<string, unknown>>): readonly FactLine[] =>
  factLines(Object.fromEntries(Object.entries(facts).filter(([, value]) => !isEmpty(value))));

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** Sizes and durations, by their names; null: it is neither. */
function measureText(name: string, value: unknown): string | null {
  if (typeof value !== 'number') return null;
  if (name === 'bytes') return bytesText(value);
  if (name === 'ms') return `${value.toLocaleString('en')} ms`;
  return name === 'downSeconds' ? `${value.toLocaleString('en')} s` : null;
}

function factText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return value.toLocaleString('en');
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    if (value.length === 0) return 'none';
    const texts = value.map((one) => (typeof one === 'object' ? entryText(one) : factText(one)));
    if (texts.includes(null)) return countText(value.length);
    return texts.join(value.every((one) => typeof one === 'object') ? '; ' : ', ');
  }
  return nestedText(value);
}

/** What an object says, in one line: `keep settings 1, version 7.25`. Counts that are zero, and what is nothing, say nothing. */
function nestedText(value: object): string {
  const parts = Object.entries(value).flatMap(([name, one]) =>
    one === 0 || one === null || one === ''
      ? []
      : [measureText(name, one) ?? `${factName(name).toLowerCase()} ${factText(one)}`],
  );
  return parts.join(', ') || 'none';
}

/** By what an entry of a list is told: the words of a device of an error, the name of a file. */
const ENTRY_NAMES = ['error', 'file', 'name', 'title', 'path'];

/** `General structure of request is incorrect`; `device.cert.pem, until 3 Jun 2027`. Null: nothing in it is a name. */
function entryText(value: object | null): string | null {
  const of = (value ?? {}) as Readonly<Record<string, unknown>>;
  const name = ENTRY_NAMES.map((one) => of[one]).find((one) => typeof one === 'string');
  if (typeof name !== 'string') return null;
  const end = Date.parse(typeof of['notAfter'] === 'string' ? of['notAfter'] : '');
  return Number.isNaN(end) ? name : `${name}, until ${DAY.format(end)}`;
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

const countText = (count: number): string => `${count.toLocaleString('en')} ${count === 1 ? 'entry' : 'entries'}`;

/** Whether the words leave something out. */
export const isNested = (facts: Readonly<Record<string, unknown>>): boolean =>
  Object.values(facts).some(
    (value) => typeof value === 'object' && value !== null && JSON.stringify(value).length > 60,
  );
