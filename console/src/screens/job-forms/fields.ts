import { readNumber } from '../../api/number-text.js';

/*
 * The fields of a form that makes the parameters of a job, and what is wrong with a value. The parameters themselves are what
 * the form holds, so that a form and its JSON show the same: a field that is not filled in is absent, and so is one with its
 * usual value. A number that cannot be read stays as the text that was typed.
 */

export type Spec = Readonly<Record<string, unknown>>;

interface AnyField {
  readonly label: string;
  readonly hint?: string;
  readonly isRequired?: boolean;
  /** Its choices are long texts: it has a line of its own. */
  readonly isWide?: boolean;
  /** Few need it: it is folded with the others of its kind while all have their usual value. */
  readonly isRare?: boolean;
  /** Whether it has a meaning beside the others. Absent: always. */
  readonly when?: (spec: Spec) => boolean;
}

/** A field of one value or of several, by `is`. `Fields` are those of an object. */
export type Field = AnyField &
  (
    | {
        readonly is: 'text';
        readonly pattern?: string;
        readonly example?: string;
        /** What knows the texts, so that one is chosen. */
        readonly from?: 'templates' | 'operations' | 'uploads' | 'sections';
      }
    | {
        readonly is: 'number';
        readonly min: number;
        readonly max: number;
        readonly preset?: number;
        /** The text that means: no limit. */
        readonly none?: string;
      }
    | { readonly is: 'choice'; readonly options: readonly (readonly [value: string, text: string])[]; preset?: string }
    | { readonly is: 'number-choice'; readonly options: readonly number[]; readonly preset: number }
    | {
        readonly is: 'check';
        readonly on: unknown;
        readonly preset: unknown;
        /** What follows where it is not as usual. */ readonly warns?: string;
      }
    | { readonly is: 'artifact'; readonly kinds: readonly string[] }
    | { readonly is: 'firmware' }
    | {
        readonly is: 'sealed';
        readonly secret: string;
        readonly none: string;
        /** The choice to give one; absent: `Type a password`. */ readonly some?: string;
      }
    | { readonly is: 'pairs'; readonly of: 'texts' | 'values' | 'access' }
    | { readonly is: 'words' }
    | { readonly is: 'list'; readonly of: Fields; readonly add: string; readonly title: string }
    | { readonly is: 'group'; readonly of: Fields }
    | { readonly is: 'changes' }
    /** It is set together with another field. */
    | { readonly is: 'with-another' }
  );

export type Fields = Readonly<Record<string, Field>>;

/** With a value in it, and without the values that mean the same as none. */
export function withValue(spec: Spec, name: string, value: unknown, field?: Field): Spec {
  const { [name]: _, ...rest } = spec;
  const isPreset = field !== undefined && 'preset' in field && value === field.preset;
  return value === undefined || value === '' || isPreset ? rest : { ...rest, [name]: value };
}

/** A typed number as the form holds it: the number, or the text that is none. */
export function typedNumber(text: string, field: Field & { is: 'number' }): unknown {
  if (field.none !== undefined && text.trim().toLowerCase() === field.none) return null;
  const { value } = readNumber(text, { ...field, isWhole: true });
  return value ?? text;
}

export const isShown = (field: Field, spec: Spec): boolean =>
  field.is !== 'with-another' && (field.when?.(spec) ?? true);

/** Whether a field that few need has another value than its usual one. */
export const usesRare = (fields: Fields, spec: Spec): boolean =>
  Object.entries(fields).some(
    ([name, field]) =>
      field.isRare &&
      isShown(field, spec) &&
      spec[name] !== undefined &&
      !('preset' in field && spec[name] === field.preset),
  );

/** Without the values of fields that have no meaning beside the others. */
export function withoutHidden(fields: Fields, spec: Spec): Spec {
  const kept = Object.entries(spec).filter(([name]) => fields[name]?.when?.(spec) ?? true);
  return Object.fromEntries(
    kept.map(([name, value]) => {
      const field = fields[name];
      if (field?.is !== 'list' || !Array.isArray(value)) return [name, value];
      return [name, value.map((one) => (isSpec(one) ? withoutHidden(field.of, one) : one))];
    }),
  );
}

/** What is wrong with a value; null: nothing, or it is absent. A text with `{{` is made for each device. */
export function wrongOf(field: Field, value: unknown): string | null {
  if (value === undefined) return null;
  if (field.is === 'sealed' && value === null) return `Type the ${field.secret}, and seal it.`;
  if (field.is === 'number' && typeof value === 'string')
    return readNumber(value, { ...field, isWhole: true }).wrong ?? null;
  if (field.is === 'text' && field.pattern && typeof value === 'string' && !value.includes('{{'))
    return new RegExp(field.pattern, 'u').test(value) ? null : `“${value.slice(0, 20)}” cannot be used. ${field.hint}`;
  return null;
}

/** The first thing that is wrong or missing in the parameters, with its field; null: they can be sent. */
export function firstProblem(fields: Fields, spec: Spec, place = ''): string | null {
  for (const [name, field] of Object.entries(fields)) {
    if (!isShown(field, spec)) continue;
    const problem = problemOf(field, spec[name], place);
    if (problem !== null) return problem;
  }
  return null;
}

function problemOf(field: Field, value: unknown, place: string): string | null {
  const where = `${place}${field.label}`;
  const wrong = wrongOf(field, value);
  if (wrong !== null) return `${where}: ${wrong}`;
  const isEmpty = value === undefined || (Array.isArray(value) && value.length === 0);
  if (field.isRequired && isEmpty) return `${where}: still missing.`;
  if (field.is === 'group' && isSpec(value)) return firstProblem(field.of, value, `${where}, `);
  if (field.is !== 'list' || !Array.isArray(value)) return null;
  for (const [at, one] of value.entries()) {
    const problem = isSpec(one) ? firstProblem(field.of, one, `${field.title} ${at + 1}, `) : null;
    if (problem !== null) return problem;
  }
  return null;
}

export const isSpec = (value: unknown): value is Spec =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
