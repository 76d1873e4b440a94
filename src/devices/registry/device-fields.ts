/* Custom fields of devices: what administrators define, and whether a value is one of a field. Pure. */

export const FIELD_TYPES = ['text', 'number', 'boolean', 'date', 'choice'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** An installation has at most so many fields: each device holds a value of each. */
export const FIELDS_MAX = 50;

export const FIELD_KEY = /^[a-z][a-z0-9_]{0,39}$/;

export type FieldValue = string | number | boolean;
export type FieldValues = Readonly<Record<string, FieldValue>>;

/** New values by key; null removes one. */
export type FieldChanges = Readonly<Record<string, FieldValue | null>>;

export interface FieldDefinition {
  readonly key: string;
  readonly type: FieldType;
  /** Of type `choice`: the allowed values. */
  readonly choices: readonly string[];
}

/** Values after changes. */
export function changedFields(before: FieldValues, changes: FieldChanges): FieldValues {
  const all = Object.entries({ ...before, ...changes });
  return Object.fromEntries(all.filter((entry): entry is [string, FieldValue] => entry[1] !== null));
}

/** What is wrong with a value; null: nothing. A field without a definition may only be removed. */
export function fieldProblem(definition: FieldDefinition | undefined, value: FieldValue | null): string | null {
  if (value === null) return null;
  if (!definition) return 'there is no such field; GET /v1/fields lists them';
  const { type, choices } = definition;
  switch (type) {
    case 'text':
      return typeof value === 'string' ? null : 'must be a text';
    case 'number':
      return typeof value === 'number' && isPlain(value) ? null : 'must be a number below 10^15, of at most 6 decimals';
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'date':
      return typeof value === 'string' && isDate(value) ? null : 'must be a date such as 2026-06-30';
    case 'choice':
      return typeof value === 'string' && choices.includes(value) ? null : `must be one of ${choices.join(', ')}`;
  }
}

/** Such a number has the same text in JavaScript and in Postgres, which selectors compare. */
const isPlain = (value: number) => Math.abs(value) < 1e15 && Number(value.toFixed(6)) === value;

function isDate(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : new Date(NaN);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}
