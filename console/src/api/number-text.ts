/* Numbers as people type them. Text that is no number is never another number, and never none: it is refused with its reason. */

export interface NumberRule {
  readonly min: number;
  readonly max: number;
  /** Whether parts are no value. */
  readonly isWhole?: boolean;
}

/** A typed number, or what is wrong with its text. */
export type TypedNumber =
  { readonly value: number; readonly wrong: null } | { readonly value: null; readonly wrong: string };

const PLAIN = /^-?\d{1,15}(?:\.\d{1,15})?$/;

/** Reads a number: digits, with a point before parts. No unit, no other sign, no exponent. */
export function readNumber(text: string, { min, max, isWhole = false }: NumberRule): TypedNumber {
  const typed = text.trim();
  const range = `from ${min.toLocaleString('en')} to ${max.toLocaleString('en')}`;
  if (typed === '') return refused(`Type a number ${range}.`);
  if (!PLAIN.test(typed)) return refused(`“${typed.slice(0, 20)}” is not a number. Type digits only, ${range}.`);
  const value = Number(typed);
  if (isWhole && !Number.isInteger(value)) return refused(`Type a whole number ${range}.`);
  if (value < min || value > max) return refused(`Type a number ${range}.`);
  return { value, wrong: null };
}

/** As `readNumber`, where an empty field means that there is no value. */
export const readOptional = (text: string, rule: NumberRule): TypedNumber | { value: undefined; wrong: null } =>
  text.trim() === '' ? { value: undefined, wrong: null } : readNumber(text, rule);

const refused = (wrong: string): TypedNumber => ({ value: null, wrong });

/** The first field with a text that is no value, by its name; null: there is none. */
export function firstWrong(fields: Readonly<Record<string, { readonly wrong: string | null }>>): string | null {
  for (const [name, { wrong }] of Object.entries(fields)) if (wrong !== null) return `${name}: ${wrong}`;
  return null;
}
