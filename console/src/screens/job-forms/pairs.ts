import { type Spec } from './fields.js';

/* Rows of names and values, and the object that they make. */

export type Pair = readonly [name: string, value: unknown];

export const pairsOf = (record: Spec): readonly Pair[] => Object.entries(record);

/** Without rows that have no name yet; undefined: nothing is left. */
export function recordOf(pairs: readonly Pair[]): Spec | undefined {
  const named = pairs.filter(([name]) => name.trim() !== '').map(([name, value]) => [name.trim(), value] as const);
  return named.length > 0 ? Object.fromEntries(named) : undefined;
}

/** `true`, `false`, `null`, numbers, and what is in quotes or brackets, as JSON has it; any other text is itself. */
export function valueOfText(text: string): unknown {
  if (!/^(?:true|false|null|-?\d+(?:\.\d+)?|"[^]*"|\[[^]*\]|\{[^]*\})$/.test(text.trim())) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The text that `valueOfText` reads as this value. */
export function textOfValue(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? '';
  return valueOfText(value) === value ? value : JSON.stringify(value);
}
