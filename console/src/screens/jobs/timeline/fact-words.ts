/* Facts of a log or a result in words: their names are those of the API, their values may be anything. */

export type FactLine = readonly [name: string, text: string];

/** Names that read badly when they are only taken apart. */
const NAMES: Readonly<Record<string, string>> = {
  downSeconds: 'Without an answer for, in seconds',
  artifactUsed: 'Image from the gateway',
  serial: 'Serial number',
  from: 'Version before',
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
  Object.entries(facts).map(([name, value]) => [factName(name), factText(value)]);

function factText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return value.toLocaleString('en');
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    if (value.length === 0) return 'none';
    return value.every((one) => typeof one !== 'object') ? value.map(factText).join(', ') : countText(value.length);
  }
  return Object.entries(value)
    .map(([name, one]) => `${factName(name).toLowerCase()} ${typeof one === 'object' ? '…' : factText(one)}`)
    .join(', ');
}

const countText = (count: number): string => `${count.toLocaleString('en')} ${count === 1 ? 'entry' : 'entries'}`;

/** Whether the words leave something out. */
export const isNested = (facts: Readonly<Record<string, unknown>>): boolean =>
  Object.values(facts).some(
    (value) => typeof value === 'object' && value !== null && JSON.stringify(value).length > 60,
  );
